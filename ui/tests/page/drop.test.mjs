import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

/** Drags something so named over the page, and drops it or takes it away again. */
const drag = (page, name, ...events) =>
  page.evaluate(
    ([name, events]) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([], name));
      for (const event of events)
        document.body.dispatchEvent(new DragEvent(event, { dataTransfer, bubbles: true, cancelable: true }));
    },
    [name, events],
  );

const settled = (page) => page.waitForFunction(() => !document.querySelector(".drop-hint"));

export default {
  async "a folder that is held over the page is hinted at, dropped it is added, and undone it is gone"(open) {
    for (const [lang, words] of Object.entries({
      en: { hint: /Drop a folder of sessions/, added: /was added to Codex: 12 conversations/, undo: "Undo" },
      "zh-CN": { hint: /把存放会话的文件夹放到这里/, added: /添加到 Codex：12 段对话/, undo: "撤销" },
    })) {
      const page = await open({ query: { mock: "invented", lang }, hash: "#/library" });
      // What is found is said first, and would be said over the hint.
      await page.waitForFunction(() => document.querySelector("[role=status][aria-live=polite]").textContent !== "");
      await drag(page, "codex-backup", "dragenter", "dragover");
      await page.locator(".drop-hint").getByText(words.hint).waitFor();
      await page
        .locator("[role=status][aria-live=polite]")
        .first()
        .filter({ hasText: words.hint })
        .waitFor({ state: "attached" });
      await drag(page, "codex-backup", "dragleave");
      await settled(page);
      await drag(page, "codex-backup", "dragenter", "drop");
      await page.locator(".told").getByText(words.added).waitFor();
      await page.waitForFunction(() => location.hash === "#/sources");
      await page.evaluate(() => (location.hash = "#/settings"));
      await page.getByText("/home/you/codex-backup").waitFor();
      await page.locator(".told").getByRole("button", { name: words.undo }).click();
      await page.locator(".told").waitFor({ state: "detached" });
      assert.equal(await page.getByText("/home/you/codex-backup").count(), 0);
    }
  },

  async "whose a folder is, is asked where it is not evident, by keyboard too"(open) {
    const page = await open({ query: { mock: "invented" } });
    await drag(page, "two-tools", "drop");
    const asked = page.getByRole("dialog", { name: "Whose sessions are these?" });
    await asked.waitFor();
    assert.equal(await asked.locator("li button").count(), 2, "those that can read it");
    await page.evaluate(axe);
    const faults = await page.evaluate(() => window.axe.run("dialog").then((r) => r.violations.map((v) => v.id)));
    assert.deepEqual(faults, []);
    await page.keyboard.press("Escape");
    await asked.waitFor({ state: "detached" });
    assert.equal(await page.locator(".told").count(), 0, "nothing was added");

    await drag(page, "holiday-pictures", "drop");
    await asked.getByText(/recognised no sessions/).waitFor();
    assert.equal(await asked.locator("li button").count(), 5, "any of them");
    await asked.locator("li button").nth(1).focus();
    await page.keyboard.press("Enter");
    await page
      .locator(".told")
      .getByText(/was added to/)
      .waitFor();
  },

  async "a session file is previewed with its folder and opened"(open) {
    const page = await open({ query: { mock: "invented" } });
    await drag(page, "codex-rollout.jsonl", "drop");
    await page
      .locator(".told")
      .getByText(/~\/backup was added to Codex/)
      .waitFor();
    await page.waitForFunction(() => location.hash.startsWith("#/acceptance/codex/c/"));
    await page.locator("article").first().waitFor();
  },

  async "what is looked at already is not added again"(open) {
    const page = await open({ query: { mock: "invented" } });
    await drag(page, "codex-known", "drop");
    await page.locator(".told").getByText("~/codex-known is looked at for Codex already.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Undo" }).count(), 0);
  },

  async "while something runs, nothing can be dropped"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    await page.getByRole("button", { name: "Preview everything" }).click();
    await drag(page, "codex-backup", "dragenter");
    await page
      .locator(".drop-hint")
      .getByText(/Something is running/)
      .waitFor();
    await drag(page, "codex-backup", "drop");
    await settled(page);
    await page.waitForTimeout(300);
    assert.equal(await page.locator(".told").count(), 0);
  },
};

import assert from "node:assert/strict";
import { previewAll } from "./harness.mjs";

const text = (page, selector) => page.locator(selector).first().innerText();

export default {
  async "from the sources to a result"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in \d+ places/).waitFor();
    assert.equal(await page.locator(".source").count(), 5, "every source has its row");
    await previewAll(page);

    // Acceptance: summary, then the conversations behind a figure.
    await page.getByRole("link", { name: "Open Codex in Acceptance" }).last().click();
    await page.getByText(/conversations are complete/).waitFor();
    await page
      .getByRole("link", { name: /damaged record/ })
      .first()
      .click();
    await page.getByRole("grid").waitFor();
    assert.match(page.url(), /reason=malformed-json/);
    const shown = Number((await page.locator(".filters [role=status]").innerText()).split(" ")[0]);
    assert.ok(shown > 0 && shown < 33, "the figure opens what it counts");

    // The inspector: ghosts in place, made-up times, chips, the raw record.
    await page
      .getByRole("row", { name: /Fix the retry loop in the uploader/ })
      .first()
      .click();
    await page.locator(".ghost.dropped").first().waitFor();
    assert.equal(
      await page
        .getByRole("img", { name: /made-up time/ })
        .first()
        .innerText(),
      "≈",
    );
    await page.locator(".ghost.dropped .head").first().click();
    await page.getByText(/line 4 · bytes/).waitFor();
    assert.match(await text(page, ".panel pre"), /gAAAA/);
    await page.keyboard.press("Escape");
    await page.getByText("Select a message, a ghost or a mark").waitFor();

    // Reference: what was recovered becomes ghosts, tools become chips; the figures on the switch differ.
    await page.getByRole("button", { name: /^Reference/ }).click();
    await page.locator(".message .tag.folded").first().waitFor();
    assert.ok((await page.locator(".ghost.dropped").count()) > 3, "ghosts stand in place");
    await page.getByRole("button", { name: /^Full/ }).click();
    await page.locator(".message.recovered").first().waitFor();

    // Import.
    await page.keyboard.press("3");
    await page.getByText("Read first").waitFor();
    await page.getByRole("button", { name: /^Import \d+ conversations$/ }).click();
    await page.getByRole("progressbar").first().waitFor();
    await page.getByText("Three layers, never added together.").waitFor();
    const figure = page.locator("li a[href*='library=']").first();
    const count = Number((await figure.innerText()).replace(/\D/g, ""));
    await figure.click();
    await page.getByRole("grid", { name: "Conversations of this run" }).waitFor();
    await page.locator("[role=row][id^=outcome-]").first().waitFor();
    assert.equal(
      Number(await page.getByRole("grid").getAttribute("aria-rowcount")) - 1,
      count,
      "a figure of the result opens as many conversations as it counts",
    );
  },

  async "cancel leaves a word about what was written"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.waitForTimeout(400);
    await previewAll(page);
    await page.keyboard.press("3");
    await page.getByRole("button", { name: /^Import \d+ conversations$/ }).click();
    await page.getByRole("button", { name: "Cancel" }).click();
    await page.getByText("Import cancelled. What was written is complete").waitFor();
  },

  async "nothing found: every place is listed, and the sample opens"(open) {
    const page = await open({ query: { mock: "empty" } });
    await page.getByText("None of these tools was found").waitFor();
    assert.ok((await page.getByText("not there").count()) > 8, "what was looked at is shown");
    await page.getByRole("button", { name: "Explore with sample data" }).first().click();
    await page.getByText("You are looking at the sample home.").waitFor();
    await page.getByText(/5 of 5 tools found/).waitFor();
    await page.getByRole("button", { name: "Back to my own data" }).waitFor();
  },

  async "failures stay with their source"(open) {
    const page = await open({ query: { mock: "failing" } });
    await page.getByText("encrypted, cannot be read").waitFor();
    await page.getByText("Part of a source could not be listed.").waitFor();
    await page.getByRole("button", { name: "Places looked at for Codex" }).click();
    await page.getByText("1 part could not be read").waitFor();
    await page.getByRole("button", { name: "Preview everything" }).click();
    await page.getByText("The file is in use by another program.").waitFor();
    await page.waitForFunction(() => document.querySelectorAll("a.bar").length >= 2);
    await page.getByRole("link", { name: "Open Codex in Acceptance" }).last().click();
    await page.getByRole("link", { name: "Matrix" }).click();
    await page.getByText(/1 rule of 15 does not behave as declared/).waitFor();
    await page.getByText("content expected").waitFor();
  },

  async "a library that cannot be used is said, and nothing is imported"(open) {
    const page = await open({ query: { mock: "unreadable-library" } });
    await page.getByText("The library was written by a newer version of Assay.").waitFor();
    await previewAll(page);
    await page.keyboard.press("3");
    assert.ok(await page.getByRole("button", { name: /^Import \d+/ }).isDisabled());
  },

  async "a chosen few are imported, and the choice can be dropped"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.waitForTimeout(400);
    await previewAll(page);
    await page.evaluate(() => (location.hash = "#/acceptance/codex/conversations"));
    await page
      .getByRole("checkbox", { name: /^Select 给导入器加上进度条/ })
      .first()
      .check();
    await page
      .getByRole("checkbox", { name: /^Select review/ })
      .first()
      .check();
    await page.getByRole("button", { name: "Import 2 conversations…" }).click();
    await page.getByText("Only the 2 conversations you chose.").waitFor();
    await page.getByRole("button", { name: "Import 2 conversations" }).waitFor();
    await page.getByRole("button", { name: "Import everything instead" }).click();
    await page.getByRole("button", { name: /^Import \d\d conversations/ }).waitFor();
  },

  async "settings hold, and the language changes live"(open) {
    const page = await open({ query: { mock: "invented" }, hash: "#/settings" });
    await page.getByLabel("Language").selectOption("zh-CN");
    await page.getByRole("heading", { name: "设置" }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.lang), "zh-CN");
    await page.getByLabel("主题").selectOption("dark");
    assert.equal(await page.evaluate(() => document.documentElement.dataset.theme), "dark");
    await page.getByLabel("最少消息数").fill("4");
    await page.getByLabel("最少消息数").press("Enter");
    await page.getByRole("button", { name: "参考" }).first().click();
    await page.keyboard.press("Escape");
    await page.getByRole("link", { name: "来源" }).click();
    await page.getByRole("link", { name: "设置" }).click();
    assert.equal(await page.getByLabel("最少消息数").inputValue(), "4");
    assert.equal(await page.getByRole("button", { name: "参考" }).first().getAttribute("aria-pressed"), "true");
  },
};

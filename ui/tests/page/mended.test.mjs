// What a newcomer stumbled over: each of these failed once.
import assert from "node:assert/strict";
import { previewAll } from "./harness.mjs";

const at = (page, hash) => page.evaluate((to) => (location.hash = to), hash);

export default {
  async "the record drawer tells what becomes of it under the rules that are looked at"(open) {
    const page = await open({ query: { mock: "sample" } });
    await page.getByText(/looked in/).waitFor();
    await previewAll(page);
    await at(page, "#/acceptance/codex/conversations");
    await page
      .getByRole("row", { name: /recovered|\+\d/ })
      .first()
      .click();
    await page.locator(".message.recovered").first().click();
    const becomes = page.locator(".panel dd .fate").first();
    await becomes.getByText("recovered").waitFor();
    await page.getByRole("button", { name: /^Reference/ }).click();
    await becomes.getByText(/^(dropped|folded)$/).waitFor();
    await page.getByRole("button", { name: /^Full/ }).click();
    await becomes.getByText("recovered").waitFor();
  },

  async "the keys of the table go on after a box was ticked, and ticking moves no row"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    await previewAll(page);
    await at(page, "#/acceptance/codex/conversations");
    const box = page.locator("[role=row][id='row-2'] input");
    await box.waitFor();
    const before = await box.boundingBox();
    await box.click();
    await page.getByRole("button", { name: "Import 1 conversation…" }).waitFor();
    assert.deepEqual(await box.boundingBox(), before, "the row stays where it was");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Import 1 conversation…" }).waitFor({ state: "detached" });
    await box.click();
    await page.keyboard.press("Enter");
    await page.locator("article").first().waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("grid").waitFor();
    await page.getByRole("grid").focus();
    await page.keyboard.press("Escape");
    await page.getByText(/conversations are complete/).waitFor();
  },

  async "after a preview each source says what would be lost, and the next step is there"(open) {
    const page = await open({ query: { mock: "sample" } });
    await page.getByText(/looked in/).waitFor();
    await previewAll(page);
    assert.equal((await page.locator(".source .says").count()) >= 5, true, "a sentence in every row");
    await page
      .locator(".source")
      .first()
      .getByText(/\d+ of \d+ conversations would lose something/)
      .waitFor();
    assert.equal(await page.locator(".btn.primary").count(), 1);
    await page.getByRole("link", { name: "See what would be lost" }).click();
    // What would be lost is counted apart from what is not.
    const lost = page.locator("section.lost");
    await lost.getByRole("heading", { name: /Would be lost/ }).waitFor();
    assert.equal(await lost.getByText(/tool result|bookkeeping|blank line/).count(), 0);
    await page.getByText(/of the content stays in messages/).waitFor();
    // A remark of what is missing opens its conversations as every other figure does.
    await lost.getByRole("link").first().click();
    await page.locator("[role=row][id^=row-]").first().waitFor();
  },

  async "what a run dropped opens that run, and from there the library"(open) {
    const page = await open({ query: { mock: "sample" } });
    await page.getByText(/looked in/).waitFor();
    await previewAll(page);
    await page.keyboard.press("3");
    // Losses are read first.
    await page
      .locator(".banner li")
      .first()
      .getByText(/would lose something/)
      .waitFor();
    await page.getByRole("button", { name: /^Import \d+ conversations$/ }).click();
    await page.getByText("Three layers, never added together.").waitFor();
    await page.locator("td a[href*='reason=']").first().click();
    assert.match(page.url(), /import\/run\/\d+\/list\?source=/);
    await page.locator("[role=row][id^=outcome-]").first().click();
    await page.locator("article").first().waitFor();
    assert.match(page.url(), /#\/library\/c\//);
  },

  async "help opens at once after the palette was closed, and stays"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    for (let time = 0; time < 5; time += 1) {
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog", { name: "Command palette" }).waitFor();
      await page.keyboard.press("Escape");
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
      await page.waitForTimeout(100);
      assert.equal(await page.getByRole("dialog", { name: "Keyboard shortcuts" }).count(), 1);
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
    }
  },

  async "an encrypted store is said to be there, and what to do; no codes are shown"(open) {
    const page = await open({ query: { mock: "sample" } });
    await page.getByText(/looked in/).waitFor();
    await page.getByRole("button", { name: "Places looked at for Trae" }).click();
    await page.getByText("there, encrypted, not opened").waitFor();
    await page.getByText(/Only Trae can read it/).waitFor();
    assert.equal(await page.getByText("encrypted-store").count(), 0);
  },

  async "the words and the switch are explained by keyboard, in both languages"(open) {
    for (const [lang, words, full] of [
      ["en", "What these words mean", /Everything that can be recovered/],
      ["zh-CN", "这些词是什么意思", /能找回的全部保留/],
    ]) {
      const page = await open({ query: { mock: "invented", lang } });
      await page.getByText(words).focus();
      await page.keyboard.press("Enter");
      await page.locator("details dd").first().waitFor();
      await previewAll(page);
      await at(page, "#/acceptance/codex");
      await page.locator("header .seg button").first().focus();
      await page.keyboard.press("Tab");
      await page.getByRole("tooltip").filter({ hasText: full }).waitFor();
    }
  },

  async "settings look after the library"(open) {
    const page = await open({ query: { mock: "sample" } });
    await page.getByText(/looked in/).waitFor();
    await previewAll(page);
    await page.keyboard.press("3");
    await page.getByRole("button", { name: /^Import \d+ conversations$/ }).click();
    await page.getByText("Three layers, never added together.").waitFor();
    await page.keyboard.press("5");
    await page.getByLabel("Import by itself").check();
    await page.getByLabel("Mask secrets when exporting").uncheck();
    await page.getByRole("button", { name: "Search index: Rebuild" }).click();
    await page.getByText("The index is up to date.").waitFor();
    await page.getByRole("button", { name: "Back up: Back up…" }).click();
    await page.getByText("Saved as assay-library.db.").waitFor();
  },
};

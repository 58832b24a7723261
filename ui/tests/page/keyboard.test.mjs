import assert from "node:assert/strict";

const focused = (page) =>
  page.evaluate(() => {
    const at = document.activeElement;
    return at?.getAttribute("aria-label") ?? at?.textContent?.trim() ?? "";
  });

/** Tabs until the focus is on something so named. */
async function tabTo(page, name, limit = 40) {
  for (let step = 0; step < limit; step += 1) {
    await page.keyboard.press("Tab");
    if (name.test(await focused(page))) return;
  }
  assert.fail(`the keyboard never reaches ${name}`);
}

export default {
  async "from detection to a result without a mouse"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    await tabTo(page, /^Preview everything$/);
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => document.querySelectorAll("a.bar").length >= 3);
    await tabTo(page, /^Open Codex in Acceptance$/, 60);
    await page.keyboard.press("Enter");
    await page.getByText(/conversations are complete/).waitFor();
    await tabTo(page, /^Conversations/);
    await page.keyboard.press("Enter");
    await page.getByRole("grid").waitFor();
    await tabTo(page, /^Conversations of Codex$/);
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    assert.equal(await page.locator("[role=grid]").getAttribute("aria-activedescendant"), "row-2");
    await page.keyboard.press("k");
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    await page.locator("article").first().waitFor();

    // In the timeline: next loss, its record, back twice; the row is where it was.
    await page.keyboard.press("n");
    await page.waitForFunction(() => document.activeElement?.tagName === "ARTICLE");
    assert.match(await page.evaluate(() => document.activeElement.textContent), /dropped/);
    await page.keyboard.press("d");
    await page.getByText(/line \d+ · bytes/).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => document.activeElement?.tagName === "ARTICLE");
    await page.keyboard.press("j");
    await page.keyboard.press("r");
    await page.locator(".message .tag.folded").first().waitFor();
    await page.keyboard.press("r");
    await page.keyboard.press("Escape");
    await page.getByRole("grid").waitFor();

    await page.keyboard.press("3");
    await page.getByText("Read first").waitFor();
    await tabTo(page, /^Import \d+ conversations$/);
    await page.keyboard.press("Enter");
    await page.getByText("Three layers, never added together.").waitFor();
  },

  async "dialogs give the focus back"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    await tabTo(page, /^Look again$/);
    await page.keyboard.press("?");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await page.keyboard.press("Escape");
    await page.waitForFunction(() => !document.querySelector("dialog[open]"));
    assert.match(await focused(page), /^Look again$/);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("matrix codex");
    await page.keyboard.press("Enter");
    await page.getByRole("table").waitFor();
    assert.match(page.url(), /codex\/matrix/);
  },

  async "digits in a field are digits, and an input method keeps its keys"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    await page.getByRole("button", { name: "Preview Codex" }).click();
    await page.waitForFunction(() => document.querySelectorAll("a.bar").length >= 1);
    await page.evaluate(() => (location.hash = "#/acceptance/codex/conversations"));
    await page.getByRole("grid").waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("3");
    assert.match(page.url(), /conversations/, "still here");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Escape");
    await page.evaluate(() =>
      document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "3", isComposing: true, bubbles: true })),
    );
    await page.waitForTimeout(150);
    assert.match(page.url(), /conversations/, "a composing key is not a shortcut");
    await page.keyboard.press("3");
    await page.waitForFunction(() => location.hash.startsWith("#/import"));
  },
};

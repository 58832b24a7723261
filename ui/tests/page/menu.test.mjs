import assert from "node:assert/strict";

const choose = (page, action) =>
  page.evaluate((detail) => window.dispatchEvent(new CustomEvent("mock-menu", { detail })), action);
const titles = (page) => page.evaluate(() => window.menuParts.map((part) => part.title));

export default {
  async "the menu speaks the page's language, also when that changes"(open) {
    const page = await open({ query: { mock: "invented", lang: "en" } });
    await page.waitForFunction(() => window.menuParts?.length === 5);
    assert.deepEqual(await titles(page), ["Assay", "File", "Edit", "View", "Help"]);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("简体中文");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => window.menuParts[1].title === "文件");
  },

  async "what is chosen from it does what the page's own keys do"(open) {
    const page = await open({ query: { mock: "invented" } });
    await page.getByText(/looked in/).waitFor();
    await choose(page, "library");
    await page.waitForFunction(() => location.hash === "#/library");
    await page.keyboard.press("Control+3");
    await page.waitForFunction(() => location.hash === "#/import");
    await page.keyboard.press("Control+,");
    await page.waitForFunction(() => location.hash === "#/settings");
    await choose(page, "help");
    await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    await choose(page, "library");
    await page.waitForTimeout(150);
    assert.match(page.url(), /settings/, "a dialog keeps the page where it is");
    await page.keyboard.press("Escape");
    await choose(page, "no-such-thing");
    await choose(page, "preview");
    await page.waitForFunction(() => document.querySelectorAll("a.bar").length >= 3);
  },

  async "the page grows and shrinks, and a key that the menu hears too counts once"(open) {
    const page = await open({ query: { mock: "invented" } });
    const zoom = () => page.evaluate(() => document.documentElement.style.zoom);
    await page.keyboard.press("Control+=");
    await page.waitForFunction(() => document.documentElement.style.zoom === "1.1");
    await page.waitForTimeout(250);
    await page.evaluate(() => {
      dispatchEvent(new KeyboardEvent("keydown", { key: "=", ctrlKey: true }));
      dispatchEvent(new CustomEvent("mock-menu", { detail: "zoom-in" }));
    });
    await page.waitForTimeout(100);
    assert.equal(await zoom(), "1.25");
    await page.keyboard.press("Control+0");
    await page.waitForFunction(() => document.documentElement.style.zoom === "1");
    await page.keyboard.press("Control+-");
    await page.waitForFunction(() => document.documentElement.style.zoom === "0.9");
  },
};

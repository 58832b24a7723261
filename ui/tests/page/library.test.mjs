// The library: search, filters, the reader with its deep link, find, selection, export, labels, deletion with undo.
import assert from "node:assert/strict";

const tests = {};
const rows = (page) => page.locator('[role="option"][id^="result-"]');

tests["a search leads to its message, and reading goes on from hit to hit, by keyboard alone"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().waitFor();
  await page.keyboard.type("retry");
  await page.locator(".results mark").first().waitFor();
  const message = Number((await rows(page).nth(1).innerText()).match(/#(\d+)/)[1]);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("article[id^=item-]").first().waitFor();
  assert.match(await page.evaluate(() => location.hash), new RegExp(`m=${message - 1}\\b`));
  await page.waitForFunction(() => CSS.highlights.get("found")?.size > 0);
  await page.locator(".neighbours .results").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForFunction((before) => !location.hash.includes(`m=${before}&`), message - 1);
  await page.locator(".timeline article").first().focus();
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => location.hash === "#/library?q=retry");
};

tests["find within a conversation counts its places and unfolds what is folded"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().click();
  await page.locator("article[id^=item-]").first().waitFor();
  await page.getByRole("button", { name: "Reference" }).click();
  await page.locator(".ghost").first().waitFor();
  await page.keyboard.press("Control+f");
  await page.keyboard.type("backoff");
  await page.getByText(/^1 of \d+$/).waitFor();
  await page.locator(".ghost pre").first().waitFor();
  await page.keyboard.press("Enter");
  await page.getByText(/^2 of \d+$/).waitFor();
  await page.keyboard.press("Escape");
  await page.locator('[role="search"]').waitFor({ state: "detached" });
};

tests["filters narrow, stand in the address, and are cleared"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await page.getByText("142 conversations").waitFor();
  await page.getByRole("button", { name: "Lost something" }).click();
  await page.waitForFunction(() => location.hash.includes("lossy=true"));
  await page.getByLabel("Source", { exact: true }).selectOption("codex");
  await page.getByLabel("Time", { exact: true }).selectOption("between");
  await page.getByLabel("Up to this day").fill("2020-01-01");
  await page.getByText("No conversation matches.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByText("142 conversations").waitFor();
};

tests["what is chosen is labelled, exported and deleted, and deletion is taken back"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().waitFor();
  await page.locator(".results").focus();
  await page.keyboard.press(" ");
  await page.keyboard.press("j");
  await page.keyboard.press(" ");
  await page.getByText("2 selected").waitFor();
  await page.getByRole("button", { name: "Labels" }).click();
  await page.keyboard.type("review");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Remove label review" }).waitFor();
  await page.keyboard.press("Escape");
  await page.locator(".label", { hasText: "review" }).first().waitFor();
  await page.getByRole("button", { name: "Export 2 conversations…" }).click();
  await page.getByText("ChatCrystal payload").click();
  await page.getByText("recovered messages").waitFor();
  await page.getByRole("button", { name: "Save as…" }).click();
  await page.locator(".done b").waitFor();
  await page.getByText("it has fewer than two messages").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator(".status").getByText("2 conversations deleted.").waitFor();
  await page.getByText("140 conversations").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("142 conversations").waitFor();
};

tests["a hundred thousand conversations open and scroll at once"] = async (open) => {
  const page = await open({ query: { mock: "large" }, hash: "#/library" });
  await page.getByText("100,000 conversations").first().waitFor();
  await page.locator(".results").focus();
  const began = performance.now();
  await page.keyboard.press("End");
  await page.locator("#result-99999 .title").waitFor();
  console.log(`     the last row is there after ${Math.round(performance.now() - began)} ms`);
  assert.ok((await page.locator(".results .line").count()) < 80, "only what is in sight is drawn");
};

tests["what is not indexed is said, and an empty or broken library says what to do"] = async (open) => {
  const failing = await open({ query: { mock: "failing" }, hash: "#/library" });
  await failing.getByText(/1,240 messages are not indexed yet/).waitFor();
  const empty = await open({ query: { mock: "empty" }, hash: "#/library" });
  await empty.getByText("The library is empty.").waitFor();
  const broken = await open({ query: { mock: "unreadable-library", lang: "zh-CN" }, hash: "#/library" });
  await broken.locator(".fault").first().waitFor();
};

tests["the palette finds a conversation by its title and opens it"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/settings" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("arm64");
  await page.locator("#commands li", { hasText: "Why does CI time out on arm64" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/library/c/"));
  await page.locator("article[id^=item-]").first().waitFor();
};

export default tests;

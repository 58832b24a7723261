// The library: search, filters, the reader with its deep link, find, selection, export, labels, deletion with undo.
import assert from "node:assert/strict";

const tests = {};
const rows = (page) => page.locator('[role="option"][id^="result-"]');

tests["a search leads to its message, and reading goes on from hit to hit, by keyboard alone"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().waitFor();
  await page.keyboard.type("retry");
  await page.locator(".results mark").first().waitFor();
  const messageOf = async (line) => Number((await rows(page).nth(line).innerText()).match(/#(\d+)/)[1]) - 1;
  const [second, third] = [await messageOf(1), await messageOf(2)];
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.locator("article[id^=item-]").first().waitFor();
  const at = () => page.evaluate(() => [location.hash, new URLSearchParams(location.hash.split("?")[1]).get("m")]);
  const before = await at();
  assert.equal(Number(before[1]), second, "the address names the message");
  await page.waitForFunction(() => CSS.highlights.get("found")?.size > 0);

  // Beside it, from hit to hit: the list keeps the focus and its place while other conversations open.
  await page.locator("#result-list").focus();
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForFunction((hash) => location.hash !== hash, before[0]);
  assert.equal(Number((await at())[1]), third, "and the next one");
  for (let line = 0; line < 12; line += 1) await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const title = (await page.locator("#result-14 .title").innerText()).trim();
  await page.locator("[data-page-title]", { hasText: title }).waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "result-list", "the focus stays in the list");
  await page.locator("#result-14[aria-selected=true]").waitFor();
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
  await page.getByText("142 conversations", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Lost something" }).click();
  await page.waitForFunction(() => location.hash.includes("lossy=true"));
  await page.getByLabel("Source", { exact: true }).selectOption("codex");
  await page.getByLabel("Time", { exact: true }).selectOption("between");
  await page.getByLabel("Up to this day").fill("2020-01-01");
  await page.getByText("No conversation matches.").waitFor();
  await page.getByRole("button", { name: "Clear filters" }).first().click();
  await page.getByText("142 conversations", { exact: true }).waitFor();
};

tests["what is chosen is labelled, exported and deleted, and deletion is taken back"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().waitFor();
  await page.locator("#result-list").focus();
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
  await page.getByText("140 conversations", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("142 conversations", { exact: true }).waitFor();
};

tests["a hundred thousand conversations open and scroll at once"] = async (open) => {
  const page = await open({ query: { mock: "large" }, hash: "#/library" });
  await page.getByText("100,000 conversations", { exact: true }).waitFor();
  await page.locator("#result-list").focus();
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
  await broken.getByRole("heading", { name: "资料库打不开" }).waitFor();
  await broken.locator("main").getByRole("button", { name: "再试一次" }).waitFor();
  assert.equal(await broken.locator("#result-list").count(), 0, "no list is shown of what cannot be read");
};

tests["where everything is deleted it can be seen and brought back, and so can what the reader deleted"] = async (
  open,
) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().click();
  await page.locator("article[id^=item-]").first().waitFor();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.locator(".status").getByText("1 conversation deleted.").waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("142 conversations", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Select all" }).click();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "Every conversation of the library is deleted." }).waitFor();
  await page.getByRole("button", { name: "Undo" }).waitFor();
  await page.getByRole("button", { name: "Deleted (142)" }).last().click();
  await page.waitForFunction(() => location.hash.includes("deleted=true"));
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("heading", { name: "Nothing is deleted." }).waitFor();
};

tests["a library of an earlier version is not called empty"] = async (open) => {
  const page = await open({ query: { mock: "older" }, hash: "#/library" });
  await page.getByText("142 conversations", { exact: true }).waitFor();
  await page.getByText(/^142 conversations · /).waitFor();
};

tests["pressing R stays at the place that is looked at, with the focus, and does not go back to the hit"] = async (
  open,
) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library?q=retry" });
  await page.locator(".results mark").first().waitFor();
  await rows(page).first().click();
  await page.locator("article[id^=item-]").first().waitFor();
  await page.waitForTimeout(300);
  await page.locator(".timeline article").first().focus();
  await page.keyboard.press("End");
  await page.waitForFunction(() => document.activeElement?.id.startsWith("item-"));
  await page.keyboard.press("r");
  await page.locator("button[aria-pressed=true]", { hasText: "Reference" }).waitFor();
  await page.locator(".ghost, .tag.folded").first().waitFor();
  await page.waitForTimeout(300);
  const [at, most] = await page.evaluate(() => {
    const slider = document.querySelector("[role=slider]");
    return [Number(slider.ariaValueNow), Number(slider.ariaValueMax)];
  });
  assert.ok(at > most * 0.8, `it stands at ${at} of ${most}`);
  assert.equal(await page.evaluate(() => document.activeElement.tagName), "ARTICLE");
};

tests["Enter waits for the answer to what was typed, and an input method composes undisturbed"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().waitFor();
  const first = (await rows(page).first().locator(".title").innerText()).trim();
  const field = page.getByRole("searchbox", { name: "Search everything kept" });
  await field.focus();
  // An unfinished syllable is no question.
  await field.evaluate((input) => {
    input.dispatchEvent(new CompositionEvent("compositionstart"));
    input.value = "zhong'shi";
    input.dispatchEvent(new InputEvent("input", { isComposing: true, bubbles: true }));
  });
  await page.waitForTimeout(250);
  assert.equal(await page.evaluate(() => location.hash), "#/library");
  await field.evaluate((input) => {
    input.value = "重试";
    input.dispatchEvent(new CompositionEvent("compositionend", { data: "重试", bubbles: true }));
  });
  await page.waitForFunction(() => decodeURIComponent(location.hash).includes("q=重试"));
  await field.fill("");
  await page.waitForFunction(() => location.hash === "#/library");
  await page.getByText("142 conversations", { exact: true }).waitFor();
  await page.keyboard.type("backoff");
  await page.keyboard.press("Enter");
  await page.locator("article[id^=item-]").first().waitFor();
  assert.match(await page.evaluate(() => location.hash), /q=backoff/);
  assert.match(await page.evaluate(() => location.hash), /m=\d/, `it opened a hit, not ${first}`);
};

tests["what is not copied is not said to be"] = async (open) => {
  const page = await open({ query: { mock: "failing" }, hash: "#/library" });
  await page.getByRole("button", { name: "Copy path" }).first().click();
  await page.locator(".fault").first().waitFor();
  assert.doesNotMatch(await page.locator("[aria-live=polite]").last().innerText(), /Copied/);
};

tests["over time every number leads to its conversations, and nothing to see has a next step"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library/time" });
  await page.getByRole("button", { name: "Table" }).click();
  await page.locator("td a").first().click();
  await page.waitForFunction(() => /source=|since=/.test(location.hash));
  await page.locator(".status [role=status]").waitFor();
  await page.waitForFunction(() => /^[1-9]/.test(document.querySelector(".status [role=status]").textContent.trim()));
  await page.evaluate(() => (location.hash = "#/library/time"));
  await page.locator(".bars a").first().click();
  await page.waitForFunction(() => /since=.*lossy=true|lossy=true.*since=/.test(location.hash));
  await page.evaluate(() => (location.hash = "#/library/time"));
  await page.locator("section.card h3 a").first().click();
  await page.waitForFunction(() => /source=.*since=.*until=/.test(location.hash));
};

tests["what another question does not show is not chosen any more, and the focus goes on after a deed"] = async (
  open,
) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().waitFor();
  await page.locator("#result-list").focus();
  await page.keyboard.press(" ");
  await page.getByText("1 selected").waitFor();
  await page.getByRole("button", { name: "Lost something" }).click();
  await page.getByText("1 selected").waitFor({ state: "detached" });
  await page.locator("#result-list").focus();
  await page.keyboard.press(" ");
  await page.getByRole("button", { name: "Delete" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.textContent === "Undo");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => document.activeElement?.id === "result-list");
};

tests["find says nothing before it knows, and Escape closes it from anywhere in it"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/library" });
  await rows(page).first().click();
  await page.locator("article[id^=item-]").first().waitFor();
  const hash = await page.evaluate(() => location.hash);
  await page.keyboard.press("Control+f");
  await page.evaluate(() => {
    window.told = [];
    new MutationObserver(() => window.told.push(document.querySelector(".bar [role=status]")?.textContent)).observe(
      document.querySelector(".bar"),
      { subtree: true, childList: true, characterData: true },
    );
  });
  await page.keyboard.type("backoff", { delay: 30 });
  await page.getByText(/^1 of \d+$/).waitFor();
  assert.ok(
    !(await page.evaluate(() => window.told)).includes("Not found"),
    "it is found, and was never said not to be",
  );
  await page.getByRole("button", { name: "Next place" }).focus();
  await page.keyboard.press("Escape");
  await page.locator('[role="search"]').waitFor({ state: "detached" });
  assert.equal(await page.evaluate(() => location.hash), hash, "the conversation stays open");
  await page.keyboard.press("Control+f");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Control+f");
  assert.equal(await page.evaluate(() => document.activeElement.type), "search", "pressed again it takes the focus");
};

tests["the palette's Enter waits for what it looks for, and the focus goes along"] = async (open) => {
  const page = await open({ query: { mock: "invented" }, hash: "#/settings" });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("arm64");
  await page.keyboard.press("Enter");
  await page.waitForFunction(() => location.hash.startsWith("#/library/c/"));
  await page.locator("article[id^=item-]").first().waitFor();
  await page.keyboard.press("Control+k");
  await page.keyboard.type("matrix codex");
  await page.keyboard.press("Enter");
  await page.getByRole("table").waitFor();
  await page.waitForFunction(() => document.activeElement?.matches("[data-page-title]"));
  await page.keyboard.press("Control+k");
  await page.keyboard.type("zzzz");
  await page.getByRole("dialog").getByRole("status").filter({ hasText: /\S/ }).waitFor();
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

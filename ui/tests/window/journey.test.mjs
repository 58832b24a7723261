// The main job in the real window: the stores appear, a preview shows what is lost, an import keeps the rest.
// Figures are held against what the command line says about the same home.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { after, before, test } from "node:test";
import { By, until } from "selenium-webdriver";
import { screen, startApp } from "./app.mjs";

const assay = resolve(import.meta.dirname, "../../../target/debug/assay");
const pictures = process.env.ASSAY_PICTURES;
const WAIT = 30_000;
let display;
let app;

before(async () => {
  display = process.env.DISPLAY ? { display: process.env.DISPLAY, stop() {} } : await screen();
});
after(async () => {
  await app?.stop();
  display?.stop();
});

/** What `assay` says, a line an object. */
function cli(command, ...flags) {
  const library = join(app.home, ".xdg/data/assay/library.db");
  const out = execFileSync(assay, [command, "--json", "--home", app.home, "--library", library, ...flags], {
    encoding: "utf8",
    maxBuffer: 1 << 28,
  });
  return out
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

async function text(selector) {
  return app.window.executeScript(
    "return [...document.querySelectorAll(arguments[0])].map((e) => e.innerText.trim())",
    selector,
  );
}

/** Waits until `probe` returns something true, and returns it. */
async function eventually(what, probe) {
  const end = Date.now() + WAIT;
  for (;;) {
    const found = await probe();
    if (found) return found;
    if (Date.now() > end) {
      if (pictures) await picture("failure");
      assert.fail(`${what} did not come: ${(await text("main")).join("\n").slice(0, 2000)}\n${app.log()}`);
    }
    await new Promise((done) => setTimeout(done, 100));
  }
}

async function press(label) {
  const button = await app.window.wait(
    until.elementLocated(By.xpath(`//button[contains(normalize-space(.), "${label}")]`)),
    WAIT,
    label,
  );
  await app.window.wait(until.elementIsEnabled(button), WAIT, label);
  await button.click();
}

const go = (hash) => app.window.executeScript("location.hash = arguments[0]", hash);

async function picture(name) {
  if (!pictures) return;
  mkdirSync(pictures, { recursive: true });
  writeFileSync(join(pictures, `${name}.png`), await app.picture());
}

test("from the stores to the library, in the real window", async () => {
  app = await startApp({ display: display.display });

  const found = cli("detect");
  const rows = await eventually("five sources, all looked for", async () => {
    const rows = await text("li.source");
    return rows.length === found.length && !rows.some((row) => row.includes("looking")) && rows;
  });
  found.forEach((source, i) => {
    assert.ok(rows[i].includes(source.displayName), `${source.displayName} has a row`);
    if (source.conversations)
      assert.match(rows[i], new RegExp(`\\b${source.conversations} conversation`), `${source.displayName}: how many`);
  });
  await picture("sources");

  const expected = cli("preview", "--no-messages");
  assert.ok(expected.length >= 5, "the sample home holds conversations of every source");
  await press("Preview everything");
  await eventually(
    "a strata bar for every source that was found",
    async () => (await text("a.bar")).length === found.filter((s) => s.conversations).length,
  );
  await picture("sources-previewed");

  // The conversation that loses most shows its ghosts; one with a made-up time shows its mark.
  const open = (line) => go(`#/acceptance/${line.source}/c/${encodeURIComponent(`${line.source}/${line.id}`)}`);
  const lossy = expected.find(
    (line) =>
      line.verdict === "degraded" &&
      (line.summary.byReason["malformed-json"] || line.summary.byReason["encrypted-content"]),
  );
  assert.ok(lossy, "the sample home has a conversation that loses something");
  await go(`#/acceptance/${lossy.source}`);
  await eventually("a verdict in a sentence", async () => (await text("main")).join(" ").includes("lose"));
  await picture("acceptance");
  await go(`#/acceptance/${lossy.source}/matrix`);
  await eventually("the matrix, checked", async () => (await text("main")).join(" ").includes("as declared"));
  await picture("matrix");
  await open(lossy);
  await eventually("the conversation", async () => (await text("main")).join(" ").includes("recovered"));
  await picture("inspector");
  await press("Reference");
  const ghosts = await eventually("ghost rows", async () => {
    const ghosts = await text(".ghost");
    return ghosts.length > 0 && ghosts;
  });
  assert.ok(
    ghosts.some((ghost) => ghost.includes("dropped")),
    "a ghost says what became of it",
  );
  await picture("inspector-reference");
  await app.window.findElement(By.css(".ghost button")).click();
  await eventually("the raw record", async () => (await text("aside")).join(" ").match(/byte|row|line/i));
  await picture("record");

  const timeless = expected.find((line) => line.summary.syntheticTimestamps > 0);
  assert.ok(timeless, "the sample home has a conversation with a made-up time");
  await open(timeless);
  await eventually("the mark of a made-up time", async () =>
    (await text(".when .synthetic")).some((mark) => mark.includes("≈")),
  );

  await go("#/import");
  const importable = expected.filter((line) => line.plan === "new").length;
  await picture("plan");
  await press(`Import ${importable} conversation`);
  await eventually("the result in three layers", async () =>
    (await text("main")).join(" ").includes("never added together"),
  );
  await picture("result");
  assert.equal(cli("list").length, importable, "the library holds what the plan promised");

  await go("#/sources");
  await go("#/import");
  await eventually("the history", async () => (await text("main")).join(" ").match(/Run 1|run 1/));
});

// Pictures of the real window: every place in both languages, light and dark, some in high contrast, and what it
// looks like where there is nothing and where things fail. `make screenshots` runs it.
// `node tests/window/pictures.mjs FOLDER [part of a name]`.
import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { screen } from "./app.mjs";
import { Key, session, settled } from "./session.mjs";

const folder = resolve(process.argv[2] ?? "../docs/screenshots");
const only = process.argv[3] ?? "";
const display = process.env.DISPLAY ? { display: process.env.DISPLAY, stop() {} } : await screen();
const IMPORT = { en: "Import ", "zh-CN": "导入 " };
const control = (key) => (s) => s.app.window.actions().keyDown(Key.CONTROL).sendKeys(key).keyUp(Key.CONTROL).perform();

/** Everything, in the order of a first day with it. */
async function places(s, language, few) {
  const shot = async (name) => {
    await s.quiet();
    if (!few || few.includes(name)) await s.picture(name);
  };
  await s.eventually("sources", async () => (await s.text("li.source")).length === 5);
  await shot("sources");
  await s.press("header .btn.primary");
  await s.eventually("strata", async () => (await s.text("a.bar")).length >= 4);
  await shot("sources-previewed");
  const lines = s.cli("preview", "--no-messages");
  const telling = lines.filter((line) => line.source === "codex");
  const worst = telling.find((line) => line.verdict === "degraded") ?? telling[0];
  for (const [tab, there] of [
    ["summary", ".card"],
    ["matrix", "tbody tr"],
    ["conversations", "[role=row][id]"],
  ]) {
    await s.go(`#/acceptance/codex/${tab}`);
    await s.eventually(tab, async () => (await s.text(there)).length > 0);
    await shot(`acceptance-${tab}`);
  }
  await s.go(`#/acceptance/codex/c/${encodeURIComponent(`codex/${worst.id}`)}`);
  await s.eventually("the timeline", async () => (await s.text("article")).length > 0);
  await shot("inspector");
  await s.press(".seg [aria-pressed=false]");
  await s.eventually("ghosts", async () => (await s.text(".ghost")).length > 0);
  await s.press(".ghost button");
  await shot("inspector-reference");
  await s.go("#/import");
  await shot("import-plan");
  await s.pressWords(IMPORT[language]);
  await s.eventually("the result", async () => (await s.text("p.three")).length > 0);
  await shot("import-result");
  await s.go("#/library");
  await s.eventually("the library", async () => (await s.text("[role=option]")).length > 3);
  await shot("library");
  await s.go("#/library/time");
  await s.eventually("the calendar", async () => (await s.text("main svg[role=img]")).length > 0);
  await shot("library-over-time");
  await s.go("#/library");
  await s.eventually("the library", async () => (await s.text("[role=option]")).length > 3);
  await s.type(language === "en" ? "station" : "发票");
  await s.eventually("hits", async () => (await s.text(".results mark")).length > 0);
  await shot("library-search");
  await s.type(Key.ARROW_DOWN, Key.ENTER);
  await s.eventually("the message", async () => (await s.text("article")).length > 0);
  await shot("library-reader");
  await s.press("header button.btn:last-of-type");
  await shot("library-export");
  await s.type(Key.ESCAPE);
  await s.go("#/settings");
  await shot("settings");
  await control("k")(s);
  await shot("palette");
  await s.type(Key.ESCAPE);
  await s.type("?");
  await shot("shortcuts");
}

/** A home without any tool. */
async function nothing(s) {
  await s.eventually("sources", async () => (await s.text("li.source")).length === 5);
  for (const [hash, name] of [
    ["#/sources", "sources"],
    ["#/acceptance", "acceptance"],
    ["#/import", "import"],
    ["#/library", "library"],
  ]) {
    await s.go(hash);
    await s.quiet();
    await s.picture(name);
  }
}

/** A home where the library is something else and a store is damaged. */
function broken(home) {
  writeFileSync(join(home, ".xdg/data/assay/library.db"), "This is a shopping list, not a library.\n".repeat(64));
  const database = join(home, ".config/Cursor/User/globalStorage");
  mkdirSync(database, { recursive: true });
  writeFileSync(join(database, "state.vscdb"), "SQLite format 3\0" + "damaged ".repeat(2048));
}
async function failing(s) {
  await s.eventually("sources", async () => (await s.text("li.source")).length === 5);
  await s.press("header .btn.primary");
  await s.eventually("strata", async () => (await s.text("a.bar")).length >= 3);
  for (const [hash, name] of [
    ["#/sources", "sources"],
    ["#/acceptance/cursor/conversations", "acceptance"],
    ["#/import", "import"],
    ["#/library", "library"],
  ]) {
    await s.go(hash);
    await s.quiet();
    await s.picture(name);
  }
}

const both =
  (...steps) =>
  async (home) => {
    for (const step of steps) await step(home);
  };
const KEY_PLACES = ["sources-previewed", "acceptance-matrix", "inspector-reference", "library-search", "settings"];
const jobs = [];
for (const language of ["en", "zh-CN"]) {
  for (const theme of ["light", "dark"])
    jobs.push({ name: `${language}/${theme}`, settings: { language, theme }, run: (s) => places(s, language) });
  const contrast = { language, theme: "contrast" };
  jobs.push({ name: `${language}/contrast`, settings: contrast, run: (s) => places(s, language, KEY_PLACES) });
  jobs.push({ name: `${language}/empty`, settings: { language, theme: "light" }, sample: false, run: nothing });
  jobs.push({ name: `${language}/failing`, settings: { language, theme: "light" }, prepare: broken, run: failing });
}

let failed = 0;
for (const { name, settings, sample = true, prepare = () => {}, run } of jobs) {
  if (!name.includes(only)) continue;
  const options = { display: display.display, sample, prepare: both(settled(settings), prepare) };
  const s = await session(options, join(folder, name));
  try {
    await run(s);
    console.log(`done ${name}`);
  } catch (error) {
    failed += 1;
    console.log(`FAIL ${name}: ${error.message}`);
  }
  await s.stop();
}
display.stop();
process.exit(failed ? 1 : 0);

// The main job in the real window, in both languages: the stores appear, a preview shows what is lost, an import
// keeps the rest, the library finds it again. Figures are held against what the command line says about the same home.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { screen } from "./app.mjs";
import { Key, session, settled } from "./session.mjs";

const pictures = process.env.ASSAY_PICTURES;
let display;

before(async () => {
  display = process.env.DISPLAY ? { display: process.env.DISPLAY, stop() {} } : await screen();
});
after(() => display?.stop());

/** The words that the journey looks for. */
const WORDS = {
  en: {
    conversations: (n) => new RegExp(`\\b${n} conversation`),
    looking: "looking",
    loses: "lose",
    asDeclared: "as declared",
    dropped: "dropped",
    import: (n) => `Import ${n} conversation`,
    layers: "never added together",
    library: /conversations · .* on disk/,
    position: /^\d+ of \d+$/,
  },
  "zh-CN": {
    conversations: (n) => new RegExp(`${n} 段对话`),
    looking: "正在查找",
    loses: "有丢失",
    asDeclared: "与声明一致",
    dropped: "丢弃",
    import: (n) => `导入 ${n} 段对话`,
    layers: "从不相加",
    library: /段对话 · 占用/,
    position: /^第 \d+ 处/,
  },
};

for (const [language, words] of Object.entries(WORDS))
  test(`from the stores to the library, in the real window: ${language}`, async (t) => {
    const s = await session({ display: display.display, prepare: settled({ language }) }, pictures);
    t.after(() => s.stop());
    await s.eventually("the page in the person's language", async () => {
      return (await s.app.window.executeScript("return document.documentElement.lang")) === language;
    });

    const found = s.cli("detect");
    const rows = await s.eventually("five sources, all looked for", async () => {
      const rows = await s.text("li.source");
      return rows.length === found.length && !rows.some((row) => row.includes(words.looking)) && rows;
    });
    found.forEach((source, i) => {
      assert.ok(rows[i].includes(source.displayName), `${source.displayName} has a row`);
      if (source.conversations)
        assert.match(rows[i], words.conversations(source.conversations), `${source.displayName}: how many`);
    });

    const expected = s.cli("preview", "--no-messages");
    assert.ok(expected.length >= 5, "the sample home holds conversations of every source");
    await s.press("header .btn.primary");
    await s.eventually(
      "a strata bar for every source that was found",
      async () => (await s.text("a.bar")).length === found.filter((source) => source.conversations).length,
    );

    // The conversation that loses most shows its ghosts; one with a made-up time shows its mark.
    const open = (line) => s.go(`#/acceptance/${line.source}/c/${encodeURIComponent(`${line.source}/${line.id}`)}`);
    const lossy = expected.find(
      (line) =>
        line.verdict === "degraded" &&
        (line.summary.byReason["malformed-json"] || line.summary.byReason["encrypted-content"]),
    );
    assert.ok(lossy, "the sample home has a conversation that loses something");
    await s.go(`#/acceptance/${lossy.source}`);
    await s.eventually("a verdict in a sentence", async () => (await s.all()).includes(words.loses));
    await s.go(`#/acceptance/${lossy.source}/matrix`);
    await s.eventually("the matrix, checked", async () => (await s.all()).includes(words.asDeclared));
    await open(lossy);
    await s.eventually("the conversation", async () => (await s.text("article")).length > 0);
    await s.press(".seg [aria-pressed=false]");
    const ghosts = await s.eventually("ghost rows", async () => {
      const ghosts = await s.text(".ghost");
      return ghosts.length > 0 && ghosts;
    });
    assert.ok(
      ghosts.some((ghost) => ghost.includes(words.dropped)),
      "a ghost says what became of it",
    );
    await s.press(".ghost button");
    await s.eventually("the raw record", async () => (await s.text("aside pre")).some((text) => text.length > 2));

    const timeless = expected.find((line) => line.summary.syntheticTimestamps > 0);
    assert.ok(timeless, "the sample home has a conversation with a made-up time");
    await open(timeless);
    await s.eventually("the mark of a made-up time", async () =>
      (await s.text(".when .synthetic")).some((mark) => mark.includes("≈")),
    );

    await s.go("#/import");
    const importable = expected.filter((line) => line.plan === "new").length;
    await s.pressWords(words.import(importable));
    await s.eventually("the result in three layers", async () => (await s.all()).includes(words.layers));
    assert.equal(s.cli("list").length, importable, "the library holds what the plan promised");

    // What was imported is found again, at its message, in the same timeline.
    await s.go("#/library");
    await s.eventually("the library", async () => words.library.test(await s.all()));
    await s.eventually("its conversations", async () => (await s.text("[role=option]")).length > 3);
    const word = "greenhouse";
    const hits = s.cli("search", word);
    assert.ok(hits.length > 0, `the sample speaks of a ${word}`);
    await s.type(word);
    await s.eventually("what answers", async () => (await s.text(".results mark")).length > 0);
    await s.type(Key.ARROW_DOWN, Key.ENTER);
    await s.eventually("the message", async () => (await s.text("article")).length > 0);
    await s.eventually("its words marked", () =>
      s.app.window.executeScript("return !CSS.highlights || CSS.highlights.get('found')?.size > 0"),
    );
    await s.type("f");
    await s.type(word);
    await s.eventually("the place in it", async () =>
      (await s.text("[role=search] [role=status]")).some((told) => words.position.test(told)),
    );
    await s.type(Key.ESCAPE);
    await s.eventually("find closed", async () => (await s.text("[role=search]")).length === 0);

    await s.go("#/import");
    await s.eventually("the history", async () => (await s.text("table, .history, li")).length > 0);
  });

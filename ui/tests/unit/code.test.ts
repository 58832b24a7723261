// What tools took and gave is told by its look: shapes, patches, terminals.
import { describe, expect, test } from "vitest";
import { highlight } from "../../src/lib/code/highlight";
import { fieldsOf, indented } from "../../src/lib/code/json";
import { changed, patchLines, shapeOf, type Shape } from "../../src/lib/code/shape";
import { runs } from "../../src/lib/code/terminal";
import { ownImage } from "../../src/lib/markdown/safe";

describe("shapes", () => {
  test("a command is shell, its other fields are data", () => {
    expect(shapeOf('{"command":"ls -la"}')).toMatchObject({ as: "code", language: "bash", text: "ls -la" });
    expect(shapeOf('{"command":["git","status"],"timeout":5}')).toMatchObject({
      as: "parts",
      parts: [{ text: "git status" }, { language: "json" }],
    });
  });
  test("an edit is the lines that go and come", () => {
    const edit = JSON.stringify({ file_path: "a.rs", old_string: "a\nb\nc", new_string: "a\nx\nc" });
    expect(shapeOf(edit)).toEqual({ as: "diff", text: " a\n-b\n+x\n c", name: "a.rs" });
    expect(changed("", "new")).toBe("-\n+new");
  });
  test("a patch is a patch, a written file is code, other data is data, the rest is what a terminal printed", () => {
    expect(shapeOf("*** Begin Patch\n*** End Patch").as).toBe("diff");
    expect(shapeOf("@@ -1 +1 @@\n-a\n+b").as).toBe("diff");
    expect(shapeOf('{"path":"x.py","content":"print(1)"}')).toMatchObject({ language: "python", name: "x.py" });
    expect(shapeOf('{"query":"x"}')).toMatchObject({ as: "code", language: "json" });
    expect(shapeOf("[not json").as).toBe("terminal");
    expect(shapeOf("{".repeat(300_000)).as).toBe("terminal");
  });
  test("every line of a patch is one thing", () => {
    const is = patchLines("--- a\n+++ b\n@@ -1 +1 @@\n-x\n+y\n z").map((line) => line.is);
    expect(is).toEqual(["file", "file", "place", "removed", "added", "same"]);
  });
});

describe("nothing is left out", () => {
  const texts = (of: Shape): string[] => (of.as === "parts" ? of.parts.flatMap(texts) : [of.text, of.name ?? ""]);
  test("of what a tool gave or took, whatever else is the chief thing", () => {
    const cases = [
      { stdout: "fine", stderr: "warning: unused", exitCode: 1 },
      { command: "make", timeout: 5, stdout: "built", stderr: "noise" },
      { file_path: "a.rs", old_string: "x", new_string: "y", replace_all: true, why: "rename" },
      { path: "a.py", content: "pass", mode: "0644" },
      { patch: "@@ -1 +1 @@\n-a\n+b", path: "p", note: "second try" },
      { command: ["a", 7], other: "kept" },
      { content: "text without a name", stderr: "loud" },
      { cmd: "", output: "o", input: "not a patch" },
    ];
    for (const one of cases) {
      const shown = texts(shapeOf(JSON.stringify(one))).join("\n");
      for (const value of Object.values(one).flat())
        for (const line of String(value).split("\n")) expect(shown, `${JSON.stringify(one)} → ${line}`).toContain(line);
    }
  });
  test("and no number or name changes", () => {
    const text = '{"id":12345678901234567890,"n":1.0,"e":1E5,"2":"b","1":"a","s":"a\\u00e9,{\\"}"}';
    expect(shapeOf(text)).toMatchObject({
      text: '{\n  "id": 12345678901234567890,\n  "n": 1.0,\n  "e": 1E5,\n  "2": "b",\n  "1": "a",\n  "s": "a\\u00e9,{\\"}"\n}',
    });
    expect(texts(shapeOf('{"command":"x","id":12345678901234567890}')).join()).toContain("12345678901234567890");
    expect(texts(shapeOf('{"stdout":"a","stdout":"b"}')).join()).toMatch(/"a"[^]*"b"/);
  });
  test("JSON over lines is the same JSON", () => {
    for (const value of [{}, [], [[], {}], { a: [1, { b: null }], c: "x:y,[z]" }, "s", 7, [true, '\\"'], { "": 0 }]) {
      const text = JSON.stringify(value);
      expect(indented(text)).toBe(JSON.stringify(value, null, 2));
      expect(indented(indented(text))).toBe(indented(text));
    }
    expect(fieldsOf('{ "a" : [1, {"b": 2}] ,"c":"x, y"}')).toEqual([
      ["a", '[1, {"b": 2}]'],
      ["c", '"x, y"'],
    ]);
    expect(fieldsOf("{}")).toEqual([]);
  });
});

describe("terminal", () => {
  test("colours become classes and other signs go", () => {
    expect(runs("a\u001b[1;31mred\u001b[0m b\u001b[2K\u001b]0;title\u0007c")).toEqual([
      { text: "a", class: "" },
      { text: "red", class: "c1 bold" },
      { text: " bc", class: "" },
    ]);
    expect(runs("\u001b[38;5;196mx\u001b[38;2;1;2;3my")).toEqual([{ text: "xy", class: "" }]);
  });
  test("a line that was written over shows what it said last", () => {
    expect(runs("10 %\r100 %\r\ndone")).toEqual([{ text: "100 %\ndone", class: "" }]);
  });
  test("a carriage return at the end of a line takes nothing away", () => {
    const text = (of: string) =>
      runs(of)
        .map((run) => run.text)
        .join("");
    expect(text("abc\r")).toBe("abc");
    expect(text("abc\r\r\ndef\r\n")).toBe("abc\ndef\n");
    expect(text("50 %\rdone\r\u001b[K")).toBe("done");
  });
});

test("code is pieces of the same text", async () => {
  const text = 'fn main() { let s = "<b>"; } // end';
  const pieces = await highlight(text, "rust");
  expect(pieces?.map((piece) => piece.text).join("")).toBe(text);
  expect(pieces?.some((piece) => piece.class.includes("hljs-keyword"))).toBe(true);
  expect(await highlight(text, "no such language")).toBeNull();
});

test("only images whose bytes stand in the text are shown", () => {
  expect(ownImage("data:image/png;base64,iVBORw0KGgo=")).not.toBeNull();
  for (const other of [
    "https://example.org/x.png",
    "data:image/svg+xml;base64,AA==",
    "data:text/html;base64,AA==",
    "x.png",
  ])
    expect(ownImage(other)).toBeNull();
});

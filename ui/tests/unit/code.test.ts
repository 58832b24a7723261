// What tools took and gave is told by its look: shapes, patches, terminals.
import { describe, expect, test } from "vitest";
import { highlight } from "../../src/lib/code/highlight";
import { changed, patchLines, shapeOf } from "../../src/lib/code/shape";
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
    expect(runs("10 %\r100 %\r\ndone")).toEqual([{ text: "10 %\r100 %\ndone".slice(5), class: "" }]);
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

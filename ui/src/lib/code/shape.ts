// What a text of a tool is, told by its own look and never by the tool's name: a patch, a command, an edit, a file,
// data, what a terminal printed, or just text. Deliberately absent: drawing.

import { fieldsOf, indented } from "./json";

export type Shape =
  | { as: "diff"; text: string; name?: string }
  | { as: "code"; text: string; language: string; name?: string }
  | { as: "terminal"; text: string; name?: string }
  | { as: "parts"; parts: Shape[] };

/** Longer than this a text is shown as it stands: reading it as anything has a price. */
const LIMIT = 256 * 1024;

const PATCH = /^(?:\*\*\* Begin Patch|diff --git |Index: |--- [^\n]+\n\+\+\+ |@@ )/;
const HUNK = /^@@/m;

const LANGUAGES: Record<string, string> = {
  bash: "bash",
  c: "c",
  cc: "cpp",
  cpp: "cpp",
  cs: "csharp",
  css: "css",
  go: "go",
  h: "c",
  html: "xml",
  java: "java",
  js: "javascript",
  json: "json",
  jsx: "javascript",
  kt: "kotlin",
  lua: "lua",
  md: "markdown",
  mjs: "javascript",
  php: "php",
  py: "python",
  r: "r",
  rb: "ruby",
  rs: "rust",
  scss: "scss",
  sh: "bash",
  sql: "sql",
  svelte: "xml",
  swift: "swift",
  toml: "ini",
  ts: "typescript",
  tsx: "typescript",
  vue: "xml",
  xml: "xml",
  yaml: "yaml",
  yml: "yaml",
};

/** The language of a file by its name; empty where it is not told. */
export function languageOf(name: string): string {
  return LANGUAGES[name.slice(name.lastIndexOf(".") + 1).toLowerCase()] ?? "";
}

/** What only leads from one text to another, as lines that go and lines that come. */
export function changed(before: string, after: string): string {
  const [old, now] = [before.split("\n"), after.split("\n")];
  let head = 0;
  while (head < old.length && head < now.length && old[head] === now[head]) head += 1;
  let tail = 0;
  while (
    tail < old.length - head &&
    tail < now.length - head &&
    old[old.length - 1 - tail] === now[now.length - 1 - tail]
  )
    tail += 1;
  const same = (lines: string[]) => lines.map((line) => ` ${line}`);
  return [
    ...same(old.slice(Math.max(0, head - 3), head)),
    ...old.slice(head, old.length - tail).map((line) => `-${line}`),
    ...now.slice(head, now.length - tail).map((line) => `+${line}`),
    ...same(old.slice(old.length - tail, old.length - tail + 3)),
  ].join("\n");
}

/** What a tool's words are, where they are fields: each is shown once, and none is left out. */
class Fields {
  #all: Map<string, string>;

  constructor(fields: readonly [string, string][]) {
    this.#all = new Map(fields);
  }
  /** The text of the first of these fields that is there, without taking it. */
  see(...names: string[]): string | undefined {
    for (const name of names) {
      const value = this.#all.get(name);
      if (value?.startsWith('"')) return JSON.parse(value) as string;
    }
    return undefined;
  }
  /** The same, and it is not in the rest any more. */
  take(...names: string[]): string | undefined {
    for (const name of names) {
      const text = this.see(name);
      if (text === undefined) continue;
      this.#all.delete(name);
      return text;
    }
    return undefined;
  }
  /** The words of a command: a text, or texts after one another. */
  takeWords(...names: string[]): string | undefined {
    for (const name of names) {
      const value = this.#all.get(name) ?? "";
      const words: unknown = /^["[]/.test(value) ? JSON.parse(value) : null;
      const text = Array.isArray(words) && words.every((word) => typeof word === "string") ? words.join(" ") : words;
      if (typeof text !== "string" || !text) continue;
      this.#all.delete(name);
      return text;
    }
    return undefined;
  }
  /** What nobody took, as it was written. */
  rest(): Shape[] {
    if (!this.#all.size) return [];
    const fields = [...this.#all].map(([name, value]) => `${JSON.stringify(name)}:${value}`);
    return [data(`{${fields.join(",")}}`)];
  }
}

const NAMES = ["file_path", "filePath", "path", "relativeWorkspacePath", "targetFile", "target_file"];
const BEFORE = ["old_string", "oldString", "old_str"];
const AFTER = ["new_string", "newString", "new_str"];
const PATCHES = ["patch", "diff", "unified_diff", "input"];
const CONTENTS = ["content", "contents", "file_text"];

/** The chief thing among what a tool was asked or gave, taken out of its fields. */
function chief(fields: Fields): Shape[] {
  if (fields.see(...BEFORE) !== undefined && fields.see(...AFTER) !== undefined) {
    const [before, after] = [fields.take(...BEFORE) ?? "", fields.take(...AFTER) ?? ""];
    return [{ as: "diff", text: changed(before, after), name: fields.take(...NAMES) }];
  }
  const patch = PATCHES.find((name) => {
    const text = fields.see(name);
    return text !== undefined && (name === "diff" || PATCH.test(text) || HUNK.test(text));
  });
  if (patch) return [{ as: "diff", text: fields.take(patch) ?? "", name: fields.take(...NAMES) }];
  const command = fields.takeWords("command", "cmd");
  if (command !== undefined)
    return [{ as: "code", text: command, language: "bash", name: fields.take("description") }, ...printed(fields)];
  if (fields.see(...CONTENTS) !== undefined && fields.see(...NAMES) !== undefined) {
    const name = fields.take(...NAMES) ?? "";
    return [{ as: "code", text: fields.take(...CONTENTS) ?? "", language: languageOf(name), name }];
  }
  return printed(fields);
}

/** What a program printed, on each of its ways out; one that said nothing needs no place. */
function printed(fields: Fields): Shape[] {
  return ["output", "stdout", "stderr"].flatMap((name): Shape[] => {
    const text = fields.take(name);
    return text ? [{ as: "terminal", text, name }] : [];
  });
}

const data = (text: string): Shape => ({ as: "code", text: indented(text), language: "json" });

function ofData(content: string): Shape {
  const all = content.trimStart().startsWith("{") ? fieldsOf(content) : [];
  // A name that stands twice has two values: both are shown.
  if (new Set(all.map(([name]) => name)).size < all.length) return data(content);
  const fields = new Fields(all);
  const first = chief(fields);
  if (!first.length) return data(content);
  const parts = [...first, ...fields.rest()];
  return parts.length === 1 && parts[0] ? parts[0] : { as: "parts", parts };
}

/** The shape of what a tool took or gave. Nothing of it is left out. */
export function shapeOf(content: string): Shape {
  if (content.length > LIMIT) return { as: "terminal", text: content };
  if (PATCH.test(content)) return { as: "diff", text: content };
  if (/^\s*[[{]/.test(content)) {
    try {
      JSON.parse(content);
      return ofData(content);
    } catch {
      // It only begins like data.
    }
  }
  return { as: "terminal", text: content };
}

/** One line of a patch and what it says. */
export interface PatchLine {
  text: string;
  is: "added" | "removed" | "place" | "file" | "same";
}

export function patchLines(patch: string): PatchLine[] {
  return patch.split("\n").map((line) => {
    if (/^(?:\+\+\+ |--- |diff --git |index |Index: |\*\*\* )/.test(line)) return { text: line, is: "file" };
    if (line.startsWith("@@")) return { text: line, is: "place" };
    if (line.startsWith("+")) return { text: line, is: "added" };
    if (line.startsWith("-")) return { text: line, is: "removed" };
    return { text: line, is: "same" };
  });
}

// What a text of a tool is, told by its own look and never by the tool's name: a patch, a command, an edit, a file,
// data, what a terminal printed, or just text. Deliberately absent: drawing.

export type Shape =
  | { as: "diff"; text: string; name?: string }
  | { as: "code"; text: string; language: string; name?: string }
  | { as: "terminal"; text: string }
  | { as: "parts"; parts: Shape[] };

/** Longer than this a text is shown as it stands: reading it as anything has a price. */
const LIMIT = 256 * 1024;

const PATCH = /^(?:\*\*\* Begin Patch|diff --git |Index: |--- [^\n]+\n\+\+\+ |@@ )/;
const HUNK = /^@@/m;

const ESCAPES = /\u001b\[[0-9;?]*[A-Za-z]/;

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

type Fields = Record<string, unknown>;
const text = (fields: Fields, ...names: string[]): string | undefined => {
  for (const name of names) if (typeof fields[name] === "string") return fields[name];
  return undefined;
};

/** What a tool was asked, where its words are fields. */
function ofFields(fields: Fields): Shape | null {
  const name =
    text(fields, "file_path", "filePath", "path", "relativeWorkspacePath", "targetFile", "target_file") ?? "";
  const [before, after] = [
    text(fields, "old_string", "oldString", "old_str"),
    text(fields, "new_string", "newString", "new_str"),
  ];
  if (before !== undefined && after !== undefined) return { as: "diff", text: changed(before, after), name };
  const patch = text(fields, "patch", "diff", "unified_diff", "input");
  if (patch !== undefined && (PATCH.test(patch) || HUNK.test(patch) || "diff" in fields))
    return { as: "diff", text: patch, name };
  const command = fields.command ?? fields.cmd;
  const words = Array.isArray(command) ? command.filter((word) => typeof word === "string").join(" ") : command;
  if (typeof words === "string" && words) {
    const rest = Object.fromEntries(Object.entries(fields).filter(([key]) => key !== "command" && key !== "cmd"));
    const shown: Shape = { as: "code", text: words, language: "bash", name: text(rest, "description") };
    const others = Object.keys(rest).filter((key) => key !== "description");
    return others.length ? { as: "parts", parts: [shown, data(rest)] } : shown;
  }
  const content = text(fields, "content", "contents", "file_text");
  if (content !== undefined && name) return { as: "code", text: content, language: languageOf(name), name };
  const output = text(fields, "output", "stdout");
  if (output !== undefined && Object.keys(fields).length <= 3) return { as: "terminal", text: output };
  return null;
}

const data = (value: unknown): Shape => ({ as: "code", text: JSON.stringify(value, null, 2), language: "json" });

/** The shape of what a tool took or gave. */
export function shapeOf(content: string): Shape {
  if (content.length > LIMIT) return { as: "terminal", text: content };
  if (PATCH.test(content)) return { as: "diff", text: content };
  const first = content.trimStart()[0];
  if (first === "{" || first === "[") {
    try {
      const value: unknown = JSON.parse(content);
      const known =
        value !== null && typeof value === "object" && !Array.isArray(value) ? ofFields(value as Fields) : null;
      return known ?? data(value);
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

/** Whether a text has a terminal's own signs in it. */
export const hasEscapes = (of: string): boolean => ESCAPES.test(of);

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { en } from "../../src/lib/i18n/en";
import { zhCN } from "../../src/lib/i18n/zh-CN";

const model = join(process.cwd(), "../src-tauri/crates/model/src");

/** Codes of a closed list in the Rust model: `Variant = "code"`. */
function codes(file: string): string[] {
  return [...readFileSync(join(model, file), "utf8").matchAll(/^\s+[A-Z]\w+ = "([a-z-]+)"/gm)].map(
    (match) => match[1] as string,
  );
}

/** Every leaf of a catalogue by its path. */
function leaves(node: unknown, path = ""): [string, unknown][] {
  return typeof node === "object" && node !== null
    ? Object.entries(node).flatMap(([name, child]) => leaves(child, `${path}.${name}`))
    : [[path, node]];
}

describe("words in both languages", () => {
  const cases = [
    ["reason", "reason.rs", en.reasons, zhCN.reasons],
    ["notice", "ledger.rs", en.notices, zhCN.notices],
  ] as const;
  for (const [what, file, english, chinese] of cases)
    test(`every ${what} code of the model`, () => {
      const wanted = codes(file);
      expect(wanted.length).toBeGreaterThan(20);
      expect(wanted.filter((code) => !(code in english))).toEqual([]);
      expect(wanted.filter((code) => !(code in chinese))).toEqual([]);
      expect(
        Object.keys(english).filter((code) => !wanted.includes(code)),
        "words for a code that is gone",
      ).toEqual([]);
    });

  test("every fault that the Rust side sends", () => {
    const rust = join(process.cwd(), "../src-tauri");
    const sent = new Set<string>();
    for (const file of readdirSync(rust, { recursive: true }) as string[]) {
      if (!/^(src|crates\/engine\/src)\/.*\.rs$/.test(file.replaceAll("\\", "/"))) continue;
      for (const match of readFileSync(join(rust, file), "utf8").matchAll(/\bfault\(\s*"([a-z-]+)"/g))
        sent.add(match[1] as string);
    }
    for (const list of ["crates/library/src/error.rs", "crates/sources/src/adapter.rs"])
      for (const match of readFileSync(join(rust, list), "utf8").matchAll(/Error::\w+[^=\n]*=> "([a-z-]+)"/g))
        sent.add(match[1] as string);
    expect(sent.size).toBeGreaterThan(8);
    expect([...sent].filter((code) => !(code in en.faults))).toEqual([]);
  });

  test("every rule by which a time is made", () => {
    const rust = join(process.cwd(), "../src-tauri/crates/sources/src");
    const rules = new Set<string>();
    for (const file of readdirSync(rust, { recursive: true }) as string[])
      if (file.endsWith(".rs"))
        for (const match of readFileSync(join(rust, file), "utf8").matchAll(
          /\brule: "([a-z0-9-]+)"|"(timing-info-[a-z-]+)"/g,
        ))
          rules.add((match[1] ?? match[2]) as string);
    expect([...rules].filter((rule) => !(rule in en.inspector.rules))).toEqual([]);
  });

  test("the same leaves in both, none empty by accident", () => {
    const [here, there] = [leaves(en), leaves(zhCN)];
    expect(there.map(([path]) => path).sort()).toEqual(here.map(([path]) => path).sort());
    const empty = [...here, ...there].filter(([path, words]) => words === "" && !path.endsWith(".stateWhy.found"));
    expect(empty).toEqual([]);
  });

  test("Chinese is Chinese, English is English", () => {
    const same = ["Markdown", "JSON", "SQLite"];
    const kept = new Set([
      ".common.appName",
      ".common.dash",
      ".sources.previewing",
      ".importing.of",
      ".importing.listOf",
    ]);
    for (const [path, words] of leaves(zhCN)) {
      if (kept.has(path) || typeof words !== "string" || words === "" || same.includes(words)) continue;
      expect(words, path).toMatch(/[\u4e00-\u9fff]/);
    }
    for (const [path, words] of leaves(en))
      if (typeof words === "string") expect(words, path).not.toMatch(/[\u4e00-\u9fff]/);
  });

  test("plurals", () => {
    expect(en.common.conversations(1)).toBe("1 conversation");
    expect(en.common.conversations(1204)).toBe("1,204 conversations");
    expect(zhCN.common.conversations(1)).toBe("1 段对话");
    expect(en.acceptance.complete(168, 181)).toBe("168 of 181 conversations are complete.");
    expect(en.acceptance.complete(1, 2)).toBe("1 of 2 conversations is complete.");
    expect(en.acceptance.complete(0, 1)).toBe("The one conversation is not complete.");
    expect(en.acceptance.complete(0, 3)).toBe("None of 3 conversations is complete.");
    expect(en.acceptance.complete(1, 1)).toBe("The one conversation is complete.");
  });
});

describe("components", () => {
  const source = join(process.cwd(), "src");
  const files = (readdirSync(source, { recursive: true }) as string[]).filter((file) => file.endsWith(".svelte"));

  /** The markup of a component without scripts, styles, comments and expressions. */
  function markup(text: string): string {
    let rest = text.replace(/<(script|style)[\s\S]*?<\/\1>|<!--[\s\S]*?-->/g, "");
    for (let before = ""; before !== rest;) {
      before = rest;
      rest = rest.replace(/\{[^{}]*\}/g, "");
    }
    return rest;
  }

  test("hold no words of their own", () => {
    expect(files.length).toBeGreaterThan(30);
    const offences: string[] = [];
    for (const file of files) {
      const text = markup(readFileSync(join(source, file), "utf8"));
      for (const match of text.matchAll(/>([^<>]+)</g))
        if (/\p{L}{2,}/u.test(match[1] ?? "")) offences.push(`${file}: ${match[1]?.trim()}`);
      for (const match of text.matchAll(/\b(?:aria-label|title|placeholder|alt)="([^"]*)"/g))
        if (/\p{L}{2,}/u.test(match[1] ?? "")) offences.push(`${file}: ${match[0]}`);
    }
    expect(offences).toEqual([]);
  });

  test("never make markup of text, name no source, load nothing from elsewhere", () => {
    for (const file of files) {
      const text = readFileSync(join(source, file), "utf8");
      expect(text, file).not.toMatch(/\{@html/);
      expect(text, file).not.toMatch(/innerHTML|insertAdjacentHTML/);
      expect(text, file).not.toMatch(/claude|codex|cursor-|trae|copilot/i);
      expect(text.replaceAll("http://www.w3.org/2000/svg", ""), file).not.toMatch(/https?:\/\//);
    }
  });

  test("stay small", () => {
    for (const file of files)
      expect(readFileSync(join(source, file), "utf8").split("\n").length, file).toBeLessThan(290);
  });
});

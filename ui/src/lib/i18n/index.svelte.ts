// The language of the page, switched live. Deliberately absent: words (they are in the catalogues).
import type { Bilingual, Fault } from "../backend/generated/dto";
import { en, type Catalogue, type FaultWords } from "./en";
import { formatter, type Formatter } from "./format";
import { zhCN } from "./zh-CN";

export type Language = "en" | "zh-CN";

/** Each language in its own words. */
export const LANGUAGES: readonly { code: Language; name: string }[] = [
  { code: "en", name: "English" },
  { code: "zh-CN", name: "简体中文" },
];

const CATALOGUES: Record<Language, Catalogue> = { en, "zh-CN": zhCN };

/** The language for a wish: a known code, else the system's nearest, else English. */
export function resolve(wish: string, system: readonly string[]): Language {
  const known = LANGUAGES.find((l) => l.code === wish);
  if (known) return known.code;
  for (const tag of system) {
    if (/^zh\b/i.test(tag)) return "zh-CN";
    if (/^en\b/i.test(tag)) return "en";
  }
  return "en";
}

class I18n {
  language: Language = $state("en");
  words: Catalogue = $derived(CATALOGUES[this.language]);
  format: Formatter = $derived(formatter(this.language));

  use(wish: string): void {
    this.language = resolve(wish, navigator.languages);
    document.documentElement.lang = this.language;
  }

  /** What an adapter says about itself, in this language. */
  say(words: Bilingual): string {
    return this.language === "zh-CN" ? words.zh || words.en : words.en;
  }

  /** Looks a code up; a code that is newer than this page shows itself. */
  code(table: Record<string, string>, code: string): string {
    return table[code] ?? code;
  }

  reason(code: string): { name: string; why: string } {
    const known: Record<string, { name: string; why: string }> = this.words.reasons;
    return known[code] ?? { name: code, why: this.words.common.codeWithoutWords };
  }

  notice(code: string): { name: string; why: string } {
    const known: Record<string, { name: string; why: string }> = this.words.notices;
    return known[code] ?? { name: code, why: this.words.common.codeWithoutWords };
  }

  /** Why something is lost: a boundary that was crossed, or a remark that says what is missing; what is said of times. */
  cause(code: string): { name: string; why: string } {
    const w = this.words;
    const known: Record<string, { name: string; why: string }> = w.reasons;
    if (known[code]) return known[code];
    if (code === "derived-timestamp") return { name: w.acceptance.derived, why: "" };
    if (code === "out-of-order") return { name: w.acceptance.outOfOrder, why: "" };
    return this.notice(code);
  }

  /** A boundary's or a notice's name, wherever the code is known. */
  fault(fault: Fault): FaultWords {
    const known: Record<string, (p: Record<string, string>) => FaultWords> = this.words.faults;
    return (known[fault.code] ?? this.words.faultUnknown)({ code: fault.code, ...fault.params });
  }
}

export const i18n = new I18n();

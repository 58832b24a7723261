// Markdown as a tree of tokens that components draw. Nothing here makes markup; raw HTML stays text.
import { Lexer, type Token } from "marked";

/** Beyond this a text is shown as it stands: no one reads more, and nesting has a price. */
const LIMIT = 64 * 1024;
/** From this length on a text made of little but marks is no Markdown, and reading it as such takes seconds. */
const LONG = 2000;
const MARKS = /[_*[\]<>@~\\`|!]/g;
/** Quotes or lists nested deeper than anyone writes. */
const NESTED = /^[ \t]*(?:>[ \t]*){24}|^[ \t]{64,}[-*+]/m;

function isMarkdown(text: string): boolean {
  if (text.length > LIMIT || NESTED.test(text)) return false;
  return text.length < LONG || (text.match(MARKS)?.length ?? 0) < text.length / 5;
}

/** The tokens of a text, or `null` where it is better shown as it stands. */
export function tokens(text: string): Token[] | null {
  if (!isMarkdown(text)) return null;
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text);
  } catch {
    return null;
  }
}

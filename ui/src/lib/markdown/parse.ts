// Markdown as a tree of tokens that components draw. Nothing here makes markup; raw HTML stays text.
import { Lexer, type Token } from "marked";

/** Beyond this a text is shown as it stands: no one reads more, and nesting has a price. */
const LIMIT = 64 * 1024;
/** From this length on a text made of little but marks is no Markdown, and reading it as such takes seconds. */
const LONG = 2000;
const MARKS = /[_*[\]<>@~\\`|!]/g;
/** Quotes or lists nested deeper than anyone writes. */
const NESTED = /^[ \t]*(?:>[ \t]*){24}|^[ \t]{64,}[-*+]/m;

/** An image whose bytes stand in the text, or the beginning of one. */
const IMAGE = /!\[[^\]\n]{0,400}\]\(data:image\/[^)\s]*(\)?)/g;
/** What images weigh does not count as text, up to this. */
const HEAVIEST = 8 * 1024 * 1024;

/** The beginning of a text, of about `most` characters. An image is in it whole or not at all. */
export function beginning(text: string, most: number): string {
  let end = Math.min(text.length, most);
  for (const image of text.matchAll(IMAGE)) {
    const after = image.index + image[0].length;
    if (image.index >= end) break;
    if (image[1]) end = Math.max(end, after);
    else if (after === text.length) end = image.index;
  }
  // Not between the halves of one character either.
  return /[\uD800-\uDBFF]$/.test(text.slice(0, end)) ? text.slice(0, end - 1) : text.slice(0, end);
}

function isMarkdown(text: string): boolean {
  if (text.length > HEAVIEST || (text.length > LIMIT && text.replace(IMAGE, "").length > LIMIT)) return false;
  if (NESTED.test(text)) return false;
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

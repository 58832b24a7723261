// Markdown as a tree of tokens that components draw. Nothing here makes markup; raw HTML stays text.
import { Lexer, type Token } from "marked";

/** Beyond this a text is shown as it stands: no one reads more, and nesting has a price. */
const LIMIT = 64 * 1024;

/** The tokens of a text, or `null` where it is better shown as it stands. */
export function tokens(text: string): Token[] | null {
  if (text.length > LIMIT) return null;
  try {
    return new Lexer({ gfm: true, breaks: true }).lex(text);
  } catch {
    return null;
  }
}

// How many lines answer a question, in the words of the question that they answer.
import { i18n } from "../../lib/i18n/index.svelte";
import { narrowed, type Lines } from "../../lib/state/library.svelte";

/** Empty before there is an answer. `all` is how many conversations there are, where that is worth saying. */
export function counted(lines: Lines, all: number | null): string {
  const [question, total] = [lines.question, lines.list?.total ?? 0];
  const w = i18n.words.library;
  if (!question) return "";
  if (question.inMessages) return w.found(total);
  const part = narrowed(question) || question.query.text.trim() !== "";
  return w.shown(total, part && all !== null ? all : total);
}

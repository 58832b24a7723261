// The rows of the conversation table under a question that stands in the address.
import { backend } from "../backend";
import type { ConversationRow, RetentionChoice, RowQuery } from "../backend/generated/dto";
import { allKeys, answered, type Answer } from "./answer.svelte";
import { PAGE } from "./paged.svelte";

const SORTS = ["title", "project", "time", "messages", "dropped", "unknown", "synthetic", "verdict", "plan", "bytes"];

/** Reads a question from an address. Latest first unless it says otherwise. */
export function asked(query: URLSearchParams): RowQuery {
  const sort = query.get("sort");
  return {
    text: query.get("q") ?? "",
    reason: query.get("reason"),
    verdict: query.get("verdict"),
    plan: query.get("plan"),
    unknownKind: query.get("kind"),
    sort: sort !== null && SORTS.includes(sort) ? sort : "time",
    descending: sort === null ? true : query.has("desc"),
    offset: 0,
    limit: PAGE,
  };
}

/** Writes a question for an address. */
export function told(query: RowQuery): Record<string, string | boolean | null> {
  const plain = query.sort === "time" && query.descending;
  return {
    q: query.text,
    reason: query.reason,
    verdict: query.verdict,
    plan: query.plan,
    kind: query.unknownKind,
    sort: plain ? null : query.sort,
    desc: plain ? null : query.descending,
  };
}

interface Asked {
  source: string;
  retention: RetentionChoice;
  query: RowQuery;
}
const page = async ({ source, retention, query }: Asked, offset: number, limit: number) =>
  (await backend()).conversations(source, retention, { ...query, offset, limit });

/** The rows under what `ask` returns. Call while a component is made. */
export const rowsOf = (ask: () => Asked): Answer<Asked, ConversationRow> => answered(ask, page);

/** The keys of every row under a question, for "select all". */
export const keysOf = (asked: Asked): Promise<string[]> => allKeys((offset, limit) => page(asked, offset, limit));

// The library's list and search under a question that stands in the address.
import { backend } from "../backend";
import type { LibraryQuery, LibraryRow, SearchHit } from "../backend/generated/dto";
import { allKeys, answered, type Answer } from "./answer.svelte";
import { PAGE } from "./paged.svelte";

export const SORTS = ["time", "title", "project", "messages", "dropped", "bytes"] as const;
export const FLAGS = ["pinned", "tools", "code", "lossy", "synthetic", "gone", "earlier", "copies"] as const;
export const SPANS = ["7", "30", "90", "365"] as const;

/** What a person asks: the query, and where its dates came from. */
export interface Question {
  query: LibraryQuery;
  /** Days back from today, or the empty string. */
  span: string;
  /** Days as a date field has them. */
  since: string;
  until: string;
  /** Whether what is typed is looked for in messages. */
  inMessages: boolean;
}

/** The beginning of a day in the person's own zone, where not every day has 24 hours. */
function dayStart(of: Date | string, after = 0): string | null {
  const at = typeof of === "string" ? new Date(`${of}T00:00:00`) : new Date(of);
  if (Number.isNaN(at.getTime())) return null;
  at.setHours(0, 0, 0, 0);
  at.setDate(at.getDate() + after);
  return at.toISOString();
}

/** Reads a question from an address. */
export function asked(address: URLSearchParams, now: number = Date.now()): Question {
  const sort = SORTS.find((name) => name === address.get("sort")) ?? "time";
  const span = SPANS.find((days) => days === address.get("span")) ?? "";
  const [since, until] = [address.get("since") ?? "", address.get("until") ?? ""];
  const text = address.get("q") ?? "";
  return {
    span,
    since,
    until,
    inMessages: text.trim() !== "" && address.get("in") !== "titles",
    query: {
      text,
      source: address.get("source"),
      project: address.get("project"),
      from: span ? dayStart(new Date(now), 1 - Number(span)) : dayStart(since),
      before: dayStart(until, 1),
      role: address.get("role"),
      tools: address.has("tools"),
      code: address.has("code"),
      lossy: address.has("lossy"),
      synthetic: address.has("synthetic"),
      gone: address.has("gone"),
      earlier: address.has("earlier"),
      copies: address.has("copies"),
      pinned: address.has("pinned"),
      label: address.get("label"),
      deleted: address.has("deleted"),
      sort,
      descending: address.get("sort") === null ? true : address.has("desc"),
      offset: 0,
      limit: PAGE,
    },
  };
}

export type Address = Record<string, string | number | boolean | null>;

/** Writes a question for an address. */
export function told({ query, span, since, until, inMessages }: Question): Address {
  const plain = query.sort === "time" && query.descending;
  return {
    q: query.text,
    in: query.text.trim() && !inMessages ? "titles" : null,
    source: query.source,
    project: query.project,
    span,
    since: span ? null : since,
    until: span ? null : until,
    role: query.role,
    tools: query.tools,
    code: query.code,
    lossy: query.lossy,
    synthetic: query.synthetic,
    gone: query.gone,
    pinned: query.pinned,
    label: query.label,
    deleted: query.deleted,
    sort: plain ? null : query.sort,
    desc: plain ? null : query.descending,
  };
}

/** Whether a question narrows anything besides what is typed. */
export const narrowed = (of: Question): boolean =>
  Boolean(
    of.query.source ||
    of.query.project ||
    of.query.role ||
    of.query.label ||
    of.query.deleted ||
    of.span ||
    of.since ||
    of.until,
  ) || FLAGS.some((flag) => of.query[flag]);

/** One line of what was found: a conversation, or a message of one. */
export type Line = { row: LibraryRow; hit?: undefined } | { hit: SearchHit; row?: undefined };
export const keyOf = (line: Line): string => line.row?.key ?? line.hit!.key;

type Found = { total: number; rows: Line[]; unindexed: number };
export type Lines = Answer<Question, Line, Found>;

/** The lines under what `ask` returns. Call while a component is made. */
export const linesOf = (ask: () => Question): Lines =>
  answered<Question, Line, Found>(ask, async ({ query, inMessages }, offset, limit) => {
    const b = await backend();
    if (inMessages) {
      const page = await b.search({ ...query, offset, limit });
      return { ...page, rows: page.rows.map((hit) => ({ hit })) };
    }
    const page = await b.kept({ ...query, offset, limit });
    return { total: page.total, rows: page.rows.map((row) => ({ row })), unindexed: 0 };
  });

/** How many conversations are selected at most. */
export const MOST = 5000;
/** The keys of every conversation under a question, for "select all". */
export const keysOf = (query: LibraryQuery): Promise<string[]> =>
  allKeys(async (offset, limit) => (await backend()).kept({ ...query, offset, limit }), MOST);

/** What a question is without anything that narrows it. */
export const cleared = ({ query }: Question): Partial<Question> => ({
  span: "",
  since: "",
  until: "",
  query: {
    ...query,
    source: null,
    project: null,
    role: null,
    label: null,
    deleted: false,
    ...(Object.fromEntries(FLAGS.map((flag) => [flag, false])) as Record<(typeof FLAGS)[number], boolean>),
  },
});

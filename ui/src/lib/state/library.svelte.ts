// The library's list and search under a question that stands in the address.
import { asFault, backend } from "../backend";
import type { Fault, LibraryQuery, LibraryRow, SearchHit } from "../backend/generated/dto";
import { Paged, PAGE } from "./paged.svelte";
import { work } from "./work.svelte";

export const SORTS = ["time", "title", "project", "messages", "dropped", "bytes"] as const;
export const FLAGS = ["pinned", "tools", "code", "lossy", "synthetic", "gone", "earlier"] as const;
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

const DAY = 86_400_000;
/** The beginning of a day in the person's own zone. */
function dayStart(day: string, after = 0): string | null {
  const at = new Date(`${day}T00:00:00`);
  return Number.isNaN(at.getTime()) ? null : new Date(at.getTime() + after * DAY).toISOString();
}

/** Reads a question from an address. */
export function asked(address: URLSearchParams, now: number = Date.now()): Question {
  const sort = SORTS.find((name) => name === address.get("sort")) ?? "time";
  const span = SPANS.find((days) => days === address.get("span")) ?? "";
  const [since, until] = [address.get("since") ?? "", address.get("until") ?? ""];
  const text = address.get("q") ?? "";
  const midnight = new Date(now).setHours(0, 0, 0, 0);
  return {
    span,
    since,
    until,
    inMessages: text.trim() !== "" && address.get("in") !== "titles",
    query: {
      text,
      source: address.get("source"),
      project: address.get("project"),
      from: span ? new Date(midnight - (Number(span) - 1) * DAY).toISOString() : dayStart(since),
      before: dayStart(until, 1),
      role: address.get("role"),
      tools: address.has("tools"),
      code: address.has("code"),
      lossy: address.has("lossy"),
      synthetic: address.has("synthetic"),
      gone: address.has("gone"),
      earlier: address.has("earlier"),
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

export interface Lines {
  readonly list: Paged<Line> | null;
  /** The question that the list answers, as one text. */
  readonly key: string;
  readonly fault: Fault | null;
  /** Whether an answer is on its way. */
  readonly looking: boolean;
  /** Whether there are more than were counted. */
  readonly more: boolean;
  readonly unindexed: number;
}

/** The lines under what `ask` returns, fetched anew whenever that changes. Call while a component is made. */
export function linesOf(ask: () => Question): Lines {
  let list = $state.raw<Paged<Line> | null>(null);
  let answers = $state("");
  let fault = $state.raw<Fault | null>(null);
  let looking = $state(true);
  let more = $state(false);
  let unindexed = $state(0);
  const key = $derived.by(() => {
    const { query, inMessages } = ask();
    return JSON.stringify({ query, inMessages });
  });

  $effect(() => {
    void work.generation;
    const asked = key;
    const { query, inMessages } = JSON.parse(asked) as Question;
    let stale = false;
    const made: Paged<Line> = new Paged<Line>(async (offset, limit): Promise<Line[]> => {
      const b = await backend();
      if (inMessages) {
        const page = await b.search({ ...query, offset, limit });
        made.total = page.total;
        if (!stale) [more, unindexed] = [page.more, page.unindexed];
        return page.rows.map((hit) => ({ hit }));
      }
      const page = await b.kept({ ...query, offset, limit });
      made.total = page.total;
      if (!stale) more = false;
      return page.rows.map((row) => ({ row }));
    });
    looking = true;
    // The old lines stay until the new ones are here, so that nothing flickers.
    made
      .page(0)
      .catch((error: unknown) => {
        made.fault = asFault(error);
      })
      .then(() => {
        if (stale) return;
        looking = false;
        fault = made.fault;
        if (!made.fault) [list, answers] = [made, asked];
      });
    return () => {
      stale = true;
    };
  });

  return {
    get list() {
      return list;
    },
    get key() {
      return answers;
    },
    get fault() {
      return fault;
    },
    get looking() {
      return looking;
    },
    get more() {
      return more;
    },
    get unindexed() {
      return unindexed;
    },
  };
}

/** The keys of every conversation under a question, for "select all"; at most this many. */
export const MOST = 5000;
export async function allKeys(query: LibraryQuery): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const page = await (await backend()).kept({ ...query, offset: keys.length, limit: 500 });
    keys.push(...page.rows.map((row) => row.key));
    if (!page.rows.length || keys.length >= Math.min(page.total, MOST)) return keys;
  }
}

// The rows of the conversation table under a question that stands in the address.
import { asFault, backend } from "../backend";
import type { ConversationRow, Fault, RetentionChoice, RowQuery } from "../backend/generated/dto";
import { Paged, PAGE } from "./paged.svelte";
import { work } from "./work.svelte";

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

export interface Rows {
  readonly list: Paged<ConversationRow> | null;
  readonly fault: Fault | null;
}

/** The rows under what `ask` returns, fetched anew whenever that changes. Call while a component is made. */
export function rowsOf(ask: () => { source: string; retention: RetentionChoice; query: RowQuery }): Rows {
  let list = $state.raw<Paged<ConversationRow> | null>(null);
  let fault = $state.raw<Fault | null>(null);
  const key = $derived(JSON.stringify(ask()));

  $effect(() => {
    void work.generation;
    const { source, retention, query } = JSON.parse(key) as ReturnType<typeof ask>;
    let stale = false;
    const made: Paged<ConversationRow> = new Paged(async (offset, limit) => {
      const page = await (await backend()).conversations(source, retention, { ...query, offset, limit });
      made.total = page.total;
      return page.rows;
    });
    // The old rows stay until the new ones are here, so that nothing flickers.
    made.page(0).then(
      () => {
        if (stale) return;
        list = made;
        fault = made.fault;
      },
      (error: unknown) => {
        if (!stale) fault = asFault(error);
      },
    );
    return () => {
      stale = true;
    };
  });

  return {
    get list() {
      return list;
    },
    get fault() {
      return fault;
    },
  };
}

/** The keys of every row under a question, for "select all". */
export async function allKeys(source: string, retention: RetentionChoice, query: RowQuery): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const page = await (
      await backend()
    ).conversations(source, retention, { ...query, offset: keys.length, limit: 500 });
    keys.push(...page.rows.map((row) => row.key));
    if (!page.rows.length || keys.length >= page.total) return keys;
  }
}

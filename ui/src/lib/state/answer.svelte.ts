// What answers a question that can change at any time: a list by pages, and what is to be said of it. Whatever is shown
// of it is of one question, and says of which.
import { untrack } from "svelte";
import { asFault } from "../backend";
import type { Fault } from "../backend/generated/dto";
import { Paged } from "./paged.svelte";
import { work } from "./work.svelte";

interface Page<T> {
  total: number;
  rows: readonly T[];
}

export interface Answer<Q, T, P extends Page<T> = Page<T>> {
  readonly list: Paged<T> | null;
  /** The question that the list answers, and the same as one text. */
  readonly question: Q | null;
  readonly key: string;
  /** The first page as it came, with what else it says. */
  readonly first: P | null;
  /** Why the question has no answer, or a page of it is not here. */
  readonly fault: Fault | null;
  /** Whether an answer to what is asked now is on its way. */
  readonly looking: boolean;
  /** Asks again: for what failed, or else for everything. */
  retry(): void;
}

/** How often a question is asked again that something else called off. */
const TIMES = 3;

/** Answers what `ask` returns, anew whenever that or the figures change. Call while a component is made. */
export function answered<Q, T, P extends Page<T> = Page<T>>(
  ask: () => Q,
  fetch: (question: Q, offset: number, limit: number) => Promise<P>,
): Answer<Q, T, P> {
  interface Given {
    key: string;
    question: Q;
    list: Paged<T>;
    first: P;
  }
  let given = $state.raw<Given | null>(null);
  let fault = $state.raw<Fault | null>(null);
  let busy = $state(true);
  let again = $state(0);
  const key = $derived(JSON.stringify(ask()));

  $effect(() => {
    void work.generation;
    void again;
    const asked = key;
    const question = JSON.parse(asked) as Q;
    let stale = false;
    let first: P | null = null;
    const list: Paged<T> = new Paged<T>(async (offset, limit) => {
      for (let times = 1; ; times += 1) {
        try {
          const page = await fetch(question, offset, limit);
          list.total = page.total;
          first ??= page;
          return page.rows;
        } catch (error) {
          // Another window, or a question that was taken back, may have called it off.
          if (stale || times === TIMES || asFault(error).code !== "interrupted") throw error;
        }
      }
    });
    busy = true;
    // The old lines stay until the new ones are here, so that nothing flickers; they ask for nothing more, which
    // would call the new question off.
    const before = untrack(() => given);
    if (before) before.list.held = true;
    void (async () => {
      await list.page(0);
      // What is in sight now is there before the lines change.
      if (!stale && !list.fault && before?.key === asked) await list.want(...before.list.seen);
      if (stale) return;
      busy = false;
      fault = first ? null : list.fault;
      if (first) given = { key: asked, question, list, first };
      else if (before) before.list.held = false;
    })();
    return () => {
      stale = true;
    };
  });

  return {
    get list() {
      return given?.list ?? null;
    },
    get question() {
      return given?.question ?? null;
    },
    get key() {
      return given?.key ?? "";
    },
    get first() {
      return given?.first ?? null;
    },
    get fault() {
      return fault ?? given?.list.fault ?? null;
    },
    get looking() {
      return busy || given?.key !== key;
    },
    retry() {
      if (given?.list.fault && given.key === key && !given.list.held) {
        fault = null;
        void given.list.retry();
      } else again += 1;
    },
  };
}

/** The keys of every row that `fetch` has, at most `most`. */
export async function allKeys(
  fetch: (offset: number, limit: number) => Promise<Page<{ key: string }>>,
  most = Infinity,
): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const page = await fetch(keys.length, 500);
    keys.push(...page.rows.map((row) => row.key));
    if (!page.rows.length || keys.length >= Math.min(page.total, most)) return keys.slice(0, most);
  }
}

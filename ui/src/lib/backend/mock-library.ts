// The library behind the mock: the same conversations as the preview's, as if all of them had been imported.
import type { Backend } from "./backend";
import type { ConversationRow, FoundPlace, LibraryQuery, LibraryRow, LibraryState, SearchHit } from "./generated/dto";
import type { Sample, Variant } from "./mock-data";

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
/** How many conversations the large variant has. */
const MANY = 100_000;
const BEFORE = 40;
const AFTER = 160;

type Part = Pick<
  Backend,
  | "kept"
  | "facets"
  | "keptHistory"
  | "attention"
  | "search"
  | "findWithin"
  | "locate"
  | "index"
  | "setPin"
  | "relabel"
  | "delete"
  | "restore"
  | "exportForms"
  | "exportKept"
>;

/** The key of the same conversation in the preview. */
export const previewed = (key: string): string => key.replace(/^@/, "").replace(/~\d+$/, "");

const ORDER: Record<string, (row: LibraryRow) => number | string> = {
  title: (r) => r.title.toLowerCase(),
  project: (r) => r.project.toLowerCase(),
  time: (r) => r.lastAt ?? "",
  messages: (r) => r.messages,
  dropped: (r) => r.dropped,
  bytes: (r) => r.bytes,
};

function kept(row: ConversationRow, at: number): LibraryRow {
  return {
    key: `@${row.key}`,
    source: row.source,
    id: row.id,
    title: row.title,
    project: row.project,
    cwd: row.cwd,
    gitBranch: row.gitBranch,
    firstAt: row.firstAt,
    lastAt: row.lastAt,
    messages: row.messages + row.recovered,
    recovered: row.recovered,
    dropped: row.dropped,
    unknown: row.unknown,
    synthetic: row.synthetic,
    verdict: row.verdict,
    bytes: row.bytes,
    retention: "full",
    pinned: at === 3,
    labels: at % 6 === 2 ? ["to read"] : [],
    deletedAt: null,
    earlier: 0,
    copies: 0,
    relation: row.relation,
    goneSince: at % 9 === 5 ? "2026-11-01T08:00:00.000Z" : null,
  };
}

function rowsOf(data: Sample, variant: Variant): LibraryRow[] {
  if (data.library) return data.library.rows;
  const all = Object.values(data.rows)
    .flatMap((rows) => rows.full)
    .filter((row) => row.plan !== "blocked" && row.plan !== "skipped");
  const rows = all.map(kept);
  if (variant !== "large" || !rows.length) return rows;
  return Array.from({ length: MANY }, (_, at) => {
    const row = rows[at % rows.length]!;
    return at < rows.length ? row : { ...row, key: `${row.key}~${at}`, title: `${row.title} ${at}` };
  });
}

/** The library's part of a backend over `data`. */
export function library(
  data: Sample,
  variant: Variant,
): { part: Part; row: (key: string) => LibraryRow | null; state: () => LibraryState } {
  let all: LibraryRow[] | undefined;
  let question = "";
  const there = data.state.library.conversations > 0 || data.state.library.older;
  const rows = () => (there || data.state.library.conversations ? (all ??= rowsOf(data, variant)) : []);
  const state = (): LibraryState => {
    if (data.state.library.older || data.state.library.fault) return data.state.library;
    const deleted = rows().filter((row) => row.deletedAt).length;
    return { ...data.state.library, conversations: rows().length - deleted, deleted };
  };
  const itemsOf = (key: string, retention: "reference" | "full") => data.items[previewed(key)]?.[retention] ?? [];

  const wanted = (query: LibraryQuery, text: string): LibraryRow[] =>
    rows().filter(
      (row) =>
        (!text || `${row.title}\n${row.project}\n${row.cwd}\n${row.id}`.toLowerCase().includes(text)) &&
        (!query.source || row.source === query.source) &&
        (!query.project || row.project === query.project) &&
        (!query.from || (row.lastAt ?? "") >= query.from) &&
        (!query.before || (row.firstAt ?? "") < query.before) &&
        (!query.lossy || row.dropped + row.unknown > 0) &&
        (!query.synthetic || row.synthetic > 0) &&
        (!query.gone || row.goneSince !== null) &&
        !query.earlier &&
        (!query.pinned || row.pinned) &&
        (!query.label || row.labels.includes(query.label)) &&
        query.deleted === (row.deletedAt !== null),
    );

  function* hits(query: LibraryQuery): Generator<SearchHit> {
    const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
    const first = words[0];
    if (!first) return;
    for (const row of wanted(query, "").slice(0, 2000)) {
      let message = -1;
      for (const item of itemsOf(row.key, "full")) {
        if (item.item !== "message") continue;
        message += 1;
        if (query.role && item.from !== query.role) continue;
        if (query.tools && !item.hasToolUse && !item.kind.startsWith("tool-")) continue;
        if (query.code && !item.content.includes("```")) continue;
        const inThinking = !item.content.toLowerCase().includes(first);
        const whole = inThinking ? (item.thinking ?? "") : item.content;
        const low = whole.toLowerCase();
        if (!words.every((word) => low.includes(word))) continue;
        const at = low.indexOf(first);
        const start = Math.max(0, at - BEFORE);
        const text = (start ? "…" : "") + whole.slice(start, at + AFTER);
        const marks: [number, number][] = [];
        for (const word of words)
          for (let i = text.toLowerCase().indexOf(word); i >= 0; i = text.toLowerCase().indexOf(word, i + 1))
            marks.push([i, i + word.length]);
        marks.sort((a, b) => a[0] - b[0]);
        yield {
          key: row.key,
          source: row.source,
          title: row.title,
          project: row.project,
          message,
          from: item.from ?? "assistant",
          kind: item.kind,
          at: item.at,
          origin: item.origin,
          reason: item.disposition === "recovered" ? item.reason : null,
          inThinking,
          goneSince: row.goneSince,
          text,
          marks: marks.filter(([from], i) => i === 0 || from >= (marks[i - 1]?.[1] ?? 0)),
        };
      }
    }
  }

  const alter = (keys: string[], change: (row: LibraryRow) => void) => {
    const wanted = new Set(keys);
    rows()
      .filter((row) => wanted.has(row.key))
      .forEach(change);
  };
  const check = () => {
    if (data.state.library.fault) throw data.state.library.fault;
  };

  const part: Part = {
    async kept(query) {
      await wait(12);
      check();
      data.state.library.older = false;
      const order = ORDER[query.sort] ?? ORDER.time!;
      const found = wanted(query, query.text.trim().toLowerCase()).sort((a, b) => {
        const by = order(a) < order(b) ? -1 : order(a) > order(b) ? 1 : 0;
        return query.descending ? -by : by;
      });
      return { total: found.length, offset: query.offset, rows: found.slice(query.offset, query.offset + query.limit) };
    },
    async facets() {
      check();
      const count = (pick: (row: LibraryRow) => string) => {
        const map = new Map<string, number>();
        for (const row of rows()) if (pick(row)) map.set(pick(row), (map.get(pick(row)) ?? 0) + 1);
        return [...map].map(([code, n]) => ({ code, count: n })).sort((a, b) => b.count - a.count);
      };
      const labels = new Map<string, number>();
      for (const row of rows()) for (const label of row.labels) labels.set(label, (labels.get(label) ?? 0) + 1);
      return {
        sources: count((r) => r.source),
        projects: count((r) => r.project),
        labels: [...labels].map(([code, n]) => ({ code, count: n })),
        deleted: rows().filter((row) => row.deletedAt).length,
        unindexed: unindexed(variant),
      };
    },
    async keptHistory() {
      check();
      if (data.library) return data.library.history;
      const hourOf = (iso: string | null) => Math.floor(Date.parse(iso ?? "2026-11-01") / 3_600_000);
      const some = rows().slice(0, 500);
      const spread = (row: LibraryRow, at: number) => hourOf(row.lastAt) - ((at * 37) % 300) * 24;
      return {
        activity: some.map((row, at) => ({ code: row.source, hour: spread(row, at), count: row.messages })),
        losses: some
          .filter((row) => row.dropped)
          .map((row, at) => ({
            code: ["encrypted-content", "malformed-json", "tool-result"][at % 3]!,
            hour: spread(row, at),
            count: row.dropped,
          })),
      };
    },
    async attention() {},
    async search(query) {
      const { offset, limit, ...rest } = query;
      const mine = (question = JSON.stringify(rest));
      await wait(25);
      check();
      if (mine !== question) throw { code: "interrupted", params: {}, detail: "" };
      const found = [...hits(query)];
      return {
        total: found.length,
        offset,
        rows: found.slice(offset, offset + limit),
        unindexed: unindexed(variant),
      };
    },
    async findWithin(key, retention, text) {
      const found: FoundPlace[] = [];
      const low = text.toLowerCase();
      if (!low) return found;
      for (const item of itemsOf(key, retention))
        for (const part of ["thinking", "content"] as const) {
          const count = (item[part] ?? "").toLowerCase().split(low).length - 1;
          if (count > 0) found.push({ item: item.index, part, count, beyond: false });
        }
      return found;
    },
    async locate(key, retention, message) {
      const full = itemsOf(key, "full").filter((item) => item.item === "message")[message];
      const same = itemsOf(key, retention).find((item) => item.item === "message" && item.entry === full?.entry);
      return same?.index ?? null;
    },
    async index() {},
    async setPin(keys, pinned) {
      alter(keys, (row) => (row.pinned = pinned));
    },
    async relabel(keys, add, remove) {
      alter(keys, (row) => {
        row.labels = [...new Set([...row.labels.filter((label) => !remove.includes(label)), ...add])].sort();
      });
    },
    async delete(keys) {
      alter(keys, (row) => (row.deletedAt = new Date().toISOString()));
    },
    async restore(keys) {
      alter(keys, (row) => (row.deletedAt = null));
    },
    async exportForms() {
      return (
        data.library?.forms ?? [
          { format: "markdown", ending: "md", leavesOut: ["ledger-entries", "locators"], masks: true },
          { format: "json", ending: "jsonl", leavesOut: [], masks: false },
          { format: "html", ending: "html", leavesOut: ["ledger-entries", "locators"], masks: true },
          { format: "chatcrystal", ending: "json", leavesOut: ["recovered-messages", "ledger"], masks: false },
        ]
      );
    },
    async exportKept(keys, format, mask, name) {
      await wait(60);
      check();
      const ending = (await this.exportForms()).find((form) => form.format === format)?.ending ?? "txt";
      const refused =
        format === "chatcrystal" && keys.length > 1
          ? [{ code: "fewer-than-two-messages", params: { id: keys[0] ?? "" }, detail: "1" }]
          : [];
      return {
        file: `${name}.${ending}`,
        conversations: keys.length - refused.length,
        masked: mask ? 2 : 0,
        refused,
      };
    },
  };
  return { part, state, row: (key) => rows().find((row) => row.key === key) ?? null };
}

/** Messages that are not indexed yet. */
const unindexed = (variant: Variant): number => (variant === "failing" ? 1240 : 0);

// The mock's data by variant, in the shape of generated/sample.json.
import type {
  AcceptanceSummary,
  AppState,
  BoundaryRow,
  ConversationRow,
  ImportPlan,
  ImportResult,
  ExportForm,
  Inspection,
  LibraryHistory,
  LibraryRow,
  OutcomeRow,
  Page,
  RawRecord,
  RetentionChoice,
  SourceView,
  TimelineItem,
} from "../generated/dto";
import { conversation, counted, noStrata, type Both, type Conversation, type Rec } from "./build";
import { PROJECTS, RETRY, TITLES, seeded, talk } from "./scripts";
import { DECLARED, boundaries } from "./sources";

export interface Sample {
  state: AppState;
  views: SourceView[];
  summaries: Record<string, Both<AcceptanceSummary>>;
  boundaries: Record<string, BoundaryRow[]>;
  rows: Record<string, Both<ConversationRow[]>>;
  inspections: Record<string, Both<Inspection>>;
  items: Record<string, Both<TimelineItem[]>>;
  records: Record<string, Both<Record<string, RawRecord>>>;
  plan: ImportPlan;
  result: ImportResult;
  history: ImportResult[];
  outcomes: OutcomeRow[];
  library?: { rows: LibraryRow[]; forms: ExportForm[]; history: LibraryHistory };
}

/** `sample` is what the engine made of the embedded sample home; the others are invented. */
export const VARIANTS = ["sample", "invented", "empty", "failing", "large", "unreadable-library", "older"] as const;
export type Variant = (typeof VARIANTS)[number];

const PLANS = ["new", "new", "grown", "unchanged", "new", "changed", "metadata", "unchanged", "skipped"];
const START = Date.parse("2026-11-03T01:31:02Z");
const both = <T>(make: (retention: RetentionChoice) => T): Both<T> => ({
  reference: make("reference"),
  full: make("full"),
});

/** Records as the published rules have them: what full retention recovers is dropped, a tool's input folded. */
function underReference(records: Record<string, RawRecord>): Record<string, RawRecord> {
  const fate = <T extends { disposition: RawRecord["disposition"]; reason: string | null }>(one: T): T => ({
    ...one,
    disposition: one.disposition !== "recovered" ? one.disposition : one.reason === "tool-input" ? "folded" : "dropped",
  });
  return Object.fromEntries(
    Object.entries(records).map(([at, record]) => [at, { ...fate(record), blocks: record.blocks.map(fate) }]),
  );
}

function conversationsOf(source: string, at: number, count: number): Conversation[] {
  const random = seeded(17 + at);
  return Array.from({ length: count }, (_, i) => {
    const short = i % 13 === 4;
    const plan = short ? "skipped" : (PLANS[(i + at) % PLANS.length] ?? "new");
    const recs: Rec[] =
      i === 0
        ? RETRY
        : short
          ? talk(1, random, false).slice(0, 2)
          : talk(3 + Math.floor(random() * 14), random, (i + at) % 3 === 0);
    return conversation(
      {
        key: `${source}:${i}`,
        source,
        title: TITLES[i % TITLES.length] ?? "",
        project: short ? "" : (PROJECTS[(i + at) % PROJECTS.length] ?? ""),
        start: START - i * 9_400_000 - at * 3_000_000,
        file: `~/store/${source}/2026/11/rollout-2026-11-03T09-31-02-${i}.jsonl`,
        plan,
        planReason: plan === "skipped" ? (short ? "fewer-than-two-messages" : "unchanged-metadata") : null,
        relation: i % 7 === 3 ? (i % 2 ? "sub-agent" : "fork") : null,
        coverage: i % 11 === 9 ? "extended" : "reference",
      },
      recs,
    );
  });
}

function longConversation(): Conversation {
  const random = seeded(99);
  const recs = talk(12_000, random, true).slice(0, 52_000);
  return conversation(
    {
      key: "codex:long",
      source: "codex",
      title: "Fifty thousand records in one session",
      project: "uploader",
      start: START,
      file: "~/store/codex/2026/11/rollout-long.jsonl",
      plan: "new",
    },
    recs,
    false,
  );
}

function summarize(source: string, rows: ConversationRow[], told: Inspection[]): AcceptanceSummary {
  const count = (pick: (row: ConversationRow) => string) => {
    const map = new Map<string, number>();
    for (const row of rows) map.set(pick(row), (map.get(pick(row)) ?? 0) + 1);
    return counted(map);
  };
  const reasons = new Map<string, number>();
  const losses = new Map<string, number>();
  const notices = new Map<string, number>();
  const strata = noStrata();
  let records = 0;
  told.forEach((one) => {
    for (const { code, count: n } of one.byReason) {
      reasons.set(code, (reasons.get(code) ?? 0) + n);
      const loses = ["encrypted-content", "malformed-json", "unknown-kind"].includes(code);
      if (loses || (one.retention === "reference" && !["metadata", "blank-line", "duplicate"].includes(code)))
        losses.set(code, (losses.get(code) ?? 0) + 1);
    }
    for (const notice of one.notices) notices.set(notice.code, (notices.get(notice.code) ?? 0) + 1);
    for (const run of one.core) records += run.records;
    for (const key of Object.keys(strata) as (keyof typeof strata)[]) strata[key] += one.strata[key];
  });
  const unknown = rows.filter((row) => row.unknown > 0).length;
  return {
    source,
    previewedAt: new Date(Date.now() - 90_000).toISOString(),
    conversations: rows.length,
    verdicts: count((row) => row.verdict),
    records,
    bytes: rows.reduce((sum, row) => sum + row.bytes, 0),
    strata,
    byReason: counted(reasons),
    crossed: counted(reasons).map(({ code, count: n }) => ({
      code,
      disposition: losses.has(code) ? ("dropped" as const) : ("recovered" as const),
      loss: losses.has(code),
      count: n,
    })),
    losses: counted(losses),
    synthetic: rows.reduce((sum, row) => sum + row.synthetic, 0),
    derived: source === "copilot" ? 31 : 0,
    outOfOrder: 1,
    unaccountedBytes: 0,
    unknownKinds: unknown ? [{ kind: "response_item/hologram", count: unknown, versions: ["0.153", "0.154"] }] : [],
    notices: counted(notices),
    plan: count((row) => row.plan),
  };
}

const WRITTEN = import.meta.glob<Sample>("../generated/sample.json", { import: "default" });

/** The data of a variant; what the engine wrote where that is there. */
export async function load(variant: Variant): Promise<Sample> {
  const written = Object.values(WRITTEN)[0];
  if (variant !== "sample" || !written) return build(variant);
  const sample = structuredClone(await written());
  const outcomes = sample.outcomes as OutcomeRow[] | Page<OutcomeRow>;
  return { ...sample, outcomes: Array.isArray(outcomes) ? outcomes : outcomes.rows };
}

/** Builds a variant. */
export function build(variant: Variant): Sample {
  const empty = variant === "empty";
  const rows: Sample["rows"] = {};
  const sample: Sample = {
    state: {
      version: "0.1.0",
      library: {
        path: "~/.local/share/assay/library.db",
        bytes: 412_300_000,
        conversations: 1204,
        deleted: 0,
        older: false,
        fault: null,
      },
      settings: {
        language: "",
        theme: "",
        disabled: empty ? [] : ["copilot"],
        retention: {},
        folders: {},
        minimumMessages: 2,
        verify: false,
        keepOriginals: true,
        watch: false,
        mask: true,
      },
      sources: DECLARED.map((d) => ({ ...d.info, enabled: empty || d.info.source !== "copilot" })),
      sample: false,
    },
    views: DECLARED.map((d) => d.view),
    summaries: {},
    boundaries: {},
    rows,
    inspections: {},
    items: {},
    records: {},
    plan: { sources: [], warnings: [] },
    result: { run: 13, startedAt: "", endedAt: null, cancelled: false, sources: [], failures: 0 },
    history: [],
    outcomes: [],
  };

  DECLARED.forEach((declared, at) => {
    const source = declared.info.source;
    const amount = empty ? 0 : variant === "large" && source === "codex" ? 3000 : source === "trae" ? 12 : 24 + at * 9;
    const made = conversationsOf(source, at, amount);
    if (variant === "large" && source === "codex") made.unshift(longConversation());
    rows[source] = both((r) => made.map((c) => c.rows[r]));
    for (const c of made) {
      const key = c.rows.full.key;
      sample.inspections[key] = c.inspections;
      sample.items[key] = c.items;
      sample.records[key] = { full: c.records, reference: underReference(c.records) };
    }
    sample.summaries[source] = both((r) =>
      summarize(
        source,
        made.map((c) => c.rows[r]),
        made.map((c) => c.inspections[r]),
      ),
    );
    const yours = new Map(sample.summaries[source].full.byReason.map((c) => [c.code, c.count]));
    sample.boundaries[source] = boundaries(declared, yours, variant === "failing" && source === "codex");
  });

  if (empty) {
    sample.state.library = { ...sample.state.library, bytes: 45_000, conversations: 0 };
    sample.views = DECLARED.map((d) => ({
      ...d.view,
      state: "not-installed",
      conversations: 0,
      bytes: 0,
      firstActivity: null,
      lastActivity: null,
      deletedSoon: null,
      roots: d.view.roots.map((r) => ({ ...r, exists: false, readable: false, conversations: 0, note: null })),
    }));
  } else {
    sample.views = DECLARED.map((d) => ({ ...d.view, conversations: rows[d.info.source]?.full.length ?? 0 }));
  }
  if (variant === "failing") {
    const states = ["found", "found", "locked", "encrypted", "no-permission"];
    sample.views = sample.views.map((view, at) => ({
      ...view,
      state: states[at] ?? "found",
      error: at === 2 ? "SQLITE_BUSY: database is locked" : null,
    }));
  }
  if (variant === "failing") {
    const trouble = "~/.codex/sessions/2026/11: Permission denied (os error 13)";
    const [, view] = sample.views;
    if (view)
      sample.views[1] = {
        ...view,
        troubles: [trouble],
        roots: view.roots.map((root, at) => (at ? root : { ...root, troubles: [trouble] })),
      };
  }
  if (variant === "older") sample.state.library = { ...sample.state.library, conversations: 0, older: true };
  if (variant === "unreadable-library")
    sample.state.library.fault = { code: "newer", params: {}, detail: "user_version 9, this build knows 4" };
  sample.plan = planOf(sample);
  Object.assign(sample, historyOf(sample, empty));
  return sample;
}

function planOf(sample: Sample): ImportPlan {
  const sources = sample.state.sources.map(({ source }) => {
    const summary = sample.summaries[source]?.full;
    const counts = new Map(summary?.plan.map((c) => [c.code, c.count]) ?? []);
    const rows = sample.rows[source]?.full ?? [];
    const skipped = new Map<string, number>();
    for (const row of rows)
      if (row.plan === "skipped" && row.planReason) skipped.set(row.planReason, (skipped.get(row.planReason) ?? 0) + 1);
    return {
      source,
      enabled: !sample.state.settings.disabled.includes(source),
      previewed: false,
      actions: ["new", "grown", "changed", "metadata", "unchanged"].map((code) => ({
        code,
        count: counts.get(code) ?? 0,
      })),
      skipped: counted(skipped),
      blocked: source === "trae" && rows.length ? [{ code: "encrypted", count: 1 }] : [],
      bytes: summary?.bytes ?? 0,
    };
  });
  const warnings = [
    { code: "deleted-soon", source: "claude-code", count: 14 },
    { code: "unknown-kinds", source: "codex", count: 1 },
    { code: "encrypted-store", source: "trae", count: 1 },
  ];
  return { sources, warnings };
}

function historyOf(sample: Sample, empty: boolean): Pick<Sample, "result" | "history" | "outcomes"> {
  const outcomes: OutcomeRow[] = [];
  const libraryOf: Record<string, string> = {
    new: "inserted",
    grown: "grown",
    changed: "replaced",
    metadata: "metadata-updated",
    unchanged: "unchanged",
  };
  for (const { source } of sample.state.sources) {
    if (sample.state.settings.disabled.includes(source)) continue;
    (sample.rows[source]?.full ?? []).forEach((row, at) => {
      const failed = source === "cursor" && at === 5;
      const importer = failed ? "failed" : row.plan === "skipped" ? (row.planReason ?? "failed") : "read";
      outcomes.push({
        key: row.key,
        source,
        id: row.id,
        title: row.title,
        kept: importer === "read" && libraryOf[row.plan] ? `@${row.key}` : null,
        importer,
        library: importer === "read" ? (libraryOf[row.plan] ?? null) : null,
        detail: failed ? "the store changed while it was being read" : null,
        verdict: row.verdict,
      });
    });
  }
  const tally = (source: string, pick: (row: OutcomeRow) => string | null) => {
    const map = new Map<string, number>();
    for (const row of outcomes) {
      const code = row.source === source ? pick(row) : null;
      if (code) map.set(code, (map.get(code) ?? 0) + 1);
    }
    return counted(map);
  };
  const run = (number: number, startedAt: string, seconds: number | null, cancelled = false): ImportResult => ({
    run: number,
    startedAt,
    endedAt: seconds === null ? null : new Date(Date.parse(startedAt) + seconds * 1000).toISOString(),
    cancelled,
    sources: sample.state.sources
      .filter(({ source }) => !sample.state.settings.disabled.includes(source))
      .map(({ source }) => ({
        source,
        fault: null,
        parser: (sample.summaries[source]?.full.byReason ?? []).filter((c) =>
          ["encrypted-content", "malformed-json", "blank-line"].includes(c.code),
        ),
        importer: tally(source, (row) => (row.importer === "read" ? null : row.importer)),
        library: tally(source, (row) => row.library),
      })),
    failures: outcomes.filter((row) => row.importer === "failed").length,
  });
  const result = run(13, new Date().toISOString(), 8);
  const history = empty
    ? []
    : [
        run(12, "2026-11-02T08:00:12Z", 41),
        run(11, "2026-10-27T19:20:00Z", 12, true),
        run(10, "2026-10-20T07:31:00Z", null),
      ];
  return { result, history, outcomes };
}

// Turns a script of records into what the engine would answer: both timelines, core samples, figures.
import type {
  Chip,
  ConversationRow,
  CoreRun,
  Count,
  Disposition,
  Inspection,
  RawRecord,
  RetentionChoice,
  Strata,
  TimelineItem,
} from "../generated/dto";

/** One record of a script. */
export interface Rec {
  kind: string;
  text: string;
  as?: string;
  from?: string;
  /** What becomes of it under full retention; kept if left out. */
  fate?: Disposition;
  reason?: string;
  tool?: string;
  thinking?: string;
  /** Seconds after the beginning. */
  at?: number;
  origin?: string;
  rule?: string;
  outOfOrder?: number;
  branch?: string;
}

export type Both<T> = Record<RetentionChoice, T>;

export interface Conversation {
  rows: Both<ConversationRow>;
  inspections: Both<Inspection>;
  items: Both<TimelineItem[]>;
  records: Record<number, RawRecord>;
}

const HARMLESS = new Set(["metadata", "blank-line", "duplicate", "copied-prefix"]);
const size = (text: string) => new TextEncoder().encode(text).length;

export const noStrata = (): Strata => ({ kept: 0, recovered: 0, folded: 0, unknown: 0, dropped: 0, pending: 0 });

export const counted = (map: Map<string, number>): Count[] =>
  [...map].map(([code, count]) => ({ code, count })).sort((a, b) => b.count - a.count);

function fateOf(rec: Rec, retention: RetentionChoice): Disposition {
  const full = rec.fate ?? "kept";
  if (retention === "full" || full !== "recovered")
    return full === "unknown" && retention === "reference" ? "dropped" : full;
  return rec.reason === "tool-input" ? "folded" : "dropped";
}

interface Told {
  items: TimelineItem[];
  core: CoreRun[];
  strata: Strata;
  reasons: Map<string, number>;
  synthetic: number;
}

function tell(recs: Rec[], retention: RetentionChoice, start: number): Told {
  const told: Told = { items: [], core: [], strata: noStrata(), reasons: new Map(), synthetic: 0 };
  let carrier: TimelineItem | undefined;
  recs.forEach((rec, entry) => {
    const disposition = fateOf(rec, retention);
    const run = told.core.at(-1);
    if (run && run.disposition === disposition && run.item === told.items.length) run.records += 1;
    else told.core.push({ disposition, records: 1, item: told.items.length });
    told.strata[disposition] += HARMLESS.has(rec.reason ?? "") ? 0 : size(rec.text);
    if (rec.reason) told.reasons.set(rec.reason, (told.reasons.get(rec.reason) ?? 0) + 1);
    if (HARMLESS.has(rec.reason ?? "")) return;
    if (disposition === "folded" && carrier) {
      const chip: Chip = {
        kind: rec.kind,
        reason: rec.reason ?? "metadata",
        label: rec.tool ?? rec.text.slice(0, 24),
        entry,
      };
      carrier.chips.push(chip);
      carrier.hasToolUse = true;
      return;
    }
    const message =
      disposition === "kept" || disposition === "recovered" || (disposition === "unknown" && retention === "full");
    if (rec.origin === "synthetic" && message) told.synthetic += 1;
    const item: TimelineItem = {
      index: told.items.length,
      item: message ? "message" : "ghost",
      disposition,
      reason: rec.reason ?? null,
      from: rec.from ?? null,
      kind: message ? (rec.as ?? "text") : rec.kind,
      content: rec.text,
      cut: false,
      bytes: size(rec.text),
      thinking: rec.thinking ?? null,
      toolName: rec.tool ?? null,
      toolCallId: null,
      hasToolUse: rec.as === "tool-call",
      at: rec.at === undefined ? null : new Date(start + rec.at * 1000).toISOString(),
      origin: rec.origin ?? "recorded",
      rule: rec.rule ?? null,
      belongsBefore: rec.outOfOrder ?? null,
      branch: rec.branch ?? null,
      chips: [],
      entry,
    };
    told.items.push(item);
    if (message && item.from === "assistant") carrier = item;
  });
  return told;
}

export interface Head {
  key: string;
  source: string;
  title: string;
  project: string;
  start: number;
  file: string;
  plan: string;
  planReason?: string | null;
  relation?: string | null;
  coverage?: string;
}

/** A conversation from its script. */
export function conversation(head: Head, recs: Rec[], withRecords = true): Conversation {
  const lengths = recs.map((rec) => size(rec.text) + 96);
  const bytes = lengths.reduce((sum, n) => sum + n, 0);
  const last = Math.max(0, ...recs.map((rec) => rec.at ?? 0));
  const both = { reference: tell(recs, "reference", head.start), full: tell(recs, "full", head.start) };
  const messages = recs.filter((rec) => (rec.fate ?? "kept") === "kept").length;
  const recovered = recs.filter((rec) => rec.fate === "recovered").length;

  const row = (retention: RetentionChoice): ConversationRow => {
    const told = both[retention];
    const dropped = told.items.filter((i) => i.disposition === "dropped").length;
    const unknown = told.items.filter((i) => i.disposition === "unknown").length;
    const lossy = dropped + unknown > 0;
    return {
      key: head.key,
      source: head.source,
      id: `${head.key.split(":")[1] ?? head.key}-2cf7-4d8c`,
      title: head.title,
      project: head.project,
      cwd: head.project ? `~/work/${head.project}` : null,
      gitBranch: head.project ? "main" : null,
      firstAt: new Date(head.start).toISOString(),
      lastAt: new Date(head.start + last * 1000).toISOString(),
      coverage: head.coverage ?? "reference",
      relation: head.relation ?? null,
      messages,
      recovered: retention === "full" ? recovered : 0,
      dropped,
      unknown,
      synthetic: told.synthetic,
      verdict:
        head.plan === "blocked" ? "blocked" : lossy ? "degraded" : recovered || told.synthetic ? "complete" : "exact",
      plan: head.plan,
      planReason: head.planReason ?? null,
      bytes,
      strata: told.strata,
    };
  };
  const rows = { reference: row("reference"), full: row("full") };
  const inspect = (retention: RetentionChoice): Inspection => ({
    row: rows[retention],
    retention,
    referenceMessages: messages,
    fullMessages: messages + recovered,
    items: both[retention].items.length,
    core: both[retention].core,
    strata: both[retention].strata,
    byReason: counted(both[retention].reasons),
    notices: recs.some((rec) => rec.fate === "unknown")
      ? [{ code: "unknown-version", detail: "0.153", place: null }]
      : [],
    contentHash: "9f2c61b0d7a84ee35f1b20a6c94d8e7713d0c5a2b86f4e1907ac3d52fe68b1c4",
    fullHash: "41d7e0936bca58f20e97d4a3c1b86f5508e2fd719a4b3c60d5e81f27946ab0c3",
    kept: null,
    resume: `tool resume ${head.key}`,
    links: [],
  });
  const records: Record<number, RawRecord> = {};
  let offset = 0;
  recs.forEach((rec, entry) => {
    const length = lengths[entry] ?? 0;
    if (withRecords)
      records[entry] = {
        place: {
          file: head.file,
          line: entry + 1,
          byteStart: offset,
          byteEnd: offset + length,
          table: null,
          key: null,
          pointer: null,
        },
        kind: rec.kind,
        disposition: rec.fate ?? "kept",
        reason: rec.reason ?? null,
        text:
          rec.fate === "dropped"
            ? rec.text
            : JSON.stringify({ type: rec.kind, payload: { role: rec.from ?? null, text: rec.text } }),
        cut: false,
        bytes: length,
        blocks:
          rec.fate === "dropped"
            ? []
            : [
                {
                  pointer: "/payload/text",
                  kind: rec.as ?? "text",
                  disposition: rec.fate ?? "kept",
                  reason: rec.reason ?? null,
                  bytes: size(rec.text),
                },
              ],
      };
    offset += length;
  });
  return {
    rows,
    inspections: { reference: inspect("reference"), full: inspect("full") },
    items: { reference: both.reference.items, full: both.full.items },
    records,
  };
}

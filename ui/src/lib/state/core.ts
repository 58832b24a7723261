// The core sample as numbers: which record stands where, and what a row of the strip shows.
import type { CoreRun, Disposition } from "../backend/generated/dto";

/** From left to right where several records share a row. */
const ORDER: readonly Disposition[] = ["kept", "recovered", "folded", "pending", "unknown", "dropped"];

/** Where a single record's mark begins and ends, of 1. The place tells what the colour tells. */
const EXTENT: Record<Disposition, [number, number]> = {
  kept: [0, 1],
  recovered: [0, 0.72],
  folded: [0, 0.44],
  pending: [0.28, 0.72],
  unknown: [0.56, 1],
  dropped: [0.28, 1],
};

export const recordsIn = (core: readonly CoreRun[]): number => core.reduce((sum, run) => sum + run.records, 0);

/** The record where a timeline item stands. */
export function recordOf(core: readonly CoreRun[], item: number): number {
  let start = 0;
  let found = 0;
  let nearest = -1;
  // Records stand in the order of the store, items in that of the timeline: runs need not rise.
  for (const run of core) {
    if (run.item <= item && run.item >= nearest) {
      nearest = run.item;
      found = start + Math.min(run.records - 1, item - run.item);
    }
    start += run.records;
  }
  return found;
}

/** The timeline item at a record. */
export function itemOf(core: readonly CoreRun[], record: number, items: number): number {
  let start = 0;
  for (const [at, run] of core.entries()) {
    if (record < start + run.records) {
      const next = core[at + 1]?.item ?? items;
      const share = (record - start) / run.records;
      return Math.min(Math.max(0, items - 1), run.item + Math.floor(share * Math.max(0, next - run.item)));
    }
    start += run.records;
  }
  return Math.max(0, items - 1);
}

/** What became of a record. */
export function fateAt(core: readonly CoreRun[], record: number): Disposition {
  let start = 0;
  for (const run of core) {
    start += run.records;
    if (record < start) return run.disposition;
  }
  return core.at(-1)?.disposition ?? "kept";
}

export interface Strip {
  /** Height of a row, gap included. */
  pitch: number;
  /** Records that share a row. */
  each: number;
  /** An SVG path for each disposition. */
  paths: { of: Disposition; d: string }[];
}

/** Draws the strip into `width` by `height`. A record has a row of its own as long as there is room. */
export function strip(core: readonly CoreRun[], width: number, height: number): Strip {
  const records = recordsIn(core);
  const marks = new Map<Disposition, string[]>(ORDER.map((of) => [of, []]));
  if (records === 0 || height <= 0) return { pitch: 5, each: 1, paths: [] };
  const pitch = Math.max(2, Math.min(7, height / records));
  const each = Math.max(1, records / Math.floor(height / pitch));
  const tall = pitch >= 4 ? pitch - 1.2 : pitch >= 3 ? pitch - 0.75 : pitch - 0.4;
  const put = (of: Disposition, x: number, y: number, w: number) =>
    marks.get(of)?.push(`M${x.toFixed(1)} ${y.toFixed(1)}h${w.toFixed(1)}v${tall.toFixed(1)}h${(-w).toFixed(1)}z`);

  const rows: Map<Disposition, number>[] = [];
  let start = 0;
  for (const run of core) {
    for (let record = start; record < start + run.records;) {
      const row = Math.floor(record / each);
      const end = Math.min(start + run.records, Math.max(record + 1, Math.ceil((row + 1) * each)));
      const counts = (rows[row] ??= new Map());
      counts.set(run.disposition, (counts.get(run.disposition) ?? 0) + end - record);
      record = end;
    }
    start += run.records;
  }
  rows.forEach((counts, row) => {
    const y = row * pitch;
    if (counts.size === 1) {
      for (const of of counts.keys()) put(of, EXTENT[of][0] * width, y, (EXTENT[of][1] - EXTENT[of][0]) * width);
      return;
    }
    const sum = [...counts.values()].reduce((a, b) => a + b, 0);
    let x = 0;
    for (const of of ORDER) {
      const count = counts.get(of);
      if (!count) continue;
      const w = Math.max(1.5, (count / sum) * width);
      put(of, Math.min(x, width - 1.5), y, Math.min(w, width - x));
      x = Math.min(width - 1.5, x + w);
    }
  });
  return {
    pitch,
    each,
    paths: ORDER.map((of) => ({ of, d: (marks.get(of) ?? []).join("") })).filter((path) => path.d),
  };
}

// Hours of the world as days and months of a place. Deliberately absent: drawing.
import type { HourCount } from "../backend/generated/dto";

const HOUR = 3_600_000;

export interface Day {
  /** Midnight in the person's zone. */
  at: Date;
  count: number;
}

const midnight = (of: Date): Date => new Date(of.getFullYear(), of.getMonth(), of.getDate());
const key = (of: Date): string => `${of.getFullYear()}-${of.getMonth()}-${of.getDate()}`;

/** The weeks up to `last`, each of seven days from its first; days after `last` are left out. */
export function weeks(counts: readonly HourCount[], last: Date, howMany: number, firstDay: number): Day[][] {
  const byDay = new Map<string, number>();
  for (const { hour, count } of counts) {
    const day = key(new Date(hour * HOUR));
    byDay.set(day, (byDay.get(day) ?? 0) + count);
  }
  const end = midnight(last);
  const back = (end.getDay() - firstDay + 7) % 7;
  const all: Day[][] = [];
  for (let week = howMany - 1; week >= 0; week -= 1) {
    const days: Day[] = [];
    for (let day = 0; day < 7; day += 1) {
      const at = new Date(end.getFullYear(), end.getMonth(), end.getDate() - back - week * 7 + day);
      if (at <= end) days.push({ at, count: byDay.get(key(at)) ?? 0 });
    }
    all.push(days);
  }
  return all;
}

export interface Month {
  /** Its first day. */
  at: Date;
  total: number;
  counts: Map<string, number>;
}

/** Longer silences are skipped: one wrong clock does not make a thousand empty months. */
const SILENCE = 24;

/** Counts by month and code, oldest first; months without any stand in between. */
export function months(counts: readonly HourCount[]): Month[] {
  const all = new Map<string, Month>();
  for (const { code, hour, count } of counts) {
    const day = new Date(hour * HOUR);
    const at = new Date(day.getFullYear(), day.getMonth(), 1);
    const month = all.get(key(at)) ?? { at, total: 0, counts: new Map<string, number>() };
    month.total += count;
    month.counts.set(code, (month.counts.get(code) ?? 0) + count);
    all.set(key(at), month);
  }
  const filled: Month[] = [];
  for (const month of [...all.values()].sort((a, b) => a.at.getTime() - b.at.getTime())) {
    const before = filled.at(-1)?.at ?? month.at;
    const apart = (month.at.getFullYear() - before.getFullYear()) * 12 + month.at.getMonth() - before.getMonth();
    for (let skipped = 1; skipped < apart && apart <= SILENCE; skipped += 1)
      filled.push({
        at: new Date(before.getFullYear(), before.getMonth() + skipped, 1),
        total: 0,
        counts: new Map(),
      });
    filled.push(month);
  }
  return filled;
}

const field = (of: Date): string =>
  [
    String(of.getFullYear()).padStart(4, "0"),
    String(of.getMonth() + 1).padStart(2, "0"),
    String(of.getDate()).padStart(2, "0"),
  ].join("-");

/** A day, or a month by its first day, as the fields of a filter have it. */
export const dayOf = (at: Date) => ({ since: field(at), until: field(at) });
export const monthOf = (at: Date) => ({
  since: field(at),
  until: field(new Date(at.getFullYear(), at.getMonth() + 1, 0)),
});

/** One of five steps; a day with anything is never the first. */
export const step = (count: number, most: number): number =>
  count === 0 || most === 0 ? 0 : Math.min(4, 1 + Math.floor((Math.log1p(count) / Math.log1p(most)) * 3.999));

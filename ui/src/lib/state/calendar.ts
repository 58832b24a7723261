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

/** Counts by month and code, oldest first; months without any stand in between. */
export function months(counts: readonly HourCount[], most = 24): Month[] {
  const all = new Map<string, Month>();
  for (const { code, hour, count } of counts) {
    const day = new Date(hour * HOUR);
    const at = new Date(day.getFullYear(), day.getMonth(), 1);
    const month = all.get(key(at)) ?? { at, total: 0, counts: new Map<string, number>() };
    month.total += count;
    month.counts.set(code, (month.counts.get(code) ?? 0) + count);
    all.set(key(at), month);
  }
  const times = [...all.values()].map((month) => month.at.getTime());
  if (!times.length) return [];
  const filled: Month[] = [];
  const last = new Date(Math.max(...times));
  for (let at = new Date(Math.min(...times)); at <= last; at = new Date(at.getFullYear(), at.getMonth() + 1, 1))
    filled.push(all.get(key(at)) ?? { at, total: 0, counts: new Map() });
  return filled.slice(-most);
}

/** One of five steps; a day with anything is never the first. */
export const step = (count: number, most: number): number =>
  count === 0 || most === 0 ? 0 : Math.min(4, 1 + Math.floor((Math.log1p(count) / Math.log1p(most)) * 3.999));

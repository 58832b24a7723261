// Numbers, sizes, dates and spans as a locale writes them. Deliberately absent: words.

const STEPS = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"] as const;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The formats of one locale. Dates are in the person's own zone. */
export function formatter(locale: string) {
  const whole = new Intl.NumberFormat(locale);
  const dateTime = new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" });
  const dayOnly = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", year: "numeric" });
  const dayThisYear = new Intl.DateTimeFormat(locale, { day: "numeric", month: "short" });
  const clock = new Intl.DateTimeFormat(locale, { hour: "2-digit", minute: "2-digit", hourCycle: "h23" });
  const clockSeconds = new Intl.DateTimeFormat(locale, {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  });
  const relative = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const list = new Intl.ListFormat(locale, { type: "conjunction", style: "long" });

  const parse = (iso: string): Date | null => {
    const at = new Date(iso);
    return Number.isNaN(at.getTime()) ? null : at;
  };

  return {
    locale,
    number: (value: number) => whole.format(value),
    /** Decimal units, as file managers write them; three significant digits. */
    bytes(value: number): string {
      let step = 0;
      let rest = value;
      while (rest >= 999.5 && step < STEPS.length - 1) {
        rest /= 1000;
        step += 1;
      }
      return new Intl.NumberFormat(locale, {
        style: "unit",
        unit: STEPS[step],
        unitDisplay: step === 0 ? "long" : "short",
        maximumFractionDigits: step === 0 || rest >= 100 ? 0 : rest >= 10 ? 1 : 2,
      }).format(rest);
    },
    /** A share of a whole. What is there but rounds to nothing is "<0.1 %", never 0. */
    percent(part: number, total: number): string {
      if (total <= 0) return "–";
      const share = part / total;
      const digits = share > 0 && share < 0.0995 ? 1 : 0;
      const written = new Intl.NumberFormat(locale, { style: "percent", maximumFractionDigits: digits });
      if (part > 0 && share < 0.001) return `<${written.format(0.001)}`;
      if (part < total && share > 0.995) return `>${written.format(0.99)}`;
      return written.format(share);
    },
    date(iso: string): string {
      const at = parse(iso);
      if (!at) return iso;
      return (at.getFullYear() === new Date().getFullYear() ? dayThisYear : dayOnly).format(at);
    },
    dateTime(iso: string): string {
      const at = parse(iso);
      return at ? dateTime.format(at) : iso;
    },
    time(iso: string): string {
      const at = parse(iso);
      return at ? clock.format(at) : iso;
    },
    timeSeconds(iso: string): string {
      const at = parse(iso);
      return at ? clockSeconds.format(at) : iso;
    },
    /** "2 minutes ago" within the last week, else the date. */
    ago(iso: string, now: number = Date.now()): string {
      const at = parse(iso);
      if (!at) return iso;
      const past = at.getTime() - now;
      const size = Math.abs(past);
      if (size < MINUTE) return relative.format(0, "minute");
      if (size < HOUR) return relative.format(Math.round(past / MINUTE), "minute");
      if (size < DAY) return relative.format(Math.round(past / HOUR), "hour");
      if (size < 7 * DAY) return relative.format(Math.round(past / DAY), "day");
      return this.date(iso);
    },
    /** A span, without saying the same day twice. */
    span(first: string | null, last: string | null): string {
      const from = first === null ? null : parse(first);
      const to = last === null ? null : parse(last);
      if (!from || !to) return from ? dateTime.format(from) : to ? dateTime.format(to) : "";
      const whole = from.getFullYear() === new Date().getFullYear() ? dayThisYear : dayOnly;
      if (from.toDateString() === to.toDateString()) {
        const start = clock.format(from);
        const end = clock.format(to);
        return start === end ? `${whole.format(from)} ${start}` : `${whole.format(from)} ${start}–${end}`;
      }
      return whole.formatRange(from, to);
    },
    /** A span in one or two short lines: the day and the hours, or the days. */
    spanLines(first: string | null, last: string | null): string[] {
      const from = first === null ? null : parse(first);
      const to = last === null ? null : parse(last);
      const one = from ?? to;
      if (!one) return [];
      if (!from || !to || from.toDateString() === to.toDateString()) {
        const hours = [from ?? one, to ?? one].map((at) => clock.format(at));
        return [this.date(one.toISOString()), hours[0] === hours[1] ? (hours[0] ?? "") : hours.join("–")];
      }
      return [`${this.date(from.toISOString())} –`, this.date(to.toISOString())];
    },
    duration(seconds: number): string {
      const unit = (value: number, name: string) =>
        new Intl.NumberFormat(locale, { style: "unit", unit: name, unitDisplay: "short" }).format(value);
      if (seconds < 60) return unit(Math.max(1, Math.round(seconds)), "second");
      if (seconds < 3600) return unit(Math.round(seconds / 60), "minute");
      return `${unit(Math.floor(seconds / 3600), "hour")} ${unit(Math.round((seconds % 3600) / 60), "minute")}`;
    },
    list: (parts: string[]) => list.format(parts),
  };
}

export type Formatter = ReturnType<typeof formatter>;

/** Picks the form that a locale's plural rules ask for; `#` becomes the number. */
export function pluralizer(locale: string) {
  const rules = new Intl.PluralRules(locale);
  const whole = new Intl.NumberFormat(locale);
  return (count: number, one: string, other: string): string =>
    (rules.select(count) === "one" ? one : other).replaceAll("#", whole.format(count));
}

/** What stands before a time that the tool did not write for its record. */
export const timeMark = (origin: string): string => ({ synthetic: "≈", derived: "~" })[origin] ?? "";

// The page without the app: the same answers from data, with a little time so that progress can be seen.
import type { Backend, Drag, OnProgress } from "./backend";
import { copyText } from "./clipboard";
import type { ConversationRow, ImportResult, RetentionChoice, RowQuery, Settings } from "./generated/dto";
import { load, VARIANTS, type Sample, type Variant } from "./mock-data";
import { library, previewed as same } from "./mock-library";

const wait = (ms: number) => new Promise<void>((done) => setTimeout(done, ms));
const fail = (code: string, detail = "") => Promise.reject({ code, params: {}, detail });

const ORDER: Record<string, (row: ConversationRow) => number | string> = {
  title: (r) => r.title.toLowerCase(),
  project: (r) => r.project.toLowerCase(),
  time: (r) => r.lastAt ?? "",
  messages: (r) => r.messages,
  dropped: (r) => r.dropped,
  unknown: (r) => r.unknown,
  synthetic: (r) => r.synthetic,
  verdict: (r) => ["exact", "complete", "degraded", "blocked"].indexOf(r.verdict),
  plan: (r) => ["new", "grown", "changed", "metadata", "unchanged", "skipped", "blocked"].indexOf(r.plan),
  bytes: (r) => r.bytes,
};

/** What a browser tells of files that are dragged over the page, in the shell's words. */
function listen(named: (name: string) => void, hear: (drag: Drag) => void): void {
  const at = (name: string, drag: Drag) =>
    window.addEventListener(name, (event) => {
      if (!(event instanceof DragEvent)) return;
      if (drag === "leave" && event.relatedTarget) return;
      event.preventDefault();
      if (drag === "drop") named(event.dataTransfer?.files[0]?.name ?? "");
      hear(drag);
    });
  at("dragenter", "over");
  at("dragover", "over");
  at("dragleave", "leave");
  at("drop", "drop");
}

export interface MockOptions {
  /** How long a step of long work takes, in milliseconds. */
  pace?: number;
}

/** A backend for a variant of the data. */
export async function mock(name: string, options: MockOptions = {}): Promise<Backend> {
  const variant: Variant = VARIANTS.find((v) => v === name) ?? "sample";
  const data: Sample = await load(variant);
  const pace = options.pace ?? 90;
  const kept = library(data, variant);
  const previewed = new Set<string>();
  let cancelled = false;
  let run = 12;
  let last = "";

  const rowsOf = (source: string, retention: RetentionChoice, query: RowQuery): ConversationRow[] => {
    const text = query.text.trim().toLowerCase();
    const order = ORDER[query.sort] ?? ORDER.time!;
    const crossed = (row: ConversationRow, code: string) =>
      data.inspections[row.key]?.[retention].byReason.some((c) => c.code === code) ?? false;
    return (data.rows[source]?.[retention] ?? [])
      .filter(
        (row) =>
          (!text || `${row.title} ${row.project} ${row.id}`.toLowerCase().includes(text)) &&
          (!query.reason ||
            crossed(row, query.reason) ||
            (query.reason === "synthetic-timestamp" && row.synthetic > 0)) &&
          (!query.verdict || row.verdict === query.verdict) &&
          (!query.plan || row.plan === query.plan) &&
          (!query.unknownKind || row.unknown > 0),
      )
      .sort((a, b) => {
        const [x, y] = [order(a), order(b)];
        const by = x < y ? -1 : x > y ? 1 : 0;
        return query.descending ? -by : by;
      });
  };

  const stateOf = (source: string) => data.views.find((v) => v.source === source)?.state ?? "failed";
  const isOn = (source: string) => !data.state.settings.disabled.includes(source);

  /** What a preview adds to the view of a source. */
  const seen = (source: string) => {
    const summary = data.summaries[source]?.full;
    const of = (code: string) => (summary ? (summary.verdicts.find((v) => v.code === code)?.count ?? 0) : null);
    return { strata: summary?.strata ?? null, losing: of("degraded"), unread: of("blocked") };
  };

  async function work(sources: string[], onProgress: OnProgress): Promise<boolean> {
    cancelled = false;
    await Promise.all(
      sources.map(async (source, at) => {
        const total = data.rows[source]?.full.length ?? 0;
        const bytesTotal = data.summaries[source]?.full.bytes ?? 0;
        const steps = 10 + at * 4;
        for (let step = 1; step <= steps && !cancelled; step += 1) {
          await wait(pace);
          onProgress({
            event: "working",
            source,
            done: Math.round((total * step) / steps),
            total,
            bytesDone: Math.round((bytesTotal * step) / steps),
            bytesTotal,
            rate: 48_000_000,
            secondsLeft: Math.ceil(((steps - step) * pace) / 1000),
          });
        }
        const state = stateOf(source);
        const broken = state !== "found";
        onProgress({ event: "source-done", source, fault: broken ? { code: state, params: {}, detail: state } : null });
      }),
    );
    onProgress({ event: "finished", cancelled });
    return cancelled;
  }

  return {
    ...kept.part,
    async state() {
      return structuredClone({ ...data.state, library: kept.state() });
    },
    async saveSettings(settings: Settings) {
      await wait(10);
      data.state.settings = structuredClone(settings);
      for (const info of data.state.sources) {
        info.enabled = isOn(info.source);
        info.retention = settings.retention[info.source] ?? "full";
      }
      return structuredClone(settings);
    },
    async useSample(on) {
      Object.assign(data, await load(on ? "sample" : variant));
      data.state.sample = on;
      previewed.clear();
      return structuredClone(data.state);
    },
    async detect(onProgress) {
      await Promise.all(
        data.views.map(async (view, at) => {
          await wait(pace * (0.5 + at * 0.6));
          onProgress({
            event: "detected",
            view: { ...view, enabled: isOn(view.source), ...seen(previewed.has(view.source) ? view.source : "") },
          });
        }),
      );
      onProgress({ event: "finished", cancelled: false });
    },
    async addFolder(source) {
      const folders = data.state.settings.folders;
      folders[source] = [...(folders[source] ?? []), "~/backup/sessions"];
      return structuredClone(data.state.settings);
    },
    // In a browser: a name that holds the id of a source is that source's, one that holds `two` may be of two,
    // one with an ending is a file.
    async onDrag(hear) {
      listen((name) => (last = name), hear);
    },
    async dropped() {
      await wait(pace);
      const file = /\.\w+$/.test(last);
      const all = data.state.sources.map((info) => info.source);
      const fits = last.includes("two") ? all.slice(0, 2) : all.filter((source) => last.includes(source));
      return [
        {
          path: `~/${last}`,
          folder: file ? "~/backup" : `~/${last}`,
          file,
          fits: fits.map((source) => ({
            source,
            conversations: 12,
            key: file ? (data.rows[source]?.full[0]?.key ?? null) : null,
            known: last.includes("known"),
          })),
        },
      ];
    },
    async addDropped(_, source) {
      const folders = data.state.settings.folders;
      folders[source] = [...(folders[source] ?? []), `/home/you/${last}`];
      return structuredClone(data.state.settings);
    },
    async revealRoot() {},
    async preview(sources, onProgress) {
      const chosen = (sources.length ? sources : data.state.sources.map((s) => s.source)).filter(isOn);
      if (await work(chosen, onProgress)) return;
      for (const source of chosen.filter((s) => stateOf(s) === "found")) {
        previewed.add(source);
        const plan = data.plan.sources.find((p) => p.source === source);
        if (plan) plan.previewed = true;
        const view = data.views.find((v) => v.source === source);
        if (view)
          onProgress({
            event: "detected",
            view: { ...view, enabled: true, ...seen(source) },
          });
      }
    },
    async cancel() {
      cancelled = true;
    },
    async summary(source, retention) {
      await wait(15);
      return previewed.has(source) ? (data.summaries[source]?.[retention] ?? null) : null;
    },
    async matrix(source) {
      await wait(15);
      const rows = data.boundaries[source] ?? [];
      return previewed.has(source) ? rows : rows.map((row) => ({ ...row, yours: null }));
    },
    async conversations(source, retention, query) {
      await wait(15);
      if (!previewed.has(source)) return { total: 0, offset: 0, rows: [] };
      const rows = rowsOf(source, retention, query);
      return {
        total: rows.length,
        offset: query.offset,
        rows: rows.slice(query.offset, query.offset + Math.min(query.limit, 500)),
      };
    },
    async inspect(key, retention) {
      await wait(20);
      const inspection = data.inspections[same(key)]?.[retention] ?? (await fail("not-found", key));
      return key.startsWith("@") ? { ...inspection, kept: kept.row(key) } : inspection;
    },
    async timeline(key, retention, offset, limit) {
      await wait(15);
      return data.items[same(key)]?.[retention].slice(offset, offset + limit) ?? fail("not-found", key);
    },
    async wholeText(key, retention, index) {
      return data.items[same(key)]?.[retention][index]?.content ?? "";
    },
    async onWatched() {},
    async rebuildIndex() {
      await wait(pace * 4);
      return 0;
    },
    async backUp() {
      await wait(pace * 4);
      return "assay-library.db";
    },
    async moveLibrary() {
      await wait(pace * 4);
      return structuredClone({ ...data.state, library: { ...kept.state(), path: "/mnt/big/library.db" } });
    },
    async record(key, retention, entry) {
      await wait(15);
      return data.records[same(key)]?.[retention][entry] ?? fail("not-found", `${key} ${entry}`);
    },
    async revealRecord() {},
    async plan() {
      return structuredClone({
        sources: data.plan.sources.map((p) => ({ ...p, enabled: isOn(p.source), previewed: previewed.has(p.source) })),
        warnings: previewed.size ? data.plan.warnings.filter((w) => previewed.has(w.source)) : [],
      });
    },
    async runImport(request, onProgress) {
      if (data.state.library.fault) throw data.state.library.fault;
      const chosen = (request.sources.length ? request.sources : data.state.sources.map((s) => s.source)).filter(isOn);
      const startedAt = new Date().toISOString();
      const stopped = await work(chosen, onProgress);
      run += 1;
      const result: ImportResult = {
        ...structuredClone(data.result),
        run,
        startedAt,
        endedAt: new Date().toISOString(),
        cancelled: stopped,
        sources: data.result.sources.filter((s) => chosen.includes(s.source)),
      };
      data.history.unshift(result);
      const written = data.outcomes.filter((row) => row.library && chosen.includes(row.source)).length;
      data.state.library.conversations ||= written;
      data.state.library.bytes ||= 1_650_000;
      if (!stopped)
        for (const plan of data.plan.sources.filter((p) => chosen.includes(p.source))) {
          const sum = plan.actions.reduce((n, action) => n + action.count, 0);
          plan.actions = plan.actions.map(({ code }) => ({ code, count: code === "unchanged" ? sum : 0 }));
        }
      return result;
    },
    async history() {
      return structuredClone(data.history);
    },
    async outcomes(query) {
      await wait(15);
      const rows = data.outcomes.filter(
        (row) =>
          (!query.source || row.source === query.source) &&
          (!query.importer || row.importer === query.importer) &&
          (!query.library || row.library === query.library),
      );
      return { total: rows.length, offset: query.offset, rows: rows.slice(query.offset, query.offset + query.limit) };
    },
    async saveReport(number, format) {
      return `~/Documents/assay-run-${number}.${format === "json" ? "json" : "md"}`;
    },
    // In a browser there is no menu: an event of its name says what would be chosen, and what it holds is on the window.
    async setMenu(parts) {
      Object.assign(window, { menuParts: structuredClone(parts) });
    },
    async onMenu(hear) {
      window.addEventListener("mock-menu", (event) => {
        if (event instanceof CustomEvent) hear(String(event.detail));
      });
    },
    async zoom(factor) {
      document.documentElement.style.setProperty("zoom", String(factor));
    },
    async fullScreen() {
      await (document.fullscreenElement ? document.exitFullscreen() : document.documentElement.requestFullscreen());
    },
    async copy(text) {
      if (variant === "failing") await fail("not-copied");
      await copyText(text);
    },
    async openLink() {},
  };
}

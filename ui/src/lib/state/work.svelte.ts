// Long work, one at a time: looking for tools, preview, import. Signs of life come here and nowhere else.
import { asFault, backend } from "../backend";
import type { Fault, ImportRequest, ImportResult, Progress } from "../backend/generated/dto";
import { announce } from "../a11y/live.svelte";
import { i18n } from "../i18n/index.svelte";
import { app } from "./app.svelte";

export type Kind = "detect" | "preview" | "import";

export interface SourceWork {
  done: number;
  total: number;
  bytesDone: number;
  bytesTotal: number;
  rate: number;
  secondsLeft: number | null;
  finished: boolean;
  fault: Fault | null;
}

/** Work that takes longer than this may end while the person is elsewhere. */
const LONG = 10_000;

const waiting = (): SourceWork => ({
  done: 0,
  total: 0,
  bytesDone: 0,
  bytesTotal: 0,
  rate: 0,
  secondsLeft: null,
  finished: false,
  fault: null,
});

/** The share that is done, 0 to 1: by bytes where they are known, else by conversations. */
export function share(of: SourceWork): number {
  if (of.finished) return 1;
  if (of.bytesTotal > 0) return Math.min(1, of.bytesDone / of.bytesTotal);
  return of.total > 0 ? Math.min(1, of.done / of.total) : 0;
}

class Work {
  kind = $state<Kind | null>(null);
  sources = $state<Record<string, SourceWork>>({});
  cancelling = $state(false);
  /** Why a source failed in the last preview or import. */
  faults = $state<Record<string, Fault>>({});
  /** Raised whenever figures may have changed. */
  generation = $state(0);
  /** Whether the tools were looked for at least once. */
  detected = $state(false);

  busy: boolean = $derived(this.kind === "preview" || this.kind === "import");

  #began = 0;
  #told: Record<string, number> = {};
  #ended: (() => void)[] = [];

  #hear = (progress: Progress): void => {
    switch (progress.event) {
      case "detected":
        app.views[progress.view.source] = progress.view;
        break;
      case "working": {
        const { source } = progress;
        const before = this.sources[source] ?? waiting();
        this.sources[source] = {
          done: progress.done,
          total: progress.total,
          bytesDone: progress.bytesDone,
          bytesTotal: progress.bytesTotal,
          rate: progress.rate,
          secondsLeft: progress.secondsLeft,
          finished: false,
          fault: before.fault,
        };
        this.#tell(source);
        break;
      }
      case "source-done": {
        const { source, fault } = progress;
        this.sources[source] = { ...(this.sources[source] ?? waiting()), finished: true, fault };
        if (fault) {
          this.faults[source] = fault;
          announce(i18n.words.live.sourceFailed(app.name(source)));
        }
        break;
      }
      case "finished":
        break;
    }
  };

  /** Says a quarter of the way at a time, so that a screen reader is not flooded. */
  #tell(source: string): void {
    const state = this.sources[source];
    if (!state) return;
    const quarter = Math.floor(share(state) * 4);
    if (quarter <= (this.#told[source] ?? 0) || quarter >= 4) return;
    this.#told[source] = quarter;
    announce(i18n.words.live.progress(app.name(source), i18n.format.percent(quarter, 4)));
  }

  #begin(kind: Kind, sources: readonly string[]): void {
    this.kind = kind;
    this.#began = Date.now();
    this.cancelling = false;
    this.#told = {};
    this.sources = Object.fromEntries(sources.map((source) => [source, waiting()]));
    for (const source of sources) delete this.faults[source];
  }

  #end(): void {
    // Only long work, and only when nobody is looking.
    if (this.busy && Date.now() - this.#began > LONG && !document.hasFocus())
      void backend()
        .then((b) => b.attention())
        .catch(() => {});
    this.kind = null;
    this.sources = {};
    this.generation += 1;
    for (const go of this.#ended.splice(0)) go();
  }

  /** When nothing runs. */
  async idle(): Promise<void> {
    while (this.kind) await new Promise<void>((go) => this.#ended.push(go));
  }

  async detect(): Promise<void> {
    if (this.kind) return;
    this.#begin("detect", []);
    try {
      await (await backend()).detect(this.#hear);
      const found = Object.values(app.views).filter((view) => view.state !== "not-installed").length;
      announce(i18n.words.live.detectDone(found));
    } catch (error) {
      app.fault = asFault(error);
    } finally {
      this.detected = true;
      this.#end();
    }
  }

  /** Reads these sources, or all that are on. */
  async preview(sources: string[] = []): Promise<void> {
    if (this.kind) return;
    const meant = sources.length
      ? sources
      : app.sources.filter((info) => this.readable(info.source)).map((info) => info.source);
    if (!meant.length) return;
    this.#begin("preview", meant);
    announce(i18n.words.live.previewStarted);
    try {
      await (await backend()).preview(meant, this.#hear);
      announce(this.cancelling ? i18n.words.live.cancelled : i18n.words.live.previewDone);
    } catch (error) {
      app.fault = asFault(error);
    } finally {
      this.#end();
    }
  }

  async import(request: ImportRequest): Promise<ImportResult | undefined> {
    if (this.kind) return undefined;
    this.#begin("import", request.sources);
    announce(i18n.words.live.importStarted);
    try {
      const result = await (await backend()).runImport(request, this.#hear);
      announce(result.cancelled ? i18n.words.live.cancelled : i18n.words.live.importDone);
      await app.refresh();
      return result;
    } catch (error) {
      app.fault = asFault(error);
      return undefined;
    } finally {
      this.#end();
    }
  }

  async cancel(): Promise<void> {
    if (!this.busy || this.cancelling) return;
    this.cancelling = true;
    await app.attempt(async () => (await backend()).cancel());
  }

  /** Whether a source is on and there is something to read in it. */
  readable(source: string): boolean {
    const view = app.views[source];
    return (app.info(source)?.enabled ?? false) && view !== undefined && view.conversations > 0;
  }

  /** Opens the sample home, or goes back, and looks again. */
  async sample(on: boolean): Promise<void> {
    if (this.busy) return;
    const state = await app.attempt(async () => (await backend()).useSample(on));
    if (!state) return;
    app.state = state;
    app.views = {};
    app.chosen = [];
    await this.detect();
  }
}

export const work = new Work();

// What the whole page shares: the app's state, what was found, what was chosen. Long work is in work.svelte.ts.
import { asFault, backend } from "../backend";
import type { AppState, Fault, RetentionChoice, Settings, SourceInfo, SourceView } from "../backend/generated/dto";
import { announce } from "../a11y/live.svelte";
import { i18n } from "../i18n/index.svelte";
import { useTheme } from "./theme.svelte";

class App {
  state = $state.raw<AppState | null>(null);
  /** Set when the app could not even start. */
  startFault = $state.raw<Fault | null>(null);
  /** What was said last went wrong; shown until it is closed. */
  fault = $state.raw<Fault | null>(null);
  views = $state<Record<string, SourceView>>({});
  /** The retention that is looked at, by source; starts as what is set for the source. */
  #looking = $state<Record<string, RetentionChoice>>({});
  /** Conversations chosen for an import; empty means all. */
  chosen = $state.raw<readonly string[]>([]);

  sources: SourceInfo[] = $derived(this.state?.sources ?? []);

  async start(): Promise<void> {
    const asked = new URLSearchParams(location.search);
    try {
      this.state = await (await backend()).state();
      i18n.use(asked.get("lang") ?? this.state.settings.language);
      useTheme(asked.get("theme") ?? this.state.settings.theme);
    } catch (error) {
      i18n.use(asked.get("lang") ?? "");
      this.startFault = asFault(error);
    }
  }

  info(source: string): SourceInfo | undefined {
    return this.sources.find((info) => info.source === source);
  }

  /** The tool's own name. */
  name(source: string): string {
    return this.info(source)?.displayName ?? source;
  }

  retention(source: string): RetentionChoice {
    return this.#looking[source] ?? this.info(source)?.retention ?? "full";
  }

  look(source: string, retention: RetentionChoice): void {
    this.#looking[source] = retention;
  }

  /** Does something that may fail, and shows the failure. */
  async attempt<T>(doing: () => Promise<T>): Promise<T | undefined> {
    try {
      return await doing();
    } catch (error) {
      this.fault = asFault(error);
      return undefined;
    }
  }

  /** Puts text on the clipboard, and says so only if it is there. */
  async copy(text: string, said = i18n.words.common.copied): Promise<boolean> {
    const copied = await this.attempt(async () => {
      await (await backend()).copy(text);
      return true;
    });
    if (copied) announce(said);
    return copied ?? false;
  }

  /** Saves some settings; the rest stays. */
  async save(change: Partial<Settings>): Promise<boolean> {
    const before = this.state;
    if (!before) return false;
    const wanted = { ...before.settings, ...change };
    i18n.use(wanted.language);
    useTheme(wanted.theme);
    const saved = await this.attempt(async () => (await backend()).saveSettings(wanted));
    if (!saved) {
      i18n.use(before.settings.language);
      useTheme(before.settings.theme);
      return false;
    }
    this.adopt(saved);
    return true;
  }

  /** Takes settings as they were saved. */
  adopt(settings: Settings): void {
    if (!this.state) return;
    this.state = {
      ...this.state,
      settings,
      sources: this.state.sources.map((info) => ({
        ...info,
        enabled: !settings.disabled.includes(info.source),
        retention: settings.retention[info.source] ?? "full",
      })),
    };
  }

  /** Asks again what the library holds, after an import. */
  async refresh(): Promise<void> {
    await this.attempt(async () => {
      this.state = await (await backend()).state();
    });
  }
}

export const app = new App();

// A folder or a session file that is dragged onto the window: whose it is, and what follows. Deliberately
// absent: paths to use (the page names what was dropped by number), and what it looks like (components/sources).
import { arrive } from "../a11y/arrive";
import { announce } from "../a11y/live.svelte";
import { backend } from "../backend";
import type { Dropped, DropFit, Settings } from "../backend/generated/dto";
import { i18n } from "../i18n/index.svelte";
import { app } from "./app.svelte";
import { work } from "./work.svelte";

/** The one source that something is of, if that is evident. */
export function evident({ fits }: Pick<Dropped, "fits">): DropFit | undefined {
  return fits.length === 1 ? fits[0] : undefined;
}

/** The settings without folders that were added since. */
export function without(settings: Settings, before: Settings): Pick<Settings, "folders" | "disabled"> {
  const folders = Object.entries(settings.folders).map(([source, now]): [string, string[]] => [
    source,
    (now ?? []).filter((f) => before.folders[source]?.includes(f)),
  ]);
  return { folders: Object.fromEntries(folders.filter(([, now]) => now.length)), disabled: before.disabled };
}

class Drop {
  /** Whether something is held over the window. */
  over = $state(false);
  /** Whether it is being looked at. */
  looking = $state(false);
  /** What the person is asked about, and its number. */
  asked = $state.raw<{ at: number; what: Dropped } | null>(null);
  /** What was done, in words, and how to take it back. */
  told = $state.raw<{ text: string; undo: (() => Promise<void>) | null } | null>(null);

  #answered: (source: string | null) => void = () => {};

  async listen(): Promise<void> {
    await (
      await backend()
    ).onDrag((drag) => {
      if (drag === "over" && !this.over) announce(work.busy ? i18n.words.drop.busy : i18n.words.drop.hint);
      this.over = drag === "over";
      if (drag === "drop") void this.take();
    });
  }

  /** The person's answer to what is asked. */
  answer(source: string | null): void {
    this.#answered(source);
  }

  async take(): Promise<void> {
    // What runs is not to be disturbed; the hint has said so.
    if (this.looking || this.asked || work.busy) return;
    this.looking = true;
    this.told = null;
    announce(i18n.words.drop.looking);
    await work.idle();
    // The sample home is not the place for one's own sessions.
    if (app.state?.sample) await work.sample(false);
    const all = await app.attempt(async () => (await backend()).dropped());
    this.looking = false;
    for (const [at, what] of (all ?? []).entries()) await this.#one(at, what);
  }

  async #one(at: number, what: Dropped): Promise<void> {
    const source = evident(what)?.source ?? (await this.#ask(at, what));
    if (!source) return;
    const fit = what.fits.find((f) => f.source === source);
    const [name, w] = [app.name(source), i18n.words.drop];
    if (fit?.known && app.info(source)?.enabled) {
      this.#tell(w.known(what.folder, name));
    } else {
      const before = app.state?.settings;
      if (!(await this.#add(at, source)) || !before) return;
      this.#tell(w.added(what.folder, name, fit?.conversations ?? 0), async () => {
        const now = app.state?.settings;
        if (!now || work.busy || !(await app.save(without(now, before)))) return;
        this.told = null;
        announce(w.undone);
        await work.detect();
      });
    }
    if (what.file && fit) {
      await work.preview([source]);
      await arrive(fit.key ? ["acceptance", source, "c", fit.key] : ["acceptance", source]);
    } else await arrive(["sources"]);
  }

  async #add(at: number, source: string): Promise<boolean> {
    const settings = await app.attempt(async () => (await backend()).addDropped(at, source));
    if (!settings) return false;
    app.adopt(settings);
    // Whoever gives a tool a folder wants it in.
    if (settings.disabled.includes(source))
      await app.save({ disabled: settings.disabled.filter((off) => off !== source) });
    await work.idle();
    await work.detect();
    return true;
  }

  async #ask(at: number, what: Dropped): Promise<string | null> {
    this.asked = { at, what };
    const source = await new Promise<string | null>((answer) => (this.#answered = answer));
    this.asked = null;
    return source;
  }

  #tell(text: string, undo: (() => Promise<void>) | null = null): void {
    this.told = { text, undo };
    announce(text);
  }
}

export const drop = new Drop();

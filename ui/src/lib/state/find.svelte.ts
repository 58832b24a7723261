// What is looked for within one conversation, and where it stands. What is drawn marks it and unfolds where it is.
import { getContext, setContext } from "svelte";
import { backend } from "../backend";
import type { FoundPlace, RetentionChoice } from "../backend/generated/dto";

const CONTEXT = Symbol("find");

export class Find {
  open = $state(false);
  text = $state("");
  places = $state.raw<readonly FoundPlace[]>([]);
  at = $state(0);
  /** Words that brought the person here, marked until something else is looked for. */
  brought = $state.raw<readonly string[]>([]);
  /** The item that the person was brought to. */
  target = $state<number | null>(null);

  items: ReadonlySet<number> = $derived(new Set(this.places.map((place) => place.item)));
  words: readonly string[] = $derived(this.open ? (this.text ? [this.text] : []) : this.brought);
  #asked = 0;

  /** Looks for the text; stays at the first place from `from` on. */
  async look(key: string, retention: RetentionChoice, from: number): Promise<void> {
    const mine = ++this.#asked;
    const places = this.text ? await (await backend()).findWithin(key, retention, this.text) : [];
    if (mine !== this.#asked) return;
    this.places = places;
    const next = places.findIndex((place) => place.item >= from);
    this.at = Math.max(0, next);
  }

  /** The item of the next place. */
  step(by: 1 | -1): number | null {
    if (!this.places.length) return null;
    this.at = (this.at + by + this.places.length) % this.places.length;
    return this.places[this.at]?.item ?? null;
  }

  /** Whether something in an item has to be seen, so that it may not be folded. */
  unfolds(item: number): boolean {
    return (this.open && this.items.has(item)) || this.target === item;
  }

  /** Whether a text holds what is looked for. */
  isIn(text: string): boolean {
    const low = text.toLowerCase();
    return this.words.some((word) => low.includes(word.toLowerCase()));
  }

  close(): void {
    this.open = false;
    this.places = [];
  }
}

export const provideFind = (find: Find): Find => setContext(CONTEXT, find);
export const useFind = (): Find | undefined => getContext(CONTEXT);

/** The words of a search as a text may hold them. */
export const wordsOf = (query: string): string[] =>
  query
    .split(/[\s"]+/)
    .filter((word) => word && word !== "OR")
    .slice(0, 16);

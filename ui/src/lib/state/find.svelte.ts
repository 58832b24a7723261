// What is looked for within one conversation, and where it stands. What is drawn marks it and unfolds where it is.
import { getContext, setContext } from "svelte";
import { backend } from "../backend";
import type { FoundPlace, RetentionChoice } from "../backend/generated/dto";

/** Under which the components of a conversation know it. */
export const FIND = Symbol("find");

export class Find {
  open = $state(false);
  text = $state("");
  places = $state.raw<readonly FoundPlace[]>([]);
  at = $state(0);
  /** Whether the places are not yet those of the text. */
  looking = $state(false);
  /** Words that brought the person here, marked until something else is looked for. */
  brought = $state.raw<readonly string[]>([]);
  /** The item that the person was brought to. */
  target = $state<number | null>(null);

  items: ReadonlySet<number> = $derived(new Set(this.places.map((place) => place.item)));
  words: readonly string[] = $derived(this.open ? (this.text ? [this.text] : []) : this.brought);
  #asked = 0;

  /** What is typed; its places are not known yet. */
  type(text: string): void {
    this.#asked += 1;
    this.text = text;
    this.looking = text !== "";
    if (!text) this.places = [];
  }

  /** Looks for the text; stays at the first place from `from` on and answers its item, if nothing else was asked since. */
  async look(key: string, retention: RetentionChoice, from: number): Promise<number | null> {
    const mine = ++this.#asked;
    let places: readonly FoundPlace[] = [];
    try {
      if (this.text) places = await (await backend()).findWithin(key, retention, this.text);
    } finally {
      if (mine === this.#asked) [this.places, this.looking] = [places, false];
    }
    if (mine !== this.#asked) return null;
    this.at = Math.max(
      0,
      places.findIndex((place) => place.item >= from),
    );
    return places[this.at]?.item ?? null;
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
    this.#asked += 1;
    this.open = false;
    this.looking = false;
    this.places = [];
  }
}

export const provideFind = (find: Find): Find => setContext(FIND, find);
export const useFind = (): Find | undefined => getContext(FIND);

/** The words of a search as a text may hold them. */
export const wordsOf = (query: string): string[] =>
  query
    .split(/[\s"]+/)
    .filter((word) => word && word !== "OR")
    .slice(0, 16);

// A long list that is fetched by pages as it is looked at. Holds what was fetched; forgets nothing until reset.
import { SvelteMap } from "svelte/reactivity";
import { asFault } from "../backend";
import type { Fault } from "../backend/generated/dto";

export const PAGE = 200;

export class Paged<T> {
  total = $state(0);
  /** Why a page is not here. */
  fault = $state.raw<Fault | null>(null);
  /** While it is set nothing is fetched: another list is about to stand in its place. */
  held = false;
  /** What was looked at last. */
  seen: [number, number] = [0, 0];
  #pages = new SvelteMap<number, readonly T[]>();
  #asked = new Set<number>();
  #failed = new Set<number>();
  #fetch: (offset: number, limit: number) => Promise<readonly T[]>;

  constructor(fetch: (offset: number, limit: number) => Promise<readonly T[]>, total = 0) {
    this.#fetch = fetch;
    this.total = total;
  }

  /** The item, or `undefined` while its page is on its way; asks for nothing. */
  peek(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Makes sure that the pages of `from..=to` are here or on their way. */
  async want(from: number, to: number): Promise<void> {
    this.seen = [from, to];
    const last = Math.min(to, this.total - 1);
    const pages: Promise<void>[] = [];
    for (let page = Math.floor(Math.max(0, from) / PAGE); page * PAGE <= last; page += 1) pages.push(this.page(page));
    await Promise.all(pages);
  }

  /** Fetches a page once. One that failed is fetched again only by `retry`. */
  async page(page: number): Promise<void> {
    if (this.held || this.#asked.has(page)) return;
    this.#asked.add(page);
    try {
      this.#pages.set(page, await this.#fetch(page * PAGE, PAGE));
      this.#failed.delete(page);
      if (!this.#failed.size) this.fault = null;
    } catch (error) {
      this.#failed.add(page);
      this.fault = asFault(error);
    }
  }

  /** Fetches again what failed. */
  async retry(): Promise<void> {
    const again = [...this.#failed];
    for (const page of again) this.#asked.delete(page);
    await Promise.all(again.map((page) => this.page(page)));
  }

  /** Everything fetched so far, in order. */
  *known(): Generator<[number, T]> {
    for (const [page, rows] of [...this.#pages].sort(([a], [b]) => a - b))
      for (const [at, row] of rows.entries()) yield [page * PAGE + at, row];
  }
}

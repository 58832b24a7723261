// A long list that is fetched by pages as it is looked at. Holds what was fetched; forgets nothing until reset.
import { SvelteMap } from "svelte/reactivity";
import { asFault } from "../backend";
import type { Fault } from "../backend/generated/dto";

export const PAGE = 200;

export class Paged<T> {
  total = $state(0);
  fault = $state.raw<Fault | null>(null);
  #pages = new SvelteMap<number, readonly T[]>();
  #asked = new Set<number>();
  #fetch: (offset: number, limit: number) => Promise<readonly T[]>;
  #generation = 0;

  constructor(fetch: (offset: number, limit: number) => Promise<readonly T[]>, total = 0) {
    this.#fetch = fetch;
    this.total = total;
  }

  /** The item, or `undefined` while its page is on its way; asks for nothing. */
  peek(index: number): T | undefined {
    return this.#pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  /** Makes sure that the pages of `from..=to` are here or on their way. */
  want(from: number, to: number): void {
    const last = Math.min(to, this.total - 1);
    for (let page = Math.floor(Math.max(0, from) / PAGE); page * PAGE <= last; page += 1) void this.page(page);
  }

  /** Fetches a page once. */
  async page(page: number): Promise<void> {
    if (this.#asked.has(page)) return;
    this.#asked.add(page);
    const generation = this.#generation;
    try {
      const rows = await this.#fetch(page * PAGE, PAGE);
      if (generation === this.#generation) this.#pages.set(page, rows);
    } catch (error) {
      if (generation !== this.#generation) return;
      this.#asked.delete(page);
      this.fault = asFault(error);
    }
  }

  /** Everything fetched so far, in order. */
  *known(): Generator<[number, T]> {
    for (const [page, rows] of [...this.#pages].sort(([a], [b]) => a - b))
      for (const [at, row] of rows.entries()) yield [page * PAGE + at, row];
  }
}

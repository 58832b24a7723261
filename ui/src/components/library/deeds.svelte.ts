// What can be done with conversations of the library. Each deed says that it was done, and figures are asked anew.
import { announce } from "../../lib/a11y/live.svelte";
import { backend } from "../../lib/backend";
import type { Backend } from "../../lib/backend/backend";
import { i18n } from "../../lib/i18n/index.svelte";
import { app } from "../../lib/state/app.svelte";
import { work } from "../../lib/state/work.svelte";

async function done(deed: (b: Backend) => Promise<void>, told?: string): Promise<boolean> {
  const done = await app.attempt(async () => {
    await deed(await backend());
    return true;
  });
  if (!done) return false;
  work.generation += 1;
  if (told) announce(told);
  return true;
}

/** What was deleted last, wherever that was done. It can be taken back until the library is left. */
class Taken {
  keys = $state.raw<readonly string[]>([]);
}
export const taken = new Taken();

export const pin = (keys: string[], pinned: boolean) =>
  done((b) => b.setPin(keys, pinned), pinned ? i18n.words.library.pinned : i18n.words.library.unpinned);
export const relabel = (keys: string[], add: string[], remove: string[]) => done((b) => b.relabel(keys, add, remove));
export const remove = async (keys: string[]) => {
  const gone = await done((b) => b.delete(keys), i18n.words.library.deleted(keys.length));
  if (!gone) return false;
  taken.keys = keys;
  await app.refresh();
  return true;
};
export const restore = async (keys: string[]) => {
  const back = await done((b) => b.restore(keys), i18n.words.library.restored(keys.length));
  if (!back) return false;
  taken.keys = taken.keys.filter((key) => !keys.includes(key));
  await app.refresh();
  return true;
};

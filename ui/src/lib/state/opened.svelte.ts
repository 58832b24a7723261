// One conversation, opened: what is said of it, and its timeline by pages. Says which conversation it is, so that what
// is still shown of another one is never taken for it.
import { backend } from "../backend";
import type { Inspection, RetentionChoice, TimelineItem } from "../backend/generated/dto";
import { Paged } from "./paged.svelte";
import { resource, type Resource } from "./resource.svelte";

export interface Opened {
  key: string;
  inspection: Inspection;
  list: Paged<TimelineItem>;
}

/** Opens what `ask` names, anew whenever that changes. Call while a component is made. */
export const openedOf = (ask: () => { key: string; retention: RetentionChoice }): Resource<Opened> =>
  resource(() => {
    const { key, retention } = ask();
    return (async () => {
      const b = await backend();
      const inspection = await b.inspect(key, retention);
      const list = new Paged<TimelineItem>(
        (offset, limit) => b.timeline(key, retention, offset, limit),
        inspection.items,
      );
      await list.page(0);
      return { key, inspection, list };
    })();
  });

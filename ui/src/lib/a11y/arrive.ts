// Going somewhere by the keyboard: the focus goes along, to the head of the place, unless the place took it itself.
import { tick } from "svelte";
import { href, router } from "../state/route.svelte";

export async function arrive(path: string[], query: Parameters<typeof href>[1] = {}): Promise<void> {
  const before = document.activeElement;
  const address = href(path, query);
  if (location.hash !== address) {
    const there = new Promise((done) => addEventListener("hashchange", done, { once: true }));
    router.go(address);
    await there;
  }
  await tick();
  requestAnimationFrame(() => {
    const now = document.activeElement;
    if (now === before || now === document.body || !now?.isConnected)
      document.querySelector<HTMLElement>("[data-page-title]")?.focus();
  });
}

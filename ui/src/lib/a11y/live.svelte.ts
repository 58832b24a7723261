// The polite live region: what a screen reader says while work goes on. The region itself stands in App.svelte.

class Live {
  text = $state("");
}

export const live = new Live();

export function announce(text: string): void {
  // The same words twice are not read out again unless the text differs.
  live.text = live.text === text ? `${text}\u00a0` : text;
}

// Keys of the page. Deliberately absent: what they do (each view says that).

const TYPING = "input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable=true]";

/** Whether a key belongs to an input method that is composing. Safari says so only by the key code. */
export function composing(event: KeyboardEvent): boolean {
  return event.isComposing || event.keyCode === 229;
}

/** What a field says as it is typed into, without what an input method is still composing. Spread it over an input. */
export function typed(say: (text: string) => void) {
  const tell = (event: { currentTarget: HTMLInputElement }) => say(event.currentTarget.value);
  return {
    oninput: (event: Event & { currentTarget: HTMLInputElement }) => {
      if (!(event instanceof InputEvent && event.isComposing)) tell(event);
    },
    oncompositionend: tell,
  };
}

/** Whether the person is typing into something, so that letters are letters. A dialog that was just closed still has
 * the focus for a moment; nobody types into it any more. */
export function typing(event: KeyboardEvent): boolean {
  if (!(event.target instanceof Element) || event.target.closest("dialog:not([open])")) return false;
  return event.target.closest(TYPING) !== null;
}

/** Whether a modifier that makes a shortcut of the system is down. */
export function modified(event: KeyboardEvent): boolean {
  return event.ctrlKey || event.metaKey || event.altKey;
}

/** Whether a dialog stands over the page, which then has no shortcuts. */
export const inDialog = (): boolean => document.querySelector("dialog[open]") !== null;

/** A plain letter or digit key that may be a shortcut here and now. */
export function shortcut(event: KeyboardEvent): string | null {
  if (event.defaultPrevented || composing(event) || typing(event) || modified(event)) return null;
  if (inDialog()) return null;
  return event.key;
}

/** Where a key moves to in a list of `count`, or `null`. */
export function step(key: string, at: number, count: number, page = 10): number | null {
  if (count === 0) return null;
  const to: Record<string, number> = {
    j: at + 1,
    ArrowDown: at + 1,
    k: at - 1,
    ArrowUp: at - 1,
    Home: 0,
    End: count - 1,
    PageDown: at + page,
    PageUp: at - page,
  };
  const next = to[key];
  return next === undefined ? null : Math.max(0, Math.min(count - 1, next));
}

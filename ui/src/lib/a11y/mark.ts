// Marks words in what is drawn, without touching it: the browser's own highlights over ranges of text. Where it has
// none nothing is marked, and everything else works.

const NAME = "found";
/** More than this nobody sees at once. */
const MOST = 2000;

interface Highlights {
  set(name: string, highlight: unknown): void;
  delete(name: string): void;
}

function rangesIn(root: Node, words: readonly string[]): Range[] {
  const ranges: Range[] = [];
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node && ranges.length < MOST; node = walker.nextNode()) {
    const text = node.nodeValue?.toLowerCase() ?? "";
    // Where lower case is of another length, places would be off.
    if (text.length !== node.nodeValue?.length) continue;
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0 && ranges.length < MOST; at = text.indexOf(word, at + word.length)) {
        const range = document.createRange();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        ranges.push(range);
      }
    }
  }
  return ranges;
}

/** Keeps `words` marked in what `select` finds under `root`, until the returned function is called. */
export function markWords(root: HTMLElement, select: string, words: readonly string[]): () => void {
  const highlights = (CSS as unknown as { highlights?: Highlights }).highlights;
  const Highlight = (window as unknown as { Highlight?: new (...ranges: Range[]) => unknown }).Highlight;
  if (!highlights || !Highlight || !words.length) return () => {};
  const wanted = words.map((word) => word.toLowerCase());
  let due = 0;
  const draw = () => {
    due = 0;
    const ranges = [...root.querySelectorAll(select)].flatMap((part) => rangesIn(part, wanted));
    highlights.set(NAME, new Highlight(...ranges));
  };
  const later = () => (due ||= requestAnimationFrame(draw));
  const observer = new MutationObserver(later);
  observer.observe(root, { childList: true, subtree: true, characterData: true });
  later();
  return () => {
    observer.disconnect();
    cancelAnimationFrame(due);
    highlights.delete(NAME);
  };
}

// Which addresses may leave the page. Everything else is shown as text.

const ALLOWED = new Set(["http:", "https:", "mailto:"]);

/** The address if it may be opened outside. */
export function outside(address: string): string | null {
  try {
    const url = new URL(address);
    return ALLOWED.has(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
}

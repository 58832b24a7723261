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

/** An image whose bytes stand in the text itself. No other is ever loaded, and none that could act. */
export function ownImage(address: string): string | null {
  return /^data:image\/(?:png|jpeg|gif|webp|avif);base64,[A-Za-z0-9+/=\s]+$/.test(address) ? address : null;
}

// The clipboard by the page's own means, so that the shell needs no permission for it.

/** Puts text on the clipboard; rejects where the web view does not let the page. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // WebKitGTK refuses the modern way outside of a secure context; selecting and copying works everywhere.
    const field = document.createElement("textarea");
    field.value = text;
    field.setAttribute("aria-hidden", "true");
    field.style.position = "fixed";
    field.style.opacity = "0";
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    if (!copied) throw { code: "not-copied", params: {}, detail: "" };
  }
}

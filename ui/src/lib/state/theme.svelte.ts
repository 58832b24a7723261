// Which set of tokens is in force: the person's choice, else what the system asks for.

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const contrast = window.matchMedia("(prefers-contrast: more)");

/** `light`, `dark`, `contrast-light` or `contrast-dark`. */
export function resolve(wish: string, systemDark: boolean, systemContrast: boolean): string {
  if (wish === "light" || wish === "dark") return wish;
  if (wish === "contrast" || systemContrast) return systemDark ? "contrast-dark" : "contrast-light";
  return systemDark ? "dark" : "light";
}

let wished = "";

function apply(): void {
  document.documentElement.dataset.theme = resolve(wished, dark.matches, contrast.matches);
}

dark.addEventListener("change", apply);
contrast.addEventListener("change", apply);

export function useTheme(wish: string): void {
  wished = wish;
  apply();
}

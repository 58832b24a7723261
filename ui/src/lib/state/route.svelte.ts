// Where the person is: the address after `#`. Every place is a link, so back, forward and middle keys work.

export const PLACES = ["sources", "acceptance", "import", "library", "settings"] as const;
export type Place = (typeof PLACES)[number];

export interface Route {
  place: Place;
  /** What follows the place, decoded. */
  path: string[];
  query: URLSearchParams;
}

export function parse(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const parts = path.split("/").filter(Boolean).map(decodeURIComponent);
  const place = PLACES.find((p) => p === parts[0]) ?? "sources";
  return { place, path: parts.slice(1), query: new URLSearchParams(query) };
}

/** The address of a place. Empty and null query values are left out. */
export function href(path: string[], query: Record<string, string | number | boolean | null | undefined> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== null && value !== undefined && value !== "" && value !== false) search.set(name, String(value));
  const text = search.toString();
  return `#/${path.map(encodeURIComponent).join("/")}${text ? `?${text}` : ""}`;
}

class Router {
  #hash = $state(location.hash);
  current: Route = $derived(parse(this.#hash));

  constructor() {
    window.addEventListener("hashchange", () => {
      this.#hash = location.hash;
    });
  }

  go(address: string): void {
    location.hash = address;
  }

  /** Puts another address in place of this one: filters as they are typed. */
  replace(address: string): void {
    history.replaceState(history.state, "", address);
    this.#hash = address;
  }
}

export const router = new Router();
export const go = (path: string[], query: Parameters<typeof href>[1] = {}): void => router.go(href(path, query));

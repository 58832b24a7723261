// What can be done from anywhere by a key or from the native menu: the names, the keys, the menu. Deliberately
// absent: doing it (App.svelte), and the plain letters and digits of the page (lib/a11y/keys.ts).
import type { Catalogue } from "../i18n/en";
import { PLACES } from "./route.svelte";

export const ACTIONS = [
  ...PLACES,
  "preview",
  "palette",
  "help",
  "zoom-in",
  "zoom-out",
  "zoom-reset",
  "full-screen",
] as const;
export type Action = (typeof ACTIONS)[number];

export const isAction = (name: string): name is Action => ACTIONS.some((action) => action === name);

/** Keys that are held with Ctrl or ⌘. */
const HELD: Record<string, Action> = {
  k: "palette",
  ",": "settings",
  "=": "zoom-in",
  "+": "zoom-in",
  "-": "zoom-out",
  "0": "zoom-reset",
  ...Object.fromEntries(PLACES.map((place, at) => [String(at + 1), place])),
};

/** What a key that is held with Ctrl or ⌘, or a function key, means. */
export function actionOf(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey">): Action | null {
  if (event.key === "F11") return "full-screen";
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return null;
  return HELD[event.key.toLowerCase()] ?? null;
}

/** The sizes of the page. */
export const SIZES = [0.5, 0.67, 0.8, 0.9, 1, 1.1, 1.25, 1.5, 1.75, 2, 2.5, 3] as const;

/** The size after `by` steps. */
export function sized(now: number, by: number): number {
  const at = SIZES.findIndex((size) => size === now);
  return SIZES[Math.max(0, Math.min(SIZES.length - 1, at + by))] ?? 1;
}

/** What the system does itself. */
type Own =
  | "about"
  | "undo"
  | "redo"
  | "cut"
  | "copy"
  | "paste"
  | "select-all"
  | "minimize"
  | "hide"
  | "hide-others"
  | "show-all"
  | "quit";
type Only = "mac" | "others";

export type MenuItem =
  | { kind: "action"; id: Action; text: string; keys?: string; only?: Only }
  | { kind: Own; text: string; only?: Only }
  | { kind: "line"; only?: Only };

export interface MenuPart {
  title: string;
  only?: Only;
  items: MenuItem[];
}

/** The native menu in these words. What is `only` for macOS or for the others is chosen by the shell. */
export function menu(w: Catalogue): MenuPart[] {
  const m = w.menu;
  const act = (id: Action, text: string, keys?: string, only?: Only): MenuItem => ({
    kind: "action",
    id,
    text,
    keys,
    only,
  });
  const own = (kind: Own, text: string, only?: Only): MenuItem => ({ kind, text, only });
  const line = (only?: Only): MenuItem => ({ kind: "line", only });
  const settings = (only?: Only) => act("settings", m.settings, "CmdOrCtrl+,", only);
  return [
    {
      title: w.common.appName,
      only: "mac",
      items: [
        own("about", m.about),
        line(),
        settings(),
        line(),
        own("hide", m.hide),
        own("hide-others", m.hideOthers),
        own("show-all", m.showAll),
        line(),
        own("quit", m.quit),
      ],
    },
    {
      title: m.file,
      items: [
        act("preview", w.sources.previewAll),
        act("import", m.import),
        line("others"),
        settings("others"),
        line("others"),
        own("quit", m.quit, "others"),
      ],
    },
    {
      title: m.edit,
      items: [
        own("undo", m.undo, "mac"),
        own("redo", m.redo, "mac"),
        line("mac"),
        own("cut", m.cut),
        own("copy", m.copy),
        own("paste", m.paste),
        own("select-all", m.selectAll),
      ],
    },
    {
      title: m.view,
      items: [
        ...PLACES.map((place, at) => act(place, w.nav[place], `CmdOrCtrl+${at + 1}`)),
        line(),
        act("palette", w.keys.palette, "CmdOrCtrl+K"),
        line(),
        act("zoom-in", m.zoomIn, "CmdOrCtrl+="),
        act("zoom-out", m.zoomOut, "CmdOrCtrl+-"),
        act("zoom-reset", m.zoomReset, "CmdOrCtrl+0"),
        line(),
        act("full-screen", m.fullScreen, "Ctrl+Cmd+F", "mac"),
        act("full-screen", m.fullScreen, "F11", "others"),
      ],
    },
    { title: m.help, items: [act("help", w.nav.shortcuts), own("about", m.about, "others")] },
  ];
}

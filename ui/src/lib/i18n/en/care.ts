// Looking after the library, watching, and what a place holds besides conversations.
import { pluralizer } from "../format";

const p = pluralizer("en");

export const care = {
  library: "Library",
  location: "Location",
  size: "Size",
  move: "Move…",
  moveWhy: "To a folder of your choice, with the settings. The old file is removed only when the copy is sound.",
  moved: (path: string) => `The library is now at ${path}.`,
  backUp: "Back up",
  backUpWhy: "A whole copy in one file. It can be opened as a library.",
  backUpDo: "Back up…",
  backedUp: (file: string) => `Saved as ${file}.`,
  index: "Search index",
  indexWhy: "Made from the library at any time, for example when search misses something.",
  indexDo: "Rebuild",
  indexed: "The index is up to date.",
  indexLeft: (n: number) => p(n, "# message is still to be indexed.", "# messages are still to be indexed."),
  working: "Working…",
  watch: "Import by itself",
  watchWhy:
    "While Assay is open, what is new or changed is imported once it has been quiet for a moment, without a preview.",
  mask: "Mask secrets when exporting",
  maskWhy: "Keys, tokens and passwords that can be told by their look are replaced. It can be changed at every export.",
};

/** What a source says of a place, by the name that it gives it. */
export const placeNotes: Record<string, (n: string) => string> = {
  "encrypted-store": () => "an encrypted store; it was not opened",
  "unknown-store-layout": () => "a store in a form this version does not know; it was not opened",
  "threads-without-rollout": (n) => `${n} named in the index without a file`,
  "staging-files": (n) => `${n} unfinished files, not read`,
  "other-files": (n) => `${n} other files, not read`,
  "backup-copies": (n) => `${n} backup copies, not read`,
  "second-paths": (n) => `${n} reached by a second path, read once`,
  "outside-of-project-folders": (n) => `${n} outside of any project folder`,
};

/** What a remark says, by the name that the parser gives it. */
export const details: Record<string, (value: string) => string> = {
  "mirrored-texts": (n) => `${n} texts stand twice in the file; each is kept once`,
  "same-id": (id) => `the same id as ${id}`,
  "may-repeat": (id) => `may repeat ${id}`,
  "imported-from": (path) => `the tool imported it from ${path}`,
  "imported-turns": (n) => `${n} turns that the tool imported`,
  "copied-from": (id) => `the beginning is copied from ${id}`,
  "history-base": (id) => `goes on from ${id}`,
  records: (n) => `${n} records`,
  path: (path) => path,
  cwd: (path) => `now in ${path}`,
};

// Remarks that drop nothing. A code of crates/model/src/ledger.rs each; a test holds the two together.
export const notices = {
  "unknown-version": {
    name: "newer version",
    why: "Written by a version newer than this parser knows. It was read as far as it is understood.",
  },
  "repaired-text": {
    name: "repaired text",
    why: "Broken characters had to be repaired before the text could be read.",
  },
  "wal-included": {
    name: "read with its log",
    why: "The newest rows were still in the database’s write-ahead log; they are included.",
  },
  "read-in-place": { name: "read in place", why: "The database was read where it stands, without changing it." },
  "duplicate-of": { name: "a copy", why: "The same conversation is kept from another place." },
  "mixed-sessions": { name: "mixed sessions", why: "One file holds records of more than one session." },
  "cwd-changed": { name: "folder changed", why: "The working folder changed on the way." },
  "path-unresolved": {
    name: "project folder unclear",
    why: "The folder is known only by a name that cannot be decoded.",
  },
  "snapshot-missing": {
    name: "no first snapshot",
    why: "The log does not begin with a snapshot; what could be rebuilt was.",
  },
  "body-missing": { name: "body missing", why: "A body is named but not in the store." },
  "encrypted-store": { name: "encrypted store", why: "The tool encrypts this store. Only the tool can read it." },
  "duplicate-key": { name: "field twice", why: "A field stands twice in one object; the last one counts." },
  "insane-timestamp": { name: "impossible time", why: "A recorded time cannot be meant. The raw value is kept." },
  "broken-tree": {
    name: "broken links",
    why: "Parent links form a circle or lead nowhere; the order of the file was used.",
  },
  replay: { name: "replay", why: "Repeats something from another conversation or from before." },
  "unexpected-shape": { name: "unexpected value", why: "A field holds something else than is expected there." },
  "truncated-by-source": { name: "cut by the tool", why: "The tool itself shortened a value before storing it." },
  inferred: { name: "inferred", why: "The id or the folder had to be taken from the file’s name." },
  "order-inferred": { name: "order inferred", why: "The tool records no order; it was worked out." },
  "truncated-file": { name: "file cut short", why: "The file ends inside a record." },
  "unknown-field": { name: "unknown field", why: "A field with content that this parser does not know. It is listed." },
  "changed-while-reading": {
    name: "changed while reading",
    why: "The tool wrote to the store while it was read. Look again to be sure.",
  },
  "patch-not-applied": {
    name: "change not applied",
    why: "A change in the log points at something that is not there.",
  },
  "damaged-store": {
    name: "damaged database",
    why: "The tool’s database is damaged. Every page that can still be read was; something may be missing.",
  },
};

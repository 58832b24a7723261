// Why content is not where the published rules would keep it. A code of crates/model/src/reason.rs each;
// a test holds the two together. `name` fits on a tag, `why` is one sentence.
export const reasons = {
  "no-uuid": { name: "no id", why: "The record carries no id, so the published rules do not count it as a message." },
  "bookkeeping-record": { name: "bookkeeping", why: "State the tool keeps for itself. Nobody said it." },
  "system-record": { name: "system record", why: "A notice from the tool, not from you or the assistant." },
  "tool-input": {
    name: "tool input",
    why: "What was handed to a tool. The published rules keep only the fact that a tool was used.",
  },
  "tool-result": { name: "tool result", why: "What a tool answered. The published rules leave it out of the text." },
  "injected-tag": { name: "injected text", why: "The tool put this text into the message; you did not write it." },
  "non-text-block": { name: "block without text", why: "A block that is neither text, thinking nor a tool call." },
  "empty-message": { name: "empty message", why: "Nothing is left of the message once its wrapping is taken off." },
  "malformed-json": {
    name: "damaged record",
    why: "The text is not JSON, not even after repair. The records around it are read.",
  },
  "response-item-user": {
    name: "prompt copy for the model",
    why: "The copy of a prompt that went to the model; the prompt itself is another record.",
  },
  "response-item-developer": {
    name: "developer instructions",
    why: "Instructions to the model that were not part of the talk.",
  },
  "duplicate-of-latest-assistant": {
    name: "same as the latest answer",
    why: "Word for word what the latest answer already says.",
  },
  "orphan-tool-call": {
    name: "tool call with no answer before it",
    why: "No earlier answer could carry the mark that a tool was used.",
  },
  reasoning: { name: "reasoning", why: "The model’s reasoning, which the published rules do not take as thinking." },
  "ide-context-prefix": {
    name: "editor context",
    why: "What the editor put in front of your prompt: open files, selections.",
  },
  "event-not-mapped": { name: "unmapped event", why: "An event that the published rules do not mention." },
  "empty-assistant-bubble": { name: "empty answer", why: "An answer with nothing in it." },
  "thinking-only-bubble": {
    name: "answer of thinking only",
    why: "The published rules skip an answer without text before they look at its thinking.",
  },
  "tool-only-bubble": {
    name: "answer of tools only",
    why: "The published rules skip an answer without text before they look at its tool calls.",
  },
  "nested-content-shadowed": {
    name: "content behind content",
    why: "The message has direct text, so the published rules do not read what is nested in it.",
  },
  "tool-only-message": {
    name: "message of tools only",
    why: "A turn that only used tools; the published rules keep none without text or thinking.",
  },
  "role-not-mapped": { name: "other role", why: "Written by neither you nor the assistant." },
  "synthetic-timestamp": {
    name: "made-up time",
    why: "No usable time is recorded, so one was made up to keep the order.",
  },
  "later-patch": {
    name: "later change",
    why: "A change the log records after its first line. The published rules read only the first line.",
  },
  "damaged-snapshot": {
    name: "damaged first line",
    why: "The first line, which should hold the conversation, cannot be read.",
  },
  "missing-snapshot": { name: "no first snapshot", why: "The log begins with changes to something that is not there." },
  "unmapped-response-part": {
    name: "other part of a response",
    why: "A kind of response part that the published rules do not take over.",
  },
  "tool-only-response": { name: "response of tools only", why: "A response without text or thinking; only tools ran." },
  "empty-response": { name: "empty response", why: "A response with nothing in it." },
  "blank-line": { name: "blank line", why: "White space between records." },
  "nul-run": { name: "run of zero bytes", why: "A crash left zero bytes here; no text was in them." },
  "unknown-kind": {
    name: "unknown kind",
    why: "This version of the parser does not know the kind. The raw text is kept.",
  },
  "not-a-record": { name: "not a record", why: "Sound JSON, but not a record of this store." },
  "incomplete-record": {
    name: "still being written",
    why: "The last record is not finished yet; the next run reads it.",
  },
  "record-too-large": { name: "too large", why: "Larger than a single record may be." },
  "encrypted-content": {
    name: "encrypted by the provider",
    why: "Only the provider can read it. No importer can do better.",
  },
  "binary-content": {
    name: "binary content",
    why: "Bytes that are not text, such as an image. Its size and fingerprint are noted.",
  },
  duplicate: { name: "duplicate", why: "Kept elsewhere, word for word." },
  metadata: { name: "metadata", why: "Title, folder, model, usage: kept as facts about the conversation." },
  catalogue: { name: "catalogue", why: "A list of tools, skills or agents; not conversation." },
  "ui-state": { name: "editor state", why: "How the editor looked." },
  "file-checkpoint": { name: "file checkpoint", why: "A state of your files, not of the conversation." },
  tombstone: { name: "deleted row", why: "A row the tool has already deleted." },
  "opaque-binary": { name: "opaque bytes", why: "The tool’s own bytes, which nobody outside it can read." },
  "queued-prompt": { name: "queued prompt", why: "A prompt that waited in a queue; the published rules skip it." },
  "unsent-draft": { name: "unsent draft", why: "Written but never sent." },
  "off-branch": {
    name: "off the live path",
    why: "An edited prompt, a retry or a rewind: it happened, then the talk went another way.",
  },
  superseded: { name: "replaced later", why: "A later version stands in its place." },
  "extended-coverage": {
    name: "place not usually read",
    why: "Found in a place that the published rules do not look at.",
  },
  attachment: { name: "attachment", why: "A file, an image or other context handed to the model." },
  thinking: { name: "thinking", why: "Thinking that the published rules do not read." },
  "legacy-shape": { name: "old format", why: "A form from an earlier version that the published rules do not read." },
  "body-missing": { name: "body missing", why: "The store names it, but its text is not there." },
  "error-record": { name: "error", why: "An error the tool recorded." },
  "copied-prefix": { name: "copied beginning", why: "Repeats the beginning of the conversation this one came from." },
  "compaction-history": { name: "repeated history", why: "A compaction writes the earlier history out again." },
  boilerplate: { name: "fixed words", why: "Words the tool writes every time." },
};

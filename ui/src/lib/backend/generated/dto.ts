// Made from src-tauri/crates/engine/src/dto by `UPDATE_TYPES=1 cargo test -p assay-engine`.

export type Bilingual = { 
/**
 * English.
 */
en: string, 
/**
 * 简体中文.
 */
zh: string, };

export type Fault = { 
/**
 * Stable kebab-case code.
 */
code: string, 
/**
 * What the words need: paths, counts.
 */
params: { [key in string]: string }, 
/**
 * What the machine said, untranslated.
 */
detail: string, };

export type AppState = { 
/**
 * Version of this build.
 */
version: string, 
/**
 * The library.
 */
library: LibraryState, 
/**
 * What the person chose.
 */
settings: Settings, 
/**
 * Every source, in the order it is shown, before anything was detected.
 */
sources: Array<SourceInfo>, 
/**
 * Whether the embedded sample home is open instead of the person's own.
 */
sample: boolean, };

export type LibraryState = { 
/**
 * Where it is.
 */
path: string, 
/**
 * Its size on disk.
 */
bytes: number, 
/**
 * Conversations in it, without deleted ones.
 */
conversations: number, 
/**
 * Those that are deleted and can be restored.
 */
deleted: number, 
/**
 * Whether an earlier version wrote it. What it holds is known once it is brought up, which the first use does.
 */
older: boolean, 
/**
 * Set when it cannot be used: `newer`, `damaged`, `locked`, `disk-full`, …
 */
fault: Fault | null, };

export type SourceInfo = { 
/**
 * The stable name.
 */
source: string, 
/**
 * The tool's own name.
 */
displayName: string, 
/**
 * `name@n`.
 */
parserVersion: string, 
/**
 * What the store is.
 */
blurb: Bilingual, 
/**
 * Inner markup of a 24×24 icon.
 */
icon: string, 
/**
 * After how many days the tool deletes sessions, if it does.
 */
deletesAfterDays: number | null, 
/**
 * Whether the person has it switched on.
 */
enabled: boolean, 
/**
 * Reference or full.
 */
retention: RetentionChoice, };

export type RetentionChoice = "reference" | "full";

export type Settings = { 
/**
 * `en`, `zh-CN`, or empty for the system's.
 */
language: string, 
/**
 * `light`, `dark`, `contrast`, or empty for the system's.
 */
theme: string, 
/**
 * Sources that are switched off; a source that is new to a version starts on.
 */
disabled: Array<string>, 
/**
 * Retention by source, where it is not full.
 */
retention: { [key in string]: RetentionChoice }, 
/**
 * Folders that the person added, by source.
 */
folders: { [key in string]: Array<string> }, 
/**
 * Conversations with fewer messages are not imported.
 */
minimumMessages: number, 
/**
 * Whether every import compares content and not just size and time.
 */
verify: boolean, 
/**
 * Whether the library keeps the bytes that conversations are read from.
 */
keepOriginals: boolean, 
/**
 * Whether what is new or changed is imported by itself while the app is open.
 */
watch: boolean, 
/**
 * Whether exports mask secrets unless a person says otherwise.
 */
mask: boolean, };

export type RootView = { 
/**
 * The place, with the home folder as `~`.
 */
path: string, 
/**
 * `default`, `custom`, or `env:NAME`.
 */
origin: string, 
/**
 * Whether it is there.
 */
exists: boolean, 
/**
 * Whether it may be read.
 */
readable: boolean, 
/**
 * Conversations in it.
 */
conversations: number, 
/**
 * What else is to be said.
 */
note: string | null, 
/**
 * What in it could not be read, in the words of the machine.
 */
troubles: Array<string>, };

export type SourceView = { 
/**
 * The stable name.
 */
source: string, 
/**
 * Whether the person has it switched on.
 */
enabled: boolean, 
/**
 * `not-installed`, `found`, `empty`, `no-permission`, `locked`, `encrypted`, `failed`; `looking` before.
 */
state: string, 
/**
 * Why, for a failure.
 */
error: string | null, 
/**
 * Why the list of its conversations is not complete, in the words of the machine: a damaged database, a folder
 * that cannot be listed. What a root holds of it is said there as well.
 */
troubles: Array<string>, 
/**
 * Every place that was looked at.
 */
roots: Array<RootView>, 
/**
 * Conversations found.
 */
conversations: number, 
/**
 * Bytes found.
 */
bytes: number, 
/**
 * The earliest file time, ISO.
 */
firstActivity: string | null, 
/**
 * The latest file time, ISO.
 */
lastActivity: string | null, 
/**
 * Sessions that the tool will delete within three days, if it deletes.
 */
deletedSoon: number | null, 
/**
 * After a preview: content bytes by disposition under the source's retention.
 */
strata: Strata | null, 
/**
 * After a preview: conversations that would lose something under it.
 */
losing: number | null, 
/**
 * After a preview: conversations that cannot be read.
 */
unread: number | null, };

export type Dropped = { 
/**
 * It, with the home folder as `~`.
 */
path: string, 
/**
 * The folder that would be added.
 */
folder: string, 
/**
 * Whether it is a file.
 */
file: boolean, 
/**
 * The sources that can read it, in the order of the registry.
 */
fits: Array<DropFit>, };

export type DropFit = { 
/**
 * The stable name.
 */
source: string, 
/**
 * Conversations in the folder.
 */
conversations: number, 
/**
 * The one conversation of a file.
 */
key: string | null, 
/**
 * Whether all of it lies in places that are looked at already.
 */
known: boolean, };

export type Strata = { 
/**
 * In a reference message.
 */
kept: number, 
/**
 * In a recovered message.
 */
recovered: number, 
/**
 * Only a flag or metadata survives.
 */
folded: number, 
/**
 * Kinds not known to this parser.
 */
unknown: number, 
/**
 * In no message.
 */
dropped: number, 
/**
 * Still being written.
 */
pending: number, };

export type Count = { 
/**
 * The code or name.
 */
code: string, 
/**
 * How many.
 */
count: number, };

export type UnknownKind = { 
/**
 * Its name.
 */
kind: string, 
/**
 * How many.
 */
count: number, 
/**
 * Versions of the tool that wrote it.
 */
versions: Array<string>, };

export type Crossed = { 
/**
 * The boundary, or the remark that says that something is missing.
 */
code: string, 
/**
 * What became of it.
 */
disposition: Disposition, 
/**
 * Whether a person could miss it.
 */
loss: boolean, 
/**
 * How many.
 */
count: number, };

export type AcceptanceSummary = { 
/**
 * The source.
 */
source: string, 
/**
 * When the preview was made, ISO.
 */
previewedAt: string, 
/**
 * Conversations, and how many have each verdict: `exact`, `complete`, `degraded`, `blocked`.
 */
conversations: number, 
/**
 * By verdict.
 */
verdicts: Array<Count>, 
/**
 * Records in all.
 */
records: number, 
/**
 * Bytes in all.
 */
bytes: number, 
/**
 * Content bytes by disposition.
 */
strata: Strata, 
/**
 * Entries by the boundary they crossed, most first.
 */
byReason: Array<Count>, 
/**
 * The same by what became of them, and what is missing without having been there.
 */
crossed: Array<Crossed>, 
/**
 * Conversations that lose something, by reason or remark, most first.
 */
losses: Array<Count>, 
/**
 * Messages with a made-up time.
 */
synthetic: number, 
/**
 * Messages with a derived time.
 */
derived: number, 
/**
 * Messages whose time disagrees with their place.
 */
outOfOrder: number, 
/**
 * Must be zero.
 */
unaccountedBytes: number, 
/**
 * Format drift.
 */
unknownKinds: Array<UnknownKind>, 
/**
 * Notices by code.
 */
notices: Array<Count>, 
/**
 * What an import would do.
 */
plan: Array<Count>, };

export type BoundaryRow = { 
/**
 * The reason code.
 */
code: string, 
/**
 * `text`, `tools`, `thinking`, `time`, `identity`, `versions`, `damage`.
 */
group: string, 
/**
 * A short name.
 */
title: Bilingual, 
/**
 * The rule in one line.
 */
rule: Bilingual, 
/**
 * What the published rules make of it.
 */
reference: Disposition, 
/**
 * What full retention makes of it.
 */
full: Disposition, 
/**
 * The embedded fixture.
 */
fixture: string, 
/**
 * Whether this build behaves as the fixture declares.
 */
pass: boolean, 
/**
 * How the outcome differs, when it does.
 */
difference: string | null, 
/**
 * How often it was crossed in the person's own data; `null` before a preview.
 */
yours: number | null, };

export type Disposition = "kept" | "recovered" | "folded" | "unknown" | "dropped" | "pending";

export type ConversationRow = { 
/**
 * Names the conversation in every other call.
 */
key: string, 
/**
 * The source.
 */
source: string, 
/**
 * The source's own id.
 */
id: string, 
/**
 * Title, or the beginning of the first prompt; empty if there is neither.
 */
title: string, 
/**
 * The project's name.
 */
project: string, 
/**
 * The project's folder.
 */
cwd: string | null, 
/**
 * The branch.
 */
gitBranch: string | null, 
/**
 * First and last time, ISO.
 */
firstAt: string | null, 
/**
 * See `first_at`.
 */
lastAt: string | null, 
/**
 * `reference` or `extended`.
 */
coverage: string, 
/**
 * Another conversation that this one belongs to, and how: `sub-agent`, `fork`, `copy`.
 */
relation: string | null, 
/**
 * Reference messages.
 */
messages: number, 
/**
 * Recovered messages.
 */
recovered: number, 
/**
 * What a person could miss and no message holds: dropped entries, and what is missing from the store.
 */
dropped: number, 
/**
 * Unknown entries.
 */
unknown: number, 
/**
 * Messages with a made-up time.
 */
synthetic: number, 
/**
 * `exact`, `complete`, `degraded`, `blocked`.
 */
verdict: string, 
/**
 * What an import would do: `new`, `grown`, `changed`, `metadata`, `unchanged`, `skipped`, `blocked`.
 */
plan: string, 
/**
 * Why, for `skipped` and `blocked`.
 */
planReason: string | null, 
/**
 * Bytes of the store that it owns.
 */
bytes: number, 
/**
 * Content bytes by disposition.
 */
strata: Strata, };

export type RowQuery = { 
/**
 * Text in title, project or id.
 */
text: string, 
/**
 * Only those that crossed this boundary, have this remark, or `derived-timestamp`, `out-of-order`.
 */
reason: string | null, 
/**
 * Only this verdict.
 */
verdict: string | null, 
/**
 * Only this plan.
 */
plan: string | null, 
/**
 * Only those with this unknown kind.
 */
unknownKind: string | null, 
/**
 * `title`, `project`, `time`, `messages`, `dropped`, `unknown`, `synthetic`, `verdict`, `plan`, `bytes`.
 */
sort: string, 
/**
 * Largest first.
 */
descending: boolean, 
/**
 * First row.
 */
offset: number, 
/**
 * How many rows; at most 500.
 */
limit: number, };

export type Page<T> = { 
/**
 * How many there are in all.
 */
total: number, 
/**
 * Where this page begins.
 */
offset: number, 
/**
 * The rows.
 */
rows: Array<T>, };

export type Inspection = { 
/**
 * Its row.
 */
row: ConversationRow, 
/**
 * `reference` or `full`.
 */
retention: RetentionChoice, 
/**
 * Reference messages, and messages under full retention: the figures on the switch.
 */
referenceMessages: number, 
/**
 * See `reference_messages`.
 */
fullMessages: number, 
/**
 * Items of the timeline under this retention.
 */
items: number, 
/**
 * The core sample: runs of equal disposition over all records, in store order.
 */
core: Array<CoreRun>, 
/**
 * Entries by disposition.
 */
strata: Strata, 
/**
 * Entries by reason.
 */
byReason: Array<Count>, 
/**
 * Remarks.
 */
notices: Array<NoticeView>, 
/**
 * `contentHash`.
 */
contentHash: string, 
/**
 * `fullHash`.
 */
fullHash: string, 
/**
 * Conversations it belongs to or comes from.
 */
links: Array<LinkView>, 
/**
 * What the library says of it, if it was opened from there.
 */
kept: LibraryRow | null, 
/**
 * The command that goes on with it in its tool, where that is known and the tool still has it.
 */
resume: string | null, };

export type LinkView = { 
/**
 * `sub-agent`, `fork`, `copy`, `earlier-state`: what this is of the other. `has-earlier-state`, `has-copy`: what
 * the other is of this.
 */
relation: string, 
/**
 * The other's key, if it is known.
 */
key: string, };

export type CoreRun = { 
/**
 * What became of them.
 */
disposition: Disposition, 
/**
 * How many records.
 */
records: number, 
/**
 * The timeline item where the run begins.
 */
item: number, };

export type NoticeView = { 
/**
 * Stable code.
 */
code: string, 
/**
 * Names and numbers.
 */
detail: string, 
/**
 * Where, if it is about one place.
 */
place: Place | null, };

export type Place = { 
/**
 * The file, with the home folder as `~`.
 */
file: string, 
/**
 * Physical line, for byte-addressed stores.
 */
line: number | null, 
/**
 * Byte span.
 */
byteStart: number | null, 
/**
 * See `byte_start`.
 */
byteEnd: number | null, 
/**
 * Table and key, for rows.
 */
table: string | null, 
/**
 * See `table`.
 */
key: string | null, 
/**
 * JSON pointer inside the record.
 */
pointer: string | null, };

export type TimelineItem = { 
/**
 * Index in the timeline under this retention.
 */
index: number, 
/**
 * `message` or `ghost`.
 */
item: string, 
/**
 * `kept`, `recovered`, `folded`, `dropped`, `unknown`, `pending`.
 */
disposition: Disposition, 
/**
 * The boundary it crossed.
 */
reason: string | null, 
/**
 * `user`, `assistant`, `system`; for a ghost what it would have been, if it is known.
 */
from: string | null, 
/**
 * `text`, `tool-call`, `tool-result`, `reasoning`, `event`, `attachment`, `draft`; for a ghost the store's own name.
 */
kind: string, 
/**
 * Text; at most 16 KiB of it.
 */
content: string, 
/**
 * Whether there is more text than `content` has.
 */
cut: boolean, 
/**
 * Length of the whole text in bytes.
 */
bytes: number, 
/**
 * Reasoning that belongs to it.
 */
thinking: string | null, 
/**
 * The tool.
 */
toolName: string | null, 
/**
 * Joins a call and its result.
 */
toolCallId: string | null, 
/**
 * Whether tools were used.
 */
hasToolUse: boolean, 
/**
 * Time, ISO.
 */
at: string | null, 
/**
 * `recorded`, `derived`, `synthetic`.
 */
origin: string, 
/**
 * The rule, for a derived or synthetic time.
 */
rule: string | null, 
/**
 * For an out-of-order message: the item that it would come before by time.
 */
belongsBefore: number | null, 
/**
 * Off the live path: `abandoned`, `sidechain`, `superseded`, `rolled-back`, `unplaced`.
 */
branch: string | null, 
/**
 * What was folded into it, e.g. three tool calls.
 */
chips: Array<Chip>, 
/**
 * Its ledger entry, for the drawer.
 */
entry: number | null, };

export type Chip = { 
/**
 * The store's name of it.
 */
kind: string, 
/**
 * The boundary.
 */
reason: string, 
/**
 * The tool, or the beginning of its content.
 */
label: string, 
/**
 * Its ledger entry.
 */
entry: number, };

export type RawRecord = { 
/**
 * Where.
 */
place: Place, 
/**
 * The store's name of it.
 */
kind: string, 
/**
 * What became of it.
 */
disposition: Disposition, 
/**
 * The boundary it crossed.
 */
reason: string | null, 
/**
 * Its text, at most 256 KiB; U+FFFD for what is not UTF-8.
 */
text: string, 
/**
 * Whether there is more.
 */
cut: boolean, 
/**
 * Its length in bytes.
 */
bytes: number, 
/**
 * Its blocks.
 */
blocks: Array<RawBlock>, };

export type RawBlock = { 
/**
 * JSON pointer.
 */
pointer: string, 
/**
 * The store's name of it.
 */
kind: string, 
/**
 * What became of it.
 */
disposition: Disposition, 
/**
 * The boundary it crossed.
 */
reason: string | null, 
/**
 * Bytes of its content.
 */
bytes: number, };

export type Progress = { "event": "detected", 
/**
 * What was found.
 */
view: SourceView, } | { "event": "working", 
/**
 * The source.
 */
source: string, 
/**
 * Conversations done.
 */
done: number, 
/**
 * Conversations in all, as far as known.
 */
total: number, 
/**
 * Bytes done.
 */
bytesDone: number, 
/**
 * Bytes in all, as far as known.
 */
bytesTotal: number, 
/**
 * Bytes a second, lately.
 */
rate: number, 
/**
 * Seconds left, if that can be said.
 */
secondsLeft: number | null, } | { "event": "source-done", 
/**
 * The source.
 */
source: string, 
/**
 * Why it failed, if it did; the others go on.
 */
fault: Fault | null, } | { "event": "finished", 
/**
 * Whether it was cancelled.
 */
cancelled: boolean, };

export type ImportPlan = { 
/**
 * By source.
 */
sources: Array<SourcePlan>, 
/**
 * What to read first, losses before all: codes with counts, e.g. `losses`, `encrypted-store`, `unknown-kinds`, `deleted-soon`.
 */
warnings: Array<PlanWarning>, };

export type PlanWarning = { 
/**
 * Stable code.
 */
code: string, 
/**
 * The source it is about.
 */
source: string, 
/**
 * How many.
 */
count: number, };

export type SourcePlan = { 
/**
 * The source.
 */
source: string, 
/**
 * Whether it is switched on.
 */
enabled: boolean, 
/**
 * Whether a preview was made; without one there are no figures.
 */
previewed: boolean, 
/**
 * `new`, `grown`, `changed`, `metadata`, `unchanged` with their counts.
 */
actions: Array<Count>, 
/**
 * Skipped, by reason.
 */
skipped: Array<Count>, 
/**
 * Blocked, by reason.
 */
blocked: Array<Count>, 
/**
 * Bytes that would be read.
 */
bytes: number, };

export type ImportRequest = { 
/**
 * These sources; all that are switched on if empty.
 */
sources: Array<string>, 
/**
 * Only these conversations (keys), if not empty.
 */
keys: Array<string>, 
/**
 * Only these plans, if not empty.
 */
actions: Array<string>, 
/**
 * Compare content, not just size and time.
 */
verify: boolean, };

export type ImportResult = { 
/**
 * The run.
 */
run: number, 
/**
 * When it began, ISO.
 */
startedAt: string, 
/**
 * When it ended, ISO; `null` for one that was killed.
 */
endedAt: string | null, 
/**
 * Whether it was cancelled.
 */
cancelled: boolean, 
/**
 * By source.
 */
sources: Array<SourceResult>, 
/**
 * Failures in all.
 */
failures: number, };

export type SourceResult = { 
/**
 * The source.
 */
source: string, 
/**
 * Why the whole source failed, if it did.
 */
fault: Fault | null, 
/**
 * Entries that the parser dropped, by reason (of what was read in this run).
 */
parser: Array<Count>, 
/**
 * Conversations that the importer skipped, by reason.
 */
importer: Array<Count>, 
/**
 * What the library did, by outcome.
 */
library: Array<Count>, };

export type OutcomeRow = { 
/**
 * Names the conversation of the preview.
 */
key: string, 
/**
 * Names it in the library, if this run put it there or found it there.
 */
kept: string | null, 
/**
 * The source.
 */
source: string, 
/**
 * The source's own id.
 */
id: string, 
/**
 * Title, if known.
 */
title: string, 
/**
 * `read`, or why it was skipped.
 */
importer: string, 
/**
 * What the library did.
 */
library: string | null, 
/**
 * More about a failure.
 */
detail: string | null, 
/**
 * The verdict.
 */
verdict: string | null, };

export type OutcomeQuery = { 
/**
 * The run.
 */
run: number, 
/**
 * Only this source.
 */
source: string | null, 
/**
 * Only this importer code.
 */
importer: string | null, 
/**
 * Only this library code.
 */
library: string | null, 
/**
 * Only those whose conversation, as the library has it, crossed this boundary.
 */
reason: string | null, 
/**
 * First row.
 */
offset: number, 
/**
 * How many rows; at most 500.
 */
limit: number, };

export type FoundPlace = { 
/**
 * The item of the timeline.
 */
item: number, 
/**
 * `content`, `thinking`.
 */
part: string, 
/**
 * How often it stands there.
 */
count: number, 
/**
 * Whether it stands only behind what a page of the timeline carries of the item.
 */
beyond: boolean, };

export type LibraryRow = { 
/**
 * Names the conversation in every other call.
 */
key: string, 
/**
 * The source.
 */
source: string, 
/**
 * The source's own id.
 */
id: string, 
/**
 * Title, or the beginning of the first prompt; empty if there is neither.
 */
title: string, 
/**
 * The project's name.
 */
project: string, 
/**
 * The project's folder.
 */
cwd: string | null, 
/**
 * The branch.
 */
gitBranch: string | null, 
/**
 * First and last time, ISO.
 */
firstAt: string | null, 
/**
 * See `first_at`.
 */
lastAt: string | null, 
/**
 * Messages, recovered ones included.
 */
messages: number, 
/**
 * Recovered messages.
 */
recovered: number, 
/**
 * Entries that a person could miss.
 */
dropped: number, 
/**
 * Unknown entries.
 */
unknown: number, 
/**
 * Messages with a made-up time.
 */
synthetic: number, 
/**
 * `exact`, `complete`, `degraded`, `blocked`.
 */
verdict: string, 
/**
 * Bytes of the store that it was read from.
 */
bytes: number, 
/**
 * Under which rules it was read.
 */
retention: RetentionChoice, 
/**
 * Since when its source no longer has it, ISO.
 */
goneSince: string | null, 
/**
 * Whether a person pinned it.
 */
pinned: boolean, 
/**
 * Labels that a person gave it.
 */
labels: Array<string>, 
/**
 * Since when it is deleted and can be restored, ISO.
 */
deletedAt: string | null, 
/**
 * How many earlier states of it are kept, because they say more than the source does now.
 */
earlier: number, 
/**
 * How many copies of it there are.
 */
copies: number, 
/**
 * What it is of another one: `sub-agent`, `fork`, `copy`, `earlier-state`.
 */
relation: string | null, };

export type LibraryQuery = { 
/**
 * What to look for: in titles, projects, folders and ids of a list; in messages of a search.
 */
text: string, 
/**
 * Only this source.
 */
source: string | null, 
/**
 * Only this project.
 */
project: string | null, 
/**
 * At this time or later, ISO.
 */
from: string | null, 
/**
 * Before this time, ISO.
 */
before: string | null, 
/**
 * For a search only messages from `user`, `assistant` or `system`.
 */
role: string | null, 
/**
 * Only what uses tools.
 */
tools: boolean, 
/**
 * Only what has code.
 */
code: boolean, 
/**
 * Only what lost something or holds a kind that is not known.
 */
lossy: boolean, 
/**
 * Only what has a made-up time.
 */
synthetic: boolean, 
/**
 * Only what its source no longer has.
 */
gone: boolean, 
/**
 * Only what is pinned.
 */
pinned: boolean, 
/**
 * Only what bears this label.
 */
label: string | null, 
/**
 * What is deleted and can be restored, instead of everything else.
 */
deleted: boolean, 
/**
 * Earlier states of conversations that their source took something back from, instead of the conversations.
 */
earlier: boolean, 
/**
 * Also copies of conversations that are there themselves.
 */
copies: boolean, 
/**
 * Of a list: `title`, `project`, `time`, `messages`, `dropped`, `bytes`. A search has the best first.
 */
sort: string, 
/**
 * Largest first.
 */
descending: boolean, 
/**
 * First row.
 */
offset: number, 
/**
 * How many rows; at most 500.
 */
limit: number, };

export type SearchHit = { 
/**
 * Names the conversation.
 */
key: string, 
/**
 * The source.
 */
source: string, 
/**
 * The conversation's title.
 */
title: string, 
/**
 * The conversation's project.
 */
project: string, 
/**
 * The message's position in the whole timeline; see `locate`.
 */
message: number, 
/**
 * `user`, `assistant`, `system`.
 */
from: string, 
/**
 * What it is.
 */
kind: string, 
/**
 * Its time, ISO.
 */
at: string | null, 
/**
 * `recorded`, `derived`, `synthetic`.
 */
origin: string, 
/**
 * The boundary it crossed, if it was recovered.
 */
reason: string | null, 
/**
 * Whether what was found is in its thinking.
 */
inThinking: boolean, 
/**
 * Since when the source no longer has the conversation, ISO.
 */
goneSince: string | null, 
/**
 * The place in its text.
 */
text: string, 
/**
 * What was found in `text`, as first and last place of UTF-16.
 */
marks: Array<[number, number]>, };

export type SearchPage = { 
/**
 * How many there are.
 */
total: number, 
/**
 * Where this page begins.
 */
offset: number, 
/**
 * Best first.
 */
rows: Array<SearchHit>, 
/**
 * Messages that no search can find yet, because they are not indexed.
 */
unindexed: number, };

export type LibraryFacets = { 
/**
 * Sources and how many conversations each has.
 */
sources: Array<Count>, 
/**
 * Projects and how many conversations each has, most first.
 */
projects: Array<Count>, 
/**
 * Labels and how many conversations bear each, by name.
 */
labels: Array<Count>, 
/**
 * Conversations that are deleted and can be restored.
 */
deleted: number, 
/**
 * Messages that are not indexed yet.
 */
unindexed: number, };

export type ExportForm = { 
/**
 * `markdown`, `json`, `html`, `chatcrystal`.
 */
format: string, 
/**
 * How its file's name ends.
 */
ending: string, 
/**
 * What is in the library and not in the document, as codes.
 */
leavesOut: Array<string>, 
/**
 * Whether secrets are masked unless a person says otherwise.
 */
masks: boolean, };

export type ExportResult = { 
/**
 * The file's name.
 */
file: string, 
/**
 * Conversations in it.
 */
conversations: number, 
/**
 * Secrets that were masked.
 */
masked: number, 
/**
 * Conversations that are not in it, with the reason.
 */
refused: Array<Fault>, };

export type HourCount = { 
/**
 * A source or a reason.
 */
code: string, 
/**
 * Hours since 1970.
 */
hour: number, 
/**
 * How many.
 */
count: number, };

export type LibraryHistory = { 
/**
 * Messages by source, oldest first; those with a made-up time are left out.
 */
activity: Array<HourCount>, 
/**
 * Entries that a person could miss by reason, at the hour of their conversation's latest message.
 */
losses: Array<HourCount>, };


// The one door between the page and the rest. Two things stand behind it: `tauri.ts`, the real app, and
// `mock.ts`, the same answers from data that Rust tests wrote. Nothing else imports @tauri-apps.
// Every call may reject with a `Fault`. Keys name conversations; the page never sees or sends a path it
// was not given, except the folder that a native dialog returned.
import type {
  AcceptanceSummary,
  AppState,
  BoundaryRow,
  ConversationRow,
  Dropped,
  ExportForm,
  ExportResult,
  FoundPlace,
  ImportPlan,
  ImportRequest,
  ImportResult,
  Inspection,
  LibraryFacets,
  LibraryHistory,
  LibraryQuery,
  LibraryRow,
  OutcomeQuery,
  OutcomeRow,
  Page,
  Progress,
  RawRecord,
  RetentionChoice,
  RowQuery,
  SearchPage,
  Settings,
  TimelineItem,
} from "./generated/dto";
import type { MenuPart } from "../state/actions";

/** Signs of life of long work. */
export type OnProgress = (progress: Progress) => void;

/** Where something that is dragged is: over the window, gone again, or dropped. */
export type Drag = "over" | "leave" | "drop";

export interface Backend {
  /** The app as it starts; quick, reads no store. */
  state(): Promise<AppState>;
  /** Saves what the person chose. Returns it as it was saved. */
  saveSettings(settings: Settings): Promise<Settings>;
  /** Opens the embedded sample home in place of the person's own, or goes back. */
  useSample(on: boolean): Promise<AppState>;

  /** Looks for every source, side by side; each is told as `detected` when it is found. */
  detect(onProgress: OnProgress): Promise<void>;
  /** Asks for a folder with the native dialog and adds it to a source; `null` when the person cancels. */
  addFolder(source: string): Promise<Settings | null>;
  /** Hears of files and folders that are dragged over the window. */
  onDrag(hear: (drag: Drag) => void): Promise<void>;
  /** Whose sessions are in what was dropped last. Of files in one folder the first stands for all. */
  dropped(): Promise<Dropped[]>;
  /** Adds a folder that was dropped, by its place in what `dropped` said, to a source. */
  addDropped(at: number, source: string): Promise<Settings>;
  /** Shows a root of a source (by its place in `roots`) in the file manager. */
  revealRoot(source: string, root: number): Promise<void>;

  /** Reads everything and writes nothing. Sources that are off are left out; empty means all. */
  preview(sources: string[], onProgress: OnProgress): Promise<void>;
  /** Stops the work that is running; what is done stays. */
  cancel(): Promise<void>;

  /** The preview of a source in numbers; `null` before a preview. */
  summary(source: string, retention: RetentionChoice): Promise<AcceptanceSummary | null>;
  /** The acceptance matrix. Works before a preview, without figures of the person's own. */
  matrix(source: string): Promise<BoundaryRow[]>;
  /** A page of the conversation table. */
  conversations(source: string, retention: RetentionChoice, query: RowQuery): Promise<Page<ConversationRow>>;

  /** Opens a conversation of a preview or of the library. */
  inspect(key: string, retention: RetentionChoice): Promise<Inspection>;
  /** Items `offset..offset+limit` of its timeline. */
  timeline(key: string, retention: RetentionChoice, offset: number, limit: number): Promise<TimelineItem[]>;
  /** The whole text of an item that was cut. */
  wholeText(key: string, retention: RetentionChoice, index: number): Promise<string>;
  /** Every place of it where a text stands, in the order of the timeline. */
  findWithin(key: string, retention: RetentionChoice, text: string): Promise<FoundPlace[]>;
  /** The item that shows a message of the whole timeline; `null` where it is not shown. */
  locate(key: string, retention: RetentionChoice, message: number): Promise<number | null>;
  /** The record behind a ledger entry, and what becomes of it under a retention. */
  record(key: string, retention: RetentionChoice, entry: number): Promise<RawRecord>;
  /** Shows the file behind a ledger entry in the file manager. */
  revealRecord(key: string, entry: number): Promise<void>;

  /** What an import would do, from the last preview. */
  plan(): Promise<ImportPlan>;
  /** Imports. */
  runImport(request: ImportRequest, onProgress: OnProgress): Promise<ImportResult>;
  /** Runs, latest first. */
  history(): Promise<ImportResult[]>;
  /** The conversations of a run. */
  outcomes(query: OutcomeQuery): Promise<Page<OutcomeRow>>;
  /** Asks where to with the native dialog and saves a run's report; `null` when the person cancels. */
  saveReport(run: number, format: "markdown" | "json"): Promise<string | null>;

  /** Hears when something was imported by itself. */
  onWatched(hear: () => void): Promise<void>;
  /** Makes the text index anew; how many messages are left, if it was stopped. */
  rebuildIndex(onProgress: OnProgress): Promise<number>;
  /** Asks where to with the native dialog and copies the library there; `null` when the person cancels. */
  backUp(onProgress: OnProgress): Promise<string | null>;
  /** Asks for a folder and moves the library there; `null` when the person cancels. */
  moveLibrary(onProgress: OnProgress): Promise<AppState | null>;

  /** A page of the library's conversations. */
  kept(query: LibraryQuery): Promise<Page<LibraryRow>>;
  /** What the library's list can be narrowed to. */
  facets(): Promise<LibraryFacets>;
  /** The library over time. */
  keptHistory(): Promise<LibraryHistory>;
  /** A page of the messages that answer a query. Another query calls it off: it then fails with `interrupted`. */
  search(query: LibraryQuery): Promise<SearchPage>;
  /** Brings the text index up to date beside everything else; returns at once. */
  index(): Promise<void>;
  /** Pins conversations of the library, or no longer. */
  setPin(keys: string[], pinned: boolean): Promise<void>;
  /** Gives and takes labels. */
  relabel(keys: string[], add: string[], remove: string[]): Promise<void>;
  /** Deletes conversations from the library; `restore` brings them back as they were. No store is touched. */
  delete(keys: string[]): Promise<void>;
  /** Takes back `delete`. */
  restore(keys: string[]): Promise<void>;
  /** The forms in which conversations can leave the library. */
  exportForms(): Promise<ExportForm[]>;
  /** Asks where to with the native dialog and writes conversations there; `null` when the person cancels. */
  exportKept(keys: string[], format: string, mask: boolean, name: string): Promise<ExportResult | null>;

  /** Puts the native menu in place, where the system has one. */
  setMenu(parts: MenuPart[]): Promise<void>;
  /** Hears what is chosen from it, by the name of the action. */
  onMenu(hear: (action: string) => void): Promise<void>;
  /** Shows the page at a multiple of its size. */
  zoom(factor: number): Promise<void>;
  /** Full screen, or no longer. */
  fullScreen(): Promise<void>;
  /** Asks for attention without taking the focus. */
  attention(): Promise<void>;
  /** Puts text on the clipboard. */
  copy(text: string): Promise<void>;
  /** Opens an http, https or mailto address outside. */
  openLink(address: string): Promise<void>;
}

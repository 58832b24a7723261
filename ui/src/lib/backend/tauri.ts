// The real app: every call is a command of the shell; progress comes over a channel.
import { Channel, invoke } from "@tauri-apps/api/core";
import { listen } from "@tauri-apps/api/event";
import { getCurrentWebview } from "@tauri-apps/api/webview";
import type { Backend, OnProgress } from "./backend";
import { copyText } from "./clipboard";
import type { Progress } from "./generated/dto";

function channel(onProgress: OnProgress): Channel<Progress> {
  const made = new Channel<Progress>();
  made.onmessage = onProgress;
  return made;
}

export const tauri: Backend = {
  state: () => invoke("state"),
  saveSettings: (settings) => invoke("save_settings", { settings }),
  useSample: (on) => invoke("use_sample", { on }),
  detect: (onProgress) => invoke("detect", { onProgress: channel(onProgress) }),
  addFolder: (source) => invoke("add_folder", { source }),
  async onDrag(hear) {
    await getCurrentWebview().onDragDropEvent(({ payload }) => hear(payload.type === "enter" ? "over" : payload.type));
  },
  dropped: () => invoke("dropped"),
  addDropped: (at, source) => invoke("add_dropped", { at, source }),
  revealRoot: (source, root) => invoke("reveal_root", { source, root }),
  preview: (sources, onProgress) => invoke("preview", { sources, onProgress: channel(onProgress) }),
  cancel: () => invoke("cancel"),
  summary: (source, retention) => invoke("summary", { source, retention }),
  matrix: (source) => invoke("matrix", { source }),
  conversations: (source, retention, query) => invoke("conversations", { source, retention, query }),
  inspect: (key, retention) => invoke("inspect", { key, retention }),
  timeline: (key, retention, offset, limit) => invoke("timeline", { key, retention, offset, limit }),
  wholeText: (key, retention, index) => invoke("whole_text", { key, retention, index }),
  record: (key, retention, entry) => invoke("record", { key, retention, entry }),
  revealRecord: (key, entry) => invoke("reveal_record", { key, entry }),
  plan: () => invoke("plan"),
  runImport: (request, onProgress) => invoke("run_import", { request, onProgress: channel(onProgress) }),
  history: () => invoke("history"),
  outcomes: (query) => invoke("outcomes", { query }),
  saveReport: (run, format) => invoke("save_report", { run, format }),
  findWithin: (key, retention, text) => invoke("find_within", { key, retention, text }),
  locate: (key, retention, message) => invoke("locate", { key, retention, message }),
  async onWatched(hear) {
    await listen("watched", hear);
  },
  rebuildIndex: (onProgress) => invoke("rebuild_index", { onProgress: channel(onProgress) }),
  backUp: (onProgress) => invoke("back_up", { onProgress: channel(onProgress) }),
  moveLibrary: (onProgress) => invoke("move_library", { onProgress: channel(onProgress) }),
  kept: (query) => invoke("kept", { query }),
  facets: () => invoke("facets"),
  keptHistory: () => invoke("kept_history"),
  setMenu: (parts) => invoke("set_menu", { parts }),
  async onMenu(hear) {
    await listen<string>("menu", ({ payload }) => hear(payload));
  },
  zoom: (factor) => invoke("zoom", { factor }),
  fullScreen: () => invoke("full_screen"),
  attention: () => invoke("attention"),
  search: (query) => invoke("search", { query }),
  index: () => invoke("index"),
  setPin: (keys, pinned) => invoke("set_pin", { keys, pinned }),
  relabel: (keys, add, remove) => invoke("relabel", { keys, add, remove }),
  delete: (keys) => invoke("delete", { keys }),
  restore: (keys) => invoke("restore", { keys }),
  exportForms: () => invoke("export_forms"),
  exportKept: (keys, format, mask, name) => invoke("export_kept", { keys, format, mask, name }),
  copy: copyText,
  openLink: (address) => invoke("open_link", { address }),
};

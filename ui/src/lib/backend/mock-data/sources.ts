// What adapters would declare: infos, places looked at, boundaries. Invented figures.
import type { BoundaryRow, Disposition, RootView, SourceInfo, SourceView } from "../generated/dto";
import { en } from "../../i18n/en";
import { zhCN } from "../../i18n/zh-CN";

type Code = keyof typeof en.reasons;
type Edge = [Code, string, Disposition, Disposition, string];

interface Declared {
  info: SourceInfo;
  view: SourceView;
  edges: Edge[];
}

const root = (path: string, conversations: number, more: Partial<RootView> = {}): RootView => ({
  path,
  origin: "default",
  exists: true,
  readable: true,
  conversations,
  note: null,
  troubles: [],
  ...more,
});
const missing = (path: string): RootView => root(path, 0, { exists: false, readable: false });

function declare(
  source: string,
  displayName: string,
  blurb: [string, string],
  icon: string,
  deletesAfterDays: number | null,
  view: Partial<SourceView>,
  edges: Edge[],
): Declared {
  return {
    info: {
      source,
      displayName,
      parserVersion: `${source}@1`,
      blurb: { en: blurb[0], zh: blurb[1] },
      icon,
      deletesAfterDays,
      enabled: true,
      retention: "full",
    },
    view: {
      source,
      enabled: true,
      state: "found",
      error: null,
      troubles: [],
      roots: [],
      conversations: 0,
      bytes: 0,
      firstActivity: null,
      lastActivity: null,
      deletedSoon: null,
      strata: null,
      losing: null,
      unread: null,
      ...view,
    },
    edges,
  };
}

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

export const DECLARED: Declared[] = [
  declare(
    "claude-code",
    "Claude Code",
    ["One JSONL file per session, by project", "每个会话一个 JSONL 文件，按项目存放"],
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" d="M12 3v18M4.2 7.5l15.6 9M19.8 7.5l-15.6 9"/>',
    30,
    {
      conversations: 346,
      bytes: 1_104_000_000,
      firstActivity: "2025-09-03T08:11:00Z",
      lastActivity: minutesAgo(2),
      deletedSoon: 14,
      roots: [
        root("~/.claude/projects", 341),
        root("~/.config/claude/projects", 5),
        missing("$CLAUDE_CONFIG_DIR/projects"),
      ],
    },
    [
      ["injected-tag", "text", "dropped", "recovered", "normal-text"],
      ["system-record", "text", "dropped", "recovered", "system-records"],
      ["queued-prompt", "text", "dropped", "recovered", "queued-prompts"],
      ["tool-input", "tools", "folded", "recovered", "mixed-blocks"],
      ["tool-result", "tools", "dropped", "recovered", "tool-only"],
      ["thinking", "thinking", "kept", "kept", "thinking-only"],
      ["encrypted-content", "thinking", "dropped", "dropped", "redacted-thinking"],
      ["synthetic-timestamp", "time", "kept", "kept", "missing-timestamp"],
      ["off-branch", "time", "kept", "recovered", "rewind"],
      ["copied-prefix", "identity", "kept", "folded", "fork"],
      ["no-uuid", "identity", "dropped", "recovered", "no-uuid"],
      ["unknown-kind", "versions", "dropped", "unknown", "unknown-version"],
      ["malformed-json", "damage", "dropped", "dropped", "malformed-json"],
      ["nul-run", "damage", "dropped", "dropped", "nul-run"],
    ],
  ),
  declare(
    "codex",
    "Codex",
    ["Rollout logs, one per session, some compressed", "每个会话一份日志，部分已压缩"],
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linecap="round" stroke-linejoin="round" d="M4 5h16v14H4zM8 10l2.5 2L8 14M12.5 15H16"/>',
    null,
    {
      conversations: 181,
      bytes: 640_200_000,
      firstActivity: "2025-07-12T10:02:00Z",
      lastActivity: minutesAgo(60 * 26),
      roots: [
        root("~/.codex/sessions", 172),
        root("~/.codex/archived_sessions", 9, { note: "9 compressed" }),
        missing("$CODEX_HOME/sessions"),
      ],
    },
    [
      ["duplicate-of-latest-assistant", "text", "dropped", "folded", "repeated-text"],
      ["response-item-user", "text", "dropped", "recovered", "normal-text"],
      ["response-item-developer", "text", "dropped", "recovered", "developer-items"],
      ["ide-context-prefix", "text", "dropped", "recovered", "ide-prefix"],
      ["tool-input", "tools", "folded", "recovered", "mixed-blocks"],
      ["orphan-tool-call", "tools", "dropped", "recovered", "tool-only"],
      ["tool-result", "tools", "dropped", "recovered", "tool-only"],
      ["reasoning", "thinking", "dropped", "recovered", "thinking-only"],
      ["encrypted-content", "thinking", "dropped", "dropped", "encrypted-reasoning"],
      ["synthetic-timestamp", "time", "kept", "kept", "missing-timestamp"],
      ["compaction-history", "time", "dropped", "folded", "compaction"],
      ["copied-prefix", "identity", "kept", "folded", "fork"],
      ["event-not-mapped", "versions", "dropped", "recovered", "events"],
      ["unknown-kind", "versions", "dropped", "unknown", "unknown-version"],
      ["malformed-json", "damage", "dropped", "dropped", "malformed-json"],
    ],
  ),
  declare(
    "cursor",
    "Cursor",
    ["Rows in two SQLite databases", "两个 SQLite 数据库里的行"],
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" d="M5 4l14 6.5-6 2-2.2 6z"/>',
    null,
    {
      conversations: 402,
      bytes: 8_412_000_000,
      firstActivity: "2025-02-20T07:45:00Z",
      lastActivity: minutesAgo(44),
      roots: [
        root("~/.config/Cursor/User/globalStorage/state.vscdb", 88, { note: "read with its write-ahead log" }),
        root("~/.config/Cursor/User/workspaceStorage", 314),
        missing("~/.cursor-server"),
      ],
    },
    [
      ["empty-assistant-bubble", "text", "dropped", "dropped", "empty-response"],
      ["tool-only-bubble", "tools", "dropped", "recovered", "tool-only"],
      ["tool-result", "tools", "folded", "recovered", "mixed-blocks"],
      ["thinking-only-bubble", "thinking", "dropped", "recovered", "thinking-only"],
      ["synthetic-timestamp", "time", "kept", "kept", "missing-timestamp"],
      ["extended-coverage", "identity", "dropped", "recovered", "orphans"],
      ["unknown-kind", "versions", "dropped", "unknown", "unknown-version"],
      ["body-missing", "damage", "dropped", "dropped", "body-missing"],
      ["malformed-json", "damage", "dropped", "dropped", "malformed-json"],
    ],
  ),
  declare(
    "trae",
    "Trae",
    ["One value per workspace, partly encrypted", "每个工作区一个值，部分加密"],
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" d="M4 7h16v11H4zM8 7V5M16 7V5M9 12v2M15 12v2"/>',
    null,
    {
      conversations: 12,
      bytes: 31_400_000,
      firstActivity: "2025-06-01T02:10:00Z",
      lastActivity: minutesAgo(60 * 24 * 9),
      roots: [
        root("~/.config/Trae/User/workspaceStorage", 12),
        root("~/.config/Trae CN/ModularData/ai-agent/database.db", 0, { note: "encrypted by the tool" }),
      ],
    },
    [
      ["empty-message", "text", "dropped", "dropped", "empty-response"],
      ["role-not-mapped", "text", "dropped", "recovered", "roles"],
      ["nested-content-shadowed", "text", "dropped", "recovered", "mixed-blocks"],
      ["tool-only-message", "tools", "dropped", "recovered", "tool-only"],
      ["synthetic-timestamp", "time", "kept", "kept", "missing-timestamp"],
      ["unknown-kind", "versions", "dropped", "unknown", "unknown-version"],
      ["malformed-json", "damage", "dropped", "dropped", "malformed-json"],
    ],
  ),
  declare(
    "copilot",
    "GitHub Copilot",
    ["Snapshots and mutation logs of the editor’s chat", "编辑器聊天的快照和改动日志"],
    '<path fill="none" stroke="currentColor" stroke-width="1.8" stroke-linejoin="round" d="M5 11c0-4 3-6 7-6s7 2 7 6v4c0 2-3 4-7 4s-7-2-7-4zM9.5 12v2.5M14.5 12v2.5"/>',
    null,
    {
      state: "found",
      conversations: 77,
      bytes: 92_000_000,
      firstActivity: "2025-03-14T12:00:00Z",
      lastActivity: minutesAgo(60 * 24 * 3),
      roots: [
        root("~/.config/Code/User/workspaceStorage", 70),
        root("~/.config/Code/User/globalStorage/emptyWindowChatSessions", 7),
        missing("~/.config/Code - Insiders/User/workspaceStorage"),
        missing("~/.config/VSCodium/User/workspaceStorage"),
      ],
    },
    [
      ["later-patch", "text", "dropped", "recovered", "later-turns"],
      ["empty-response", "text", "dropped", "dropped", "empty-response"],
      ["unmapped-response-part", "text", "dropped", "recovered", "mixed-blocks"],
      ["tool-only-response", "tools", "dropped", "recovered", "tool-only"],
      ["synthetic-timestamp", "time", "kept", "kept", "missing-timestamp"],
      ["missing-snapshot", "damage", "dropped", "recovered", "missing-snapshot"],
      ["damaged-snapshot", "damage", "dropped", "recovered", "damaged-snapshot"],
      ["unknown-kind", "versions", "dropped", "unknown", "unknown-version"],
    ],
  ),
];

const title = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The matrix of a source, with the person's own counts by reason. */
export function boundaries(declared: Declared, yours: Map<string, number> | null, failing: boolean): BoundaryRow[] {
  return declared.edges.map(([code, group, reference, full, fixture], at) => {
    const differs = failing && at === 4;
    return {
      code,
      group,
      title: { en: title(en.reasons[code].name), zh: zhCN.reasons[code].name },
      rule: { en: en.reasons[code].why, zh: zhCN.reasons[code].why },
      reference,
      full,
      fixture,
      pass: !differs,
      difference: differs ? "message 3: content expected “ok”, found “”" : null,
      yours: yours ? (yours.get(code) ?? 0) : null,
    };
  });
}

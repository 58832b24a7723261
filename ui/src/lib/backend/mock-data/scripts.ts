// The talk that the mock's conversations are made of: one written by hand, the rest drawn from phrases.
import type { Rec } from "./build";

export const RETRY: Rec[] = [
  { kind: "session_meta", fate: "folded", reason: "metadata", text: "{}" },
  {
    kind: "event_msg/user_message",
    from: "user",
    text: "The uploader retries forever when the token expires. Find out why and fix it.",
    at: 0,
  },
  {
    kind: "response_item/message",
    fate: "folded",
    reason: "duplicate",
    text: "The uploader retries forever when the token expires.",
  },
  {
    kind: "response_item/reasoning",
    fate: "dropped",
    reason: "encrypted-content",
    text: "gAAAAABpF3kq0V1mS8rXn2…",
    from: "assistant",
    at: 4,
  },
  {
    kind: "response_item/reasoning",
    as: "reasoning",
    fate: "recovered",
    reason: "reasoning",
    from: "assistant",
    at: 5,
    text: "The loop has no exit for 401. The refresh call happens after the sleep, so the old token is used again. Two things to check:\n\n1. whether `refresh` can fail silently\n2. what `backoff` returns on the fifth attempt",
  },
  {
    kind: "event_msg/agent_message",
    from: "assistant",
    at: 5,
    origin: "synthetic",
    rule: "preceding-message",
    text: "The token is refreshed *after* the back-off, so each retry sends the expired one. I will refresh first and give up after five attempts.",
  },
  {
    kind: "response_item/function_call",
    as: "tool-call",
    tool: "shell",
    fate: "recovered",
    reason: "tool-input",
    from: "assistant",
    at: 12,
    text: 'rg -n "sleep|refresh" src/retry.rs',
  },
  {
    kind: "response_item/function_call_output",
    as: "tool-result",
    tool: "shell",
    fate: "recovered",
    reason: "tool-result",
    from: "system",
    at: 13,
    text: "41:    sleep(backoff(n)).await;\n42:    let token = refresh(&client).await?;\n57:    // refresh is not called on the first attempt",
  },
  { kind: "malformed", fate: "dropped", reason: "malformed-json", at: 13, text: '{"timestamp":"2026-11-03T09:31:2' },
  {
    kind: "response_item/hologram",
    fate: "unknown",
    reason: "unknown-kind",
    at: 14,
    text: '{"type":"hologram","frames":3,"version":"0.153"}',
  },
  {
    kind: "response_item/function_call",
    as: "tool-call",
    tool: "apply_patch",
    fate: "recovered",
    reason: "tool-input",
    from: "assistant",
    at: 40,
    text: "*** Begin Patch\n*** Update File: src/retry.rs\n@@\n-    sleep(backoff(n)).await;\n-    let token = refresh(&client).await?;\n+    let token = refresh(&client).await?;\n+    sleep(backoff(n)).await;\n*** End Patch",
  },
  {
    kind: "response_item/function_call_output",
    as: "tool-result",
    tool: "apply_patch",
    fate: "recovered",
    reason: "tool-result",
    from: "system",
    at: 41,
    text: "Success. Updated the following files:\nM src/retry.rs",
  },
  {
    kind: "event_msg/agent_message",
    from: "assistant",
    at: 30,
    outOfOrder: 6,
    text: "Patched. Running the tests now.",
  },
  {
    kind: "response_item/function_call",
    as: "tool-call",
    tool: "shell",
    fate: "recovered",
    reason: "tool-input",
    from: "assistant",
    at: 44,
    text: "cargo test -p uploader retry",
  },
  {
    kind: "response_item/function_call_output",
    as: "tool-result",
    tool: "shell",
    fate: "recovered",
    reason: "tool-result",
    from: "system",
    at: 60,
    text: "running 6 tests\ntest retry::gives_up_after_five ... ok\ntest retry::refreshes_before_waiting ... ok\n\ntest result: ok. 6 passed; 0 failed",
  },
  {
    kind: "event_msg/agent_message",
    from: "assistant",
    at: 118,
    text: "Done. The retry now refreshes before waiting and stops with a clear error:\n\n```rust\nErr(UploadError::Unauthorized { attempts: 5 })\n```\n\n| case | before | after |\n|---|---|---|\n| token expired | endless loop | refreshed once |\n| server says no | endless loop | error after 5 |\n\nMore in the [guide](https://example.org/retry) and at <file:///etc/passwd>.",
  },
  { kind: "event_msg/token_count", fate: "folded", reason: "metadata", text: "{}" },
  { kind: "event_msg/user_message", from: "user", at: 300, text: "Good. Also log the attempt number, please." },
  {
    kind: "event_msg/turn_aborted",
    as: "event",
    fate: "recovered",
    reason: "event-not-mapped",
    from: "system",
    at: 310,
    text: "turn aborted: interrupted",
  },
  {
    kind: "event_msg/user_message",
    as: "text",
    from: "user",
    at: 312,
    fate: "recovered",
    reason: "off-branch",
    branch: "abandoned",
    text: "Actually, use tracing instead of log.",
  },
  {
    kind: "event_msg/agent_message",
    from: "assistant",
    at: 330,
    thinking: "tracing is a dependency already; a span per attempt is enough.",
    text: "Each attempt now opens a span with its number; nothing else changes.",
  },
  { kind: "incomplete", fate: "pending", reason: "incomplete-record", text: '{"timestamp":"2026-11-03T10:47:0' },
];

const ASKS = [
  "Why does this test fail only on CI?",
  "把导入器的进度条改成按字节显示，顺便把取消按钮放到旁边。",
  "Rename `Store` to `Library` everywhere and keep the tests green.",
  "数据库迁移失败时要能回滚，先写测试再改。",
  "The page flickers when the theme changes. Find out why.",
  "Write a parser for the log format described in docs/log.md.",
];
const ANSWERS = [
  "The clock in the test is the wall clock; CI runs in UTC. I will inject it.",
  "已按字节统计，取消在两段对话之间生效，不会留下写了一半的内容。\n\n- 进度每秒最多十次\n- 取消后下次继续",
  "Renamed in 41 files. `cargo test` passes; the public API changed in one place, noted in the changelog.",
  "先加了一个会失败的测试：第 3 步抛错后，版本号应当不变。迁移现在整体放在一个事务里。",
  "The theme is applied after the first paint. Setting it on the root before mounting removes the flicker.",
  'Done:\n\n```ts\nexport function parse(line: string): Entry | Fault {\n  const at = line.indexOf(" ");\n  return at < 0 ? { fault: "no space" } : { at, text: line.slice(at + 1) };\n}\n```',
];
const TOOLS = ["shell", "read_file", "apply_patch", "grep", "web_search"];

export const TITLES = [
  "Fix the retry loop in the uploader",
  "给导入器加上进度条",
  "Why does CI time out on arm64",
  "review: uploader/retry.rs",
  "",
  "Port the parser to winnow",
  "数据库迁移失败时回滚",
  "Rename Store to Library",
  "Theme flicker on start",
  "为日志格式写解析器",
  "Draft release notes for 0.9",
  "Bisect the memory leak in the watcher",
  "整理 README 的安装步骤",
  "Make the table virtual",
];
export const PROJECTS = ["uploader", "assay-site", "工具箱", "parser-kit", "infra"];

/** A small random generator with a seed, so that every start shows the same. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Talk of about `turns` turns, with losses drawn from `codes`. */
export function talk(turns: number, random: () => number, lossy: boolean): Rec[] {
  const pick = <T>(from: T[]): T => from[Math.floor(random() * from.length)] as T;
  const recs: Rec[] = [{ kind: "meta", fate: "folded", reason: "metadata", text: "{}" }];
  let at = 0;
  for (let turn = 0; turn < turns; turn += 1) {
    at += 20 + Math.floor(random() * 200);
    recs.push({ kind: "user", from: "user", at, text: pick(ASKS) });
    if (random() < 0.5)
      recs.push({
        kind: "assistant/thinking",
        as: "reasoning",
        from: "assistant",
        at: at + 2,
        fate: "recovered",
        reason: "thinking",
        text: "Look at the failing case first, then at what changed.",
      });
    const calls = Math.floor(random() * 4);
    for (let call = 0; call < calls; call += 1) {
      const tool = pick(TOOLS);
      at += 3;
      recs.push({
        kind: "assistant/tool_use",
        as: "tool-call",
        tool,
        from: "assistant",
        at,
        fate: "recovered",
        reason: "tool-input",
        text: `${tool} --line ${Math.floor(random() * 400)}`,
      });
      recs.push({
        kind: "user/tool_result",
        as: "tool-result",
        tool,
        from: "system",
        at: at + 1,
        fate: "recovered",
        reason: "tool-result",
        text: "ok\n".repeat(1 + Math.floor(random() * 4)),
      });
    }
    if (lossy && random() < 0.25)
      recs.push({
        kind: "assistant/redacted_thinking",
        fate: "dropped",
        reason: "encrypted-content",
        from: "assistant",
        at,
        text: "EqQBCkYIBBgCKkAk…",
      });
    if (lossy && random() < 0.06)
      recs.push({
        kind: "malformed",
        fate: "dropped",
        reason: "malformed-json",
        at,
        text: '{"type":"assistant","mess',
      });
    at += 8;
    const made = random() < 0.05;
    recs.push({
      kind: "assistant",
      from: "assistant",
      at,
      text: pick(ANSWERS),
      ...(made ? { origin: "synthetic", rule: "preceding-message" } : {}),
    });
    if (random() < 0.1) recs.push({ kind: "blank", fate: "dropped", reason: "blank-line", text: "\n" });
  }
  return recs;
}

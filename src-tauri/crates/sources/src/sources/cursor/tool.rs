//! `toolFormerData`: a tool call and its result in one object. Input and result are JSON inside strings
//! (in some versions objects) and are kept word for word. Deliberately absent: what a tool did.

use super::render;
use super::writer::Writer;
use crate::readers::binary;
use crate::readers::json::{JsonType, Tape, Value};
use assay_model::{Kind, Reason};

/// Fields that [`write`] itself reads.
const READ: [&str; 8] =
    ["name", "params", "rawArgs", "result", "status", "userDecision", "toolCallBinary", "toolCallId"];

/// States after which nothing needs to be said.
const DONE: [&str; 3] = ["completed", "success", "done"];

/// Names of tools that old versions only number (Cursor 1.x to 3.6).
const NUMBERED: &[(i64, &str)] = &[
    (1, "read_semsearch_files"),
    (3, "ripgrep_search"),
    (5, "read_file"),
    (6, "list_dir"),
    (7, "edit_file"),
    (8, "file_search"),
    (9, "semantic_search_full"),
    (11, "delete_file"),
    (12, "reapply"),
    (15, "run_terminal_command_v2"),
    (16, "fetch_rules"),
    (18, "web_search"),
    (19, "mcp"),
    (38, "edit_file_v2"),
    (39, "list_dir_v2"),
    (40, "read_file_v2"),
    (41, "ripgrep_raw_search"),
    (42, "glob_file_search"),
    (43, "create_plan"),
    (48, "task_v2"),
    (49, "call_mcp_tool"),
    (50, "apply_agent_diff"),
    (51, "ask_question"),
    (52, "switch_mode"),
    (53, "generate_image"),
    (54, "computer_use"),
    (55, "write_shell_stdin"),
    (56, "record_screen"),
    (57, "web_fetch"),
];

/// Writes a call and what came of it. `alone`: its bubble has no text, so the published rules skip it.
pub(super) fn write(pen: &mut Writer<'_>, below: &str, tool: Value<'_>, alone: bool) {
    let reason = |other| if alone { Reason::ToolOnlyBubble } else { other };
    let text = |field: &str| tool.get(field).filter(|v| !v.is_default()).map(render::text);
    let (params, raw_args, result) = (text("params"), text("rawArgs"), text("result"));
    let name = name(tool, params.as_deref());
    let call = tool.get("toolCallId").and_then(Value::non_empty).map(|id| id.into_owned());
    let first = pen.made.len();

    let input = [("params", params), ("rawArgs", raw_args)];
    let mut kept: Option<String> = None;
    for (field, content) in input {
        let Some(content) = content else { continue };
        let place = format!("{below}/{field}");
        if kept.as_deref().is_some_and(|k| render::is_covered(&content, k)) {
            pen.drop(&place, format!("tool/{field}"), &content, Reason::Duplicate);
        } else {
            pen.recover(&place, format!("tool/{field}"), Kind::ToolCall, content.as_str(), reason(Reason::ToolInput));
            kept = Some(content);
        }
    }
    if kept.is_none() && name.is_some() {
        pen.recover(&format!("{below}/name"), "tool/name", Kind::ToolCall, "", reason(Reason::ToolInput));
    }
    if let Some(result) = &result {
        let place = format!("{below}/result");
        pen.recover(&place, "tool/result", Kind::ToolResult, result.as_str(), reason(Reason::ToolResult));
    }
    if let Some(body) = tool.get("toolCallBinary").and_then(Value::non_empty) {
        let shown = binary::describe("application/x-protobuf", &body);
        let place = format!("{below}/toolCallBinary");
        if result.is_none() {
            // A place in the timeline for a result that only the tool can read.
            let message = pen.message(&place, Kind::ToolResult, shown, reason(Reason::ToolResult));
            pen.hide(&place, "tool/toolCallBinary", body.len(), Reason::OpaqueBinary, message);
        } else {
            pen.omit(&place, "tool/toolCallBinary", body.len(), &shown, Reason::OpaqueBinary);
        }
    }
    let nothing = name.is_none() && kept.is_none() && result.is_none();
    state(pen, below, tool, nothing, reason(Reason::ToolResult));
    pen.rest(below, "tool", tool, &read(tool));
    for id in &pen.made[first..] {
        let message = pen.account.message(*id);
        message.tool_name.clone_from(&name);
        message.tool_call_id.clone_from(&call);
    }
}

/// The fields of [`READ`] that are of the type they are read as.
fn read(tool: Value<'_>) -> Vec<&'static str> {
    let free = ["params", "rawArgs", "result"];
    READ.into_iter().filter(|f| free.contains(f) || tool.get(f).is_none_or(|v| v.str().is_some())).collect()
}

/// What did not go through: an error, a refusal, an interruption, a call that failed before it had a name.
fn state(pen: &mut Writer<'_>, below: &str, tool: Value<'_>, nameless: bool, reason: Reason) {
    let status = tool.get("status").and_then(Value::non_empty).filter(|s| !DONE.contains(&&**s));
    let decision = tool.get("userDecision").and_then(Value::non_empty);
    let said: Vec<String> = [("status", &status), ("userDecision", &decision)]
        .into_iter()
        .filter_map(|(name, value)| Some(format!("{name}: {}", value.as_ref()?)))
        .collect();
    // On disk, a tool that still runs is one that was interrupted.
    let said: Vec<String> = match status.as_deref() {
        Some("loading" | "running") => said.into_iter().chain(["interrupted".to_owned()]).collect(),
        _ => said,
    };
    if !said.is_empty() {
        let failed = status.as_deref() == Some("error");
        let reason = if failed { Reason::ErrorRecord } else { reason };
        pen.recover(&format!("{below}/status"), "tool/status", Kind::Event, said.join("\n"), reason);
    } else if nameless {
        let marker = "tool call without a name: it failed before it started";
        pen.recover(&format!("{below}/name"), "tool/nameless", Kind::Event, marker, Reason::ErrorRecord);
    }
}

/// The tool's name; for a tool behind MCP that of the server and its tool.
fn name(tool: Value<'_>, params: Option<&str>) -> Option<String> {
    let own = tool.get("name").and_then(Value::non_empty).map(|n| n.into_owned()).or_else(|| {
        let number = tool.get("tool")?.i64()?;
        NUMBERED.iter().find(|(n, _)| *n == number).map(|(_, name)| (*name).to_owned())
    })?;
    let behind = |params: &str| {
        let mut tape = Tape::new();
        let params = tape.read_whole(params.as_bytes()).ok().filter(|v| v.kind() == JsonType::Object)?;
        let inner = params.get("tools").and_then(|t| t.items().next()).unwrap_or(params);
        let server = inner.get_any(&["serverName", "server"]).and_then(Value::non_empty)?;
        let name = inner.get_any(&["name", "toolName"]).and_then(Value::non_empty)?;
        Some(format!("{server}/{name}"))
    };
    let mcp = matches!(own.as_str(), "mcp" | "call_mcp_tool");
    Some(params.filter(|_| mcp).and_then(behind).unwrap_or(own))
}

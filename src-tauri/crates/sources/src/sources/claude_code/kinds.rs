//! What each kind of record, attachment, notice and block is, as tables.
//!
//! Kinds were read off public sessions of Claude Code 1.0 to 2.1 and the readers of other tools.
//! Deliberately absent: how a kind is read. What is in no table is unknown and is kept raw.

use super::context::Title;
use assay_model::{Kind, Reason};
use foldhash::HashMap;
use std::sync::LazyLock;

/// What becomes of a record by its `type`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RecordKind {
    /// Something said: its blocks are read one by one.
    Said,
    /// A notice; see [`SYSTEM`].
    System,
    /// Context handed to the model; see [`ATTACHMENTS`].
    Attachment,
    /// How far a tool has come.
    Progress,
    /// A title in this field.
    Title(&'static str, Title),
    /// The latest prompt, copied.
    LastPrompt,
    /// A prompt entering or leaving the queue.
    Queue,
    /// Something that happened: everything it says is kept.
    Event,
    /// A link to the conversation that this one branched off.
    ForkContext,
    /// The working directory moved.
    Relocated,
    /// State that the tool keeps for itself.
    Bookkeeping,
}

/// Record kinds by `type`.
pub(super) const RECORDS: &[(&str, RecordKind)] = &[
    ("user", RecordKind::Said),
    ("assistant", RecordKind::Said),
    ("system", RecordKind::System),
    ("attachment", RecordKind::Attachment),
    ("progress", RecordKind::Progress),
    ("custom-title", RecordKind::Title("customTitle", Title::Custom)),
    ("ai-title", RecordKind::Title("aiTitle", Title::Ai)),
    ("summary", RecordKind::Title("summary", Title::Summary)),
    ("last-prompt", RecordKind::LastPrompt),
    ("queue-operation", RecordKind::Queue),
    ("pr-link", RecordKind::Event),
    ("frame-link", RecordKind::Event),
    ("result", RecordKind::Event),
    ("content-replacement", RecordKind::Event),
    ("ended-by-model", RecordKind::Event),
    ("fork-context-ref", RecordKind::ForkContext),
    ("relocated", RecordKind::Relocated),
    ("file-history-snapshot", RecordKind::Bookkeeping),
    ("file-history-delta", RecordKind::Bookkeeping),
    ("permission-mode", RecordKind::Bookkeeping),
    ("mode", RecordKind::Bookkeeping),
    ("agent-name", RecordKind::Bookkeeping),
    ("agent-color", RecordKind::Bookkeeping),
    ("agent-setting", RecordKind::Bookkeeping),
    ("tag", RecordKind::Bookkeeping),
    ("isolation-latch", RecordKind::Bookkeeping),
    ("atis-latch", RecordKind::Bookkeeping),
    ("bridge-session", RecordKind::Bookkeeping),
    ("worktree-state", RecordKind::Bookkeeping),
    ("history-suppression", RecordKind::Bookkeeping),
    ("observer-ref", RecordKind::Bookkeeping),
    ("started", RecordKind::Bookkeeping),
];

/// What becomes of a notice or an attachment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Rule {
    /// Everything it says becomes a message of this kind.
    Keep(Kind),
    /// It is kept if one of these fields holds something, else it is only counted.
    KeepIf(&'static [&'static str]),
    /// Only counted; what it says is a state of the tool.
    Fold,
    /// A list of what is available, or words that the tool writes every time.
    Drop(Reason),
}

/// Notices by `subtype`; one without a subtype is an old notice with text.
pub(super) const SYSTEM: &[(&str, Rule)] = &[
    ("", Rule::Keep(Kind::Event)),
    ("local_command", Rule::Keep(Kind::Event)),
    ("compact_boundary", Rule::Keep(Kind::Event)),
    ("microcompact_boundary", Rule::Keep(Kind::Event)),
    ("stop_hook_summary", Rule::KeepIf(&["hookErrors", "hookAdditionalContext", "stopReason"])),
    ("turn_duration", Rule::Fold),
    ("api_error", Rule::Keep(Kind::Event)),
    ("error", Rule::Keep(Kind::Event)),
    ("away_summary", Rule::Keep(Kind::Event)),
    ("informational", Rule::Keep(Kind::Event)),
    ("bridge_status", Rule::KeepIf(&["content"])),
    ("api_refusal", Rule::Keep(Kind::Event)),
    ("model_refusal_fallback", Rule::Keep(Kind::Event)),
    ("session_start", Rule::KeepIf(&["content"])),
    ("custom_title", Rule::Keep(Kind::Event)),
    ("system_prompt", Rule::Keep(Kind::Event)),
    ("mid_turn_user_message", Rule::Keep(Kind::Event)),
];

/// Attachments by their own `type`. `queued_command` is not here: it is a prompt, see [`super::queue`].
pub(super) const ATTACHMENTS: &[(&str, Rule)] = &[
    ("file", Rule::Keep(Kind::Attachment)),
    ("directory", Rule::Keep(Kind::Attachment)),
    ("compact_file_reference", Rule::Fold),
    ("edited_text_file", Rule::Keep(Kind::Attachment)),
    ("edited_image_file", Rule::Keep(Kind::Attachment)),
    ("selected_lines_in_ide", Rule::Keep(Kind::Attachment)),
    ("selected_lines_in_diff", Rule::Keep(Kind::Attachment)),
    ("opened_file_in_ide", Rule::Fold),
    ("nested_memory", Rule::Keep(Kind::Attachment)),
    ("relevant_memories", Rule::Keep(Kind::Attachment)),
    ("skill_listing", Rule::Drop(Reason::Catalogue)),
    ("invoked_skills", Rule::Keep(Kind::Attachment)),
    ("dynamic_skill", Rule::Fold),
    ("command_permissions", Rule::Fold),
    ("task_reminder", Rule::Fold),
    ("todo_reminder", Rule::Fold),
    ("task_status", Rule::Keep(Kind::Event)),
    ("plan_mode", Rule::Fold),
    ("plan_mode_exit", Rule::Fold),
    ("plan_mode_reentry", Rule::Fold),
    ("auto_mode", Rule::Fold),
    ("auto_mode_exit", Rule::Fold),
    ("ultra_effort_enter", Rule::Fold),
    ("ultra_effort_exit", Rule::Fold),
    ("deferred_tools_delta", Rule::Drop(Reason::Catalogue)),
    ("agent_listing_delta", Rule::Drop(Reason::Catalogue)),
    ("mcp_instructions_delta", Rule::KeepIf(&["addedBlocks"])),
    ("mcp_dropped_tools_delta", Rule::Drop(Reason::Catalogue)),
    ("tool_search_usage_reminder", Rule::Drop(Reason::Boilerplate)),
    ("critical_system_reminder", Rule::Keep(Kind::Event)),
    ("total_tokens_reminder", Rule::Drop(Reason::Boilerplate)),
    ("batching_reminder_sent", Rule::Drop(Reason::Boilerplate)),
    ("silent_turn_reminder", Rule::Drop(Reason::Boilerplate)),
    ("token_usage", Rule::Fold),
    ("budget_usd", Rule::Fold),
    ("read_truncation_notice", Rule::Fold),
    ("date_change", Rule::Fold),
    ("structured_output", Rule::Keep(Kind::Text)),
    ("companion_intro", Rule::Drop(Reason::Boilerplate)),
    ("hook_success", Rule::KeepIf(&["content", "stdout", "stderr"])),
    ("hook_additional_context", Rule::Keep(Kind::Event)),
    ("hook_blocking_error", Rule::Keep(Kind::Event)),
    ("hook_non_blocking_error", Rule::Keep(Kind::Event)),
    ("hook_error_during_execution", Rule::Keep(Kind::Event)),
    ("hook_cancelled", Rule::Keep(Kind::Event)),
    ("hook_permission_decision", Rule::Fold),
    ("hook_system_message", Rule::Keep(Kind::Event)),
    ("async_hook_response", Rule::Keep(Kind::Event)),
];

/// How a block of a message is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum BlockKind {
    /// Something said.
    Text,
    /// Reasoning.
    Thinking,
    /// Reasoning that the provider encrypted.
    Redacted,
    /// A tool being called. The published rules know only `tool_use`.
    Call(Reason),
    /// What a tool answered. The published rules know only `tool_result`.
    Answer(Reason),
    /// An image, a document or a file.
    Media,
    /// A summary that the provider made of what came before.
    Compaction,
    /// A switch of models in the middle of a message.
    Switch,
}

/// Blocks by `type`, and the fields each may have.
pub(super) const BLOCKS: &[(&str, BlockKind, &[&str])] = &[
    ("text", BlockKind::Text, &["text", "citations", "cache_control"]),
    ("thinking", BlockKind::Thinking, &["thinking", "signature", "cache_control"]),
    ("redacted_thinking", BlockKind::Redacted, &["data"]),
    ("tool_use", BlockKind::Call(Reason::ToolInput), CALL),
    ("server_tool_use", BlockKind::Call(Reason::NonTextBlock), CALL),
    ("mcp_tool_use", BlockKind::Call(Reason::NonTextBlock), CALL),
    ("tool_result", BlockKind::Answer(Reason::ToolResult), ANSWER),
    ("web_search_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("web_fetch_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("code_execution_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("bash_code_execution_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("text_editor_code_execution_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("tool_search_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("mcp_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("advisor_tool_result", BlockKind::Answer(Reason::NonTextBlock), ANSWER),
    ("image", BlockKind::Media, MEDIA),
    ("document", BlockKind::Media, MEDIA),
    ("file", BlockKind::Media, MEDIA),
    ("container_upload", BlockKind::Media, MEDIA),
    ("search_result", BlockKind::Media, MEDIA),
    ("tool_reference", BlockKind::Media, MEDIA),
    ("compaction", BlockKind::Compaction, &["content", "encrypted_content", "cache_control"]),
    ("fallback", BlockKind::Switch, &["from", "to", "trigger"]),
];

const CALL: &[&str] = &["id", "name", "input", "caller", "server_name", "cache_control"];
const ANSWER: &[&str] = &["tool_use_id", "content", "is_error", "caller", "cache_control"];
/// Everything that is said about a medium is kept with it.
const MEDIA: &[&str] = &[];

/// What a field beside the message is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// Identity, links, time, flags and the body: read elsewhere, or a fact about the tool.
    Structure,
    /// Something that is said about the record.
    State,
}

/// Fields of a record with a message, an attachment or progress; sorted by name.
pub(super) const FIELDS: &[(&str, Field)] = &[
    ("agentId", Field::Structure),
    ("agentName", Field::State),
    ("apiErrorStatus", Field::State),
    ("attachment", Field::Structure),
    ("attributionAgent", Field::State),
    ("attributionMcpServer", Field::State),
    ("attributionMcpTool", Field::State),
    ("attributionPlugin", Field::State),
    ("attributionSkill", Field::State),
    ("classifierMetaLines", Field::State),
    ("costUSD", Field::Structure),
    ("cwd", Field::Structure),
    ("data", Field::Structure),
    ("durationMs", Field::Structure),
    ("effort", Field::Structure),
    ("entrypoint", Field::Structure),
    ("error", Field::State),
    ("errorDetails", Field::State),
    ("forkedFrom", Field::Structure),
    ("gitBranch", Field::Structure),
    ("imagePasteIds", Field::Structure),
    ("interruptedByShutdown", Field::Structure),
    ("interruptedMessageId", Field::Structure),
    ("isAbortedMidStream", Field::Structure),
    ("isApiErrorMessage", Field::Structure),
    ("isCompactSummary", Field::Structure),
    ("isMeta", Field::Structure),
    ("isSidechain", Field::Structure),
    ("isVisibleInTranscriptOnly", Field::Structure),
    ("level", Field::Structure),
    ("logicalParentUuid", Field::Structure),
    ("mcpMeta", Field::State),
    ("message", Field::Structure),
    ("origin", Field::State),
    ("parentToolUseID", Field::Structure),
    ("parentUuid", Field::Structure),
    ("permissionMode", Field::Structure),
    ("promptId", Field::Structure),
    ("promptSource", Field::Structure),
    ("requestId", Field::Structure),
    ("sessionId", Field::Structure),
    ("sessionKind", Field::Structure),
    ("session_id", Field::Structure),
    ("slug", Field::Structure),
    ("sourceToolAssistantUUID", Field::Structure),
    ("sourceToolUseID", Field::Structure),
    ("subtype", Field::Structure),
    ("summarizeMetadata", Field::State),
    ("supersedes", Field::Structure),
    ("supersedesUuids", Field::Structure),
    ("teamName", Field::State),
    ("thinkingMetadata", Field::State),
    ("timestamp", Field::Structure),
    ("todos", Field::State),
    ("toolDenialKind", Field::State),
    ("toolEndsTurn", Field::Structure),
    ("toolUseID", Field::Structure),
    ("toolUseResult", Field::Structure),
    ("turnCompanion", Field::Structure),
    ("type", Field::Structure),
    ("userType", Field::Structure),
    ("uuid", Field::Structure),
    ("version", Field::Structure),
];

/// Fields of `message` other than its content.
pub(super) const MESSAGE_FIELDS: &[&str] = &[
    "id", "type", "role", "model", "content", "stop_reason", "stop_sequence", "stop_details", "usage", "container",
    "context_management", "diagnostics",
];

/// The entry of a table.
pub(super) fn find<T: Copy>(table: &[(&str, T)], name: &str) -> Option<T> {
    table.iter().find(|(n, _)| *n == name).map(|(_, t)| *t)
}

/// What a field is; `None`: not known.
pub(super) fn field(name: &str) -> Option<Field> {
    // Asked for every field of every record.
    static BY_NAME: LazyLock<HashMap<&str, Field>> = LazyLock::new(|| FIELDS.iter().copied().collect());
    BY_NAME.get(name).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_sorted_so_that_they_can_be_found() {
        assert!(FIELDS.is_sorted_by(|a, b| a.0 < b.0));
        assert_eq!(field("uuid"), Some(Field::Structure));
        assert_eq!(field("frobnicate"), None);
    }
}

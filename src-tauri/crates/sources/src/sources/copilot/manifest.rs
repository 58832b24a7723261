//! What the adapter declares about itself: names, words, and every rule at which content can be lost.

use crate::{Boundary, Group, SourceManifest, Words};
use assay_model::{Disposition, Reason};

pub(super) static MANIFEST: SourceManifest = SourceManifest {
    name: super::discovery::NAME,
    display_name: "GitHub Copilot",
    parser_version: "copilot@1",
    blurb: Words {
        en: "Chat sessions of VS Code, its Insiders and open builds, and of the Copilot command line tool.",
        zh: "VS Code（含 Insiders 与开源构建）里的 Copilot 聊天，以及 Copilot 命令行工具的会话。",
    },
    icon: r#"<path d="M4 13c0-4 2-6 8-6s8 2 8 6v3c0 1-3 3-8 3s-8-2-8-3z"/><path d="M9 13v2M15 13v2"/><path d="M8 7c0-2 1-3 4-3s4 1 4 3"/>"#,
    deletes_after_days: None,
    resume_command: None,
    boundaries: BOUNDARIES,
};

/// A boundary whose content full retention gives back.
const fn given_back(
    reason: Reason,
    group: Group,
    fixture: &'static str,
    title: Words,
    rule: Words,
    reference: Disposition,
) -> Boundary {
    Boundary { reason, group, title, rule, reference, full: Disposition::Recovered, fixture }
}

/// A boundary at which both retentions do the same.
const fn alike(
    reason: Reason,
    group: Group,
    fixture: &'static str,
    title: Words,
    rule: Words,
    both: Disposition,
) -> Boundary {
    Boundary { reason, group, title, rule, reference: both, full: both, fixture }
}

const fn words(en: &'static str, zh: &'static str) -> Words {
    Words { en, zh }
}

const DROPPED: Disposition = Disposition::Dropped;
const FOLDED: Disposition = Disposition::Folded;

static BOUNDARIES: &[Boundary] = &[
    given_back(
        Reason::LaterPatch,
        Group::Text,
        "later-patches",
        words("Later lines of the log", "日志后续行"),
        words("Only the literal first line of a .jsonl is read; every later change is not.", "只读 .jsonl 的第一行，之后的改动一概不读。"),
        DROPPED,
    ),
    given_back(
        Reason::Superseded,
        Group::Text,
        "later-patches",
        words("Replaced turns", "被替换的轮次"),
        words("A turn that was edited or sent again stays readable in an earlier line.", "编辑或重发过的轮次，旧文本仍留在较早的行里。"),
        DROPPED,
    ),
    given_back(
        Reason::UnmappedResponsePart,
        Group::Text,
        "mixed-blocks",
        words("Other response parts", "其他回复片段"),
        words("Parts that are neither text, thinking nor a tool call are not read.", "既非文本、思考，也非工具调用的片段不读取。"),
        DROPPED,
    ),
    alike(
        Reason::EmptyResponse,
        Group::Text,
        "empty-response",
        words("Empty response", "空回复"),
        words("A response without text and thinking makes no message.", "没有文本也没有思考的回复不产生消息。"),
        DROPPED,
    ),
    alike(
        Reason::EmptyMessage,
        Group::Text,
        "empty-response",
        words("Blank prompt", "空白提问"),
        words("A prompt that trims to nothing makes no message.", "去掉空白后为空的提问不产生消息。"),
        DROPPED,
    ),
    given_back(
        Reason::Attachment,
        Group::Text,
        "mixed-blocks",
        words("Attachments", "附件"),
        words("Files, images and other context of a prompt are not read.", "随提问附上的文件、图片等上下文不读取。"),
        DROPPED,
    ),
    given_back(
        Reason::QueuedPrompt,
        Group::Text,
        "later-patches",
        words("Queued prompts", "排队的提问"),
        words("Prompts that wait to be sent are not read.", "排队待发送的提问不读取。"),
        DROPPED,
    ),
    given_back(
        Reason::UnsentDraft,
        Group::Text,
        "later-patches",
        words("Unsent draft", "未发送的草稿"),
        words("Text left in the input box is not read.", "输入框里未发送的文字不读取。"),
        DROPPED,
    ),
    given_back(
        Reason::ErrorRecord,
        Group::Text,
        "mixed-blocks",
        words("Errors", "错误"),
        words("The error that ended a response is not read.", "导致回复中断的错误信息不读取。"),
        DROPPED,
    ),
    given_back(
        Reason::EventNotMapped,
        Group::Text,
        "mixed-blocks",
        words("Interrupted responses", "中断的回复"),
        words("That a response was cancelled, failed or is still pending is not read.", "回复被取消、失败或仍在等待的状态不读取。"),
        DROPPED,
    ),
    given_back(
        Reason::SystemRecord,
        Group::Text,
        "mixed-blocks",
        words("Prompts by the system", "系统发起的提问"),
        words("The label of a prompt that the editor itself sent is not read.", "编辑器自行发起的提问，其标签不读取。"),
        DROPPED,
    ),
    alike(
        Reason::UiState,
        Group::Text,
        "mixed-blocks",
        words("State of the interface", "界面状态"),
        words("Undo marks and server starts are no part of what was said.", "撤销标记、服务启动等不属于对话内容。"),
        DROPPED,
    ),
    alike(
        Reason::Metadata,
        Group::Text,
        "normal-text",
        words("Facts about the session", "会话信息"),
        words("Title, model, usage, references and the like are kept as facts, not as messages.", "标题、模型、用量、引用等作为信息保留，不作为消息。"),
        FOLDED,
    ),
    given_back(
        Reason::ToolInput,
        Group::Tools,
        "mixed-blocks",
        words("Tool calls", "工具调用"),
        words("Of a tool call only a flag on the answer stays.", "工具调用只在回答上留下一个标记。"),
        FOLDED,
    ),
    given_back(
        Reason::ToolResult,
        Group::Tools,
        "mixed-blocks",
        words("Tool results", "工具结果"),
        words("What a tool answered is not read.", "工具返回的内容不读取。"),
        DROPPED,
    ),
    given_back(
        Reason::ToolOnlyResponse,
        Group::Tools,
        "tool-only",
        words("Response with only tools", "只有工具的回复"),
        words("A response without text and thinking makes no message, so its calls leave no flag.", "没有文本和思考的回复不产生消息，其中的调用也不留标记。"),
        DROPPED,
    ),
    given_back(
        Reason::Thinking,
        Group::Thinking,
        "mixed-blocks",
        words("Full thinking", "完整思考"),
        words("Thinking written as a list, or complete only in the model's record, is not read.", "以列表写成、或只在模型记录里完整的思考不读取。"),
        DROPPED,
    ),
    alike(
        Reason::EncryptedContent,
        Group::Thinking,
        "mixed-blocks",
        words("Encrypted thinking", "加密的思考"),
        words("Thinking that the provider encrypted can be read by nobody else.", "由服务商加密的思考，旁人无法读取。"),
        DROPPED,
    ),
    alike(
        Reason::Duplicate,
        Group::Identity,
        "copies",
        words("Copies", "副本"),
        words("What is kept elsewhere word for word is not kept twice.", "别处已逐字保留的内容不再保留第二份。"),
        DROPPED,
    ),
    given_back(
        Reason::ExtendedCoverage,
        Group::Identity,
        "command-line",
        words("Sessions elsewhere", "别处的会话"),
        words("The command line tool and transcripts of the extension are not looked at.", "命令行工具的会话和扩展的转录文件不在读取范围内。"),
        DROPPED,
    ),
    given_back(
        Reason::LegacyShape,
        Group::Versions,
        "old-shapes",
        words("First versions", "早期版本"),
        words("Prompts and responses that are bare strings are not read.", "直接写成字符串的提问和回复不读取。"),
        DROPPED,
    ),
    alike(
        Reason::UnknownKind,
        Group::Versions,
        "unknown-version",
        words("Unknown kinds", "未知类型"),
        words("Fields, parts and changes that this version does not know are kept as they are and named.", "本版本不认识的字段、片段和改动按原样保留并列出名称。"),
        Disposition::Unknown,
    ),
    given_back(
        Reason::DamagedSnapshot,
        Group::Damage,
        "malformed-json",
        words("Damaged snapshot", "损坏的快照"),
        words("A damaged first line, or a damaged whole session, gives an empty conversation.", "第一行损坏或整个会话文件损坏时，得到空对话。"),
        DROPPED,
    ),
    given_back(
        Reason::MissingSnapshot,
        Group::Damage,
        "missing-snapshot",
        words("Missing snapshot", "缺少快照"),
        words("A log whose first line is no snapshot gives an empty conversation.", "第一行不是快照的日志得到空对话。"),
        DROPPED,
    ),
    alike(
        Reason::MalformedJson,
        Group::Damage,
        "malformed-json",
        words("Unreadable text", "无法读取的文本"),
        words("What is no JSON, not even after repair, is listed with its beginning.", "修复后仍不是 JSON 的内容，列出其开头。"),
        DROPPED,
    ),
    alike(
        Reason::BlankLine,
        Group::Damage,
        "missing-snapshot",
        words("Blank lines", "空行"),
        words("A line of nothing but white space holds nothing.", "只有空白的行没有内容。"),
        DROPPED,
    ),
];

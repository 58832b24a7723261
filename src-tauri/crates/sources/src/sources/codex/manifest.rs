//! What Codex's adapter declares about itself, and each rule at which content can be lost.
//!
//! Deliberately absent: the rules themselves, which live where they are applied.

use crate::{Boundary, Group, SourceManifest, Words};
use assay_model::{Disposition, Reason};
use Disposition::{Dropped, Folded, Recovered, Unknown};

const fn boundary(
    reason: Reason,
    group: Group,
    (reference, full): (Disposition, Disposition),
    fixture: &'static str,
    title: Words,
    rule: Words,
) -> Boundary {
    Boundary { reason, group, title, rule, reference, full, fixture }
}

const fn words(en: &'static str, zh: &'static str) -> Words {
    Words { en, zh }
}

pub(super) static MANIFEST: SourceManifest = SourceManifest {
    name: super::NAME,
    display_name: "Codex",
    parser_version: "codex@2",
    blurb: words(
        "Rollout logs of the Codex command line, editor extension and desktop app, live and archived.",
        "Codex 命令行、编辑器扩展和桌面应用写下的会话日志，含已归档的会话。",
    ),
    icon: r#"<path d="M4 5h16v14H4z"/><path d="M7.5 9.5 10 12l-2.5 2.5"/><path d="M12.5 14.5h4"/>"#,
    deletes_after_days: None,
    resume_command: Some("codex resume {id}"),
    boundaries: &[
        boundary(
            Reason::ResponseItemUser,
            Group::Text,
            (Dropped, Recovered),
            "normal-text",
            words("Model-side prompts", "发给模型的用户消息"),
            words(
                "A user message in the model's history is passed over; only the client's event counts.",
                "模型历史里的用户消息不采用，只认客户端事件。",
            ),
        ),
        boundary(
            Reason::ResponseItemDeveloper,
            Group::Text,
            (Dropped, Recovered),
            "mixed-blocks",
            words("Developer instructions", "开发者指令"),
            words("A message with the developer role is passed over.", "角色为 developer 的消息不采用。"),
        ),
        boundary(
            Reason::RoleNotMapped,
            Group::Text,
            (Dropped, Recovered),
            "events",
            words("Other roles", "其他角色"),
            words("A message whose role is none of the known three is passed over.", "角色不在三种已知角色之内的消息不采用。"),
        ),
        boundary(
            Reason::DuplicateOfLatestAssistant,
            Group::Identity,
            (Dropped, Recovered),
            "repeated-text",
            words("Same as the latest answer", "与最近一条回答相同"),
            words(
                "An answer in the model's history that equals the latest answer counts as its copy, also when it was said again.",
                "模型历史里的回答若与最近一条回答相同，即视为副本，哪怕是真的又说了一遍。",
            ),
        ),
        boundary(
            Reason::Duplicate,
            Group::Identity,
            (Folded, Folded),
            "normal-text",
            words("The other stream's copy", "另一条记录流中的副本"),
            words(
                "A text that both streams tell in one turn is shown once; the copy points at it.",
                "同一轮中两条记录流都写下的文字只显示一次，副本指向它。",
            ),
        ),
        boundary(
            Reason::IdeContextPrefix,
            Group::Text,
            (Dropped, Recovered),
            "ide-context",
            words("Editor context before the prompt", "提示前的编辑器上下文"),
            words(
                "Everything up to the line “## My request for Codex:” is cut off a prompt.",
                "提示中直到“## My request for Codex:”这一行为止的内容会被截去。",
            ),
        ),
        boundary(
            Reason::EmptyMessage,
            Group::Text,
            (Dropped, Dropped),
            "empty-response",
            words("Empty messages", "空消息"),
            words("A message without text is no message.", "没有文字的消息不算消息。"),
        ),
        boundary(
            Reason::Attachment,
            Group::Text,
            (Dropped, Recovered),
            "mixed-blocks",
            words("Images and sound", "图片与音频"),
            words("Media in a prompt are not read.", "提示中的图片和音频不读取。"),
        ),
        boundary(
            Reason::ToolInput,
            Group::Tools,
            (Folded, Recovered),
            "mixed-blocks",
            words("Tool calls", "工具调用"),
            words("A call leaves only a flag on the latest answer.", "工具调用只在最近一条回答上留下标记。"),
        ),
        boundary(
            Reason::OrphanToolCall,
            Group::Tools,
            (Dropped, Recovered),
            "tool-only",
            words("Calls before any answer", "尚无回答时的调用"),
            words("A call with no answer before it leaves nothing.", "之前没有任何回答的工具调用不留痕迹。"),
        ),
        boundary(
            Reason::ToolResult,
            Group::Tools,
            (Dropped, Recovered),
            "tool-only",
            words("Tool results", "工具结果"),
            words("What a tool answered is not read.", "工具返回的内容不读取。"),
        ),
        boundary(
            Reason::Reasoning,
            Group::Thinking,
            (Dropped, Recovered),
            "thinking-only",
            words("Reasoning", "推理"),
            words("Reasoning does not become thinking.", "推理内容不会成为思考文本。"),
        ),
        boundary(
            Reason::EncryptedContent,
            Group::Thinking,
            (Dropped, Dropped),
            "thinking-only",
            words("Encrypted by the provider", "由服务商加密"),
            words("Nobody outside the provider can read it.", "除服务商外无人能读。"),
        ),
        boundary(
            Reason::EventNotMapped,
            Group::Text,
            (Dropped, Recovered),
            "events",
            words("Events and items outside the rules", "规则之外的事件与条目"),
            words(
                "Reviews, plans, patches, search results, aborts and the like are not read.",
                "评审、计划、补丁、搜索结果、中断等不读取。",
            ),
        ),
        boundary(
            Reason::ErrorRecord,
            Group::Text,
            (Dropped, Recovered),
            "events",
            words("Errors", "错误"),
            words("An error that the tool recorded is not read.", "工具记录的错误不读取。"),
        ),
        boundary(
            Reason::CompactionHistory,
            Group::Identity,
            (Dropped, Recovered),
            "compaction",
            words("History after a compaction", "压缩后的历史"),
            words(
                "A compaction repeats the history; only what is new in it, a summary, is shown.",
                "压缩会重写一遍历史，其中只有新的部分（摘要）会显示。",
            ),
        ),
        boundary(
            Reason::CopiedPrefix,
            Group::Identity,
            (Folded, Folded),
            "fork",
            words("A copied beginning", "复制来的开头"),
            words(
                "A fork or spawned agent repeats its parent; the original stands in the parent's conversation.",
                "分叉或派生的会话会重复其父会话的开头，原文在父会话里。",
            ),
        ),
        boundary(
            Reason::Boilerplate,
            Group::Text,
            (Dropped, Recovered),
            "mixed-blocks",
            words("System prompt", "系统提示词"),
            words("The instructions in the file's first record are not read.", "文件首条记录中的系统指令不读取。"),
        ),
        boundary(
            Reason::Catalogue,
            Group::Tools,
            (Dropped, Dropped),
            "mixed-blocks",
            words("Lists of tools", "工具清单"),
            words("The tools that a host offers are a catalogue, not conversation.", "宿主提供的工具只是清单，不属于对话。"),
        ),
        boundary(
            Reason::Metadata,
            Group::Versions,
            (Folded, Folded),
            "normal-text",
            words("State and counters", "状态与计数"),
            words("Model, settings, usage and limits are not messages.", "模型、设置、用量与限额不是消息。"),
        ),
        boundary(
            Reason::FileCheckpoint,
            Group::Versions,
            (Dropped, Dropped),
            "events",
            words("File checkpoints", "文件检查点"),
            words("A snapshot of files is not conversation.", "文件快照不属于对话。"),
        ),
        boundary(
            Reason::LegacyShape,
            Group::Versions,
            (Dropped, Recovered),
            "legacy",
            words("Records of 2025", "2025 年的旧格式"),
            words("A record without type and payload is not read.", "没有 type 与 payload 的记录不读取。"),
        ),
        boundary(
            Reason::BookkeepingRecord,
            Group::Versions,
            (Dropped, Dropped),
            "legacy",
            words("State records", "状态记录"),
            words("A record that only says which response came before holds no text.", "只记录上一个响应编号的记录不含文字。"),
        ),
        boundary(
            Reason::UnknownKind,
            Group::Versions,
            (Unknown, Unknown),
            "unknown-version",
            words("Unknown kinds", "未知类型"),
            words("A kind that this version does not know is kept as it is written.", "本版本不认识的类型按原文保存。"),
        ),
        boundary(
            Reason::MalformedJson,
            Group::Damage,
            (Dropped, Dropped),
            "malformed-json",
            words("Damaged lines", "损坏的行"),
            words("A line that is not JSON is left out; the others are read.", "不是 JSON 的行会被略过，其余照常读取。"),
        ),
    ],
};

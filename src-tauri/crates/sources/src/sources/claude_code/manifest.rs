//! What the adapter declares: its name, its words, and the rules at which content can be lost.

use crate::{Boundary, Group, SourceManifest, Words};
use assay_model::Disposition::{self, Dropped, Folded, Recovered, Unknown};
use assay_model::Reason;

/// See [`SourceManifest`].
pub(super) static MANIFEST: SourceManifest = SourceManifest {
    name: super::discovery::SOURCE,
    display_name: "Claude Code",
    parser_version: "claude-code@2",
    blurb: Words {
        en: "One transcript a session, one record a line, in the projects folder of ~/.claude.",
        zh: "每个会话一份逐行记录的文件，存放在 ~/.claude 的 projects 文件夹里。",
    },
    icon: r#"<path d="M4 5h16v11H11l-4 4v-4H4z" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round"/><path d="M8 9l2.5 2L8 13M13 13h3.5" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round" stroke-linejoin="round"/>"#,
    deletes_after_days: Some(30),
    resume_command: Some("claude --resume {id}"),
    boundaries: BOUNDARIES,
};

#[allow(clippy::too_many_arguments)]
const fn rule(
    reason: Reason,
    group: Group,
    title: (&'static str, &'static str),
    rule: (&'static str, &'static str),
    reference: Disposition,
    full: Disposition,
    fixture: &'static str,
) -> Boundary {
    Boundary {
        reason,
        group,
        title: Words { en: title.0, zh: title.1 },
        rule: Words { en: rule.0, zh: rule.1 },
        reference,
        full,
        fixture,
    }
}

static BOUNDARIES: &[Boundary] = &[
    rule(
        Reason::NoUuid,
        Group::Identity,
        ("Record without an id", "没有编号的记录"),
        (
            "Only a record with a uuid is a message; words in one without are kept beyond that rule.",
            "只有带 uuid 的记录才算消息；没有 uuid 的记录里的话，由完整保留补回。",
        ),
        Dropped,
        Recovered,
        "no-uuid",
    ),
    rule(
        Reason::BookkeepingRecord,
        Group::Versions,
        ("Bookkeeping", "工具自用的记录"),
        (
            "Titles, modes, checkpoints and progress are no messages; links and an agent's only copy are kept.",
            "标题、模式、检查点和进度不算消息；链接以及子代理仅此一份的内容会保留。",
        ),
        Dropped,
        Recovered,
        "bookkeeping",
    ),
    rule(
        Reason::SystemRecord,
        Group::Text,
        ("Notice of the tool", "系统提示记录"),
        (
            "Errors, compaction, refusals and recaps are left out; full retention shows them as events.",
            "报错、压缩、拒答和回顾一律不收；完整保留会把它们列为事件。",
        ),
        Dropped,
        Recovered,
        "notices",
    ),
    rule(
        Reason::ToolInput,
        Group::Tools,
        ("Input of a tool call", "工具调用的输入"),
        (
            "A call leaves only a flag on its message; full retention keeps what was asked of the tool.",
            "一次调用只在消息上留下一个标记；完整保留会存下交给工具的全部输入。",
        ),
        Folded,
        Recovered,
        "tool-only",
    ),
    rule(
        Reason::ToolResult,
        Group::Tools,
        ("Result of a tool", "工具返回的结果"),
        (
            "Results are left out of the text; full retention keeps them, with patches and set-aside output.",
            "结果不计入正文；完整保留会存下结果、补丁和另存的长输出。",
        ),
        Dropped,
        Recovered,
        "tool-results",
    ),
    rule(
        Reason::InjectedTag,
        Group::Text,
        ("Injected tag", "注入的标签"),
        (
            "Reminders, command echoes and local output are cut out of a message; their words are kept apart.",
            "提醒、命令回显和本地输出会从消息里剪掉；剪下的文字另行保留。",
        ),
        Dropped,
        Recovered,
        "injected-tags",
    ),
    rule(
        Reason::NonTextBlock,
        Group::Text,
        ("Block that is not text", "非文本块"),
        (
            "Images, documents and the provider's own tools are not read; full retention keeps or describes them.",
            "图片、文档和服务端工具不读取；完整保留会存下内容，或记下大小与哈希。",
        ),
        Dropped,
        Recovered,
        "mixed-blocks",
    ),
    rule(
        Reason::EmptyMessage,
        Group::Text,
        ("Nothing said", "空消息"),
        (
            "A message without text, thinking or a tool call is no message.",
            "没有文字、思考或工具调用的消息不算消息。",
        ),
        Dropped,
        Dropped,
        "empty-response",
    ),
    rule(
        Reason::MalformedJson,
        Group::Damage,
        ("Not JSON", "无法解析的行"),
        (
            "A record that was cut off is skipped with its place; every sound record around it is read.",
            "被截断的记录会跳过并记下位置；前后完好的记录照常读取。",
        ),
        Dropped,
        Dropped,
        "malformed-json",
    ),
    rule(
        Reason::QueuedPrompt,
        Group::Text,
        ("Prompt from the queue", "排队的提问"),
        (
            "What was typed while the model was busy is not a message; it is kept once, delivered or not.",
            "模型忙时输入的话不算消息；无论是否送达，完整保留都会存下一份。",
        ),
        Dropped,
        Recovered,
        "queued-prompts",
    ),
    rule(
        Reason::Attachment,
        Group::Text,
        ("Context handed to the model", "交给模型的上下文"),
        (
            "Files, selections, memories and hook output are no messages; full retention keeps their text.",
            "文件、选中内容、记忆和钩子输出不算消息；完整保留会存下其中的文字。",
        ),
        Dropped,
        Recovered,
        "attachments",
    ),
    rule(
        Reason::Catalogue,
        Group::Tools,
        ("Catalogue", "工具与技能清单"),
        (
            "Lists of tools, agents and skills are no conversation; they are counted and shown in brief.",
            "工具、代理和技能的清单不是对话；只计数并摘录开头。",
        ),
        Dropped,
        Dropped,
        "attachments",
    ),
    rule(
        Reason::Boilerplate,
        Group::Text,
        ("Fixed words", "固定套话"),
        (
            "Reminders that the tool words the same every time are counted, not kept.",
            "工具每次都一样的提示语只计数，不保留。",
        ),
        Dropped,
        Dropped,
        "attachments",
    ),
    rule(
        Reason::LegacyShape,
        Group::Versions,
        ("Record of an early version", "早期版本的记录"),
        (
            "Early records state no type and are passed over; full retention goes by the speaker.",
            "早期记录没有类型，会被略过；完整保留按发言者来读。",
        ),
        Dropped,
        Recovered,
        "legacy-shape",
    ),
    rule(
        Reason::UnknownKind,
        Group::Versions,
        ("Unknown kind", "未知类型"),
        (
            "A record, block or field that this parser does not know is kept raw and listed by name.",
            "解析器不认识的记录、块或字段，原样保留并按名称列出。",
        ),
        Dropped,
        Unknown,
        "unknown-version",
    ),
    rule(
        Reason::Reasoning,
        Group::Thinking,
        ("That there was thinking", "曾有思考"),
        (
            "Thinking that only the provider can read leaves no trace; full retention says where it was.",
            "只有服务商能读的思考不留痕迹；完整保留会标出它的位置。",
        ),
        Dropped,
        Recovered,
        "thinking-only",
    ),
    rule(
        Reason::EncryptedContent,
        Group::Thinking,
        ("Encrypted thinking", "加密的思考"),
        (
            "Thinking that the provider encrypted cannot be read by anybody; its size is recorded.",
            "服务商加密的思考谁也读不了；只记录它的大小。",
        ),
        Dropped,
        Dropped,
        "thinking-only",
    ),
    rule(
        Reason::Duplicate,
        Group::Identity,
        ("Said again", "重复的内容"),
        (
            "A call, result or prompt that is written twice is kept once; the copy points at it.",
            "写了两遍的调用、结果或提问只留一份；副本指向它。",
        ),
        Folded,
        Folded,
        "repeated-text",
    ),
    rule(
        Reason::Metadata,
        Group::Versions,
        ("State beside a message", "消息附带的状态"),
        (
            "Who, where and how a record was written is not content; what is longer than a line is kept.",
            "记录由谁、在哪、如何写下不算内容；超过一行的会保留。",
        ),
        Folded,
        Folded,
        "bookkeeping",
    ),
];

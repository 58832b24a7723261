//! What the adapter declares: name, version, and the rules at which content can be lost.

use crate::{Boundary, Group, SourceManifest, Words};
use assay_model::{Disposition, Reason};

const fn words(en: &'static str, zh: &'static str) -> Words {
    Words { en, zh }
}

/// The adapter's declaration.
pub(super) static MANIFEST: SourceManifest = SourceManifest {
    name: "trae",
    display_name: "Trae",
    parser_version: "trae@2",
    blurb: words(
        "Sessions that Trae keeps in its editor databases; newer builds also have an encrypted store that only Trae can read.",
        "Trae 保存在编辑器数据库里的会话；较新的版本另有一份加密存储，只有 Trae 自己能读。",
    ),
    icon: r#"<path d="M4 6h16v12H8l-4-4z" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linejoin="round"/><path d="M9 10h2M14 10h2M9 14h7" fill="none" stroke="currentColor" stroke-width="1.6" stroke-linecap="round"/>"#,
    deletes_after_days: None,
    resume_command: None,
    boundaries: &[
        Boundary {
            reason: Reason::NestedContentShadowed,
            group: Group::Text,
            title: words("Nested content behind direct content", "被直接内容遮住的嵌套内容"),
            rule: words(
                "When an answer has text of its own, the proposal, thoughts and reasoning nested in it are not read.",
                "回答自身有正文时，其中嵌套的提案、想法和推理不会被读取。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "mixed-blocks",
        },
        Boundary {
            reason: Reason::UnmappedResponsePart,
            group: Group::Text,
            title: words("Visible text of a step", "步骤里的可见文字"),
            rule: words(
                "The text of a step is read only where the step is named finish, and there only its thought.",
                "只有名为 finish 的步骤才会被读取，而且只读它的 thought。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "finish-steps",
        },
        Boundary {
            reason: Reason::RoleNotMapped,
            group: Group::Text,
            title: words("Other roles", "其他角色"),
            rule: words(
                "Messages whose role is neither user nor assistant are left out, also those of ai, model, agent and bot.",
                "角色不是 user 或 assistant 的消息会被略去，ai、model、agent、bot 也不例外。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "roles-and-shapes",
        },
        Boundary {
            reason: Reason::EmptyMessage,
            group: Group::Text,
            title: words("Empty messages", "空消息"),
            rule: words("A message without text and thinking is left out.", "既无正文也无思考的消息会被略去。"),
            reference: Disposition::Dropped,
            full: Disposition::Dropped,
            fixture: "empty-response",
        },
        Boundary {
            reason: Reason::Attachment,
            group: Group::Text,
            title: words("Files and images of a prompt", "提示附带的文件与图片"),
            rule: words(
                "What is handed over with a prompt, and long texts set aside in files, are not read.",
                "随提示一起提交的内容，以及另存为文件的长文本，都不会被读取。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "prompts-and-drafts",
        },
        Boundary {
            reason: Reason::UnsentDraft,
            group: Group::Text,
            title: words("Drafts", "草稿"),
            rule: words("Prompts that were written and not sent are not read.", "写了但没有发出的提示不会被读取。"),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "prompts-and-drafts",
        },
        Boundary {
            reason: Reason::ToolInput,
            group: Group::Tools,
            title: words("What a tool was given", "工具的输入"),
            rule: words(
                "Of a step's tool and its parameters only a flag on the message survives.",
                "步骤所用的工具及其参数，只在消息上留下一个标记。",
            ),
            reference: Disposition::Folded,
            full: Disposition::Recovered,
            fixture: "mixed-blocks",
        },
        Boundary {
            reason: Reason::ToolResult,
            group: Group::Tools,
            title: words("What a tool answered", "工具的输出"),
            rule: words("Results of steps are not read.", "步骤的结果不会被读取。"),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "mixed-blocks",
        },
        Boundary {
            reason: Reason::ToolOnlyMessage,
            group: Group::Tools,
            title: words("Messages of steps only", "只有步骤的消息"),
            rule: words(
                "A message whose only content is tool steps is left out with its steps.",
                "只含工具步骤的消息会连同步骤一起被略去。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "tool-only",
        },
        Boundary {
            reason: Reason::ErrorRecord,
            group: Group::Tools,
            title: words("Recorded errors", "记录下来的错误"),
            rule: words("Errors of messages and steps are not read.", "消息与步骤里的错误不会被读取。"),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "finish-steps",
        },
        Boundary {
            reason: Reason::SyntheticTimestamp,
            group: Group::Time,
            title: words("Made-up times", "补造的时间"),
            rule: words(
                "A time that is missing, or not later than a clock that runs from the session's start by a millisecond a message, is replaced by that clock.",
                "时间缺失，或不晚于从会话开始起每条消息走一毫秒的时钟，就改用该时钟的时间。",
            ),
            reference: Disposition::Folded,
            full: Disposition::Folded,
            fixture: "missing-timestamp",
        },
        Boundary {
            reason: Reason::ExtendedCoverage,
            group: Group::Identity,
            title: words("Prompts and copies elsewhere", "别处的提示与副本"),
            rule: words(
                "The history of prompts, offered follow-ups and copies that differ from their session are not read.",
                "提示历史、推荐的后续提问，以及与原会话不同的副本，都不会被读取。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "prompts-and-drafts",
        },
        Boundary {
            reason: Reason::Duplicate,
            group: Group::Identity,
            title: words("Copies of a session", "会话的副本"),
            rule: words(
                "A session that stands in several databases is one session; messages equal byte for byte are told once.",
                "出现在多个数据库里的会话只算一个；逐字节相同的消息只呈现一次。",
            ),
            reference: Disposition::Folded,
            full: Disposition::Folded,
            fixture: "copies",
        },
        Boundary {
            reason: Reason::Metadata,
            group: Group::Identity,
            title: words("Facts about a session", "会话的附属信息"),
            rule: words(
                "Title, model, agent and status say something about a session and are not part of what was said.",
                "标题、模型、智能体和状态只说明会话本身，不属于对话内容。",
            ),
            reference: Disposition::Folded,
            full: Disposition::Folded,
            fixture: "normal-text",
        },
        Boundary {
            reason: Reason::LegacyShape,
            group: Group::Versions,
            title: words("Text in another place", "位置不同的文字"),
            rule: words(
                "Content that is an object instead of a string is not read.",
                "内容是对象而不是字符串时不会被读取。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "roles-and-shapes",
        },
        Boundary {
            reason: Reason::UnknownKind,
            group: Group::Versions,
            title: words("Unknown fields", "未知字段"),
            rule: words(
                "A field with content that this version does not know is kept as it is written.",
                "本版本不认识、但带有内容的字段，按原样保留。",
            ),
            reference: Disposition::Unknown,
            full: Disposition::Unknown,
            fixture: "unknown-version",
        },
        Boundary {
            reason: Reason::MalformedJson,
            group: Group::Damage,
            title: words("A damaged row", "损坏的数据行"),
            rule: words(
                "One damaged byte makes the published rules lose every session of the row; here whatever ends before the damage is saved and the rest kept raw.",
                "按公开规则，一个字节损坏就会失去该行的全部会话；这里保住损坏之前的完整内容，其余按原样留存。",
            ),
            reference: Disposition::Dropped,
            full: Disposition::Recovered,
            fixture: "malformed-json",
        },
    ],
};

//! Which conversations are wanted and in which order, as conditions of a query. A condition that is not
//! asked for is not there, so that what is left can use what it needs. Deliberately absent: the queries.

use crate::code::json;
use assay_model::{Timestamp, Verdict};
use rusqlite::types::Value;

/// A condition on a conversation that one of its messages has to meet.
macro_rules! part {
    ($condition:literal) => {
        concat!(
            "EXISTS (SELECT 1 FROM message WHERE message BETWEEN conversation.conversation << 32
                 AND (conversation.conversation << 32) + 4294967295 AND ",
            $condition,
            ")"
        )
    };
}

/// Which conversations.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Text in title, project, folder or id; the case of letters does not matter.
    pub text: String,
    /// Only these sources; all if there are none.
    pub sources: Vec<String>,
    /// Only this project, by its name.
    pub project: Option<String>,
    /// Only those with a message at this time or later.
    pub from: Option<Timestamp>,
    /// Only those with a message before this time.
    pub before: Option<Timestamp>,
    /// Only this verdict.
    pub verdict: Option<Verdict>,
    /// Only those with an entry for this reason.
    pub reason: Option<String>,
    /// Only those that lost something a person could miss, or hold a kind that is not known.
    pub lossy: bool,
    /// Only those with a made-up time.
    pub synthetic: bool,
    /// Only those with a tool call.
    pub tools: bool,
    /// Only those with code in them.
    pub code: bool,
    /// Only those that their source still has (`false`), or no longer has (`true`).
    pub gone: Option<bool>,
    /// Only those with this label; the case of letters does not matter.
    pub label: Option<String>,
    /// Only those that are pinned.
    pub pinned: bool,
    /// Those that a person deleted, instead of those that are there.
    pub deleted: bool,
    /// Earlier states of conversations, instead of the conversations.
    pub earlier: bool,
    /// No copies of a conversation that is there itself.
    pub once: bool,
}

/// Conditions that all have to hold, and the values of their places in order.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    conditions: Vec<&'static str>,
    /// One for each `?`.
    pub(crate) values: Vec<Value>,
}

impl Conditions {
    /// Adds a condition with one place, if there is a value for it.
    pub(crate) fn with(&mut self, condition: &'static str, value: Option<impl Into<Value>>) {
        if let Some(value) = value {
            self.conditions.push(condition);
            self.values.push(value.into());
        }
    }

    /// Adds a condition without a place.
    pub(crate) fn when(&mut self, wanted: bool, condition: &'static str) {
        if wanted {
            self.conditions.push(condition);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.conditions.is_empty()
    }

    /// All of them as one condition.
    pub(crate) fn all(&self) -> String {
        if self.is_empty() { "TRUE".to_owned() } else { self.conditions.join(" AND ") }
    }
}

impl Filter {
    /// Whether a conversation that a person deleted, or one that another took the place of, is wanted, as a
    /// condition on its key: the one that is always there.
    pub(crate) fn standing(&self) -> &'static str {
        match (self.deleted, self.earlier) {
            (true, _) => "IN (SELECT conversation FROM standing WHERE deleted_at IS NOT NULL)",
            (false, true) => {
                "IN (SELECT conversation FROM conversation WHERE earlier_of IS NOT NULL
                         AND earlier_of NOT IN (SELECT conversation FROM standing WHERE deleted_at IS NOT NULL)
                     EXCEPT SELECT conversation FROM standing WHERE deleted_at IS NOT NULL)"
            }
            (false, false) => {
                "NOT IN (SELECT conversation FROM standing WHERE deleted_at IS NOT NULL
                         UNION ALL SELECT conversation FROM conversation WHERE earlier_of IS NOT NULL)"
            }
        }
    }

    /// All of it as conditions on a row of `conversation`.
    pub(crate) fn whole(&self) -> (String, Vec<Value>) {
        let asked = self.conditions();
        (format!("conversation {} AND {}", self.standing(), asked.all()), asked.values)
    }

    /// What is asked for, as conditions on a row of `conversation`.
    pub(crate) fn conditions(&self) -> Conditions {
        let text = |text: &Option<String>| text.clone().map(Value::Text);
        let mut all = Conditions::default();
        let sources = (!self.sources.is_empty()).then(|| json(&self.sources));
        all.with("source IN (SELECT value FROM json_each(?))", sources);
        all.with("project_name = ?", text(&self.project));
        all.with("last_message_at >= ?", self.from.map(Timestamp::millis));
        all.with("first_message_at < ?", self.before.map(Timestamp::millis));
        all.with("verdict = ?", self.verdict.map(|v| v.code().to_owned()));
        all.with("conversation IN (SELECT conversation FROM conversation_reason WHERE reason = ?)", text(&self.reason));
        all.when(self.lossy, "lost + unknown > 0");
        all.when(self.synthetic, "synthetic > 0");
        all.when(self.tools, part!("(has_tool_use OR kind IN ('tool-call', 'tool-result'))"));
        all.when(self.code, part!("has_code"));
        all.with("(gone_since IS NOT NULL) = ?", self.gone);
        // An earlier state goes by the labels of its conversation, too.
        all.with(
            "EXISTS (SELECT 1 FROM label AS l WHERE folded(l.label) = folded(?)
                 AND l.conversation IN (conversation.conversation, conversation.earlier_of))",
            text(&self.label),
        );
        all.when(
            self.once,
            "conversation NOT IN (
                 SELECT c.conversation FROM conversation AS c JOIN conversation AS o
                     ON (o.source, o.source_conversation_id) = (c.source, c.copy_of)
                 WHERE c.copy_of IS NOT NULL AND o.copy_of IS NULL
                     AND o.conversation NOT IN (SELECT conversation FROM standing WHERE deleted_at IS NOT NULL))",
        );
        all.when(self.pinned, "conversation IN (SELECT conversation FROM standing WHERE pinned_at IS NOT NULL)");
        all.with(
            "instr(folded(concat_ws(char(10), title, project_name, project_dir, cwd, conversation_id,
                 source_conversation_id)), folded(?))",
            Some(&self.text).filter(|text| !text.is_empty()).cloned(),
        );
        all
    }
}

/// In which order. Conversations that are equal in it come by source and id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Sort {
    /// By source and id.
    #[default]
    Id,
    /// By title.
    Title,
    /// By project.
    Project,
    /// By the latest message.
    Time,
    /// By number of messages.
    Messages,
    /// By what a person could miss.
    Lost,
    /// By kinds that are not known.
    Unknown,
    /// By made-up times.
    Synthetic,
    /// By verdict, best first.
    Verdict,
    /// By size of the store.
    Bytes,
}

impl Sort {
    pub(crate) fn column(self) -> &'static str {
        match self {
            Sort::Id => "NULL",
            Sort::Title => "title COLLATE NOCASE",
            Sort::Project => "project_name COLLATE NOCASE",
            Sort::Time => "last_message_at",
            Sort::Messages => "messages",
            Sort::Lost => "lost",
            Sort::Unknown => "unknown",
            Sort::Synthetic => "synthetic",
            Sort::Verdict => {
                "CASE verdict WHEN 'exact' THEN 0 WHEN 'complete' THEN 1 WHEN 'degraded' THEN 2 ELSE 3 END"
            }
            Sort::Bytes => "file_size",
        }
    }
}

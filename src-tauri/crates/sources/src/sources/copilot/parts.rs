//! The parts of a response that are neither text, thinking nor a tool call, by a table: every kind that VS Code
//! has written (`chatService.ts`), and what becomes of it.
//!
//! Deliberately absent: how the parts of one response read together (`response.rs`).

use super::metadata::Facts;
use super::node::{Data, Node};
use super::reference::Turn;
use super::response::MARKDOWN;
use super::state::At;
use super::teller::{Say, Teller};
use super::words;
use crate::readers::json::JsonType;
use assay_model::{Kind, MessageType, Reason};

/// What becomes of a part.
#[derive(Debug, Clone, Copy)]
enum Treat {
    /// A message of its own.
    Say(Kind),
    /// Only metadata.
    Fold,
    /// How the editor looked.
    UiState,
}

use Treat::{Fold, UiState};
const EVENT: Treat = Treat::Say(Kind::Event);

/// Kind, what becomes of it, the fields that read by themselves, the other known fields.
type Row = (&'static str, Treat, &'static [&'static str], &'static [&'static str]);

const PARTS: &[Row] = &[
    ("markdownVuln", Treat::Say(Kind::Text), &["content"], &["vulnerabilities"]),
    ("codeblockUri", Fold, &["uri"], &["isEdit", "undoStopId"]),
    ("textEditGroup", EVENT, &["uri"], &["edits", "done", "isExternalEdit", "state"]),
    ("notebookEditGroup", EVENT, &["uri"], &["edits", "done", "isExternalEdit", "state"]),
    ("workspaceEdit", EVENT, &[], &["edits"]),
    ("externalEdit", EVENT, &["uri"], &["edits", "start", "operationId"]),
    ("undoStop", UiState, &["id"], &[]),
    ("progressMessage", EVENT, &["content"], &["shimmer", "icon"]),
    ("progressTask", EVENT, &["content"], &["progress"]),
    ("progressTaskSerialized", EVENT, &["content"], &["progress"]),
    ("confirmation", EVENT, &["title", "message"], &["data", "buttons", "isUsed", "isLive"]),
    ("elicitationSerialized", EVENT, &["title", "subtitle", "message"], ELICITATION),
    ("elicitation2", EVENT, &["title", "subtitle", "message"], ELICITATION),
    ("elicitation", EVENT, &["title", "subtitle", "message"], ELICITATION),
    (
        "questionCarousel",
        EVENT,
        &["title", "message"],
        &["questions", "data", "allowSkip", "isUsed", "resolveId", "terminalId", "answers"],
    ),
    (
        "planReview",
        EVENT,
        &["title", "content"],
        &["actions", "planUri", "data", "isUsed", "isOutdated", "canProvideFeedback", "resolveId"],
    ),
    ("mcpServersStarting", UiState, &[], &["didStartServerIds"]),
    ("mcpServersStartingSlow", UiState, &[], &["didStartServerIds", "servers"]),
    ("mcpAuthenticationRequired", UiState, &["title", "message"], &["servers", "command"]),
    ("voiceProgress", UiState, &["content"], &[]),
    ("treeData", EVENT, &[], &["treeData", "label", "uri", "children"]),
    ("multiDiffData", EVENT, &["title"], &["multiDiffData", "resources", "collapsed", "readOnly"]),
    ("command", Fold, &[], &["command", "additionalCommands"]),
    ("warning", EVENT, &["content"], &[]),
    ("info", EVENT, &["content"], &[]),
    ("systemNotification", EVENT, &["content"], &["title", "level"]),
    ("pullRequest", EVENT, &["title", "description", "uri"], &["author", "linkTag", "command"]),
    ("extensions", Fold, &[], &["extensions"]),
    (
        "hook",
        EVENT,
        &["systemMessage", "stopReason"],
        &["hookType", "toolDisplayName", "metadata", "subAgentInvocationId"],
    ),
    ("clearToPreviousToolInvocation", Fold, &[], &["reason"]),
    ("disabledClaudeHooks", UiState, &[], &[]),
    ("autoModeResolution", Fold, &[], &["modelId", "resolvedModel", "resolvedModelName", "predictedLabel", "confidence"]),
];

const ELICITATION: &[&str] =
    &["state", "acceptedResult", "acceptButtonLabel", "rejectButtonLabel", "source", "isHidden", "moreActions"];

/// The kinds of the table.
#[cfg(test)]
pub(super) fn kinds() -> impl Iterator<Item = &'static str> {
    PARTS.iter().map(|(kind, ..)| *kind)
}

impl<'s> Teller<'_, 's> {
    /// Any other part, by the table.
    pub fn other(&mut self, at: &At<'s>, turn: Turn, facts: &mut Facts<'s>) {
        if !self.is_of(JsonType::Object, at, "response/part") {
            return;
        }
        let node = at.node;
        let kind = match node.get("kind").and_then(Node::str) {
            Some("thinking") => return self.thinking_list(at, turn, facts),
            Some(kind) => kind,
            // Whole sessions keep a file tree without its kind.
            None if node.get("label").is_some() => "treeData",
            None => {
                let empty = node.members().iter().all(|(k, v)| v.is_default() || MARKDOWN.contains(&&**k) || **k == *"value");
                let text = node.get("value").filter(|v| !v.is_default());
                return match (empty, text) {
                    (true, None) => self.rest(at, "response/text", &["value"], MARKDOWN, None),
                    _ => self.unknown(at, "response/part".to_owned()),
                };
            }
        };
        if kind == "text" {
            // Without a value that is a text.
            return self.rest(at, "response/text", &["kind"], MARKDOWN, None);
        }
        let Some((_, treat, first, known)) = PARTS.iter().find(|row| row.0 == kind) else {
            return self.unknown(at, format!("response/{kind}"));
        };
        let is_known = |key: &str| key == "kind" || first.contains(&key) || known.contains(&key);
        let unknown: Vec<&str> = node.members().iter().map(|(k, _)| &**k).filter(|k| !is_known(k)).collect();
        let name = format!("response/{kind}");
        let reason = self.reason(&at.place, Reason::UnmappedResponsePart);
        match treat {
            Treat::Say(as_kind) => {
                let mut without = unknown.clone();
                without.extend(["kind", "edits", "progress"]);
                let mut text = words::fields(node, first, &without);
                // What a task reported on its way: warnings and references.
                for step in node.get("progress").map(Node::items).unwrap_or_default() {
                    let bare = step.members().is_empty().then_some(step);
                    let said = step.get("content").or(step.get("reference")).or(bare).map(words::plain).unwrap_or_default();
                    let more = words::fields(step, &[], &["kind", "content", "reference"]);
                    for words in [said, more].into_iter().filter(|words| !words.is_empty()) {
                        text = if text.is_empty() { words } else { format!("{text}\n{words}") };
                    }
                }
                for edit in node.get("edits").map(edit_text).into_iter().filter(|e| !e.is_empty()) {
                    text = if text.is_empty() { edit } else { format!("{text}\n{edit}") };
                }
                let from = if *as_kind == Kind::Text { MessageType::Assistant } else { MessageType::System };
                let text = if text.is_empty() { kind.to_owned() } else { text };
                self.say(at, name.clone(), Say::of(*as_kind, from, text, reason));
            }
            Treat::Fold => self.fold(at, name.clone(), reason, turn.assistant),
            Treat::UiState => self.drop(at, name.clone(), Reason::UiState),
        }
        for key in unknown {
            if let Some(field) = at.get(key).filter(|f| !f.node.is_default()) {
                self.unknown(&field, format!("{name}/{key}"));
            }
        }
    }
}

/// The new text of edits: the log keeps no text from before.
fn edit_text(node: &Node) -> String {
    if !matches!(node.data, Data::List(_)) {
        return words::plain(node);
    }
    let mut texts = Vec::new();
    for group in node.items() {
        let single = std::slice::from_ref(group);
        for edit in if group.items().is_empty() { single } else { group.items() } {
            match edit.get("text").and_then(Node::str) {
                Some(text) => texts.push(text.to_owned()),
                None if !edit.is_default() => texts.push(words::json(edit)),
                None => {}
            }
        }
    }
    texts.join("\n")
}

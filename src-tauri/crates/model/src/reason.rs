//! Why content is not where the published rules would keep it: the closed list of boundary codes.

use crate::Disposition;
use serde::{Deserialize, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// What the published rules do with content that crosses a boundary.
const FOLD: Disposition = Disposition::Folded;
const DROP: Disposition = Disposition::Dropped;

macro_rules! reasons {
    ($($(#[doc = $doc:literal])+ $variant:ident = $code:literal, $reference:ident, $loss:ident;)+) => {
        /// A boundary code. Stable: people and scripts match on [`Reason::code`].
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum Reason { $($(#[doc = $doc])+ $variant,)+ }

        impl Reason {
            /// Every reason there is.
            pub const ALL: &'static [Reason] = &[$(Reason::$variant,)+];

            /// The stable kebab-case code.
            pub fn code(self) -> &'static str {
                match self { $(Reason::$variant => $code,)+ }
            }

            /// What the published rules make of content that full retention recovers here.
            pub fn under_reference(self) -> Disposition {
                match self { $(Reason::$variant => $reference,)+ }
            }

            /// Whether something a person could miss is gone when content is dropped for this reason.
            pub fn is_loss(self) -> bool {
                match self { $(Reason::$variant => reasons!(@loss $loss),)+ }
            }
        }
    };
    (@loss loss) => { true };
    (@loss harmless) => { false };
}

reasons! {
    // Published codes: Claude Code
    /// The record has no uuid.
    NoUuid = "no-uuid", DROP, loss;
    /// State that the tool keeps for itself.
    BookkeepingRecord = "bookkeeping-record", DROP, harmless;
    /// A notice of the tool.
    SystemRecord = "system-record", DROP, loss;
    /// The input of a tool call; the published rules keep only a flag.
    ToolInput = "tool-input", FOLD, loss;
    /// What a tool answered.
    ToolResult = "tool-result", DROP, loss;
    /// Text that the tool injected into a message.
    InjectedTag = "injected-tag", DROP, loss;
    /// A block that is neither text, thinking nor a tool call.
    NonTextBlock = "non-text-block", DROP, loss;
    /// A message without text.
    EmptyMessage = "empty-message", DROP, harmless;
    /// The text is not JSON, not even after repair.
    MalformedJson = "malformed-json", DROP, loss;
    // Codex
    /// The model-side copy of a prompt.
    ResponseItemUser = "response-item-user", DROP, loss;
    /// Instructions to the model.
    ResponseItemDeveloper = "response-item-developer", DROP, loss;
    /// Equal to the latest answer.
    DuplicateOfLatestAssistant = "duplicate-of-latest-assistant", DROP, harmless;
    /// A tool call with no answer before it that could carry the flag.
    OrphanToolCall = "orphan-tool-call", DROP, loss;
    /// Reasoning that the published rules do not map to thinking.
    Reasoning = "reasoning", DROP, loss;
    /// Context that an editor put before the prompt.
    IdeContextPrefix = "ide-context-prefix", DROP, loss;
    /// An event that the published rules do not know.
    EventNotMapped = "event-not-mapped", DROP, loss;
    // Cursor
    /// An assistant bubble with nothing in it.
    EmptyAssistantBubble = "empty-assistant-bubble", DROP, harmless;
    /// An assistant bubble with only thinking.
    ThinkingOnlyBubble = "thinking-only-bubble", DROP, loss;
    /// An assistant bubble with only a tool call.
    ToolOnlyBubble = "tool-only-bubble", DROP, loss;
    // Trae
    /// Nested content behind direct content.
    NestedContentShadowed = "nested-content-shadowed", DROP, loss;
    /// A message with only tool steps.
    ToolOnlyMessage = "tool-only-message", DROP, loss;
    /// A role that is neither user nor assistant.
    RoleNotMapped = "role-not-mapped", DROP, loss;
    /// A time that had to be made up.
    SyntheticTimestamp = "synthetic-timestamp", DROP, harmless;
    // Copilot
    /// A change that the log records after its first line.
    LaterPatch = "later-patch", DROP, loss;
    /// The first line is damaged.
    DamagedSnapshot = "damaged-snapshot", DROP, loss;
    /// The log does not begin with a snapshot.
    MissingSnapshot = "missing-snapshot", DROP, loss;
    /// A response part of a kind that the published rules do not map.
    UnmappedResponsePart = "unmapped-response-part", DROP, loss;
    /// A response with only tool calls.
    ToolOnlyResponse = "tool-only-response", DROP, loss;
    /// A response with nothing in it.
    EmptyResponse = "empty-response", DROP, harmless;

    // Of every source
    /// Nothing but white space.
    BlankLine = "blank-line", DROP, harmless;
    /// A run of NUL bytes left by a crash; no text was in it.
    NulRun = "nul-run", DROP, harmless;
    /// A kind, block or field that this parser does not know.
    UnknownKind = "unknown-kind", DROP, loss;
    /// JSON, but not a record.
    NotARecord = "not-a-record", DROP, loss;
    /// The last record of a file that is still being written.
    IncompleteRecord = "incomplete-record", DROP, harmless;
    /// Larger than one record may be.
    RecordTooLarge = "record-too-large", DROP, loss;
    /// Encrypted by the provider.
    EncryptedContent = "encrypted-content", DROP, loss;
    /// Bytes that are not text.
    BinaryContent = "binary-content", DROP, loss;
    /// Kept elsewhere, word for word.
    Duplicate = "duplicate", DROP, harmless;
    /// Title, folder, model, usage and the like: part of what is known about the conversation.
    Metadata = "metadata", FOLD, harmless;
    /// A list of tools, skills or agents: a catalogue, not conversation.
    Catalogue = "catalogue", DROP, harmless;
    /// How the editor looked.
    UiState = "ui-state", DROP, harmless;
    /// A state of files, not of the conversation.
    FileCheckpoint = "file-checkpoint", DROP, harmless;
    /// A deleted row.
    Tombstone = "tombstone", DROP, harmless;
    /// Opaque bytes of the tool that nobody outside can read.
    OpaqueBinary = "opaque-binary", DROP, loss;
    /// A prompt that waited in a queue.
    QueuedPrompt = "queued-prompt", DROP, loss;
    /// Written, never sent.
    UnsentDraft = "unsent-draft", DROP, loss;
    /// Off the live path: an edited prompt, a retry, a rewind.
    OffBranch = "off-branch", DROP, loss;
    /// Replaced by a later version.
    Superseded = "superseded", DROP, loss;
    /// A conversation in a place that the reference system does not read.
    ExtendedCoverage = "extended-coverage", DROP, loss;
    /// A file, an image or other context handed to the model.
    Attachment = "attachment", DROP, loss;
    /// Thinking that the published rules do not read.
    Thinking = "thinking", DROP, loss;
    /// A record of an era or shape that the published rules do not read.
    LegacyShape = "legacy-shape", DROP, loss;
    /// The body is named but not in the store.
    BodyMissing = "body-missing", DROP, loss;
    /// An error that the tool recorded.
    ErrorRecord = "error-record", DROP, loss;
    /// A copied beginning that belongs to the parent conversation.
    CopiedPrefix = "copied-prefix", DROP, harmless;
    /// The model-side history that a compaction repeats.
    CompactionHistory = "compaction-history", DROP, harmless;
    /// Fixed words that the tool writes every time.
    Boilerplate = "boilerplate", DROP, harmless;
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.code())
    }
}

/// Not the code of any [`Reason`].
#[derive(Debug, thiserror::Error)]
#[error("no such reason: {0}")]
pub struct UnknownReason(pub String);

impl FromStr for Reason {
    type Err = UnknownReason;

    fn from_str(code: &str) -> Result<Self, Self::Err> {
        Self::ALL.iter().copied().find(|r| r.code() == code).ok_or_else(|| UnknownReason(code.to_owned()))
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.code())
    }
}

impl<'de> Deserialize<'de> for Reason {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn codes_are_distinct_kebab_case_and_read_back() {
        let codes: BTreeSet<_> = Reason::ALL.iter().map(|r| r.code()).collect();
        assert_eq!(codes.len(), Reason::ALL.len());
        for reason in Reason::ALL {
            assert!(reason.code().chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{reason}");
            assert_eq!(reason.code().parse::<Reason>().ok(), Some(*reason));
        }
        assert!("nonsense".parse::<Reason>().is_err());
    }
}

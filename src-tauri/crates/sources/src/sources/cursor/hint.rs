//! What a scan tells the later steps about a candidate. Deliberately absent: anything that a parse could
//! read from the evidence itself.

use assay_model::Candidate;
use serde::{Deserialize, Serialize};

/// Which store a conversation comes from and how it is found there.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Hint {
    /// Which kind of store.
    pub store: Store,
    /// Another candidate that is the same conversation in a better place.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub copy_of: Option<String>,
    /// The conversation whose tool call started this one, and that call.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub parent: Option<String>,
    /// Its plans.
    #[serde(skip_serializing_if = "Vec::is_empty", default)]
    pub plans: Vec<Spot>,
}

/// Where a plan stands in the registry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Spot {
    /// The place in the row's value; empty for all of it.
    pub pointer: String,
    /// The same as bytes, so that the row is not read again for each of its plans.
    pub start: usize,
    /// See [`Spot::start`].
    pub length: usize,
}

/// The kinds of stores that Cursor has had.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", rename_all_fields = "camelCase")]
pub(super) enum Store {
    /// Rows of `cursorDiskKV`.
    Composer {
        /// The composer's id as the keys have it.
        composer: String,
        /// Its title, where an index has one.
        title: Option<String>,
        /// Its creation as an index has it, in milliseconds since 1970.
        created: Option<f64>,
    },
    /// One tab of `workbench.panel.aichat.view.aichat.chatdata`.
    Tab {
        /// Its number in the list.
        index: usize,
    },
    /// `aiService.prompts` and `aiService.generations` of one workspace.
    Prompts {
        /// The composers of that workspace: a prompt that one of them holds is a copy.
        composers: Vec<String>,
        /// The database with the composers.
        global: Option<std::path::PathBuf>,
    },
    /// A `store.db` of the agent.
    Blobs,
    /// A `.jsonl` or `.txt` transcript of the agent.
    Transcript,
    /// `~/.cursor/prompt_history.json`.
    History,
    /// A plan, `~/.cursor/plans/*.plan.md`.
    Plan,
    /// Plans of the registry that name no composer.
    Plans,
}

impl Hint {
    /// A hint about a store and nothing else.
    pub fn of(store: Store) -> Self {
        Self { store, copy_of: None, parent: None, plans: Vec::new() }
    }

    /// Reads the hint of a candidate; `None` if it is not one of ours.
    pub fn read(candidate: &Candidate) -> Option<Self> {
        Self::deserialize(&candidate.hint).ok()
    }

    /// As a candidate carries it.
    pub fn write(&self) -> serde_json::Value {
        serde_json::to_value(self).unwrap_or_default()
    }
}

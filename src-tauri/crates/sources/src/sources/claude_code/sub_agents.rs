//! Transcripts of sub-agents, and the call that started each.
//!
//! The tool says which call it was in a file beside the transcript, or only in the parent's transcript,
//! where the call's result or its progress names the agent. Deliberately absent: a match by the prompt's
//! text: two agents may be asked the same.

use super::discovery::{Hint, session_folder};
use crate::readers::json::{Tape, Value};
use crate::{Account, Evidence, EvidenceFile, Roots};
use assay_model::{Candidate, Link, NoticeCode, Relation};
use memchr::memmem;
use std::io::BufRead;
use std::path::{Path, PathBuf};

/// How the name of a sub-agent's transcript begins.
pub(super) const PREFIX: &str = "agent-";

/// How the name of the file that describes one ends.
const ABOUT: &str = ".meta.json";

/// The id of the agent whose transcript this is.
fn agent(candidate: &Candidate) -> Option<String> {
    let stem = candidate.file_path.file_stem()?.to_string_lossy().into_owned();
    stem.strip_prefix(PREFIX).map(str::to_owned)
}

/// The file that describes the agent whose transcript this is.
pub(super) fn about(transcript: &Path) -> PathBuf {
    transcript.with_extension(&ABOUT[1..])
}

/// What the tool says about a sub-agent.
#[derive(Default)]
struct About {
    /// The agent that started it, if it was not the session itself.
    parent_agent: Option<String>,
    call: Option<String>,
    description: Option<String>,
    worktree: Option<String>,
}

impl About {
    fn of(consulted: &[EvidenceFile]) -> Self {
        let mut tape = Tape::new();
        let file = consulted.iter().find(|f| f.file.ends_with(ABOUT));
        let bytes = file.and_then(|f| f.read_all().ok()).unwrap_or_default();
        let Ok(meta) = tape.read_whole(&bytes) else { return Self::default() };
        let text = |key: &str| meta.get(key).and_then(Value::non_empty).map(|t| t.into_owned());
        Self {
            parent_agent: text("parentAgentId").map(|agent| format!("{PREFIX}{agent}")),
            call: text("toolUseId"),
            description: text("description").or_else(|| text("name")),
            worktree: text("worktreePath"),
        }
    }
}

/// Adds to the evidence what describes a sub-agent, and the record of its parent that names its call.
pub(super) fn consult(roots: &Roots, candidate: &Candidate, evidence: &mut Evidence) {
    let Some(agent) = agent(candidate) else { return };
    let path = &candidate.file_path;
    let file = about(path);
    if file.is_file() {
        match EvidenceFile::open(roots, &file) {
            Ok(about) => evidence.consulted.push(about),
            Err(error) => evidence.notice(NoticeCode::BodyMissing, error.to_string()),
        }
    }
    let about = About::of(&evidence.consulted);
    if about.call.is_some() {
        return;
    }
    let hint: Hint = serde_json::from_value(candidate.hint.clone()).unwrap_or_default();
    let parent = match (about.parent_agent, hint.parent) {
        (Some(agent), _) => Some(path.with_file_name(agent).with_extension("jsonl")),
        (None, Some(parent)) => Some(session_folder(path, Some(&parent)).with_extension("jsonl")),
        (None, None) => session(evidence).map(|session| path.with_file_name(session).with_extension("jsonl")),
    };
    evidence.consulted.extend(parent.and_then(|parent| naming(roots, parent, &agent)));
}

/// The session that the first record states.
fn session(evidence: &Evidence) -> Option<String> {
    let mut line = Vec::new();
    evidence.files.first()?.reader().ok()?.read_until(b'\n', &mut line).ok()?;
    let mut tape = Tape::new();
    let session = tape.read(&line).ok()?.0.get("sessionId")?.non_empty()?.into_owned();
    // A name, never a path.
    (!session.contains(['/', '\\'])).then_some(session)
}

/// The first record of a transcript that says which call started an agent.
fn naming(roots: &Roots, parent: PathBuf, agent: &str) -> Option<EvidenceFile> {
    if !parent.is_file() {
        return None;
    }
    let file = EvidenceFile::open(roots, &parent).ok()?;
    let mut reader = file.reader().ok()?;
    let finder = memmem::Finder::new(agent);
    let mut tape = Tape::new();
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).is_ok_and(|read| read > 0) {
        let named = finder.find(&line).is_some()
            && tape.read(&line).is_ok_and(|(record, _)| call_of(record, agent).is_some());
        if named {
            return Some(EvidenceFile::memory(&file.file, line));
        }
        line.clear();
    }
    None
}

/// The call that a record of the parent says started an agent.
fn call_of(record: Value<'_>, agent: &str) -> Option<String> {
    let is = |value: Option<Value<'_>>| value.and_then(Value::str).is_some_and(|id| id == agent);
    let call = if is(record.path(&["toolUseResult", "agentId"])) {
        record.path(&["message", "content"])?.items().find_map(|block| block.get("tool_use_id"))
    } else if is(record.path(&["data", "agentId"])) {
        record.get("parentToolUseID")
    } else {
        None
    };
    Some(call?.non_empty()?.into_owned())
}

/// Links a sub-agent to the conversation that started it. Returns what it was started for.
pub(super) fn link(
    account: &mut Account,
    candidate: &Candidate,
    hint: &Hint,
    session: Option<String>,
    evidence: &Evidence,
) -> Option<String> {
    let agent = agent(candidate);
    if hint.parent.is_none() && agent.is_none() {
        return None;
    }
    let about = About::of(&evidence.consulted);
    let by_parent = || {
        let (agent, mut tape) = (agent?, Tape::new());
        let transcripts = evidence.consulted.iter().filter(|f| f.file.ends_with(".jsonl"));
        transcripts.filter_map(|f| f.read_all().ok()).find_map(|line| call_of(tape.read(&line).ok()?.0, &agent))
    };
    if let Some(conversation) = about.parent_agent.or_else(|| hint.parent.clone()).or(session) {
        let tool_call_id = about.call.or_else(by_parent);
        account.links.push(Link { relation: Relation::SubAgent, conversation, tool_call_id });
    }
    if account.cwd.is_none() {
        account.cwd = about.worktree;
    }
    about.description
}

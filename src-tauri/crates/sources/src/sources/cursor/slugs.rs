//! The folders of transcripts are named for their project with everything but letters and digits turned into a
//! dash. That cannot be turned back; it can be recognised where exactly one known project gives that name.
//! Deliberately absent: guessing, and looking through the disk for folders that would fit.

use super::hint::{Hint, Store};
use super::survey::Finding;
use assay_model::Candidate;
use std::collections::{BTreeMap, BTreeSet};

/// Whether a conversation's folder is one that was found, and not only a name.
pub(super) fn is_path(project: &str) -> bool {
    project.contains(['/', '\\'])
}

/// Gives transcripts their project, where one is known that their folder's name can mean and no other.
pub(super) fn resolve(findings: &mut [Finding]) {
    let own = findings.iter().flat_map(|finding| finding.projects.iter());
    let used = findings.iter().flat_map(|finding| finding.candidates.iter().map(|c| &c.project_dir));
    let known: BTreeSet<&String> = own.chain(used).filter(|project| is_path(project)).collect();
    let mut by_name: BTreeMap<String, Option<String>> = BTreeMap::new();
    for project in known {
        // A second project of the same name leaves the name without one.
        by_name.entry(slug(project)).and_modify(|one| *one = None).or_insert_with(|| Some(project.clone()));
    }
    let transcripts = findings.iter_mut().flat_map(|finding| &mut finding.candidates).filter(|c| is_transcript(c));
    for candidate in transcripts {
        if let Some(Some(project)) = by_name.get(&slug(&candidate.project_dir)) {
            candidate.project_dir.clone_from(project);
        }
    }
}

fn is_transcript(candidate: &Candidate) -> bool {
    Hint::read(candidate).is_some_and(|hint| hint.store == Store::Transcript)
}

fn slug(path: &str) -> String {
    let dashed: String = path.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect();
    dashed.trim_matches('-').to_owned()
}

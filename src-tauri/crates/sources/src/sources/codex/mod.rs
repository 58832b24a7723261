//! Codex.

use crate::{Account, Detection, Evidence, ReadError, Roots, ScanError, SourceAdapter, SourceManifest, Words};
use assay_model::Candidate;

/// The adapter.
pub(super) struct Adapter;

static MANIFEST: SourceManifest = SourceManifest {
    name: "codex",
    display_name: "Codex",
    parser_version: "codex@1",
    blurb: Words { en: "", zh: "" },
    icon: "",
    deletes_after_days: None,
    resume_command: None,
    boundaries: &[],
};

impl SourceAdapter for Adapter {
    fn manifest(&self) -> &'static SourceManifest {
        &MANIFEST
    }

    fn detect(&self, _roots: &Roots) -> Detection {
        Detection::of(Vec::new())
    }

    fn scan(&self, _roots: &Roots, _found: &Detection, _sink: &mut dyn FnMut(Result<Candidate, ScanError>)) {}

    fn collect(&self, roots: &Roots, candidate: &Candidate) -> Result<Evidence, ReadError> {
        Evidence::of_file(roots, candidate)
    }

    fn fill(&self, _candidate: &Candidate, _evidence: &Evidence, _account: &mut Account) {}
}

//! What this adapter says about itself.

use crate::{SourceManifest, Words};

pub(super) static MANIFEST: SourceManifest = SourceManifest {
    name: "cursor",
    display_name: "Cursor",
    parser_version: "cursor@1",
    blurb: Words { en: "", zh: "" },
    icon: "",
    deletes_after_days: None,
    resume_command: None,
    boundaries: &[],
};

//! The command as a test runs it.

use std::path::Path;

/// Runs `assay` over a home folder: its status, what it printed, and what it said beside.
pub fn assay(home: &Path, arguments: &[&str]) -> (u8, String, String) {
    let (mut out, mut err) = (Vec::new(), Vec::new());
    let home = home.to_string_lossy().into_owned();
    let all = ["assay", "--home", &home].into_iter().chain(arguments.iter().copied()).map(Into::into);
    let code = assay_cli::run(all, &mut out, &mut err, false);
    (code, String::from_utf8(out).unwrap(), String::from_utf8(err).unwrap())
}

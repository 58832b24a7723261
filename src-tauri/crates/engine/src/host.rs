//! The machine as the engine finds it: home, environment, and where the library is by default.
//! The one place that asks for them; everybody else is given [`Roots`].

use assay_sources::{Platform, Roots};
use std::path::{Path, PathBuf};

/// The machine's own roots: home folder and the environment's overrides.
pub fn roots() -> Option<Roots> {
    let mut roots = Roots::new(dirs::home_dir()?, Platform::HERE);
    roots.env = std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect();
    Some(roots)
}

/// The platform's place for data of applications.
fn usual_library(roots: &Roots) -> PathBuf {
    let data = match roots.platform {
        Platform::Linux => roots.env_dir("XDG_DATA_HOME").unwrap_or_else(|| roots.home.join(".local/share")),
        Platform::MacOs => roots.home.join("Library/Application Support"),
        Platform::Windows => roots.env_dir("APPDATA").unwrap_or_else(|| roots.home.join("AppData").join("Roaming")),
    };
    data.join("assay").join("library.db")
}

/// Where the library is unless somebody says otherwise: where a person moved it, else the usual place.
pub fn library(roots: &Roots) -> PathBuf {
    let place = usual_library(roots);
    // Where a person moved it.
    match std::fs::read_to_string(place.with_file_name(MOVED)) {
        Ok(moved) if !moved.trim().is_empty() => PathBuf::from(moved.trim_end_matches('\n')),
        Ok(_) | Err(_) => place,
    }
}

/// The file beside the usual place of the library that says where it was moved.
const MOVED: &str = "library.moved-to";

/// Remembers where the library is from now on.
pub(crate) fn remember_library(roots: &Roots, to: &Path) -> std::io::Result<()> {
    let place = usual_library(roots);
    let note = place.with_file_name(MOVED);
    if to == place {
        return match std::fs::remove_file(note) {
            Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(e),
            Ok(()) | Err(_) => Ok(()),
        };
    }
    if let Some(folder) = note.parent() {
        std::fs::create_dir_all(folder)?;
    }
    std::fs::write(note, format!("{}\n", to.display()))
}

/// Removes what this process left in the machine's scratch folder, copies of databases that a thread which
/// never came back still holds. The last thing a program does.
pub fn leave_nothing() {
    assay_sources::readers::sqlite::sweep(&std::env::temp_dir(), true);
}

/// A path for people: the home folder is `~`.
pub fn short(path: &Path, home: &Path) -> String {
    match path.strip_prefix(home) {
        Ok(rest) if rest.as_os_str().is_empty() => "~".to_owned(),
        Ok(rest) => format!("~/{}", rest.to_string_lossy()),
        Err(_) => path.to_string_lossy().into_owned(),
    }
}

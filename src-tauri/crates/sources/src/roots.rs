//! Where to look: home, platform, environment, folders a person added, and the time. All injected.

use crate::given::Given;
use crate::readers::sqlite::Snapshots;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The platform whose folder conventions apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Platform {
    /// Linux and the other Unixes.
    Linux,
    /// macOS.
    MacOs,
    /// Windows.
    Windows,
}

impl Platform {
    /// The one this build runs on.
    pub const HERE: Platform = if cfg!(target_os = "macos") {
        Platform::MacOs
    } else if cfg!(windows) {
        Platform::Windows
    } else {
        Platform::Linux
    };
}

/// Everything an adapter may know about the machine.
#[derive(Debug, Clone)]
pub struct Roots {
    /// The person's home folder.
    pub home: PathBuf,
    /// Whose conventions apply.
    pub platform: Platform,
    /// The environment's overrides; empty when they are to be ignored.
    pub env: BTreeMap<String, String>,
    /// Folders that a person added, by source.
    pub custom: BTreeMap<String, Vec<PathBuf>>,
    /// A private folder for snapshots of databases.
    pub scratch: PathBuf,
    /// Now, nanoseconds since 1970. Only tells a file that is still being written from a damaged one.
    pub now: i64,
    /// Which run this is: a run reads one state of a database that its tool keeps writing to. 0 outside of any.
    pub run: u64,
    /// The snapshots taken under these roots: a run copies a database once, and the copies go with the
    /// last clone of the roots.
    pub(crate) snapshots: Snapshots,
    /// The ids that earlier runs gave, and to what.
    pub given: Given,
}

impl Roots {
    /// Roots under `home` with no overrides and no folders added.
    pub fn new(home: impl Into<PathBuf>, platform: Platform) -> Self {
        Self {
            home: home.into(),
            platform,
            env: BTreeMap::new(),
            custom: BTreeMap::new(),
            scratch: std::env::temp_dir(),
            now: 0,
            run: 0,
            snapshots: Snapshots::default(),
            given: Given::default(),
        }
    }

    /// An override from the environment, if it is set and not empty.
    pub fn env(&self, name: &str) -> Option<&str> {
        self.env.get(name).map(String::as_str).filter(|v| !v.is_empty())
    }

    /// An override that names a folder; `~` is the home folder.
    pub fn env_dir(&self, name: &str) -> Option<PathBuf> {
        self.env(name).map(|v| self.expand(v))
    }

    /// A path as a person writes it.
    pub fn expand(&self, path: &str) -> PathBuf {
        match path.strip_prefix('~') {
            Some("") => self.home.clone(),
            Some(rest) if rest.starts_with(['/', '\\']) => self.home.join(rest.trim_start_matches(['/', '\\'])),
            _ => PathBuf::from(path),
        }
    }

    /// Where applications keep their data: `~/.config` (or `XDG_CONFIG_HOME`),
    /// `~/Library/Application Support`, `%APPDATA%`.
    pub fn app_config(&self) -> PathBuf {
        match self.platform {
            Platform::Linux => self.env_dir("XDG_CONFIG_HOME").unwrap_or_else(|| self.home.join(".config")),
            Platform::MacOs => self.home.join("Library/Application Support"),
            Platform::Windows => self.env_dir("APPDATA").unwrap_or_else(|| self.home.join("AppData").join("Roaming")),
        }
    }

    /// Folders that a person added for `source`.
    pub fn custom(&self, source: &str) -> &[PathBuf] {
        self.custom.get(source).map_or(&[], Vec::as_slice)
    }

    /// Whether a file changed so recently (within a minute) that its last record may be unfinished.
    pub fn is_recent(&self, mtime: i64) -> bool {
        self.now.saturating_sub(mtime) < 60_000_000_000
    }
}

/// Modification time of `metadata` in nanoseconds since 1970; 0 where there is none.
pub(crate) fn mtime(metadata: &std::fs::Metadata) -> i64 {
    let Ok(time) = metadata.modified() else { return 0 };
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |n| -n),
    }
}

/// Whether something may be at `path`: what cannot be asked for is no less there.
pub(crate) fn may_be(path: &Path) -> bool {
    !std::fs::metadata(path).is_err_and(|e| e.kind() == std::io::ErrorKind::NotFound)
}

/// Opens a plain file. Anything else that a path may name (a pipe, a device) is an error at once: opening it
/// could wait for ever.
pub(crate) fn open_plain(path: &Path) -> std::io::Result<std::fs::File> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::new(std::io::ErrorKind::InvalidInput, crate::adapter::NOT_PLAIN));
    }
    std::fs::File::open(path)
}

/// A path as text, for locators.
pub(crate) fn display(path: &Path) -> std::sync::Arc<str> {
    path.to_string_lossy().into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn application_folders_follow_platform_and_overrides() {
        let mut roots = Roots::new("/h", Platform::Linux);
        assert_eq!(roots.app_config(), Path::new("/h/.config"));
        roots.env.insert("XDG_CONFIG_HOME".into(), "/x".into());
        assert_eq!(roots.app_config(), Path::new("/x"));
        assert_eq!(Roots::new("/h", Platform::MacOs).app_config(), Path::new("/h/Library/Application Support"));
        let mut roots = Roots::new("/h", Platform::Windows);
        assert_eq!(roots.app_config(), Path::new("/h/AppData/Roaming"));
        roots.env.insert("APPDATA".into(), "/r".into());
        assert_eq!(roots.app_config(), Path::new("/r"));
        assert_eq!(roots.expand("~/a"), Path::new("/h/a"));
    }
}

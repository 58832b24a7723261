//! Where Cursor keeps its stores: the editor's `User` folder and the agent's `.cursor` folder, by platform,
//! by override and in folders that a person added. Deliberately absent: what is in them (`survey`).

use crate::{Platform, Roots};
use std::path::{Path, PathBuf};

/// A base folder of one of the two stacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The folder.
    pub path: PathBuf,
    /// `default`, `custom` or `env:NAME`.
    pub origin: String,
    /// What to look for in it.
    pub stack: Stack,
}

/// Cursor has two stores that know nothing of each other.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stack {
    /// The editor's: `globalStorage` and `workspaceStorage`.
    Editor,
    /// The agent's: `chats`, `acp-sessions`, `projects`.
    Agent,
    /// A folder that a person added and that is neither.
    Neither,
}

/// Folders whose presence tells that the folder above is the editor's or the agent's.
const SIGNS: [(Stack, &[&str]); 2] =
    [(Stack::Editor, &["globalStorage", "workspaceStorage"]), (Stack::Agent, &["chats", "acp-sessions", "projects"])];

/// Overrides that readers of Cursor's stores agree on, and what they name.
const OVERRIDES: [&str; 3] = ["CURSOR_CONFIG_DIR", "CURSOR_USER_DIR", "CURSOR_DATA_PATH"];

/// Every place to look at, each once.
pub(super) fn places(roots: &Roots) -> Vec<Place> {
    let mut found: Vec<Place> = Vec::new();
    let mut add = |path: PathBuf, origin: &str, stack| {
        if !found.iter().any(|p| p.path == path && p.stack == stack) {
            found.push(Place { path, origin: origin.to_owned(), stack });
        }
    };
    let config = roots.app_config();
    add(config.join("Cursor").join("User"), "default", Stack::Editor);
    add(roots.home.join(".cursor"), "default", Stack::Agent);
    if roots.platform == Platform::Linux {
        add(config.join("cursor"), "default", Stack::Agent);
    }
    for home in windows_homes(roots) {
        add(home.join("AppData/Roaming/Cursor/User"), "env:WSL_DISTRO_NAME", Stack::Editor);
        add(home.join(".cursor"), "env:WSL_DISTRO_NAME", Stack::Agent);
    }
    let overrides = OVERRIDES.iter().filter_map(|name| Some((roots.env_dir(name)?, format!("env:{name}"))));
    let custom = roots.custom("cursor").iter().map(|path| (path.clone(), "custom".to_owned()));
    for (path, origin) in overrides.chain(custom) {
        let recognised = recognise(&path);
        if recognised.is_empty() {
            add(path, &origin, Stack::Neither);
        }
        for (path, stack) in recognised {
            add(path, &origin, stack);
        }
    }
    found
}

/// The base folders that a person may mean by `path`: itself, one above it or one inside it.
fn recognise(path: &Path) -> Vec<(PathBuf, Stack)> {
    let inside = ["", "User", "Cursor/User", ".cursor", ".config/Cursor/User"];
    let named = |names: &[&str]| path.file_name().is_some_and(|n| names.iter().any(|s| n == *s));
    let mut found = Vec::new();
    for (stack, signs) in SIGNS {
        if let Some(parent) = path.parent().filter(|_| named(signs)) {
            found.push((parent.to_owned(), stack));
            continue;
        }
        let below = inside.iter().map(|i| if i.is_empty() { path.to_owned() } else { path.join(i) });
        found.extend(below.filter(|p| signs.iter().any(|s| p.join(s).is_dir())).map(|p| (p, stack)));
    }
    found
}

/// Under WSL, the Windows side's home folders: the editor runs there.
fn windows_homes(roots: &Roots) -> Vec<PathBuf> {
    if roots.platform != Platform::Linux || roots.env("WSL_DISTRO_NAME").is_none() {
        return Vec::new();
    }
    let Ok(users) = std::fs::read_dir("/mnt/c/Users") else { return Vec::new() };
    let mut homes: Vec<PathBuf> = users.flatten().map(|e| e.path()).filter(|p| p.join("AppData").is_dir()).collect();
    homes.sort();
    homes
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn paths(roots: &Roots) -> Vec<String> {
        places(roots).into_iter().map(|p| format!("{} {} {:?}", p.origin, p.path.display(), p.stack)).collect()
    }

    #[test]
    fn places_follow_the_platform() {
        assert_eq!(
            paths(&Roots::new("/h", Platform::Linux)),
            ["default /h/.config/Cursor/User Editor", "default /h/.cursor Agent", "default /h/.config/cursor Agent"]
        );
        assert_eq!(
            paths(&Roots::new("/h", Platform::MacOs)),
            ["default /h/Library/Application Support/Cursor/User Editor", "default /h/.cursor Agent"]
        );
        let mut windows = Roots::new("/h", Platform::Windows);
        windows.env.insert("APPDATA".into(), "/r".into());
        assert_eq!(paths(&windows), ["default /r/Cursor/User Editor", "default /h/.cursor Agent"]);
    }

    #[test]
    fn a_folder_may_be_named_at_any_level() {
        let home = tempfile::tempdir().unwrap();
        let user = home.path().join("x/Cursor/User");
        std::fs::create_dir_all(user.join("globalStorage")).unwrap();
        std::fs::create_dir_all(home.path().join("x/.cursor/chats")).unwrap();
        for below in ["x/Cursor/User", "x/Cursor", "x/Cursor/User/globalStorage"] {
            let mut roots = Roots::new("/h", Platform::Linux);
            roots.custom.insert("cursor".into(), vec![home.path().join(below)]);
            let found = places(&roots);
            assert!(found.iter().any(|p| p.path == user && p.stack == Stack::Editor), "{below}: {found:?}");
        }
        let mut roots = Roots::new("/h", Platform::Linux);
        roots.custom.insert("cursor".into(), vec![home.path().join("x")]);
        roots.env.insert("CURSOR_CONFIG_DIR".into(), home.path().join("x/.cursor").to_string_lossy().into());
        roots.custom.get_mut("cursor").unwrap().push("/nowhere".into());
        let found = places(&roots);
        assert!(found.iter().any(|p| p.path == user), "both stacks inside one folder");
        assert!(found.iter().any(|p| p.origin == "env:CURSOR_CONFIG_DIR" && p.stack == Stack::Agent));
        assert!(found.iter().any(|p| p.path == Path::new("/nowhere") && p.stack == Stack::Neither));
    }
}

//! Where Trae's products keep their stores, and what lies beside them.

use crate::readers::json::Tape;
use crate::readers::vscode;
use crate::adapter::list;
use crate::roots::may_be;
use crate::{ReadError, Root, Roots, ScanError};
use std::io::Read;
use std::path::{Path, PathBuf};

/// The product that the published rules read.
const REFERENCE_PRODUCT: &str = "Trae";

/// All products, by the name of their data folder.
const PRODUCTS: [&str; 4] = [REFERENCE_PRODUCT, "Trae CN", "TRAE SOLO", "TRAE SOLO CN"];

/// What the note of a root says about the tool's newer store.
pub(super) const ENCRYPTED: &str = "encrypted-store";
const UNKNOWN_LAYOUT: &str = "unknown-store-layout";

/// The data folder of one product.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The editor's `User` folder.
    pub user: PathBuf,
    /// Why it is looked at.
    pub origin: String,
    /// Whether the published rules would read it.
    pub reference: bool,
}

/// One database of a place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Database {
    /// The file.
    pub file: PathBuf,
    /// A name that is the same on every machine: product and workspace.
    pub name: String,
    /// The project it belongs to; empty for the global one.
    pub project: String,
    /// Whether the published rules would read it.
    pub reference: bool,
}

/// Where the command line keeps its rollouts, and why each is looked at. It has a data folder like Codex's.
pub(super) fn command_line(roots: &Roots) -> Vec<(PathBuf, &'static str)> {
    let from_env = roots.env_dir("TRAECLI_HOME").map(|dir| (dir, "env:TRAECLI_HOME"));
    let from_home = roots.env_dir("TRAE_HOME").map(|dir| (dir.join("cli"), "env:TRAE_HOME"));
    let own = [".trae", ".trae-cn"].map(|name| (roots.home.join(name).join("cli"), "default"));
    let added = roots.custom("trae").iter().flat_map(|dir| [dir.clone(), dir.join("cli")]);
    let added = added.filter(|dir| dir.join("sessions").is_dir()).map(|dir| (dir, "custom"));
    let mut places: Vec<(PathBuf, &'static str)> = Vec::new();
    for (dir, origin) in from_env.into_iter().chain(from_home).chain(own).chain(added) {
        if places.iter().all(|(known, _)| *known != dir) {
            places.push((dir, origin));
        }
    }
    places
}

/// Every place: the products' own, then what the environment and the person added.
pub(super) fn places(roots: &Roots) -> Vec<Place> {
    let config = roots.app_config();
    let mut places: Vec<Place> = PRODUCTS
        .iter()
        .map(|product| Place {
            user: config.join(product).join("User"),
            origin: "default".to_owned(),
            reference: *product == REFERENCE_PRODUCT,
        })
        .collect();
    let from_env = roots.env_dir("TRAE_DIR").map(|dir| (dir, "env:TRAE_DIR".to_owned()));
    let added = roots.custom("trae").iter().map(|dir| (dir.clone(), "custom".to_owned()));
    for (dir, origin) in from_env.into_iter().chain(added) {
        let user = user_folder(&dir);
        if places.iter().all(|place| place.user != user) {
            let reference = !PRODUCTS[1..].iter().any(|product| product_of(&user) == *product);
            places.push(Place { user, origin, reference });
        }
    }
    places
}

/// The `User` folder that a person means: itself, the folder around it, or `workspaceStorage` in it.
fn user_folder(dir: &Path) -> PathBuf {
    if dir.file_name().is_some_and(|name| name == "workspaceStorage") {
        return dir.parent().unwrap_or(dir).to_owned();
    }
    let inside = dir.join("User");
    if inside.is_dir() { inside } else { dir.to_owned() }
}

fn product_of(user: &Path) -> String {
    user.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy().into_owned()
}

impl Database {
    /// The older copy that the editor keeps beside it.
    pub fn backup(&self) -> PathBuf {
        let mut name = self.file.clone().into_os_string();
        name.push(".backup");
        PathBuf::from(name)
    }
}

impl Place {
    /// The databases, the workspaces' by name and then the global one.
    pub fn databases(&self, fail: &mut dyn FnMut(ScanError)) -> Vec<Database> {
        let product = product_of(&self.user).to_lowercase().replace(' ', "-");
        let workspaces = vscode::workspaces(&self.user, fail).into_iter().map(|workspace| Database {
            file: workspace.dir.join("state.vscdb"),
            name: format!("{product}-{}", workspace.id),
            reference: self.reference && has_description(&workspace.dir),
            project: workspace.project,
        });
        let global = Database {
            file: self.user.join("globalStorage").join("state.vscdb"),
            name: format!("{product}-global"),
            project: String::new(),
            reference: false,
        };
        workspaces.chain([global]).filter(|database| may_be(&database.file) || database.backup().is_file()).collect()
    }

    /// Sessions of which the newer store keeps snapshots of files: the folders' names.
    pub fn with_snapshots(&self) -> Result<Vec<(String, PathBuf)>, ReadError> {
        let folder = self.snapshots();
        let entries = match list(&folder) {
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|e| ReadError::io(&folder, &e))?,
        };
        let mut sessions: Vec<(String, PathBuf)> = Vec::new();
        for entry in entries {
            let path = entry.map_err(|e| ReadError::io(&folder, &e))?.path();
            if path.is_dir() {
                sessions.push((path.file_name().unwrap_or_default().to_string_lossy().into_owned(), path));
            }
        }
        sessions.sort();
        Ok(sessions)
    }

    /// The folder of snapshots of files.
    pub fn snapshots(&self) -> PathBuf {
        self.modular_store().with_file_name("snapshot")
    }

    /// The store that newer builds keep beside the editor's.
    fn modular_store(&self) -> PathBuf {
        self.user.parent().unwrap_or(&self.user).join("ModularData").join("ai-agent").join("database.db")
    }

    /// The newer store as a root: what its first bytes say, and nothing more.
    pub fn modular_root(&self) -> Root {
        let mut root = Root::look(self.modular_store(), self.origin.clone());
        if root.exists && root.readable {
            root.note = first_bytes(&root.path).map(|head| {
                let plain = head.is_empty() || *b"SQLite format 3\0" == *head;
                if plain { UNKNOWN_LAYOUT } else { ENCRYPTED }.to_owned()
            });
        }
        root
    }
}

/// Whether the tool whose database this is also has a store that nobody else can read.
pub(super) fn has_encrypted_store(roots: &Roots, database: &Path) -> bool {
    let place = places(roots).into_iter().find(|place| database.starts_with(&place.user));
    place.is_some_and(|place| place.modular_root().note.as_deref() == Some(ENCRYPTED))
}

/// Plain reading of the first sixteen bytes: opening such a file with SQLite is known to change it.
fn first_bytes(path: &Path) -> Option<Vec<u8>> {
    let mut head = Vec::new();
    crate::roots::open_plain(path).ok()?.take(16).read_to_end(&mut head).ok()?;
    Some(head)
}

/// The published rules pass over a workspace without a readable `workspace.json`.
fn has_description(workspace: &Path) -> bool {
    read_plain(&workspace.join("workspace.json")).is_some_and(|text| Tape::new().read_whole(&text).is_ok())
}

fn read_plain(path: &Path) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    crate::roots::open_plain(path).ok()?.read_to_end(&mut text).ok()?;
    Some(text)
}

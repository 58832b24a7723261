//! What the page may ask for. A command unpacks, calls one engine function off the window's thread, and
//! returns what that says; the page words it.

pub mod acceptance;
pub mod care;
pub mod imports;
pub mod library;
pub mod settings;
pub mod sources;
pub mod window;

use crate::host::Host;
use assay_engine::Engine;
use assay_engine::dto::{Fault, Progress};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use tauri::ipc::Channel;
use tauri::{AppHandle, State};
use tauri_plugin_opener::OpenerExt;

/// The engines, as commands are given them.
pub type Engines<'a> = State<'a, Host>;

/// Runs `work` where it may block.
async fn off_thread<T: Send + 'static>(
    engines: &Engines<'_>,
    work: impl FnOnce(&Engine) -> Result<T, Fault> + Send + 'static,
) -> Result<T, Fault> {
    let engine: Arc<Engine> = engines.engine();
    let task = tauri::async_runtime::spawn_blocking(move || work(&engine));
    task.await.unwrap_or_else(|e| Err(fault("internal", e.to_string())))
}

/// Brings the text index up to date beside everything else. Nobody waits for it: it gives way to whatever
/// begins, and a search says what it has not come to yet.
fn index_aside(engines: &Engines<'_>) {
    let engine = engines.engine();
    tauri::async_runtime::spawn_blocking(move || engine.index(&|_| ()));
}

/// Sends signs of life to the page. One that is closed hears nothing; the work goes on.
fn teller(channel: Channel<Progress>) -> impl Fn(Progress) + Sync {
    move |progress| {
        let _ = channel.send(progress);
    }
}

/// Shows a file or folder in the file manager.
fn reveal(app: &AppHandle, path: PathBuf) -> Result<(), Fault> {
    let shown = app.opener().reveal_item_in_dir(&path);
    shown.map_err(|e| fault("not-revealed", format!("{}: {e}", path.display())))
}

pub fn fault(code: &str, detail: impl Into<String>) -> Fault {
    Fault { code: code.to_owned(), params: BTreeMap::new(), detail: detail.into() }
}

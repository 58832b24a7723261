//! Looking after the library: its index, a copy of it, its place.

use super::{Engines, off_thread, teller};
use assay_engine::dto::{AppState, Fault, Progress};
use tauri::AppHandle;
use tauri::ipc::Channel;
use tauri_plugin_dialog::DialogExt;

/// Makes the text index anew. Returns how many messages are left, if it was cancelled.
#[tauri::command]
pub async fn rebuild_index(engines: Engines<'_>, on_progress: Channel<Progress>) -> Result<u64, Fault> {
    off_thread(&engines, move |engine| engine.rebuild_index(&teller(on_progress))).await
}

/// Asks where to, copies the library there, and returns the file's name.
#[tauri::command]
pub async fn back_up(
    app: AppHandle,
    engines: Engines<'_>,
    on_progress: Channel<Progress>,
) -> Result<Option<String>, Fault> {
    off_thread(&engines, move |engine| {
        let chosen = app.dialog().file().set_file_name("assay-library.db").blocking_save_file();
        let Some(file) = chosen.and_then(|file| file.into_path().ok()) else { return Ok(None) };
        engine.back_up(&file, &teller(on_progress))?;
        Ok(file.file_name().map(|name| name.to_string_lossy().into_owned()))
    })
    .await
}

/// Asks for a folder and moves the library and the settings there. Returns the app as it is then.
#[tauri::command]
pub async fn move_library(
    app: AppHandle,
    engines: Engines<'_>,
    on_progress: Channel<Progress>,
) -> Result<Option<AppState>, Fault> {
    let moved = off_thread(&engines, move |engine| {
        let chosen = app.dialog().file().blocking_pick_folder().and_then(|folder| folder.into_path().ok());
        let Some(folder) = chosen else { return Ok(false) };
        engine.stop_watching();
        engine.move_library(&folder, &teller(on_progress)).map(|_| true)
    })
    .await?;
    if !moved {
        return Ok(None);
    }
    engines.reopen()?;
    off_thread(&engines, |engine| Ok(Some(engine.state()))).await
}

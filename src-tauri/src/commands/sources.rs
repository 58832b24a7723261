//! Finding the stores.

use super::{Engines, off_thread, reveal, teller};
use assay_engine::dto::{Fault, Progress, Settings};
use tauri::AppHandle;
use tauri::ipc::Channel;
use tauri_plugin_dialog::DialogExt;

#[tauri::command]
pub async fn detect(engines: Engines<'_>, on_progress: Channel<Progress>) -> Result<(), Fault> {
    off_thread(&engines, move |engine| {
        engine.detect(&teller(on_progress));
        Ok(())
    })
    .await
}

#[tauri::command]
pub async fn add_folder(app: AppHandle, engines: Engines<'_>, source: String) -> Result<Option<Settings>, Fault> {
    off_thread(&engines, move |engine| {
        let chosen = app.dialog().file().blocking_pick_folder().and_then(|folder| folder.into_path().ok());
        chosen.map(|folder| engine.add_folder(&source, &folder)).transpose()
    })
    .await
}

#[tauri::command]
pub async fn reveal_root(app: AppHandle, engines: Engines<'_>, source: String, root: usize) -> Result<(), Fault> {
    off_thread(&engines, move |engine| reveal(&app, engine.root(&source, root)?)).await
}

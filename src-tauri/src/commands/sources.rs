//! Finding the stores.

use super::{Engines, fault, off_thread, reveal, teller};
use assay_engine::dto::{Dropped, Fault, Progress, Settings};
use std::collections::BTreeSet;
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

/// Whose sessions are in what was dropped on the window. Of files in one folder the first stands for all.
#[tauri::command]
pub async fn dropped(engines: Engines<'_>) -> Result<Vec<Dropped>, Fault> {
    let mut paths = engines.dropped.all();
    let mut folders = BTreeSet::new();
    paths.retain(|path| path.is_dir() || folders.insert(path.parent().map(ToOwned::to_owned)));
    let offers =
        off_thread(&engines, move |engine| paths.iter().map(|p| engine.whose(p)).collect::<Result<Vec<_>, _>>());
    let offers = offers.await?;
    engines.offered.set(offers.iter().map(|offer| offer.folder.clone()).collect());
    Ok(offers.into_iter().map(|offer| offer.dropped).collect())
}

/// Adds a folder that was dropped, by its place in what [`dropped`] said, to a source.
#[tauri::command]
pub async fn add_dropped(engines: Engines<'_>, at: usize, source: String) -> Result<Settings, Fault> {
    let folder = engines.offered.all().into_iter().nth(at).ok_or_else(|| fault("no-such-root", &*source))?;
    off_thread(&engines, move |engine| engine.add_folder(&source, &folder)).await
}

#[tauri::command]
pub async fn reveal_root(app: AppHandle, engines: Engines<'_>, source: String, root: usize) -> Result<(), Fault> {
    off_thread(&engines, move |engine| reveal(&app, engine.root(&source, root)?)).await
}

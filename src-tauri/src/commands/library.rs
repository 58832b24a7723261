//! What is kept: lists, search, the way out.

use super::{Engines, fault, index_aside, off_thread};
use assay_engine::Format;
use assay_engine::dto::{
    ExportForm, ExportResult, Fault, FoundPlace, LibraryFacets, LibraryHistory, LibraryQuery, LibraryRow, Page,
    RetentionChoice, SearchPage,
};
use tauri::AppHandle;
use tauri_plugin_dialog::DialogExt;

#[tauri::command]
pub async fn kept(engines: Engines<'_>, query: LibraryQuery) -> Result<Page<LibraryRow>, Fault> {
    off_thread(&engines, move |engine| engine.kept(&query)).await
}

#[tauri::command]
pub async fn facets(engines: Engines<'_>) -> Result<LibraryFacets, Fault> {
    off_thread(&engines, |engine| engine.facets()).await
}

#[tauri::command]
pub async fn kept_history(engines: Engines<'_>) -> Result<LibraryHistory, Fault> {
    off_thread(&engines, |engine| engine.kept_history()).await
}

#[tauri::command]
pub async fn search(engines: Engines<'_>, query: LibraryQuery) -> Result<SearchPage, Fault> {
    off_thread(&engines, move |engine| engine.search_kept(&query)).await
}

#[tauri::command]
pub async fn find_within(
    engines: Engines<'_>,
    key: String,
    retention: RetentionChoice,
    text: String,
) -> Result<Vec<FoundPlace>, Fault> {
    off_thread(&engines, move |engine| engine.find_within(&key, retention, &text)).await
}

#[tauri::command]
pub async fn locate(
    engines: Engines<'_>,
    key: String,
    retention: RetentionChoice,
    message: u32,
) -> Result<Option<u32>, Fault> {
    off_thread(&engines, move |engine| engine.locate(&key, retention, message)).await
}

/// Brings the text index up to date, beside everything else; returns at once.
#[tauri::command]
pub async fn index(engines: Engines<'_>) -> Result<(), Fault> {
    index_aside(&engines);
    Ok(())
}

#[tauri::command]
pub async fn set_pin(engines: Engines<'_>, keys: Vec<String>, pinned: bool) -> Result<(), Fault> {
    off_thread(&engines, move |engine| engine.set_pin(&keys, pinned)).await
}

#[tauri::command]
pub async fn relabel(
    engines: Engines<'_>,
    keys: Vec<String>,
    add: Vec<String>,
    remove: Vec<String>,
) -> Result<(), Fault> {
    off_thread(&engines, move |engine| engine.relabel(&keys, &add, &remove)).await
}

#[tauri::command]
pub async fn delete(engines: Engines<'_>, keys: Vec<String>) -> Result<(), Fault> {
    off_thread(&engines, move |engine| engine.delete(&keys)).await
}

#[tauri::command]
pub async fn restore(engines: Engines<'_>, keys: Vec<String>) -> Result<(), Fault> {
    off_thread(&engines, move |engine| engine.restore(&keys)).await
}

#[tauri::command]
pub async fn export_forms(engines: Engines<'_>) -> Result<Vec<ExportForm>, Fault> {
    off_thread(&engines, |engine| Ok(engine.export_forms())).await
}

/// Asks where to and writes conversations there.
#[tauri::command]
pub async fn export_kept(
    app: AppHandle,
    engines: Engines<'_>,
    keys: Vec<String>,
    format: String,
    mask: bool,
    name: String,
) -> Result<Option<ExportResult>, Fault> {
    off_thread(&engines, move |engine| {
        let form = Format::ALL.into_iter().find(|f| f.code() == format);
        let form = form.ok_or_else(|| fault("unknown-format", format))?;
        let name = format!("{}.{}", plain(&name), form.extension());
        let chosen = app.dialog().file().set_file_name(name).blocking_save_file();
        let Some(file) = chosen.and_then(|file| file.into_path().ok()) else { return Ok(None) };
        engine.export_kept(&keys, form, mask, &file).map(Some)
    })
    .await
}

/// A title as the name of a file, on any system.
fn plain(title: &str) -> String {
    let name: String =
        title.chars().map(|c| if c.is_alphanumeric() || "-_.()".contains(c) { c } else { ' ' }).collect();
    let name = name.split_whitespace().collect::<Vec<_>>().join(" ");
    let name: String = name.trim_start_matches('.').chars().take(60).collect();
    if name.is_empty() { "assay".to_owned() } else { name }
}

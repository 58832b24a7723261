//! Importing, and what became of it.

use super::{Engines, index_aside, off_thread, teller};
use assay_engine::dto::{Fault, ImportPlan, ImportRequest, ImportResult, OutcomeQuery, OutcomeRow, Page, Progress};
use assay_engine::{Engine, ImportOptions, ReportFormat};
use tauri::AppHandle;
use tauri::ipc::Channel;
use tauri_plugin_dialog::DialogExt;

#[tauri::command]
pub async fn plan(engines: Engines<'_>) -> Result<ImportPlan, Fault> {
    off_thread(&engines, |engine| Ok(engine.plan())).await
}

#[tauri::command]
pub async fn run_import(
    engines: Engines<'_>,
    request: ImportRequest,
    on_progress: Channel<Progress>,
) -> Result<ImportResult, Fault> {
    let options = ImportOptions { request, ..ImportOptions::default() };
    let work = move |engine: &Engine| Ok(engine.import(&options, &teller(on_progress))?.result);
    let done = off_thread(&engines, work).await;
    index_aside(&engines);
    done
}

#[tauri::command]
pub async fn history(engines: Engines<'_>) -> Result<Vec<ImportResult>, Fault> {
    off_thread(&engines, |engine| engine.history()).await
}

#[tauri::command]
pub async fn outcomes(engines: Engines<'_>, query: OutcomeQuery) -> Result<Page<OutcomeRow>, Fault> {
    off_thread(&engines, move |engine| engine.outcomes(&query)).await
}

/// Asks where to, writes the report there, and returns the file's name.
#[tauri::command]
pub async fn save_report(
    app: AppHandle,
    engines: Engines<'_>,
    run: i64,
    format: ReportFormat,
) -> Result<Option<String>, Fault> {
    off_thread(&engines, move |engine| {
        let name = format!("assay-import-{run}.{}", format.ending());
        let chosen = app.dialog().file().set_file_name(name).blocking_save_file();
        let Some(file) = chosen.and_then(|file| file.into_path().ok()) else { return Ok(None) };
        engine.save_report(run, format, &file)?;
        Ok(file.file_name().map(|name| name.to_string_lossy().into_owned()))
    })
    .await
}

//! What an import would keep and lose, down to the raw record.

use super::{Engines, index_aside, off_thread, reveal, teller};
use assay_engine::PreviewRequest;
use assay_engine::dto::{
    AcceptanceSummary, BoundaryRow, ConversationRow, Fault, Inspection, Page, Progress, RawRecord, RetentionChoice,
    RowQuery, TimelineItem,
};
use tauri::AppHandle;
use tauri::ipc::Channel;

#[tauri::command]
pub async fn preview(engines: Engines<'_>, sources: Vec<String>, on_progress: Channel<Progress>) -> Result<(), Fault> {
    let request = PreviewRequest { sources, retention: None };
    // What failed is in the rows and in each source's last sign of life already.
    let done = off_thread(&engines, move |engine| engine.preview(&request, &teller(on_progress)).map(|_| ())).await;
    // It gave way to this preview.
    index_aside(&engines);
    done
}

#[tauri::command]
pub async fn cancel(engines: Engines<'_>) -> Result<(), Fault> {
    engines.engine().cancel();
    Ok(())
}

#[tauri::command]
pub async fn summary(
    engines: Engines<'_>,
    source: String,
    retention: RetentionChoice,
) -> Result<Option<AcceptanceSummary>, Fault> {
    off_thread(&engines, move |engine| Ok(engine.summary(&source, retention))).await
}

#[tauri::command]
pub async fn matrix(engines: Engines<'_>, source: String) -> Result<Vec<BoundaryRow>, Fault> {
    off_thread(&engines, move |engine| engine.matrix(&source)).await
}

#[tauri::command]
pub async fn conversations(
    engines: Engines<'_>,
    source: String,
    retention: RetentionChoice,
    query: RowQuery,
) -> Result<Page<ConversationRow>, Fault> {
    off_thread(&engines, move |engine| Ok(engine.conversations(&source, retention, &query))).await
}

#[tauri::command]
pub async fn inspect(engines: Engines<'_>, key: String, retention: RetentionChoice) -> Result<Inspection, Fault> {
    off_thread(&engines, move |engine| engine.inspect(&key, retention)).await
}

#[tauri::command]
pub async fn timeline(
    engines: Engines<'_>,
    key: String,
    retention: RetentionChoice,
    offset: u32,
    limit: u32,
) -> Result<Vec<TimelineItem>, Fault> {
    off_thread(&engines, move |engine| engine.timeline(&key, retention, offset, limit)).await
}

#[tauri::command]
pub async fn whole_text(
    engines: Engines<'_>,
    key: String,
    retention: RetentionChoice,
    index: u32,
) -> Result<String, Fault> {
    off_thread(&engines, move |engine| engine.whole_text(&key, retention, index)).await
}

#[tauri::command]
pub async fn record(
    engines: Engines<'_>,
    key: String,
    retention: RetentionChoice,
    entry: u32,
) -> Result<RawRecord, Fault> {
    off_thread(&engines, move |engine| engine.record(&key, retention, entry)).await
}

#[tauri::command]
pub async fn reveal_record(app: AppHandle, engines: Engines<'_>, key: String, entry: u32) -> Result<(), Fault> {
    off_thread(&engines, move |engine| reveal(&app, engine.record_file(&key, entry)?)).await
}

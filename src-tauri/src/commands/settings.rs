//! The app as it starts, what the person chose, and links that lead outside.

use super::{Engines, fault, off_thread};
use assay_engine::dto::{AppState, Fault, Settings};
use tauri::AppHandle;
use tauri_plugin_opener::OpenerExt;

#[tauri::command]
pub async fn state(engines: Engines<'_>) -> Result<AppState, Fault> {
    off_thread(&engines, |engine| Ok(engine.state())).await
}

#[tauri::command]
pub async fn save_settings(engines: Engines<'_>, settings: Settings) -> Result<Settings, Fault> {
    let watch = settings.watch;
    let saved = off_thread(&engines, |engine| engine.save_settings(settings)).await?;
    if !watch {
        engines.engine().stop_watching();
    }
    Ok(saved)
}

#[tauri::command]
pub async fn use_sample(engines: Engines<'_>, on: bool) -> Result<AppState, Fault> {
    engines.engine().cancel();
    engines.use_sample(on)?;
    off_thread(&engines, |engine| Ok(engine.state())).await
}

/// Opens an address outside: only what a person expects of a link in a text.
#[tauri::command]
pub async fn open_link(app: AppHandle, address: String) -> Result<(), Fault> {
    let wanted = ["http://", "https://", "mailto:"].iter().any(|s| address.to_ascii_lowercase().starts_with(s));
    if !wanted {
        return Err(fault("link-refused", address));
    }
    app.opener().open_url(&address, None::<&str>).map_err(|e| fault("link-not-opened", e.to_string()))
}

/// Asks for the person's attention without taking the focus: long work ended while they were elsewhere.
#[tauri::command]
pub async fn attention(window: tauri::WebviewWindow) -> Result<(), Fault> {
    let asked = window.request_user_attention(Some(tauri::UserAttentionType::Informational));
    asked.map_err(|e| fault("unexpected", e.to_string()))
}

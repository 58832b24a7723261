//! The window itself: its menu, how large the page is in it, full screen.

use super::fault;
use crate::menu::{self, Part};
use assay_engine::dto::Fault;
use tauri::{AppHandle, WebviewWindow};

/// Puts a menu in place, where the system has one.
#[tauri::command]
pub async fn set_menu(app: AppHandle, parts: Vec<Part>) -> Result<(), Fault> {
    menu::set(&app, &parts).map_err(|e| fault("unexpected", e.to_string()))
}

/// Shows the page at `factor` of its size.
#[tauri::command]
pub async fn zoom(window: WebviewWindow, factor: f64) -> Result<(), Fault> {
    window.set_zoom(factor.clamp(0.25, 5.0)).map_err(|e| fault("unexpected", e.to_string()))
}

/// Full screen, or no longer.
#[tauri::command]
pub async fn full_screen(window: WebviewWindow) -> Result<(), Fault> {
    let turned = window.is_fullscreen().and_then(|is| window.set_fullscreen(!is));
    turned.map_err(|e| fault("unexpected", e.to_string()))
}

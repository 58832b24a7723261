//! The shell: one window over the engine. The only code that knows Tauri.
//!
//! Owns: the window, the commands (each unpacks, calls the engine off the window's thread, and returns what
//! it says), native dialogs, the file manager, single instance.
//! Deliberately absent: what any command means — that is the engine's — and words for people — the page's.

mod commands;
mod host;
mod menu;

use commands::{acceptance, care, imports, library, settings, sources, window};
use host::Host;
use std::process::ExitCode;
use tauri::{DragDropEvent, Emitter, Manager, WindowEvent};

/// Has WebKit draw by itself where there is no graphics processor. A library that stands in for one takes a hundred
/// megabytes and, of a long list, five times as long for each picture.
#[cfg(target_os = "linux")]
fn draw_plainly(app: &tauri::App) -> tauri::Result<()> {
    use webkit2gtk::{HardwareAccelerationPolicy, SettingsExt, WebViewExt};
    let cards = std::fs::read_dir("/dev/dri").into_iter().flatten().flatten();
    if cards.into_iter().any(|card| card.file_name().to_string_lossy().starts_with("renderD")) {
        return Ok(());
    }
    for window in app.webview_windows().values() {
        window.with_webview(|webview| {
            if let Some(settings) = WebViewExt::settings(&webview.inner()) {
                settings.set_hardware_acceleration_policy(HardwareAccelerationPolicy::Never);
            }
        })?;
    }
    Ok(())
}

/// Opens the app and returns when it is closed.
pub fn run(context: tauri::Context) -> ExitCode {
    let app = tauri::Builder::default()
        // First, so that a second start hands over before it does anything else.
        .plugin(tauri_plugin_single_instance::init(|app, _, _| {
            if let Some(window) = app.get_webview_window("main") {
                // Failing to come to the front harms nothing.
                let _ = window.unminimize().and_then(|()| window.set_focus());
            }
        }))
        .plugin(tauri_plugin_window_state::Builder::default().build())
        .plugin(tauri_plugin_dialog::init())
        .plugin(tauri_plugin_opener::Builder::new().open_js_links_on_click(false).build())
        .setup(|app| {
            app.manage(Host::open()?);
            #[cfg(target_os = "linux")]
            draw_plainly(app)?;
            let app = app.handle().clone();
            std::thread::spawn(move || {
                app.state::<Host>().watch(|| {
                    // A page that is gone hears nothing.
                    let _ = app.emit("watched", ());
                });
            });
            Ok(())
        })
        .on_menu_event(|app, event| menu::chosen(app, &event))
        .on_window_event(|window, event| {
            if let WindowEvent::DragDrop(DragDropEvent::Drop { paths, .. }) = event {
                window.state::<Host>().dropped.set(paths.clone());
            }
        })
        .invoke_handler(tauri::generate_handler![
            settings::state,
            settings::save_settings,
            settings::use_sample,
            settings::open_link,
            settings::attention,
            window::set_menu,
            window::zoom,
            window::full_screen,
            sources::detect,
            sources::add_folder,
            sources::dropped,
            sources::add_dropped,
            sources::reveal_root,
            acceptance::preview,
            acceptance::cancel,
            acceptance::summary,
            acceptance::matrix,
            acceptance::conversations,
            acceptance::inspect,
            acceptance::timeline,
            acceptance::whole_text,
            acceptance::record,
            acceptance::reveal_record,
            imports::plan,
            imports::run_import,
            imports::history,
            imports::outcomes,
            imports::save_report,
            care::rebuild_index,
            care::back_up,
            care::move_library,
            library::kept,
            library::facets,
            library::kept_history,
            library::search,
            library::find_within,
            library::locate,
            library::index,
            library::set_pin,
            library::relabel,
            library::delete,
            library::restore,
            library::export_forms,
            library::export_kept,
        ])
        .run(context);
    assay_engine::host::leave_nothing();
    match app {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

//! The native menu, on macOS and Windows, in the words and the order that the page sends. What a person
//! chooses goes back to the page, which does what its own shortcut for it does.
//!
//! On Linux there is none: its desktops do not agree on menu bars, and GTK's would stand above the page as
//! a strip of another make; the page's shortcuts and palette do the same. Deliberately absent: words, and
//! what any item means.

use serde::Deserialize;
use tauri::menu::{AboutMetadata, IsMenuItem, Menu, MenuEvent, MenuItem, PredefinedMenuItem, Submenu};
use tauri::{AppHandle, Emitter, Wry};

/// Whether this system shows a menu. A value and not an attribute, so that every build checks all of this.
const SHOWN: bool = cfg!(any(target_os = "macos", windows));

/// One menu of the bar.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Part {
    title: String,
    /// Only on macOS, or everywhere but there.
    only: Option<Only>,
    items: Vec<Item>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Item {
    kind: Kind,
    /// What an action is called between page and menu.
    #[serde(default)]
    id: String,
    #[serde(default)]
    text: String,
    keys: Option<String>,
    only: Option<Only>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Only {
    Mac,
    Others,
}

/// The page's own actions, and what the system does itself.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Kind {
    Action,
    Line,
    About,
    Undo,
    Redo,
    Cut,
    Copy,
    Paste,
    SelectAll,
    Minimize,
    Hide,
    HideOthers,
    ShowAll,
    Quit,
}

fn here(only: Option<Only>) -> bool {
    only.is_none_or(|only| (only == Only::Mac) == cfg!(target_os = "macos"))
}

/// Puts these menus in place of those before.
pub fn set(app: &AppHandle, parts: &[Part]) -> tauri::Result<()> {
    if !SHOWN {
        return Ok(());
    }
    let menu = Menu::new(app)?;
    for part in parts.iter().filter(|part| here(part.only)) {
        let submenu = Submenu::new(app, &part.title, true)?;
        for item in part.items.iter().filter(|item| here(item.only)) {
            submenu.append(&*made(app, item)?)?;
        }
        menu.append(&submenu)?;
    }
    app.set_menu(menu)?;
    Ok(())
}

fn made(app: &AppHandle, item: &Item) -> tauri::Result<Box<dyn IsMenuItem<Wry>>> {
    let text = Some(item.text.as_str());
    let own = match item.kind {
        Kind::Action => {
            return Ok(Box::new(MenuItem::with_id(app, &item.id, &item.text, true, item.keys.as_deref())?));
        }
        Kind::Line => PredefinedMenuItem::separator(app),
        Kind::About => PredefinedMenuItem::about(app, text, Some(about(app))),
        Kind::Undo => PredefinedMenuItem::undo(app, text),
        Kind::Redo => PredefinedMenuItem::redo(app, text),
        Kind::Cut => PredefinedMenuItem::cut(app, text),
        Kind::Copy => PredefinedMenuItem::copy(app, text),
        Kind::Paste => PredefinedMenuItem::paste(app, text),
        Kind::SelectAll => PredefinedMenuItem::select_all(app, text),
        Kind::Minimize => PredefinedMenuItem::minimize(app, text),
        Kind::Hide => PredefinedMenuItem::hide(app, text),
        Kind::HideOthers => PredefinedMenuItem::hide_others(app, text),
        Kind::ShowAll => PredefinedMenuItem::show_all(app, text),
        Kind::Quit => PredefinedMenuItem::quit(app, text),
    };
    Ok(Box::new(own?))
}

fn about(app: &AppHandle) -> AboutMetadata<'static> {
    let info = app.package_info();
    AboutMetadata {
        name: Some(info.name.clone()),
        version: Some(info.version.to_string()),
        license: Some("MIT".to_owned()),
        ..AboutMetadata::default()
    }
}

/// Tells the page what was chosen.
pub fn chosen(app: &AppHandle, event: &MenuEvent) {
    // A page that is closed does nothing with it.
    let _ = app.emit("menu", event.id().as_ref());
}

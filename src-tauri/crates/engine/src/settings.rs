//! What the person chose: a small JSON file beside the library.
//!
//! Written whole to a new file that then takes the old one's place; fields of a newer version are kept.
//! A damaged file is set aside and the defaults hold. Deliberately absent: anything an import depends on
//! that is not the person's choice.

use crate::dto::Settings;
use crate::outside;
use serde_json::{Map, Value};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// Settings as they were loaded.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Loaded {
    /// What holds.
    pub settings: Settings,
    /// Where a damaged file was put, if there was one.
    pub set_aside: Option<PathBuf>,
}

/// Reads the file. None is no fault; a damaged one is set aside as `….damaged`.
pub fn load(file: &Path) -> Loaded {
    let Ok(text) = fs::read(file) else { return Loaded::default() };
    match serde_json::from_slice(&text) {
        Ok(settings) => Loaded { settings, set_aside: None },
        Err(_) => {
            let mut aside = file.as_os_str().to_owned();
            aside.push(".damaged");
            let aside = PathBuf::from(aside);
            let moved = fs::rename(file, &aside).is_ok();
            Loaded { settings: Settings::default(), set_aside: moved.then_some(aside) }
        }
    }
}

/// Writes the file, and keeps what it holds beside our fields.
pub fn save(file: &Path, settings: &Settings) -> io::Result<()> {
    let mut all: Map<String, Value> =
        fs::read(file).ok().and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default();
    if let Value::Object(ours) = serde_json::to_value(settings)? {
        all.extend(ours);
    }
    let folder = file.parent().unwrap_or(Path::new("."));
    fs::create_dir_all(folder)?;
    let mut text = serde_json::to_vec_pretty(&all)?;
    text.push(b'\n');
    outside::replace(file, &text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unknown_fields_survive_and_damage_is_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("deep/settings.json");
        assert_eq!(load(&file), Loaded::default(), "no file is no fault");
        let mut settings = Settings { theme: "dark".into(), ..Settings::default() };
        save(&file, &settings).unwrap();
        fs::write(&file, fs::read_to_string(&file).unwrap().replacen('{', "{\"newer\":[1],", 1)).unwrap();
        settings.verify = true;
        save(&file, &settings).unwrap();
        assert_eq!(load(&file).settings, settings);
        assert!(fs::read_to_string(&file).unwrap().contains("newer"), "fields of a newer version are kept");

        fs::write(&file, "{\"theme\": ").unwrap();
        let loaded = load(&file);
        assert_eq!(loaded.settings, Settings::default());
        assert_eq!(fs::read_to_string(loaded.set_aside.unwrap()).unwrap(), "{\"theme\": ");
        assert!(!file.exists());
    }
}

//! Looking after the library: what is wrong, room, the text index, copies, another place. Deliberately
//! absent: words for people, and the work itself; that is the library's.

use crate::dto::{Fault, Progress};
use crate::engine::{Engine, fault};
use crate::host;
use crate::job::{Listener, Meter};
use assay_library::{Error, Finding, Library, Reader, beside};
use std::path::{Path, PathBuf};

/// Under which names progress tells of it, in the place of a source.
const VACUUM: &str = "vacuum";
const BACKUP: &str = "backup";

impl Engine {
    /// Reads the whole library and the place it is in, and says what is wrong, or worth knowing.
    pub fn doctor(&self) -> Vec<Finding> {
        let path = self.library();
        let mut found = Vec::new();
        let mut say = |code, count, detail: String, wrong| found.push(Finding { code, count, detail, wrong });
        match Reader::open(path) {
            Ok(None) => say("no-library", 1, path.to_string_lossy().into_owned(), false),
            Err(error) => say(error.code(), 1, error.to_string(), !matches!(error, Error::Older { .. })),
            Ok(Some(reader)) => match reader.check() {
                Ok(all) => all.into_iter().for_each(|f| say(f.code, f.count, f.detail, f.wrong)),
                Err(error) => say(error.code(), 1, error.to_string(), true),
            },
        }
        if path.exists() {
            match Library::open(path).map_err(|e| (e.code(), e.to_string())) {
                Ok(_) | Err(("newer" | "not-a-library" | "damaged", _)) => {}
                Err(("no-permission", detail)) => say("read-only-place", 1, detail, true),
                Err(("in-use", detail)) => say("in-use", 1, detail, false),
                Err((code, detail)) => say(code, 1, detail, true),
            }
        }
        for (file, bytes) in beside(path) {
            let kept = file.to_string_lossy().ends_with(".backup");
            say(if kept { "backup" } else { "leftover" }, bytes, self.short(&file), !kept);
        }
        if let Some(aside) = self.damaged_settings() {
            say("settings-damaged", 1, self.short(aside), true);
        }
        found
    }

    /// Removes what a kill left beside the library and in it, and finishes what it left undone.
    pub fn repair(&self, listener: Listener<'_>) -> Result<(), Fault> {
        let _working = self.begin()?;
        drop(self.reader()?);
        // Held, so that nobody is at work on what looks left.
        let mut library = Library::open(self.library())?;
        let leftovers = beside(self.library()).into_iter().filter(|(f, _)| !f.to_string_lossy().ends_with(".backup"));
        for (file, _) in leftovers {
            std::fs::remove_file(&file).map_err(|e| fault("not-written", format!("{}: {e}", file.display())))?;
        }
        let stale = |f: &Finding| f.code == "index-stale";
        let index = self.reader()?.check()?.iter().any(stale);
        library.tidy()?;
        if index {
            library.clear_index()?;
        }
        listener(Progress::Finished { cancelled: false });
        Ok(())
    }

    /// Gives room that nothing takes back to the disk. Returns the bytes before and after.
    pub fn vacuum(&self, listener: Listener<'_>) -> Result<(u64, u64), Fault> {
        let _working = self.begin()?;
        let before = self.reader()?.bytes();
        let meter = Meter::new(listener);
        meter.begin(VACUUM, 1, before);
        Library::open(self.library())?.vacuum()?;
        meter.step(VACUUM, before);
        meter.tell(Progress::Finished { cancelled: false });
        Ok((before, self.reader()?.bytes()))
    }

    /// Makes the text index anew. Returns how many messages are left, if it was cancelled.
    pub fn rebuild_index(&self, listener: Listener<'_>) -> Result<u64, Fault> {
        {
            let _working = self.begin()?;
            drop(self.reader()?);
            Library::open(self.library())?.clear_index()?;
        }
        self.index(listener)
    }

    /// Copies the library to a new file, while it may go on to be used.
    pub fn back_up(&self, to: &Path, listener: Listener<'_>) -> Result<(), Fault> {
        self.may_write(to)?;
        let reader = self.reader()?;
        Ok(copied(listener, |told| reader.copy_to(to, told))?)
    }

    /// Moves the library and the settings to another file, which is found from then on. The old one is
    /// removed only when the copy was found sound.
    pub fn move_library(&self, to: &Path, listener: Listener<'_>) -> Result<PathBuf, Fault> {
        let _working = self.begin()?;
        let from = self.library();
        let to = if to.is_dir() { to.join("library.db") } else { to.to_owned() };
        let to = std::path::absolute(&to).map_err(|e| fault("not-written", e.to_string()))?;
        // Held until the old one is gone, so that nobody writes to it meanwhile.
        drop(self.reader()?);
        let held = Library::open(from)?;
        self.may_write(&to)?;
        copied(listener, |told| held.copy_away(&to, told))?;
        let written = |e: std::io::Error| fault("not-written", e.to_string());
        let settings = from.with_file_name("settings.json");
        if settings.exists() && settings != to.with_file_name("settings.json") {
            std::fs::copy(&settings, to.with_file_name("settings.json")).map_err(written)?;
        }
        host::remember_library(&self.options.roots, &to).map_err(written)?;
        drop(held);
        for ending in ["", "-wal", "-shm", ".lock"] {
            let mut name = from.as_os_str().to_owned();
            name.push(ending);
            match std::fs::remove_file(&name) {
                Ok(()) => {}
                Err(e) if e.kind() == std::io::ErrorKind::NotFound => {}
                Err(e) => return Err(written(e)),
            }
        }
        Ok(to)
    }
}

/// Copies, and tells of it.
fn copied(
    listener: Listener<'_>,
    copy: impl FnOnce(&mut dyn FnMut(u64, u64)) -> Result<(), Error>,
) -> Result<(), Error> {
    let meter = Meter::new(listener);
    let mut done = 0;
    copy(&mut |now, all| {
        if done == 0 {
            meter.begin(BACKUP, all, all);
        }
        (done..now).for_each(|_| meter.step(BACKUP, 1));
        done = now;
    })?;
    meter.tell(Progress::Finished { cancelled: false });
    Ok(())
}

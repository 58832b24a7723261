//! Reading conversations again from the bytes that the library kept: for a later parser, for other rules, and
//! where the tool itself has deleted them.
//!
//! The evidence is put together as it was when it was collected; from there on it is an import like any
//! other. Deliberately absent: how bytes are kept, see the library.

use crate::dto::{Fault, Progress};
use crate::engine::Engine;
use crate::examine::{Trouble, guarded};
use crate::import::{ImportOptions, Imported, Run};
use crate::job::Listener;
use crate::pipeline::{Task, key};
use crate::plan::Shelved;
use assay_library::{Error, Library, Reader};
use assay_model::{Candidate, Retention};
use assay_sources::{Evidence, SourceAdapter};
use std::collections::{BTreeMap, HashSet};
use std::io::{self, Read};
use std::path::Path;

/// What to read again.
#[derive(Debug, Clone, Default)]
pub struct ReparseOptions {
    /// Of these sources; of all if empty.
    pub sources: Vec<String>,
    /// These conversations, by key; all if empty.
    pub keys: Vec<String>,
    /// Instead of what the settings say.
    pub retention: Option<Retention>,
}

impl Engine {
    /// Reads conversations again from the library's own bytes, whether or not their source still has them.
    /// What comes out the same is not written.
    pub fn reparse(&self, options: &ReparseOptions, listener: Listener<'_>) -> Result<Imported, Fault> {
        let _working = self.begin()?;
        let adapters = self.chosen(&options.sources, true)?;
        // A library is only made by an import.
        drop(self.reader()?);
        self.open.clear();
        let how = ImportOptions { retention: options.retention, ..ImportOptions::default() };
        let started = self.now();
        let mut run = Run::begin(self, &how, Library::open(self.library())?, started, listener)?;
        let keys: HashSet<&str> = options.keys.iter().map(String::as_str).collect();
        for adapter in adapters {
            let source = adapter.manifest().name;
            run.source_again(adapter, &|id| keys.is_empty() || keys.contains(key(source, id).as_str()));
        }
        let cancelled = self.cancel.asked();
        let imported = run.finish(started, cancelled);
        listener(Progress::Finished { cancelled });
        Ok(imported)
    }
}

/// The conversations of a source that are `wanted` and can be read again, by id.
pub(crate) fn tasks(
    library: &Library,
    adapter: &'static dyn SourceAdapter,
    retention: Retention,
    known: &Shelved,
    wanted: &dyn Fn(&str) -> bool,
) -> Result<Vec<Task>, Error> {
    let reader = library.reader()?;
    // What has no original is told as such.
    let ids = known.known.iter().filter(|(id, k)| k.original && !known.deleted.contains(*id) && wanted(id));
    let mut tasks = Vec::new();
    for (_, k) in ids.collect::<BTreeMap<_, _>>() {
        if let (Some(candidate), Some((_, bytes))) = (reader.candidate(k.key)?, reader.original(k.key)?) {
            tasks.push(Task { adapter, candidate, retention, trouble: None, bytes });
        }
    }
    Ok(tasks)
}

/// A conversation's evidence from the library at `path`.
pub(crate) fn evidence(path: &Path, scratch: &Path, candidate: &Candidate) -> Result<Evidence, Trouble> {
    let fail = |e: Error| Trouble { code: e.code(), detail: e.to_string() };
    let missing = || Trouble { code: "gone", detail: format!("the original of {}", candidate.id) };
    let reader = Reader::open(path).map_err(fail)?.ok_or_else(missing)?;
    let listed = reader.find_in(&candidate.source, &candidate.id).map_err(fail)?.ok_or_else(missing)?;
    let (about, _) = reader.original(listed.key).map_err(fail)?.ok_or_else(missing)?;
    let open = |number| {
        let stream = reader.original_stream(listed.key, number).map_err(io::Error::other)?;
        Ok(Box::new(stream) as Box<dyn Read>)
    };
    guarded(|| Evidence::restore(about, scratch, open))?
        .map_err(|e| Trouble { code: "damaged", detail: format!("the original of {}: {e}", candidate.id) })
}

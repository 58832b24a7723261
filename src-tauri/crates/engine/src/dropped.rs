//! A folder or file that a person dropped on the window: whose sessions it holds.
//!
//! Every source is asked about that folder alone, without the machine's usual places, and what it lists
//! counts only if it can also read some of it: a folder of line-oriented files may look like anybody's.
//! Deliberately absent: what any source looks for, and adding the folder ([`Engine::add_folder`]).

use crate::dto::{DropFit, Dropped, Fault};
use crate::engine::{Engine, fault};
use crate::examine::examine;
use crate::pipeline::key;
use crate::survey::{Depth, Heard, Survey, survey};
use assay_model::Disposition;
use assay_sources::Roots;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Conversations of a folder that are read to see whether they are the source's.
const TRIED: usize = 3;

/// How far above a file its store may begin.
const ABOVE: usize = 4;

/// What was dropped, and the folder that would be added: for a file the one that it lies in, or the one above
/// that the file's store begins with.
pub struct Offer {
    /// For the page.
    pub dropped: Dropped,
    /// The folder.
    pub folder: PathBuf,
}

impl Engine {
    /// Says whose sessions `path` holds, or is one of. Reads some of them and writes nothing.
    pub fn whose(&self, path: &Path) -> Result<Offer, Fault> {
        let meta = std::fs::metadata(path).map_err(|e| fault("not-found", format!("{}: {e}", path.display())))?;
        let (folder, fits) = if meta.is_dir() {
            (path.to_owned(), self.fits(path, None))
        } else {
            let lies_in = path.parent().unwrap_or(path);
            let above = lies_in.ancestors().take(ABOVE).take_while(|a| !self.options.roots.home.starts_with(a));
            let found = above.map(|a| (a.to_owned(), self.fits(a, Some(path)))).find(|(_, fits)| !fits.is_empty());
            found.unwrap_or_else(|| (lies_in.to_owned(), Vec::new()))
        };
        let dropped = Dropped { path: self.short(path), folder: self.short(&folder), file: !meta.is_dir(), fits };
        Ok(Offer { dropped, folder })
    }

    /// The sources that find conversations in `folder` and can read them; of `file`, if one is meant.
    fn fits(&self, folder: &Path, file: Option<&Path>) -> Vec<DropFit> {
        let adapters: Vec<_> = self.options.registry.iter().collect();
        let roots = self.alone(folder);
        let mut surveys = Vec::new();
        survey(&adapters, &roots, Depth::Scan, self.patience, &mut |word| {
            if let Heard::Done(survey) = word {
                surveys.push(survey);
            }
        });
        // Each was told when it was done; the page is told in the order of the registry.
        let place = |s: &Survey| adapters.iter().position(|a| a.manifest().name == s.source());
        surveys.sort_by_key(place);
        surveys.iter().filter_map(|survey| self.fit(survey, &roots, file)).collect()
    }

    fn fit(&self, survey: &Survey, roots: &Roots, file: Option<&Path>) -> Option<DropFit> {
        let meant = || survey.candidates.iter().filter(|c| file.is_none_or(|f| c.file_path == f));
        let reads = |candidate| {
            examine(survey.adapter, roots, candidate).is_ok_and(|read| {
                let of = |what| read.summary.by_disposition.get(&what).copied().unwrap_or_default();
                !read.conversation.messages.is_empty() && of(Disposition::Unknown) * 2 <= read.summary.records
            })
        };
        meant().take(TRIED).any(reads).then(|| {
            let mut of_file = meant().filter(|_| file.is_some());
            let one = of_file.next().filter(|_| of_file.next().is_none());
            DropFit {
                source: survey.source().to_owned(),
                conversations: survey.candidates.len() as u64,
                key: one.map(|c| key(survey.source(), &c.id)),
                known: meant().all(|c| self.looks_at(survey.source(), &c.file_path)),
            }
        })
    }

    /// These roots with one folder for every source and nothing else: no home, no overrides.
    fn alone(&self, folder: &Path) -> Arc<Roots> {
        let mut roots = Roots::clone(&self.roots());
        roots.home = roots.scratch.join("assay-no-home");
        roots.env.clear();
        let every = self.options.registry.iter().map(|a| (a.manifest().name.to_owned(), vec![folder.to_owned()]));
        roots.custom = every.collect();
        Arc::new(roots)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Clock, Engine, PreviewRequest, Sample, registry};
    use std::collections::BTreeSet;

    #[test]
    fn a_place_of_a_source_is_that_source_s_and_nobody_else_s() {
        let clock = Clock::of(|| 1_796_029_200_000_000_000);
        let home = Sample::lay_out(&clock).unwrap();
        let engine = Engine::open(home.options(registry(), clock));
        let mut seen = BTreeSet::new();
        for survey in engine.detect(&|_| ()) {
            for root in survey.detection.roots.iter().filter(|r| r.path.is_dir() && r.conversations > 0) {
                let offer = engine.whose(&root.path).unwrap();
                let fits: Vec<_> = offer.dropped.fits.iter().map(|f| f.source.as_str()).collect();
                assert_eq!(fits, [survey.source()], "{}", root.path.display());
                assert!(offer.dropped.fits[0].known && !offer.dropped.file);
                seen.insert(survey.source());
            }
        }
        assert!(seen.len() >= 3, "{seen:?}");
    }

    #[test]
    fn a_file_of_a_session_leads_to_it() {
        let clock = Clock::of(|| 1_796_029_200_000_000_000);
        let home = Sample::lay_out(&clock).unwrap();
        let engine = Engine::open(home.options(registry(), clock));
        engine.preview(&PreviewRequest::default(), &|_| ()).unwrap();
        let mut led = BTreeSet::new();
        for survey in engine.detect(&|_| ()) {
            for candidate in survey.candidates.iter().take(2) {
                let offer = engine.whose(&candidate.file_path).unwrap();
                let path = candidate.file_path.display();
                let [fit] = &offer.dropped.fits[..] else { panic!("{path}: {} fit", offer.dropped.fits.len()) };
                assert_eq!(fit.source, survey.source(), "{path}");
                assert!(offer.dropped.file && fit.known && candidate.file_path.starts_with(&offer.folder), "{path}");
                // A database holds many.
                let Some(key) = &fit.key else { continue };
                assert_eq!(*key, super::key(survey.source(), &candidate.id), "{path}");
                led.insert(survey.source());
            }
        }
        assert!(led.len() >= 3, "{led:?}");
    }

    #[test]
    fn what_is_nobody_s_fits_nobody() {
        let clock = Clock::of(|| 1_796_029_200_000_000_000);
        let home = Sample::lay_out(&clock).unwrap();
        let engine = Engine::open(home.options(registry(), clock));
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("notes.jsonl");
        std::fs::write(&file, "{\"type\":\"note\",\"text\":\"buy milk\"}\n".repeat(40)).unwrap();
        assert!(engine.whose(folder.path()).unwrap().dropped.fits.is_empty());
        let offer = engine.whose(&file).unwrap();
        assert!(offer.dropped.fits.is_empty());
        assert_eq!(offer.folder, folder.path());
        assert_eq!(engine.whose(&folder.path().join("gone")).err().unwrap().code, "not-found");
    }
}

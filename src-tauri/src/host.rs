//! The engines of this app: the one over the person's own home, and one over the embedded sample home.

use crate::commands::fault;
use assay_engine::dto::Fault;
use assay_engine::{Clock, Engine, EngineOptions, Sample, WatchOptions, host, registry};
use std::path::PathBuf;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

/// See the module.
pub struct Host {
    own: RwLock<Arc<Engine>>,
    /// The sample's engine and its home folder, while it is open.
    sample: RwLock<Option<(Arc<Engine>, Sample)>>,
    /// What was dropped on the window last.
    pub dropped: Paths,
    /// The folders that were offered for it. The page names them by number and never by path.
    pub offered: Paths,
}

impl Host {
    /// Opens the engine over the person's own home.
    pub fn open() -> Result<Self, String> {
        Ok(Self {
            own: RwLock::new(own()?),
            sample: RwLock::default(),
            dropped: Paths::default(),
            offered: Paths::default(),
        })
    }

    /// The engine in use.
    pub fn engine(&self) -> Arc<Engine> {
        let sample = self.sample.read().unwrap_or_else(PoisonError::into_inner);
        sample.as_ref().map_or_else(|| self.own(), |(engine, _)| engine.clone())
    }

    /// The engine over the person's own home.
    fn own(&self) -> Arc<Engine> {
        self.own.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Opens the person's own home again: its library is somewhere else now.
    pub fn reopen(&self) -> Result<(), Fault> {
        let own = own().map_err(|detail| fault("internal", detail))?;
        *self.own.write().unwrap_or_else(PoisonError::into_inner) = own;
        Ok(())
    }

    /// Imports what is new or changed as it settles, as long as the person wants it; `told` hears of every import.
    /// Never returns.
    pub fn watch(&self, told: impl Fn()) {
        let mut gone: Option<Arc<Engine>> = None;
        loop {
            let engine = self.own();
            let is_gone = gone.as_ref().is_some_and(|gone| Arc::ptr_eq(gone, &engine));
            if engine.settings().watch && !is_gone {
                let ended = engine.watch(&WatchOptions::default(), &|_| (), &mut |_| {
                    told();
                    engine.settings().watch
                });
                // What cannot be imported now is tried again, and the person sees why when they import. Where a
                // library was taken away, none is begun behind their back.
                gone = ended.is_err_and(|fault| fault.code == "library-gone").then_some(engine);
            }
            std::thread::sleep(Duration::from_secs(2));
        }
    }

    /// Opens the sample home, or goes back to the person's own.
    pub fn use_sample(&self, on: bool) -> Result<(), Fault> {
        let opened = if on {
            let sample = Sample::lay_out(&Clock::system())?;
            Some((Arc::new(Engine::open(sample.options(registry(), Clock::system()))), sample))
        } else {
            None
        };
        *self.sample.write().unwrap_or_else(PoisonError::into_inner) = opened;
        Ok(())
    }
}

/// An engine over the person's own home.
fn own() -> Result<Arc<Engine>, String> {
    let roots = host::roots().ok_or("this account has no home folder")?;
    let library = host::library(&roots);
    let options = EngineOptions { roots, library, registry: registry(), clock: Clock::system(), sample: false };
    Ok(Arc::new(Engine::open(options)))
}

/// Paths that the machine named, kept from the page.
#[derive(Default)]
pub struct Paths(RwLock<Vec<PathBuf>>);

impl Paths {
    /// They, in order.
    pub fn all(&self) -> Vec<PathBuf> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Puts others in their place.
    pub fn set(&self, paths: Vec<PathBuf>) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = paths;
    }
}

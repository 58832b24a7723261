//! The engines of this app: the one over the person's own home, and one over the embedded sample home.

use assay_engine::dto::Fault;
use assay_engine::{Clock, Engine, EngineOptions, Roots, host, registry};
use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError, RwLock};

/// See the module.
pub struct Host {
    own: Arc<Engine>,
    /// The sample's engine, and the temporary folder that its home is, while it is open.
    sample: RwLock<Option<(Arc<Engine>, tempfile::TempDir)>>,
}

impl Host {
    /// Opens the engine over the person's own home.
    pub fn open() -> Result<Self, String> {
        let roots = host::roots().ok_or("this account has no home folder")?;
        let library = host::library(&roots);
        let own = Engine::open(options(roots, library, false));
        Ok(Self { own: Arc::new(own), sample: RwLock::default() })
    }

    /// The engine in use.
    pub fn engine(&self) -> Arc<Engine> {
        let sample = self.sample.read().unwrap_or_else(PoisonError::into_inner);
        sample.as_ref().map_or_else(|| self.own.clone(), |(engine, _)| engine.clone())
    }

    /// Opens the sample home, or goes back to the person's own.
    pub fn use_sample(&self, on: bool) -> Result<Arc<Engine>, Fault> {
        let opened = if on { Some(open_sample()?) } else { None };
        *self.sample.write().unwrap_or_else(PoisonError::into_inner) = opened;
        Ok(self.engine())
    }
}

fn open_sample() -> Result<(Arc<Engine>, tempfile::TempDir), Fault> {
    let fault = |detail: String| Fault { code: "sample-not-opened".into(), params: BTreeMap::new(), detail };
    let folder = tempfile::Builder::new().prefix("assay-sample-").tempdir().map_err(|e| fault(e.to_string()))?;
    assay_engine::lay_out_sample(folder.path()).map_err(|e| fault(e.to_string()))?;
    let roots = Roots::new(folder.path(), assay_engine::Platform::Linux);
    let library = host::library(&roots);
    Ok((Arc::new(Engine::open(options(roots, library, true))), folder))
}

fn options(roots: Roots, library: std::path::PathBuf, sample: bool) -> EngineOptions {
    EngineOptions { roots, library, registry: registry(), clock: Clock::system(), sample }
}

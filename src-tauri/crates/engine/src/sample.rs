//! The embedded sample home, for a first look without any data of one's own.

use crate::clock::Clock;
use crate::dto::Fault;
use crate::engine::{EngineOptions, fault};
use crate::host;
use assay_sources::{Platform, Registry, Roots, fixtures};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};
use tempfile::TempDir;

/// A sample home in a temporary folder, which is gone when this is dropped.
pub struct Sample {
    folder: TempDir,
}

impl Sample {
    /// Lays it out, as if its tools had last been used a day ago.
    pub fn lay_out(clock: &Clock) -> Result<Self, Fault> {
        let failed = |detail: String| fault("no-sample", detail);
        let folder = tempfile::Builder::new().prefix("assay-sample-").tempdir().map_err(|e| failed(e.to_string()))?;
        let yesterday = u64::try_from(clock.nanos()).unwrap_or(0).saturating_sub(86_400_000_000_000);
        fixtures::lay_out_sample(folder.path())
            .and_then(|()| fixtures::age(folder.path(), |_| UNIX_EPOCH + Duration::from_nanos(yesterday)))
            .map_err(|e| failed(e.to_string()))?;
        Ok(Self { folder })
    }

    /// The home folder.
    pub fn home(&self) -> &Path {
        self.folder.path()
    }

    /// An engine's options on it; the library is in it too.
    pub fn options(&self, registry: Registry, clock: Clock) -> EngineOptions {
        let roots = Roots::new(self.home(), Platform::Linux);
        EngineOptions { library: host::library(&roots), roots, registry, clock, sample: true }
    }
}

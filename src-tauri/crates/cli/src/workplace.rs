//! From arguments to an engine, and the progress bar while it works.

use crate::arguments::Common;
use crate::failure::Failure;
use assay_engine::dto::Progress;
use assay_engine::{Clock, Engine, EngineOptions, Platform, Roots, Sample, host, registry};
use indicatif::{ProgressBar, ProgressStyle};
use std::collections::BTreeMap;
use std::sync::Mutex;

/// An engine, and what must live as long as it does.
pub struct Workplace {
    /// The engine.
    pub engine: Engine,
    _sample: Option<Sample>,
}

impl Workplace {
    /// Opens an engine where the arguments say.
    pub fn open(common: &Common) -> Result<Self, Failure> {
        let (registry, clock) = (registry(), Clock::system());
        let sample = common.sample.then(|| Sample::lay_out(&clock)).transpose()?;
        let mut options = match (&sample, &common.home) {
            (Some(sample), _) => sample.options(registry, clock),
            (None, home) => {
                let roots = match home {
                    Some(home) => Roots::new(folder(home, "--home")?, Platform::HERE),
                    None => host::roots().ok_or_else(|| {
                        Failure::Usage("cannot tell your home folder. Name it with --home.".to_owned())
                    })?,
                };
                EngineOptions { library: host::library(&roots), roots, registry, clock, sample: false }
            }
        };
        if let Some(library) = &common.library {
            options.library.clone_from(library);
        }
        for (source, folder) in &common.root {
            if options.registry.get(source).is_none() {
                return Err(Failure::Usage(format!("there is no source named {source:?}. `assay detect` lists them.")));
            }
            options.roots.custom.entry(source.clone()).or_default().push(self::folder(folder, "--root")?);
        }
        Ok(Self { engine: Engine::open(options), _sample: sample })
    }
}

/// A folder that must be there: a name that was mistyped would look like a machine from which every tool has
/// been removed.
fn folder(named: &std::path::Path, option: &str) -> Result<std::path::PathBuf, Failure> {
    if named.exists() {
        return Ok(std::path::absolute(named)?);
    }
    Err(Failure::Usage(format!("{} does not exist. Name a place that is there with {option}.", named.display())))
}

/// A progress bar over all sources; silent when nobody watches.
pub struct Bar {
    bar: ProgressBar,
    parts: Mutex<BTreeMap<String, (u64, u64)>>,
}

impl Bar {
    /// A bar on standard error, if that is a terminal.
    pub fn new(terminal: bool) -> Self {
        let bar = if terminal { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let template = "{msg:14} {bar:32} {bytes}/{total_bytes}  {bytes_per_sec}  {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, parts: Mutex::default() }
    }

    /// Takes a sign of life.
    pub fn hear(&self, progress: Progress) {
        match progress {
            Progress::Working { source, bytes_done, bytes_total, .. } => {
                let Ok(mut parts) = self.parts.lock() else { return };
                self.bar.set_message(source.clone());
                parts.insert(source, (bytes_done, bytes_total));
                self.bar.set_length(parts.values().map(|p| p.1).sum());
                self.bar.set_position(parts.values().map(|p| p.0).sum());
            }
            Progress::Detected { .. } | Progress::SourceDone { .. } => {}
            Progress::Finished { .. } => self.bar.finish_and_clear(),
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

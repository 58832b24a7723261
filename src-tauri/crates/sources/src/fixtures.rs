//! The fixtures of every source, embedded: small stores as on disk and what a parse must make of them.
//!
//! `fixtures/<source>/<case>/` holds `home/` (the store below a home folder; `x.vscdb.sql` is built into
//! the database `x.vscdb`), `case.json` (`{"about": …, "boundaries": [reason codes]}`) and `expected.txt`
//! (the [`render`]ed outcome under both retentions). Tests read them, and so does the product: the
//! acceptance view shows whether this build behaves as declared.

use crate::{Detection, Platform, Registry, Roots, SourceAdapter, parse};
use assay_model::{Candidate, Ledger, ParsedConversation, Reason, Retention, Summary, Verdict, hash};
use include_dir::{Dir, DirEntry, include_dir};
use std::fmt::Write;
use std::path::Path;

mod pieces;

pub use pieces::Pieces;

static FIXTURES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../../fixtures");

/// One fixture.
#[derive(Debug, Clone)]
pub struct Case {
    /// The source's name.
    pub source: String,
    /// The folder's name.
    pub name: String,
    /// What it shows, in a line.
    pub about: String,
    /// The boundaries it crosses.
    pub boundaries: Vec<Reason>,
    /// What must come out.
    pub expected: String,
    dir: &'static Dir<'static>,
}

#[derive(serde::Deserialize)]
struct Described {
    about: String,
    boundaries: Vec<Reason>,
}

/// Why a fixture could not be run. A fault of the fixture or of the machine, never of an adapter.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// Its files could not be laid out.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// Its SQL is wrong.
    #[error(transparent)]
    Sql(#[from] rusqlite::Error),
    /// The description is wrong.
    #[error("{case}: {cause}")]
    Described {
        /// Which fixture.
        case: String,
        /// What is wrong.
        cause: String,
    },
}

/// The fixtures of a source, by name.
pub fn cases(source: &str) -> Result<Vec<Case>, FixtureError> {
    let Some(folder) = FIXTURES.get_dir(source) else { return Ok(Vec::new()) };
    let mut cases = Vec::new();
    for dir in folder.dirs() {
        let text = |file: &str| dir.get_file(dir.path().join(file)).and_then(|f| f.contents_utf8());
        let name = dir.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
        let described: Described = serde_json::from_str(text("case.json").unwrap_or(""))
            .map_err(|e| FixtureError::Described { case: name.clone(), cause: e.to_string() })?;
        cases.push(Case {
            source: source.to_owned(),
            name,
            about: described.about,
            boundaries: described.boundaries,
            expected: text("expected.txt").unwrap_or("").to_owned(),
            dir,
        });
    }
    cases.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(cases)
}

/// One conversation of an outcome, with everything that full retention keeps.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// What the scan found.
    pub candidate: Candidate,
    /// What the parse returned, or the code of why it could not be read.
    pub parsed: Result<(ParsedConversation, Ledger), &'static str>,
}

impl Case {
    /// Lays the store out below `home`, as a tool would have left it.
    pub fn lay_out(&self, home: &Path) -> Result<(), FixtureError> {
        match self.dir.get_dir(self.dir.path().join("home")) {
            Some(store) => lay_out(store, store.path(), home),
            None => Ok(()),
        }
    }

    /// Runs the adapter over the store: what it found and what it made of each conversation.
    /// The temporary home folder is gone when this returns.
    pub fn run(&self, registry: &Registry) -> Result<(Detection, Vec<Outcome>), FixtureError> {
        self.run_in(registry, tempfile::Builder::new().prefix("assay-home-").tempdir()?.path())
    }

    fn run_in(&self, registry: &Registry, home: &Path) -> Result<(Detection, Vec<Outcome>), FixtureError> {
        self.lay_out(home)?;
        let adapter = registry
            .get(&self.source)
            .ok_or_else(|| FixtureError::Described { case: self.name.clone(), cause: "no such source".into() })?;
        let mut roots = Roots::new(home, Platform::Linux);
        roots.now = i64::MAX; // nothing is being written any more
        Ok(run(adapter, &roots))
    }

    /// The outcome as text, with the temporary home folder called `~`.
    pub fn render(&self, registry: &Registry) -> Result<String, FixtureError> {
        self.render_changed(registry, |_| ())
    }

    /// As [`Case::render`], of an outcome that `change` was let at.
    pub fn render_changed(
        &self,
        registry: &Registry,
        change: impl FnOnce(&mut [Outcome]),
    ) -> Result<String, FixtureError> {
        let home = tempfile::Builder::new().prefix("assay-home-").tempdir()?;
        let (found, mut outcomes) = self.run_in(registry, home.path())?;
        change(&mut outcomes);
        Ok(render(&found, &outcomes).replace(&*home.path().to_string_lossy(), "~"))
    }
}

/// Lays out a home folder that shows every kind of loss: of each source its case named `sample`, or else
/// its `mixed-blocks`. Every file is a day old, so that nothing looks as if it were being written.
pub fn lay_out_sample(home: &Path) -> Result<(), FixtureError> {
    for adapter in crate::registry().iter() {
        let cases = cases(adapter.manifest().name)?;
        let named = |name: &str| cases.iter().find(|c| c.name == name);
        if let Some(case) = named("sample").or_else(|| named("mixed-blocks")) {
            case.lay_out(home)?;
        }
    }
    age(home, |written| written - std::time::Duration::from_secs(86_400))
}

/// Changes the modification time of every file below `folder`.
pub fn age(folder: &Path, change: impl Fn(std::time::SystemTime) -> std::time::SystemTime) -> Result<(), FixtureError> {
    for entry in walkdir::WalkDir::new(folder) {
        let entry = entry.map_err(std::io::Error::from)?;
        if entry.file_type().is_file() {
            let file = std::fs::File::options().write(true).open(entry.path())?;
            file.set_modified(change(file.metadata()?.modified()?))?;
        }
    }
    Ok(())
}

/// Detects, scans, collects and parses everything of one source.
pub fn run(adapter: &dyn SourceAdapter, roots: &Roots) -> (Detection, Vec<Outcome>) {
    let found = adapter.detect(roots);
    let mut outcomes = Vec::new();
    adapter.scan(roots, &found, &mut |candidate| {
        if let Ok(candidate) = candidate {
            let parsed = adapter
                .collect(roots, &candidate)
                .map(|evidence| parse(adapter, &candidate, &evidence))
                .map_err(|e| e.code());
            outcomes.push(Outcome { candidate, parsed });
        }
    });
    (found, outcomes)
}

fn lay_out(dir: &Dir<'_>, base: &Path, home: &Path) -> Result<(), FixtureError> {
    for entry in dir.entries() {
        let target = home.join(entry.path().strip_prefix(base).unwrap_or(entry.path()));
        match entry {
            DirEntry::Dir(dir) => {
                std::fs::create_dir_all(&target)?;
                lay_out(dir, base, home)?;
            }
            DirEntry::File(file) => match target.to_string_lossy().strip_suffix(".sql") {
                Some(database) => {
                    let sql = file.contents_utf8().unwrap_or("");
                    rusqlite::Connection::open(database)?.execute_batch(sql)?;
                }
                None if target.file_name().is_some_and(|n| n == ".gitkeep") => {}
                None => std::fs::write(&target, file.contents())?,
            },
        }
    }
    Ok(())
}

/// An outcome as a person reads it: conversations, messages, entries, notices, under both retentions.
pub fn render(found: &Detection, outcomes: &[Outcome]) -> String {
    let mut out = String::new();
    let _ = writeln!(out, "state {} conversations {}", code(&found.state), found.conversations);
    for outcome in outcomes {
        let c = &outcome.candidate;
        let _ = writeln!(out, "\n== {} ({}) {}", c.id, code(&c.coverage), c.project_dir);
        match &outcome.parsed {
            Err(code) => {
                let _ = writeln!(out, "blocked {code}");
            }
            Ok((conversation, ledger)) => {
                for retention in [Retention::Full, Retention::Reference] {
                    let (mut conversation, mut ledger) = (conversation.clone(), ledger.clone());
                    let moved = conversation.under(retention);
                    ledger.under(retention, &moved);
                    render_one(&mut out, retention, &conversation, &ledger);
                }
            }
        }
    }
    out
}

fn render_one(out: &mut String, retention: Retention, c: &ParsedConversation, ledger: &Ledger) {
    let summary = Summary::of(c, ledger);
    let verdict = Verdict::of(c, &summary, retention);
    let _ = writeln!(
        out,
        "-- {} {} content {}",
        retention.code(),
        verdict.code(),
        &hash::hex(&hash::content_hash(c))[..12]
    );
    if retention == Retention::Full {
        let _ = writeln!(
            out,
            "slug {:?} project {:?} cwd {:?} branch {:?} version {:?}",
            c.slug, c.project_name, c.cwd, c.git_branch, c.tool_version
        );
        for link in &c.links {
            let _ = writeln!(out, "link {} {} {:?}", code(&link.relation), link.conversation, link.tool_call_id);
        }
    }
    for m in &c.messages {
        let _ = write!(out, "#{} {} {} {}", m.position, m.message_type.code(), m.role, m.kind.code());
        let at = m.when.at().map_or("-".to_owned(), |t| t.to_string());
        let _ = write!(out, " {} {at}", m.when.origin());
        if let Some(rule) = m.when.rule() {
            let _ = write!(out, " ({rule})");
        }
        if let Some(reason) = m.reason() {
            let _ = write!(out, " recovered {reason}");
        }
        for (name, on) in [("tools", m.has_tool_use), ("code", m.has_code), ("out-of-order", m.out_of_order)] {
            if on {
                let _ = write!(out, " {name}");
            }
        }
        for (name, value) in [
            ("tool", m.tool_name.as_deref()),
            ("call", m.tool_call_id.as_deref()),
            ("branch", m.branch.map(|b| b.code())),
            ("superseded-by", m.superseded_by.as_deref()),
            ("parent", m.parent_uuid.as_deref()),
        ] {
            if let Some(value) = value {
                let _ = write!(out, " {name}={value:?}");
            }
        }
        let _ = writeln!(out, " id={:?}\n   {:?}", m.id, m.content);
        if let Some(thinking) = &m.thinking {
            let _ = writeln!(out, "   thinking {thinking:?}");
        }
    }
    if !c.reference_order.is_sorted() {
        let _ = writeln!(out, "reference order {:?}", c.reference_order);
    }
    for e in &ledger.entries {
        let place = match (&e.locator, e.locator.pointer()) {
            (_, Some(pointer)) => format!("    {pointer}"),
            (assay_model::Locator::Bytes { byte_start, byte_end, line, .. }, None) => {
                format!("  line {line} [{byte_start}..{byte_end}]")
            }
            (assay_model::Locator::Row { table, key, .. }, None) => format!("  {table} {:?}", key.as_deref()),
        };
        let _ = write!(out, "{place} {} {} {}b", e.kind, e.disposition.code(), e.bytes);
        if let Some(reason) = e.reason {
            let _ = write!(out, " {reason}");
        }
        if let Some(index) = e.message_index {
            let _ = write!(out, " -> #{index}");
        }
        out.push('\n');
    }
    for n in &ledger.notices {
        let _ = writeln!(out, "notice {} {:?}", n.code.code(), n.detail);
    }
    if summary.unaccounted_bytes > 0 {
        let _ = writeln!(out, "UNACCOUNTED {} bytes", summary.unaccounted_bytes);
    }
}

/// The kebab-case word that a unit variant serialises to.
fn code(value: &impl serde::Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|v| v.as_str().map(str::to_owned)).unwrap_or_default()
}

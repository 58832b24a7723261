//! What all places hold: the sessions of every database, each once, and where its copies are.

use super::super::codex;
use super::collect::{Fact, Hint, Spot};
use super::places::{self, Database};
use super::store::{self, Family, TABLE, TABLES};
use crate::readers::json::Value;
use crate::readers::sqlite::{Reader, Snapshot, Stamp};
use crate::roots::may_be;
use crate::{Detection, ReadError, Root, Roots, ScanError, State};
use assay_model::{Candidate, Coverage};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

/// Everything that was found, and what stood in the way.
pub(super) struct Survey {
    roots: Vec<Root>,
    /// One for each session id, in the order of the places, and one for each store with loose prompts.
    pub candidates: Vec<Candidate>,
    /// Whether every conversation is only a name.
    only_named: bool,
    /// What could not be read.
    pub failures: Vec<ScanError>,
}

/// A session that a database lists.
struct Listed {
    id: String,
    spot: Spot,
    pasted: Vec<PathBuf>,
    messages: usize,
    coverage: Coverage,
}

/// What one database holds.
#[derive(Default)]
struct Holding {
    sessions: Vec<Listed>,
    /// Prompts, drafts, damage: whatever belongs to no session.
    loose: bool,
    /// Whether there is a history of prompts to compare with.
    has_history: bool,
    /// What people said, to know it again.
    prompts: Vec<String>,
    /// Files with pasted content that no session was seen to name.
    pasted: Vec<PathBuf>,
    /// What is said about sessions, wherever those stand.
    facts: Vec<(String, Fact)>,
    /// Folders of pasted content that cannot be listed.
    closed: Vec<(PathBuf, ReadError)>,
}

/// Looks everywhere.
pub(super) fn survey(roots: &Roots) -> Survey {
    let mut survey = Survey { roots: Vec::new(), candidates: Vec::new(), only_named: false, failures: Vec::new() };
    let mut sessions = Sessions::default();
    let mut loose = Vec::new();
    let places = places::places(roots);
    for place in &places {
        let mut root = Root::folder(&place.user, place.origin.clone());
        let mut backups = 0u64;
        if root.exists && root.readable {
            for database in place.databases(&mut |error| survey.failures.push(error)) {
                root.bytes += Stamp::of(&database.file).map_or(0, |stamp| stamp.size);
                let backup = Database { file: database.backup(), ..database.clone() };
                // The older copy counts where the database is gone or damaged, and nowhere else.
                let held = match (may_be(&database.file), backup.file.is_file()) {
                    (true, has_backup) => match hold(roots, &database) {
                        Err(error) if matches!(error, ReadError::Damaged { .. }) => {
                            survey.fail(&database.file, &error);
                            let copy = if has_backup { hold(roots, &backup).ok() } else { None };
                            match copy.map(|holding| (backup, holding)).or_else(|| Some((database.clone(), left(roots, &database)?))) {
                                Some(held) => Ok(held),
                                None => continue,
                            }
                        }
                        held => {
                            backups += u64::from(has_backup);
                            held.map(|holding| (database.clone(), holding))
                        }
                    },
                    (false, _) => hold(roots, &backup).map(|holding| (backup, holding)),
                };
                match held {
                    Ok((database, holding)) => {
                        for listed in holding.sessions {
                            sessions.add(listed, &database);
                        }
                        for (folder, error) in &holding.closed {
                            survey.fail(folder, error);
                        }
                        for (id, fact) in holding.facts {
                            sessions.named.push((id, fact, database.clone()));
                        }
                        if holding.loose {
                            loose.push((database, holding.pasted));
                        }
                    }
                    Err(error) => survey.fail(&database.file, &error),
                }
            }
        }
        if backups > 0 {
            root.note.get_or_insert_with(|| format!("backup-copies={backups}"));
        }
        match place.with_snapshots() {
            Ok(found) => sessions.snapshots.extend(found),
            Err(error) => survey.fail(&place.snapshots(), &error),
        }
        survey.roots.push(root);
        survey.roots.push(place.modular_root());
    }
    survey.candidates = sessions.candidates();
    survey.candidates.extend(loose.into_iter().map(|(database, pasted)| {
        let files: Vec<&PathBuf> = [&database.file].into_iter().chain(&pasted).collect();
        let hint = Hint::Loose { pasted: pasted.clone() };
        candidate(format!("prompts-{}", database.name), Coverage::Extended, &database, &files, &hint)
    }));
    survey.only_named = survey.candidates.iter().all(|c| matches!(Hint::of(c), Hint::Named { .. }));
    for root in &mut survey.roots {
        let inside = survey.candidates.iter().filter(|c| c.file_path.starts_with(&root.path));
        root.conversations = inside.count() as u64;
    }
    survey.add_rollouts(roots);
    survey
}

impl Survey {
    /// The command line writes rollouts as Codex does.
    fn add_rollouts(&mut self, roots: &Roots) {
        const TOOL: codex::Tool = codex::Tool { source: super::manifest::MANIFEST.name, sqlite_home: "" };
        let (places, found) = codex::places(roots, &TOOL, &places::command_line(roots));
        self.only_named &= found.candidates.is_empty();
        let known: HashSet<String> = self.candidates.iter().map(|c| c.id.clone()).collect();
        self.candidates.extend(found.candidates.into_iter().map(|mut candidate| {
            if known.contains(&candidate.id) {
                candidate.id.push_str("@cli");
            }
            candidate.hint = Hint::Rollout(candidate.hint).to_json();
            candidate
        }));
        self.failures.extend(found.failures);
        // Absent places are named, too, but one for each folder is enough.
        self.roots.extend(places.into_iter().filter(|root| root.exists || root.path.ends_with("sessions")));
    }

    /// The survey without the conversations.
    pub fn detection(self) -> Detection {
        let mut detection = Detection::with_errors(self.roots, &self.failures);
        let encrypted = detection.roots.iter().any(|root| root.note.as_deref() == Some(places::ENCRYPTED));
        if self.only_named && encrypted && detection.state == State::Found {
            // Names are all that can be read of it.
            detection.state = State::Encrypted;
        }
        detection
    }

    fn fail(&mut self, path: &Path, error: &ReadError) {
        self.failures.push(ScanError::read(path, error));
    }
}

/// Sessions by id, in the order they were first met, with every place they stand in.
#[derive(Default)]
struct Sessions {
    found: Vec<(String, Vec<(Listed, Database)>)>,
    by_id: HashMap<String, usize>,
    /// What is said about sessions, also about those that stand nowhere.
    named: Vec<(String, Fact, Database)>,
    /// Sessions of which there are snapshots of files.
    snapshots: Vec<(String, PathBuf)>,
}

impl Sessions {
    fn add(&mut self, listed: Listed, database: &Database) {
        let next = self.found.len();
        let at = *self.by_id.entry(listed.id.clone()).or_insert(next);
        if at == next {
            self.found.push((listed.id.clone(), Vec::new()));
        }
        self.found[at].1.push((listed, database.clone()));
    }

    /// The first place is the session; the rest are copies. What the published rules read comes first,
    /// else the richest. Then those that are only named.
    fn candidates(self) -> Vec<Candidate> {
        let mut named: Vec<(String, Vec<(Fact, Database)>)> = Vec::new();
        let mut by_id: HashMap<String, usize> = HashMap::new();
        for (id, fact, database) in self.named {
            let at = *by_id.entry(id.clone()).or_insert(named.len());
            if at == named.len() {
                named.push((id, Vec::new()));
            }
            named[at].1.push((fact, database));
        }
        let known = &self.by_id;
        let make = |(id, mut places): (String, Vec<(Listed, Database)>)| {
            places.sort_by_key(|(listed, _)| {
                let published = listed.coverage == Coverage::Reference;
                (!published, std::cmp::Reverse(if published { 0 } else { listed.messages }))
            });
            let (first, database) = places.first()?;
            let spots = places.iter().map(|(listed, _)| listed.spot.clone()).collect();
            let pasted: Vec<PathBuf> = places.iter().flat_map(|(listed, _)| listed.pasted.clone()).collect();
            let facts = by_id.get(&id).map_or(&[][..], |at| &named[*at].1).iter().map(|(fact, _)| fact.clone()).collect();
            let files: Vec<&PathBuf> = places.iter().map(|(_, database)| &database.file).chain(&pasted).collect();
            let hint = Hint::Session { spots, pasted: pasted.clone(), facts };
            Some(candidate(id, first.coverage, database, &files, &hint))
        };
        let mut all: Vec<Candidate> = self.found.into_iter().filter_map(make).collect();
        for (id, places) in named.iter().filter(|(id, _)| !known.contains_key(id)) {
            let Some((_, database)) = places.first() else { continue };
            let facts: Vec<Fact> = places.iter().map(|(fact, _)| fact.clone()).collect();
            let files: Vec<&PathBuf> = places.iter().map(|(_, database)| &database.file).collect();
            all.push(candidate(id.clone(), Coverage::Extended, database, &files, &Hint::Named { facts }));
        }
        let only_snapshots = self.snapshots.iter().filter(|(id, _)| !known.contains_key(id) && !by_id.contains_key(id));
        all.extend(only_snapshots.map(|(id, folder)| Candidate {
            id: id.clone(),
            source: super::manifest::MANIFEST.name.to_owned(),
            file_path: folder.clone(),
            file_size: 0,
            file_mtime: std::fs::metadata(folder).map_or(0, |meta| crate::roots::mtime(&meta)),
            project_dir: String::new(),
            coverage: Coverage::Extended,
            hint: Hint::Named { facts: Vec::new() }.to_json(),
        }));
        all
    }
}

fn candidate(id: String, coverage: Coverage, database: &Database, files: &[&PathBuf], hint: &Hint) -> Candidate {
    let stamps: BTreeMap<_, _> = files.iter().filter_map(|file| Some((file, Stamp::of(file).ok()?))).collect();
    Candidate {
        id,
        source: super::manifest::MANIFEST.name.to_owned(),
        file_path: database.file.clone(),
        file_size: stamps.values().map(|stamp| stamp.size).sum(),
        file_mtime: stamps.values().map(|stamp| stamp.mtime).max().unwrap_or(0),
        project_dir: database.project.clone(),
        coverage,
        hint: hint.to_json(),
    }
}

/// Looks into one database.
fn hold(roots: &Roots, database: &Database) -> Result<Holding, ReadError> {
    let snapshot = Snapshot::open(roots, &database.file)?;
    look(database, &snapshot.connect()?)
}

/// What is left of a damaged one, if anything is.
fn left(roots: &Roots, database: &Database) -> Option<Holding> {
    Snapshot::read(roots, &database.file, TABLES, |_, reader| look(database, reader)).ok()
}

fn look(database: &Database, reader: &Reader<'_>) -> Result<Holding, ReadError> {
    let (pasted, closed) = super::collect::sidecars(&database.file);
    let mut holding = Holding { pasted, closed, ..Holding::default() };
    let keys = keys(reader)?;
    holding.has_history = keys.iter().any(|(_, family)| *family == Family::History);
    for (key, family) in &keys {
        match family {
            Family::Sessions => {
                if let Some(row) = reader.row(TABLE, key)? {
                    store::read(row.bytes(), |read| list(&mut holding, database, key, &read));
                }
            }
            Family::Facts | Family::Last => {
                let row = reader.row(TABLE, key)?;
                match row.map_or_else(|| Some(Vec::new()), |row| store::named(row.bytes(), *family)) {
                    Some(named) => holding.facts.extend(named.into_iter().map(|(id, pointer, said)| {
                        (id, Fact { file: database.file.clone(), key: key.clone(), pointer, said })
                    })),
                    None => holding.loose = true,
                }
            }
            Family::History | Family::Draft | Family::Suggestion => {}
        }
    }
    let known: HashSet<&str> = holding.sessions.iter().map(|s| s.id.as_str()).collect();
    let mut loose = false;
    for (key, family) in &keys {
        match family {
            Family::History => {
                if let Some(row) = reader.row(TABLE, key)? {
                    loose |= super::loose::has_news(row.bytes(), &holding.prompts);
                }
            }
            Family::Draft | Family::Suggestion => {
                loose |= store::session_of(key, *family).is_none_or(|id| !known.contains(id));
            }
            Family::Sessions | Family::Facts | Family::Last => {}
        }
    }
    holding.loose |= loose || !holding.pasted.is_empty();
    Ok(holding)
}

/// The keys of rows that hold conversation.
pub(super) fn keys(reader: &Reader<'_>) -> Result<Vec<(String, Family)>, ReadError> {
    let mut keys = Vec::new();
    if reader.has_table(TABLE)? {
        reader.keys(TABLE, "", |key| keys.extend(Family::of(key).map(|family| (key.to_owned(), family))))?;
    }
    Ok(keys)
}

/// Lists the sessions of one row.
fn list(holding: &mut Holding, database: &Database, key: &str, read: &store::Read<'_>) {
    holding.loose |= read.damage.is_some();
    let Some(value) = read.value else { return };
    let taken = store::take(value);
    holding.loose |= !taken.rest.is_empty();
    for element in taken.elements {
        if element.value.entries().next().is_none() {
            holding.loose |= store::has_text(element.value);
            continue;
        }
        let id = element.id().unwrap_or_else(|| format!("{}{}", database.name, element.pointer));
        let messages = element.messages().map_or_else(Vec::new, |(_, list)| store::members(list));
        if holding.has_history {
            super::loose::add_prompts(&messages, &mut holding.prompts);
        }
        let published = database.reference && key == store::AGENT && read.damage.is_none() && element.is_published();
        let span = element.value.span();
        let pasted = pasted_in(element.value, &mut holding.pasted);
        holding.sessions.push(Listed {
            spot: Spot {
                file: database.file.clone(),
                key: key.to_owned(),
                pointer: element.pointer.clone(),
                start: span.start as u64,
                length: span.len() as u64,
                name: element.name.clone(),
            },
            pasted,
            messages: messages.len(),
            coverage: if published { Coverage::Reference } else { Coverage::Extended },
            id,
        });
    }
}

/// Takes out of `pasted` the files that a session names.
fn pasted_in(session: Value<'_>, pasted: &mut Vec<PathBuf>) -> Vec<PathBuf> {
    if pasted.is_empty() {
        return Vec::new();
    }
    let names = store::Names::of(session);
    let named = |path: &PathBuf| path.file_name().is_some_and(|name| names.hold(&name.to_string_lossy()));
    let (here, elsewhere) = pasted.drain(..).partition(named);
    *pasted = elsewhere;
    here
}

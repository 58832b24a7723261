//! One source's fixtures as pieces in memory: the files and rows of each conversation, of which one at a time is
//! replaced by whatever bytes there are. Shared by the property tests and by the fuzz targets in `fuzz/`.

#![allow(dead_code)] // each user of it uses a part

use assay_model::{Candidate, Disposition};
use assay_sources::{Evidence, EvidenceFile, Platform, Roots, Row, SourceAdapter, fixtures, parse, registry};
use std::sync::Arc;

/// A file's name and its bytes.
type File = (Arc<str>, Vec<u8>);

/// What the parse of one conversation reads.
struct Conversation {
    candidate: Candidate,
    files: Vec<File>,
    consulted: Vec<File>,
    rows: Vec<Row>,
    consulted_rows: Vec<Row>,
}

/// Every conversation of a source's fixtures.
pub struct Pieces {
    adapter: &'static dyn SourceAdapter,
    all: Vec<Conversation>,
}

impl Pieces {
    /// Lays the fixtures of `source` out, and reads them.
    pub fn of(source: &str) -> Self {
        let adapter =
            registry().iter().find(|adapter| adapter.manifest().name == source).expect("a source of that name");
        let mut all = Vec::new();
        for case in fixtures::cases(source).expect("fixtures can be read") {
            let home = tempfile::tempdir().expect("a temporary folder");
            case.lay_out(home.path()).expect("fixtures can be laid out");
            let mut roots = Roots::new(home.path(), Platform::Linux);
            roots.now = i64::MAX;
            let found = adapter.detect(&roots);
            adapter.scan(&roots, &found, &mut |candidate| {
                let Ok(candidate) = candidate else { return };
                let Ok(evidence) = adapter.collect(&roots, &candidate) else { return };
                let read = |file: &EvidenceFile| Some((file.file.clone(), file.read_all().ok()?.into_owned()));
                all.push(Conversation {
                    files: evidence.files.iter().filter_map(read).collect(),
                    consulted: evidence.consulted.iter().filter_map(read).collect(),
                    rows: evidence.rows,
                    consulted_rows: evidence.consulted_rows,
                    candidate,
                });
            });
        }
        Self { adapter, all }
    }

    /// An input for every piece: the number of its conversation and its own, then its bytes.
    pub fn seeds(&self) -> Vec<Vec<u8>> {
        self.inputs(|_, _| true)
    }

    /// As [`Pieces::seeds`], of what conversations own, not of what they only consult.
    pub fn owned(&self) -> Vec<Vec<u8>> {
        self.inputs(|conversation, piece| {
            let (files, consulted) = (conversation.files.len(), conversation.consulted.len());
            piece < files || (piece >= files + consulted && piece < files + consulted + conversation.rows.len())
        })
    }

    fn inputs(&self, wanted: impl Fn(&Conversation, usize) -> bool) -> Vec<Vec<u8>> {
        let mut seeds = Vec::new();
        for (number, conversation) in self.all.iter().enumerate() {
            let files = conversation.files.iter().chain(&conversation.consulted).map(|(_, bytes)| bytes.as_slice());
            let rows = conversation.rows.iter().chain(&conversation.consulted_rows).map(Row::bytes);
            for (piece, bytes) in files.chain(rows).enumerate().take(256).filter(|(at, _)| wanted(conversation, *at)) {
                let mut seed = (number as u16).to_le_bytes().to_vec();
                seed.push(piece as u8);
                seed.extend_from_slice(bytes);
                seeds.push(seed);
            }
        }
        seeds
    }

    /// Parses a conversation with one piece replaced, and says what does not hold. Panics of the adapter go through.
    pub fn check(&self, input: &[u8]) -> Result<(), String> {
        let (&[low, high, piece], bytes) = input.split_first_chunk::<3>().map_or((&[0, 0, 0], input), |(h, b)| (h, b));
        let number = usize::from(u16::from_le_bytes([low, high])) % self.all.len().max(1);
        let Some(conversation) = self.all.get(number) else { return Ok(()) };
        let evidence = || conversation.with(usize::from(piece), bytes);
        let (parsed, ledger) = parse(self.adapter, &conversation.candidate, &evidence());
        if ledger.unaccounted_bytes() != 0 {
            return Err(format!("{}: bytes without an entry", conversation.candidate.id));
        }
        for entry in &ledger.entries {
            let reasoned = entry.disposition == Disposition::Kept || entry.reason.is_some();
            let found = entry.message_index.is_none_or(|at| (at as usize) < parsed.messages.len());
            if !reasoned || !found {
                return Err(format!("{}: {entry:?} has no reason, or names no message", conversation.candidate.id));
            }
        }
        if (parsed, ledger) != parse(self.adapter, &conversation.candidate, &evidence()) {
            return Err(format!("{}: two parses differ", conversation.candidate.id));
        }
        Ok(())
    }
}

impl Pieces {
    /// Whether a parse of this input says `content` in a message or the excerpt of an entry, or names `field`.
    pub fn tells(&self, input: &[u8], content: &str, field: &str) -> bool {
        let Some((&[low, high, piece], bytes)) = input.split_first_chunk::<3>() else { return false };
        let number = usize::from(u16::from_le_bytes([low, high])) % self.all.len().max(1);
        let Some(conversation) = self.all.get(number) else { return false };
        let evidence = conversation.with(usize::from(piece), bytes);
        let (parsed, ledger) = parse(self.adapter, &conversation.candidate, &evidence);
        parsed.messages.iter().any(|m| m.content.contains(content))
            || ledger
                .entries
                .iter()
                .any(|e| e.kind.contains(field) || e.excerpt.as_deref().is_some_and(|x| x.contains(content)))
            || ledger.notices.iter().any(|n| n.detail.contains(field))
    }
}

impl Conversation {
    /// The evidence with the piece of that number replaced.
    fn with(&self, piece: usize, bytes: &[u8]) -> Evidence {
        let (files, consulted, rows) = (self.files.len(), self.consulted.len(), self.rows.len());
        let pieces = (files + consulted + rows + self.consulted_rows.len()).max(1);
        let piece = piece % pieces;
        let file = |offset: usize| {
            move |(at, (name, own)): (usize, &File)| {
                EvidenceFile::memory(name, if at + offset == piece { bytes } else { own })
            }
        };
        let row = |offset: usize| {
            move |(at, row): (usize, &Row)| match at + offset == piece {
                true => Row { value: Some(bytes.to_vec()), ..row.clone() },
                false => row.clone(),
            }
        };
        Evidence {
            files: self.files.iter().enumerate().map(file(0)).collect(),
            consulted: self.consulted.iter().enumerate().map(file(files)).collect(),
            rows: self.rows.iter().enumerate().map(row(files + consulted)).collect(),
            consulted_rows: self.consulted_rows.iter().enumerate().map(row(files + consulted + rows)).collect(),
            ..Evidence::default()
        }
    }
}

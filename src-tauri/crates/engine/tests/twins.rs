//! Two files that claim one id: whichever comes, goes or grows, each stays the conversation that it was, with what
//! a person said of it, and is never told gone while its file is there.
#![allow(clippy::unwrap_used, missing_docs)]

mod support;

use assay_engine::{Clock, Engine, EngineOptions, Filter, ImportOptions, Platform, Roots, registry};
use pretty_assertions::assert_eq;
use rusqlite::Connection;
use serde_json::json;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicI64, Ordering};
use support::{BEGIN, DAY, Place};

/// How a source keeps a session of one id in either of two places; the first is the one that it would prefer.
struct Twin {
    source: &'static str,
    places: [&'static str; 2],
    write: fn(&Path, &[String]),
}

const ID: &str = "0c0de000-0000-7000-8000-000000000001";

fn lines(file: &Path, all: impl IntoIterator<Item = serde_json::Value>) {
    let text: Vec<String> = all.into_iter().map(|line| line.to_string() + "\n").collect();
    std::fs::write(file, text.concat()).unwrap();
}

fn role(n: usize) -> &'static str {
    if n.is_multiple_of(2) { "user" } else { "assistant" }
}

const TWINS: [Twin; 4] = [
    Twin {
        source: "claude-code",
        places: [
            ".claude/projects/-a/0c0de000-0000-7000-8000-000000000001.jsonl",
            ".claude/projects/-b/0c0de000-0000-7000-8000-000000000001.jsonl",
        ],
        write: |file, texts| {
            let line = |(n, text): (usize, &String)| {
                json!({"type": role(n), "uuid": format!("u{n}"), "sessionId": ID, "cwd": "/w",
                       "timestamp": format!("2026-03-01T09:00:{n:02}.000Z"), "message": {"role": role(n), "content": text}})
            };
            lines(file, texts.iter().enumerate().map(line));
        },
    },
    Twin {
        source: "codex",
        places: [
            ".codex/sessions/2026/03/01/rollout-2026-03-01T09-00-00-0c0de000-0000-7000-8000-000000000001.jsonl",
            ".codex/sessions/2026/03/02/rollout-2026-03-02T09-00-00-0c0de000-0000-7000-8000-000000000001.jsonl",
        ],
        write: |file, texts| {
            let at = |n: usize| format!("2026-03-01T09:00:{n:02}.000Z");
            let head = json!({"timestamp": at(0), "type": "session_meta", "payload": {"id": ID, "timestamp": at(0), "cwd": "/w"}});
            let line = |(n, text): (usize, &String)| {
                let kind = if n.is_multiple_of(2) { "input_text" } else { "output_text" };
                json!({"timestamp": at(n), "type": "response_item", "payload": {
                    "type": "message", "role": role(n), "content": [{"type": kind, "text": text}]}})
            };
            lines(file, std::iter::once(head).chain(texts.iter().enumerate().map(line)));
        },
    },
    Twin {
        source: "cursor",
        places: [".config/Cursor/User/globalStorage/state.vscdb", "other/Cursor/User/globalStorage/state.vscdb"],
        write: |file, texts| {
            let db = Connection::open(file).unwrap();
            db.execute_batch(
                "CREATE TABLE IF NOT EXISTS ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);
                 CREATE TABLE IF NOT EXISTS cursorDiskKV (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB);",
            )
            .unwrap();
            for (n, text) in texts.iter().enumerate() {
                let value = json!({"_v": 3, "type": n % 2 + 1, "bubbleId": format!("b{n}"), "text": text});
                let key = format!("bubbleId:{ID}:b{n}");
                db.execute("INSERT INTO cursorDiskKV VALUES (?1, ?2)", [key, value.to_string()]).unwrap();
            }
        },
    },
    Twin {
        source: "copilot",
        places: [
            ".config/Code/User/workspaceStorage/00/chatSessions/0c0de000-0000-7000-8000-000000000001.json",
            ".config/Code/User/workspaceStorage/11/chatSessions/0c0de000-0000-7000-8000-000000000001.json",
        ],
        write: |file, texts| {
            let turn = |pair: &[String]| {
                json!({"requestId": pair[0], "timestamp": 1_765_000_060_000i64, "message": {"text": pair[0]},
                       "response": pair[1..].iter().map(|text| json!({"value": text})).collect::<Vec<_>>()})
            };
            let turns: Vec<_> = texts.chunks(2).map(turn).collect();
            std::fs::write(file, json!({"version": 3, "sessionId": ID, "requests": turns}).to_string()).unwrap();
        },
    },
];

struct World {
    place: Place,
    roots: Roots,
}

impl World {
    fn new() -> Self {
        let place = Place::new();
        let mut roots = Roots::new(place.home(), Platform::Linux);
        roots.custom.insert("cursor".into(), vec![place.home().join("other/Cursor")]);
        Self { place, roots }
    }

    fn file(&self, twin: &Twin, which: usize) -> PathBuf {
        self.place.home().join(twin.places[which])
    }

    /// Writes a session of some turns that say where it is, or takes it away.
    fn put(&self, twin: &Twin, which: usize, turns: usize) {
        let (file, name) = (self.file(twin, which), ["first", "second"][which]);
        let _ = std::fs::remove_file(&file);
        if turns > 0 {
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            let texts: Vec<String> = (0..turns * 2).map(|n| format!("{name} says {n}")).collect();
            (twin.write)(&file, &texts);
            self.place.touch(&file, BEGIN - DAY + turns as i64 * 1_000_000_000);
        }
    }

    fn engine(&self) -> Engine {
        static TICK: AtomicI64 = AtomicI64::new(0);
        Engine::open(EngineOptions {
            roots: self.roots.clone(),
            library: self.place.library(),
            registry: registry(),
            clock: Clock::of(|| BEGIN + TICK.fetch_add(1_000_000_000, Ordering::SeqCst)),
            sample: false,
        })
    }

    /// What the library has after an import: which of the two, its messages, its labels, whether it is gone.
    fn imported(&self, twin: &Twin) -> Vec<String> {
        let engine = self.engine();
        let imported = engine.import(&ImportOptions::default(), &|_| ()).unwrap();
        assert!(imported.failures.is_empty(), "{:?}", imported.failures);
        let places = self.place.reader().places(twin.source).unwrap();
        let first = self.file(twin, 0);
        let of = |l: &assay_engine::Listed| {
            let which = if Path::new(&places[&l.id]) == first { "first" } else { "second" };
            let gone = if l.gone_since.is_some() { " gone" } else { "" };
            format!("{which} {} [{}]{gone}", l.messages, l.labels.join(", "))
        };
        let mut all: Vec<String> = self.list(&engine).iter().map(of).collect();
        all.sort();
        all
    }

    fn list(&self, engine: &Engine) -> Vec<assay_engine::Listed> {
        engine.list(&[], &Filter::default()).unwrap()
    }

    fn label(&self, what: &str) {
        let engine = self.engine();
        let keys: Vec<String> = self
            .list(&engine)
            .iter()
            .filter(|l| l.labels.is_empty())
            .map(|l| format!("{}/{}", l.source, l.id))
            .collect();
        engine.relabel(&keys, &[what.to_owned()], &[]).unwrap();
    }
}

#[test]
fn what_a_person_said_stays_with_its_file_whatever_else_claims_the_id() {
    for twin in &TWINS {
        let (world, name) = (World::new(), twin.source);
        world.put(twin, 1, 1);
        assert_eq!(world.imported(twin), ["second 2 []"], "{name}");
        world.label("mine");
        // One that the source would prefer, and longer.
        world.put(twin, 0, 2);
        assert_eq!(world.imported(twin), ["first 4 []", "second 2 [mine]"], "{name}: it appears");
        world.label("theirs");
        assert_eq!(world.imported(twin), ["first 4 [theirs]", "second 2 [mine]"], "{name}: again");
        world.put(twin, 1, 3);
        assert_eq!(world.imported(twin), ["first 4 [theirs]", "second 6 [mine]"], "{name}: the other grows");
        world.put(twin, 0, 0);
        assert_eq!(world.imported(twin), ["first 4 [theirs] gone", "second 6 [mine]"], "{name}: it goes");
        world.put(twin, 0, 2);
        assert_eq!(world.imported(twin), ["first 4 [theirs]", "second 6 [mine]"], "{name}: and comes back");
        world.put(twin, 1, 0);
        assert_eq!(world.imported(twin), ["first 4 [theirs]", "second 6 [mine] gone"], "{name}: now the other goes");
        world.put(twin, 1, 4);
        assert_eq!(world.imported(twin), ["first 4 [theirs]", "second 8 [mine]"], "{name}: and comes back");
    }
}

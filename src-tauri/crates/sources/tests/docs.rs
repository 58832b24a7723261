//! `docs/sources/<source>.md` says what this build does: where each tool is looked for (asked of the adapter),
//! the rules at which content can be lost (its manifest), and what becomes of every kind (its fixtures, read).
//! The words between are the adapter's own `about.md`. `UPDATE_DOCS=1 cargo test -p assay-sources --test docs`
//! writes the pages; without it a page that says something else fails.
#![allow(clippy::unwrap_used, clippy::disallowed_methods, missing_docs)]

use assay_model::{Disposition, LedgerEntry, Reason, Retention};
use assay_sources::{Boundary, Group, Platform, Roots, SourceAdapter, fixtures, registry};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The places of a platform, as a person of that platform writes them.
const PLATFORMS: [(Platform, &str); 3] =
    [(Platform::Linux, "Linux"), (Platform::MacOs, "macOS"), (Platform::Windows, "Windows")];

const GROUPS: [(Group, &str); 7] = [
    (Group::Text, "What was said"),
    (Group::Tools, "Calls and results"),
    (Group::Thinking, "Reasoning"),
    (Group::Time, "Order and time"),
    (Group::Identity, "Which conversation something belongs to"),
    (Group::Versions, "Versions and eras"),
    (Group::Damage, "Damage"),
];

#[test]
fn the_pages_say_what_this_build_does() {
    let docs = repository().join("docs/sources");
    let update = std::env::var_os("UPDATE_DOCS").is_some();
    let mut index = String::from(
        "# What is read of each tool\n\nOne page a source, written by a test from what this build does.\n\n\
         | source | what its store is |\n| --- | --- |\n",
    );
    let mut pages = BTreeMap::new();
    for adapter in registry().iter() {
        let manifest = adapter.manifest();
        let _ = writeln!(index, "| [{0}]({1}.md) | {2} |", manifest.display_name, manifest.name, manifest.blurb.en);
        pages.insert(format!("{}.md", manifest.name), page(adapter));
    }
    pages.insert("README.md".to_owned(), index);
    for (name, text) in pages {
        let file = docs.join(&name);
        if update {
            std::fs::create_dir_all(&docs).unwrap();
            std::fs::write(&file, &text).unwrap();
        }
        let written = std::fs::read_to_string(&file).unwrap_or_default();
        assert!(
            written == text,
            "docs/sources/{name} is not what this build does; UPDATE_DOCS=1 cargo test -p assay-sources --test docs\n{}",
            pretty_assertions::StrComparison::new(&written, &text)
        );
    }
}

/// An override that a page promises must be one that the adapter looks at.
#[test]
fn every_override_that_a_page_names_is_followed() {
    for adapter in registry().iter() {
        let mut named = 0;
        for name in names(&about(adapter)) {
            let looked = PLATFORMS.iter().any(|(platform, _)| {
                let mut roots = Roots::new("~", *platform);
                let before = adapter.detect(&roots).roots;
                roots.env.insert(name.clone(), "/elsewhere".to_owned());
                adapter.detect(&roots).roots.iter().any(|root| before.iter().all(|known| known.path != root.path))
            });
            assert!(looked, "{}: {name} changes no place that is looked at", adapter.manifest().name);
            named += 1;
        }
        assert!(named > 0, "{}: the page names no override", adapter.manifest().name);
    }
}

/// Words in code marks that look like a variable of the environment, one a line of the list of overrides.
fn names(about: &str) -> BTreeSet<String> {
    let items = about.lines().filter_map(|line| line.strip_prefix("- `")?.split('`').next());
    let is_name = |name: &&str| name.len() > 3 && name.bytes().all(|b| b.is_ascii_uppercase() || b == b'_');
    items.filter(is_name).map(str::to_owned).collect()
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..")
}

/// The words that the adapter has for itself.
fn about(adapter: &dyn SourceAdapter) -> String {
    let folder = adapter.manifest().name.replace('-', "_");
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/sources").join(folder).join("about.md");
    std::fs::read_to_string(&file).unwrap_or_else(|e| format!("{}: {e}", file.display()))
}

fn page(adapter: &dyn SourceAdapter) -> String {
    let manifest = adapter.manifest();
    let mut out = String::new();
    let _ = writeln!(out, "# {}\n", manifest.display_name);
    let _ = writeln!(out, "<!-- Written by a test: UPDATE_DOCS=1 cargo test -p assay-sources --test docs -->\n");
    let _ = writeln!(out, "{} Source `{}`, parser `{}`.\n", manifest.blurb.en, manifest.name, manifest.parser_version);
    if let Some(days) = manifest.deletes_after_days {
        let _ = writeln!(out, "The tool itself deletes a session after {days} days unless it is told otherwise.\n");
    }
    let _ = writeln!(out, "{}\n", about(adapter).trim());
    let _ = writeln!(out, "## Where it is looked for\n");
    for (platform, name) in PLATFORMS {
        let _ = writeln!(out, "**{name}**\n");
        for place in places(adapter, platform) {
            let _ = writeln!(out, "- `{place}`");
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "A folder that a person adds is looked at as well, whichever of these levels it names. `assay detect` lists \
         every place with what it holds, those that are not there included.\n"
    );
    boundaries(&mut out, manifest.boundaries);
    kinds(&mut out, adapter);
    out.trim_end().to_owned() + "\n"
}

fn places(adapter: &dyn SourceAdapter, platform: Platform) -> Vec<String> {
    let roots = adapter.detect(&Roots::new("~", platform)).roots;
    let text = |path: &Path| {
        let text = path.to_string_lossy().replace('\\', "/");
        match platform {
            Platform::Windows => text
                .replace("~/AppData/Roaming", "%APPDATA%")
                .replace("~/AppData/Local", "%LOCALAPPDATA%")
                .replace('~', "%USERPROFILE%")
                .replace('/', "\\"),
            Platform::Linux | Platform::MacOs => text,
        }
    };
    roots.iter().map(|root| text(&root.path)).collect()
}

fn boundaries(out: &mut String, all: &[Boundary]) {
    let _ = writeln!(
        out,
        "## The rules at which content can be lost\n\n\
         *Reference* is what the published rules do with it, *full* what the default retention does. The fixture is \
         the one that fails without the rule.\n"
    );
    for (group, title) in GROUPS {
        let of_group: Vec<&Boundary> = all.iter().filter(|b| b.group == group).collect();
        if of_group.is_empty() {
            continue;
        }
        let _ =
            writeln!(out, "### {title}\n\n| | rule | reference | full | code | fixture |\n|---|---|---|---|---|---|");
        for b in of_group {
            let _ = writeln!(
                out,
                "| {} | {} | {} | {} | `{}` | `{}` |",
                b.title.en,
                cell(b.rule.en),
                b.reference.code(),
                b.full.code(),
                b.reason,
                b.fixture
            );
        }
        out.push('\n');
    }
}

/// Text in a cell of a table.
fn cell(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ").replace('<', "&lt;")
}

/// What became of the entries of one kind: by disposition, for which reasons.
type Fates = BTreeMap<Disposition, BTreeSet<Reason>>;

fn kinds(out: &mut String, adapter: &dyn SourceAdapter) {
    let mut records: BTreeMap<String, [Fates; 2]> = BTreeMap::new();
    let mut blocks: BTreeMap<String, [Fates; 2]> = BTreeMap::new();
    let registry = registry();
    for case in fixtures::cases(adapter.manifest().name).unwrap() {
        let (_, outcomes) = case.run(&registry).unwrap();
        for (conversation, ledger) in outcomes.into_iter().filter_map(|o| o.parsed.ok()) {
            for (at, retention) in [Retention::Full, Retention::Reference].into_iter().enumerate() {
                let (mut conversation, mut ledger) = (conversation.clone(), ledger.clone());
                let moved = conversation.under(retention);
                ledger.under(retention, &moved);
                for entry in ledger.entries.iter().filter(|e| e.disposition != Disposition::Unknown) {
                    note(if entry.is_record() { &mut records } else { &mut blocks }, at, entry);
                }
            }
        }
    }
    let _ = writeln!(
        out,
        "## What becomes of every kind\n\n\
         Every record of a store has one entry in the ledger, and so has every block with content inside it. These are \
         the kinds that the fixtures hold, with every disposition that this build gave them and the code of the reason. \
         A kind that is not known is in no table: it is kept as it is written and listed by its name, with its number \
         and the version of the tool that wrote it.\n"
    );
    for (title, all) in [("Records", records), ("Blocks inside records", blocks)] {
        let _ = writeln!(out, "### {title}\n\n| kind | full | reference |\n|---|---|---|");
        for (kind, [full, reference]) in all {
            let (full, reference) = (fates(&full), fates(&reference));
            let _ = writeln!(out, "| `{}` | {full} | {reference} |", cell(&kind));
        }
        out.push('\n');
    }
}

fn note(kinds: &mut BTreeMap<String, [Fates; 2]>, at: usize, entry: &LedgerEntry) {
    let of_kind = kinds.entry(entry.kind.to_string()).or_default();
    let reasons = of_kind[at].entry(entry.disposition).or_default();
    reasons.extend(entry.reason);
}

fn fates(fates: &Fates) -> String {
    let one = |(disposition, reasons): (&Disposition, &BTreeSet<Reason>)| {
        let codes: Vec<String> = reasons.iter().map(|r| format!("`{r}`")).collect();
        match codes.is_empty() {
            true => disposition.code().to_owned(),
            false => format!("{} {}", disposition.code(), codes.join(", ")),
        }
    };
    fates.iter().map(one).collect::<Vec<_>>().join("; ")
}

//! The house rules that a compiler does not check. Each failure names the file and what to do.
#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").canonicalize().unwrap()
}

/// Files below `dir` with one of these endings, as (path from the root, text).
fn files(dir: &str, endings: &[&str]) -> Vec<(String, String)> {
    fn walk(dir: &Path, endings: &[&str], out: &mut Vec<PathBuf>) {
        let Ok(entries) = std::fs::read_dir(dir) else { return };
        for path in entries.flatten().map(|e| e.path()) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !["node_modules", "dist", "target", "gen"].contains(&&*name) {
                walk(&path, endings, out);
            } else if endings.iter().any(|e| name.ends_with(e)) {
                out.push(path);
            }
        }
    }
    let mut paths = Vec::new();
    walk(&root().join(dir), endings, &mut paths);
    paths.sort();
    assert!(!paths.is_empty(), "{dir} is empty: this check would check nothing");
    paths
        .into_iter()
        .map(|p| (p.strip_prefix(root()).unwrap().to_string_lossy().into_owned(), std::fs::read_to_string(p).unwrap()))
        .collect()
}

/// The part of a Rust file that ships: what stands before its tests.
fn shipped(text: &str) -> &str {
    text.split("#[cfg(test)]").next().unwrap_or(text)
}

fn metadata() -> serde_json::Value {
    let out =
        Command::new(env!("CARGO")).args(["metadata", "--format-version", "1"]).current_dir(root()).output().unwrap();
    assert!(out.status.success(), "{}", String::from_utf8_lossy(&out.stderr));
    serde_json::from_slice(&out.stdout).unwrap()
}

#[test]
fn the_core_knows_no_window_toolkit() {
    let metadata = metadata();
    let text = |v: &serde_json::Value| v.as_str().unwrap().to_owned();
    let names: BTreeMap<String, String> =
        metadata["packages"].as_array().unwrap().iter().map(|p| (text(&p["id"]), text(&p["name"]))).collect();
    let graph: BTreeMap<String, Vec<String>> = metadata["resolve"]["nodes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|n| (text(&n["id"]), n["dependencies"].as_array().unwrap().iter().map(text).collect()))
        .collect();
    let core = names.iter().filter(|(id, _)| id.contains("/src-tauri/crates/"));
    let mut checked = 0;
    for (id, name) in core {
        checked += 1;
        let (mut seen, mut open) = (BTreeSet::new(), vec![id.clone()]);
        while let Some(next) = open.pop() {
            if seen.insert(next.clone()) {
                open.extend(graph[&next].iter().cloned());
            }
        }
        for dependency in seen {
            let dependency = &names[&dependency];
            let window = ["tauri", "wry", "tao", "gtk", "webkit2gtk"].contains(&dependency.as_str());
            assert!(!window, "{name} depends on {dependency}: only the shell (src-tauri/src) may");
        }
    }
    assert_eq!(checked, 5, "crates below src-tauri/crates");
}

#[test]
fn licences_of_everything_that_is_built_in_fit() {
    const FIT: [&str; 14] = [
        "MIT",
        "Apache-2.0",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "MPL-2.0",
        "ISC",
        "Zlib",
        "Unicode-3.0",
        "CC0-1.0",
        "0BSD",
        "Unlicense",
        "BSL-1.0",
        "CDLA-Permissive-2.0",
        "MIT-0",
    ];
    let fits = |expression: &str| {
        expression.split(" OR ").flat_map(|e| e.split('/')).any(|choice| {
            choice
                .replace(['(', ')'], " ")
                .split(" AND ")
                .all(|one| FIT.contains(&one.split(" WITH ").next().unwrap_or("").trim()))
        })
    };
    for package in metadata()["packages"].as_array().unwrap() {
        let (name, licence) = (package["name"].as_str().unwrap(), package["license"].as_str().unwrap_or("none stated"));
        assert!(fits(licence), "{name} is under {licence}: use another library");
    }
}

#[test]
fn a_source_is_named_only_in_its_own_folder() {
    let sources: Vec<_> = assay_sources::registry().iter().map(|a| a.manifest()).collect();
    let mut code = files("src-tauri", &[".rs"]);
    code.extend(files("ui/src", &[".ts", ".svelte", ".css"]));
    for (path, text) in code {
        // The adapters themselves, what tests, and what only stands in for the app in tests.
        const OWN: [&str; 7] =
            ["/sources/src/sources/", "/tests/", "/examples/", "/benches/", "/mock-data/", "/generated/", ".test.ts"];
        if OWN.iter().any(|part| path.contains(part)) {
            continue;
        }
        for source in &sources {
            for name in [source.name, source.display_name] {
                for quote in ['"', '\'', '`'] {
                    let literal = format!("{quote}{name}{quote}");
                    assert!(!shipped(&text).contains(&literal), "{path} names {literal}: ask the manifest instead");
                }
            }
        }
    }
}

#[test]
fn every_module_says_what_it_owns_and_every_crate_what_is_absent() {
    for (path, text) in files("src-tauri", &[".rs"]) {
        assert!(text.starts_with("//!"), "{path} does not begin with //!");
        if path.ends_with("src/lib.rs") {
            let head: String = text.lines().take_while(|l| l.starts_with("//!")).collect();
            assert!(
                head.to_lowercase().contains("deliberately absent"),
                "{path} does not say what is deliberately absent"
            );
        }
    }
}

#[test]
fn what_adapters_say_is_said_in_both_languages() {
    for adapter in assay_sources::registry().iter() {
        let manifest = adapter.manifest();
        let words = manifest.boundaries.iter().flat_map(|b| [b.title, b.rule]).chain([manifest.blurb]);
        for word in words {
            assert!(!word.en.trim().is_empty(), "{}: English is missing beside {:?}", manifest.name, word.zh);
            let chinese = word.zh.chars().any(|c| ('\u{4E00}'..='\u{9FFF}').contains(&c));
            assert!(chinese, "{}: Chinese is missing beside {:?}", manifest.name, word.en);
        }
        assert!(!manifest.icon.is_empty(), "{} has no icon", manifest.name);
        assert!(!manifest.boundaries.is_empty(), "{} declares no boundary", manifest.name);
        assert!(manifest.parser_version.starts_with(&format!("{}@", manifest.name)));
    }
}

#[test]
fn only_the_backend_folder_talks_to_the_shell_and_nothing_is_inserted_as_html() {
    for (path, text) in files("ui/src", &[".ts", ".svelte"]) {
        let backend = path.starts_with("ui/src/lib/backend/");
        assert!(backend || !text.contains("@tauri-apps/"), "{path} imports @tauri-apps: go through lib/backend");
        assert!(!text.contains("{@html"), "{path} inserts HTML: render components");
        assert!(!text.contains(".innerHTML"), "{path} sets innerHTML");
    }
}

//! Where transcripts are looked for, by platform, and what ids they get.

use super::cases::{texts, user};
use super::*;
use assay_model::Coverage::{Extended, Reference};

#[test]
fn each_platform_has_its_places() {
    let looked = |platform| -> Vec<PathBuf> {
        Adapter.detect(&Roots::new("/nowhere", platform)).roots.into_iter().map(|r| r.path).collect()
    };
    let desktop = "Claude/local-agent-mode-sessions";
    let paths = |list: &[&str]| -> Vec<PathBuf> { list.iter().map(|p| Path::new("/nowhere").join(p)).collect() };
    assert_eq!(
        looked(Platform::Linux),
        paths(&[".claude", ".config/claude", &format!(".config/{desktop}")]),
        "absent places are listed too"
    );
    assert_eq!(
        looked(Platform::MacOs),
        paths(&[".claude", ".config/claude", &format!("Library/Application Support/{desktop}")])
    );
    assert_eq!(looked(Platform::Windows), paths(&[".claude", &format!("AppData/Roaming/{desktop}")]));
    assert_eq!(Adapter.detect(&Roots::new("/nowhere", Platform::Linux)).state, State::NotInstalled);
}

#[test]
fn the_override_takes_the_default_places_part_and_the_default_is_still_looked_at() {
    let home = tempfile::tempdir().unwrap();
    write(&home.path().join(".claude/projects/-a/one.jsonl"), &transcript());
    write(&home.path().join("work/projects/-b/two.jsonl"), &transcript());
    write(&home.path().join("more/projects/-c/three.jsonl"), &transcript());
    let mut roots = Roots::new(home.path(), Platform::Linux);
    roots.env.insert("CLAUDE_CONFIG_DIR".into(), "~/work, ~/more/projects".into());
    let (found, all) = scan(&roots);
    assert_eq!(ids(&all), [("two", Reference), ("three", Reference), ("one", Extended)]);
    assert_eq!(found.roots[0].origin, "env:CLAUDE_CONFIG_DIR");
    assert_eq!((found.roots[0].conversations, found.roots[2].conversations), (1, 1));
    assert_eq!(found.bytes, all.iter().map(|c| c.file_size).sum::<u64>());
    assert!(all.iter().all(|c| c.file_mtime > 0));
}

#[test]
fn folders_that_a_person_names_may_be_any_of_the_three() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("backup/projects/-p");
    write(&folder.join("s.jsonl"), &transcript());
    for named in ["backup", "backup/projects", "backup/projects/-p"] {
        let mut roots = Roots::new(home.path().join("empty"), Platform::Linux);
        roots.custom.insert("claude-code".into(), vec![home.path().join(named)]);
        let (found, all) = scan(&roots);
        assert_eq!(ids(&all), [("s", Extended)], "{named}");
        assert_eq!(all[0].project_dir, "-p", "{named}");
        assert_eq!(found.roots.last().unwrap().origin, "custom");
    }
    let mut roots = Roots::new(home.path().join("empty"), Platform::Linux);
    let same = ["backup", "backup/projects/-p"].map(|named| home.path().join(named)).to_vec();
    roots.custom.insert("claude-code".into(), same);
    assert_eq!(scan(&roots).1.len(), 1, "the same file through two folders is one conversation");
}

#[test]
fn every_family_of_files_is_listed_once_with_an_id_of_its_own() {
    let home = tempfile::tempdir().unwrap();
    let projects = home.path().join(".claude/projects");
    for file in [
        "-a/s1.jsonl",
        "-a/agent-1.jsonl",
        "-a/s1/subagents/agent-2.jsonl",
        "-a/s1/subagents/workflows/wf_1/agent-3.jsonl",
        "-a/s1/subagents/journal.jsonl",
        "-a/s1/tool-results/not-a-session.jsonl",
        "-a/memory/notes.jsonl",
        "-a/s2.jsonl.corrupt-1",
        "-a/s3.jsonl.copy.jsonl",
        "-a/sessions-index.json",
        "-b/s1.jsonl",
        "-b/s1/subagents/agent-2.jsonl",
        "-b/old/chat.jsonl",
    ] {
        // Each with a record of its own: none is a copy.
        write(&projects.join(file), &transcript().replace("u1", file));
    }
    write(&projects.join("-b/tiny.jsonl"), "{}");
    let (found, all) = scan(&Roots::new(home.path(), Platform::Linux));
    assert_eq!(
        ids(&all),
        [
            ("agent-1", Reference),
            ("s1", Reference),
            ("s3.jsonl.copy", Reference),
            ("s1@-b", Reference),
            ("agent-2", Extended),
            ("s1/subagents/journal", Extended),
            ("agent-3", Extended),
            ("s2.jsonl.corrupt-1", Extended),
            ("old/chat", Extended),
            ("agent-2@-b/s1/subagents", Extended),
            ("tiny", Extended),
        ]
    );
    assert_eq!(found.conversations, all.len() as u64);
    assert_eq!(all[1].hint, serde_json::json!({"agents": ["2", "3"]}));
    assert_eq!(all[4].hint, serde_json::json!({"parent": "s1"}));
}

#[test]
#[cfg(unix)]
fn a_link_to_itself_and_a_folder_without_permission_stop_nothing() {
    let home = tempfile::tempdir().unwrap();
    let projects = home.path().join(".claude/projects");
    write(&projects.join("-a/s.jsonl"), &transcript());
    std::os::unix::fs::symlink(&projects, projects.join("-a/loop")).unwrap();
    std::os::unix::fs::symlink("/nowhere/at/all", projects.join("-gone")).unwrap();
    let roots = Roots::new(home.path(), Platform::Linux);
    let found = Adapter.detect(&roots);
    assert_eq!((found.state, found.conversations), (State::Found, 1));
    let mut errors = 0;
    Adapter.scan(&roots, &found, &mut |c| errors += usize::from(c.is_err()));
    assert_eq!(errors, 1, "the loop is reported");
    let gone = Candidate { file_path: projects.join("-a/gone.jsonl"), ..candidate() };
    assert_eq!(Adapter.collect(&roots, &gone).unwrap_err().code(), "gone");
}

#[test]
fn an_empty_installation_is_empty() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(home.path().join(".claude/todos")).unwrap();
    let (found, all) = scan(&Roots::new(home.path(), Platform::Linux));
    assert_eq!((found.state, all.len()), (State::Empty, 0));
}

#[test]
fn files_that_no_known_version_writes_are_counted_by_name() {
    let home = tempfile::tempdir().unwrap();
    let claude = home.path().join(".claude");
    write(&claude.join("projects/-p/s.jsonl"), &transcript());
    for (path, times) in [
        ("transcripts/ses_N.jsonl", 2),
        ("pre-compact-session-histories/N.jsonl", 1),
        ("projects/-p/N.forked-skill.json", 1),
        ("projects/-p/N.json", 2),
        ("projects/-p/sessions-index.json", 1),
        ("projects/-p/s/N.marker.json", 3),
    ] {
        (0..times).for_each(|n| write(&claude.join(path.replace('N', &n.to_string())), "{}"));
    }
    let (found, all) = scan(&Roots::new(home.path(), Platform::Linux));
    assert_eq!(all.len(), 1, "none of them is a session of the tool");
    let note = "transcripts/ses_*.jsonl=2 pre-compact-session-histories/*.jsonl=1 *.forked-skill.json=1 *.marker.json=3 projects/*.json=2";
    assert_eq!(found.roots[0].note.as_deref(), Some(note));
}

#[test]
fn a_file_that_lies_in_two_folders_is_linked_once() {
    let home = tempfile::tempdir().unwrap();
    for folder in ["-v", "-w"] {
        write(&home.path().join(".claude/projects").join(folder).join("s.jsonl"), &format!("{}\n", transcript()));
    }
    let roots = Roots::new(home.path(), Platform::Linux);
    let links: Vec<_> = fixtures::run(&Adapter, &roots).1.into_iter().map(|o| o.parsed.unwrap().0.links).collect();
    assert_eq!(links.iter().map(Vec::len).collect::<Vec<_>>(), [0, 1], "{links:?}");
    assert_eq!(links[1][0].conversation, "s");
}

#[test]
fn a_file_among_the_project_folders_changes_no_id() {
    let home = tempfile::tempdir().unwrap();
    let projects = home.path().join(".claude/projects");
    for file in ["-p/s1.jsonl", "-p/s1/subagents/agent-1.jsonl", "-q/s2.jsonl", "-q/old/chat.jsonl"] {
        write(&projects.join(file), &transcript().replace("u1", file));
    }
    write(&projects.join("-q/tiny.jsonl"), "{}");
    for named in [None, Some(projects.clone()), Some(home.path().join("backup"))] {
        let mut roots = Roots::new(home.path(), Platform::Linux);
        let mut folder = projects.clone();
        if let Some(named) = named {
            roots = Roots::new(home.path().join("empty"), Platform::Linux);
            roots.custom.insert("claude-code".into(), vec![named.clone()]);
            if folder != named {
                std::fs::rename(&folder, &named).unwrap();
                folder = named;
            }
        }
        let before = scan(&roots).1;
        assert_eq!(before.len(), 5);
        for (stray, text) in [("x.jsonl", ""), ("-p.jsonl", ""), ("tiny.jsonl", "{}"), ("s1.jsonl", "{}")] {
            write(&folder.join(stray), text);
            let (found, all) = scan(&roots);
            assert_eq!(all.len(), 6, "{stray} is looked at, too");
            assert_eq!(found.conversations, 6);
            for one in &before {
                let now = all.iter().find(|c| c.file_path == one.file_path).unwrap();
                let what = |c: &Candidate| (c.id.clone(), c.coverage, c.project_dir.clone(), c.hint.clone());
                let same = stray == "s1.jsonl" || stray == "tiny.jsonl" || what(now) == what(one);
                assert!(same && (folder != projects || now.id == one.id), "{stray} {now:?}");
            }
            let note = found.roots.iter().find(|r| r.exists).unwrap().note.clone();
            assert_eq!(note.as_deref(), (folder == projects).then_some("outside-of-project-folders=1"));
            std::fs::remove_file(folder.join(stray)).unwrap();
        }
    }
}

#[test]
fn what_lies_beside_a_session_is_found_whatever_the_folders_above_are_called() {
    let above = tempfile::tempdir().unwrap();
    let home = above.path().join("workflows/subagents/tool-results");
    let project = home.join(".claude/projects/-p");
    let mention = "<persisted-output>Full output saved to: /x/tool-results/b1.txt";
    write(&project.join("s1.jsonl"), &format!("{}\n", user("u1", None, mention)));
    write(&project.join("s1/tool-results/b1.txt"), "all of the output");
    write(&project.join("s1/workflows/wf_1.json"), "{}");
    write(&project.join("s1/workflows/notes.md"), "no run");
    write(&project.join("s2/tool-results/b2.txt"), "what is left");
    let roots = Roots::new(&home, Platform::Linux);
    let told = |id: &str| {
        let candidate = scan(&roots).1.into_iter().find(|c| c.id == id).unwrap();
        let (c, ledger) = parse(&Adapter, &candidate, &Adapter.collect(&roots, &candidate).unwrap());
        let texts: Vec<String> = c.messages.into_iter().map(|m| m.content).collect();
        (texts, ledger.extents.len())
    };
    assert_eq!(told("s2"), (vec!["what is left".to_owned()], 1));
    let (texts, files) = told("s1");
    assert!(texts.contains(&"all of the output".to_owned()), "{texts:?}");
    assert_eq!(files, 2, "the transcript and the run");
}

#[test]
fn a_change_beside_a_session_is_one() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join(".claude/projects/-p");
    write(&project.join("s1.jsonl"), &format!("{}\n", user("u1", None, "go")));
    write(&project.join("s1/subagents/agent-a.jsonl"), &format!("{}\n", user("u2", None, "do")));
    let roots = Roots::new(home.path(), Platform::Linux);
    let standing = || {
        let (found, all) = scan(&roots);
        assert_eq!(found.bytes, all.iter().map(|c| c.file_size).sum::<u64>());
        all.into_iter().map(|c| (c.id, c.file_size, c.file_mtime)).collect::<Vec<_>>()
    };
    let mut before = standing();
    for (file, changes) in [
        ("s1/tool-results/b1.txt", "s1"),
        ("s1/workflows/wf_1.json", "s1"),
        ("s1/subagents/agent-a.meta.json", "agent-a"),
    ] {
        write(&project.join(file), "{}");
        let after = standing();
        let changed: Vec<&str> = before.iter().zip(&after).filter(|(a, b)| a != b).map(|(a, _)| a.0.as_str()).collect();
        assert_eq!(changed, [changes], "{file}");
        before = after;
    }
}

#[test]
fn what_lies_beside_a_session_and_cannot_be_read_is_said() {
    let home = tempfile::tempdir().unwrap();
    let project = home.path().join(".claude/projects/-p");
    write(&project.join("s1.jsonl"), &format!("{}\n", user("u1", None, "go")));
    write(&project.join("s1/tool-results/b1.txt"), "");
    let damaged = [&[0x28, 0xb5, 0x2f, 0xfd][..], b"packed, and nothing comes out of it"].concat();
    std::fs::write(project.join("s1/tool-results/b1.txt"), damaged).unwrap();
    let roots = Roots::new(home.path(), Platform::Linux);
    let all = scan(&roots).1;
    let (c, ledger) = parse(&Adapter, &all[0], &Adapter.collect(&roots, &all[0]).unwrap());
    assert_eq!(texts(&c.messages), ["go"]);
    let said = |n: &assay_model::Notice| n.code == assay_model::NoticeCode::BodyMissing && n.detail.contains("b1.txt");
    assert!(ledger.notices.iter().any(said), "{:?}", ledger.notices);
}

//! How fast, and in how much memory: whole runs of `assay` over generated stores, told as ratios to a bare
//! JSON scan of the same bytes in the same run, because machines differ and share their cores.
//!
//! `make bench`, or with sizes in MB and sessions: `ASSAY_BENCH="300 10000" make bench`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::print_stdout, clippy::disallowed_methods, missing_docs)]

use rayon::prelude::*;
use std::io::{BufRead, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

const ASSAY: &str = env!("CARGO_BIN_EXE_assay");

fn main() {
    if std::env::args().any(|a| a == "--test") {
        return; // `cargo test --benches` only wants to know that it builds
    }
    let sizes = std::env::var("ASSAY_BENCH").unwrap_or_default();
    let mut sizes = sizes.split_whitespace().map(|n| n.parse::<u64>().expect("ASSAY_BENCH holds two numbers"));
    let (megabytes, sessions) = (sizes.next().unwrap_or(300), sizes.next().unwrap_or(10_000));
    println!("cores: {}", std::thread::available_parallelism().map_or(1, usize::from));

    let folder = tempfile::tempdir().unwrap();
    let home = folder.path().join("throughput");
    let bytes = generate(&home, megabytes << 20, 1 << 20);
    throughput(&home, bytes);
    let home = folder.path().join("sessions");
    // A session runs over by about one turn.
    let bytes = generate(&home, sessions * 11_000, 6_000);
    unchanged(&home, bytes);
}

fn throughput(home: &Path, bytes: u64) {
    println!("\n== {:.0} MB in {} files", mb(bytes), files(home).len());
    let scan = best_of(3, || {
        let started = Instant::now();
        let records: usize = files(home).par_iter().map(|f| bare_scan(f)).sum();
        assert!(records > 0);
        started.elapsed()
    });
    report("bare JSON scan (serde_json IgnoredAny, all cores)", bytes, scan, None);
    let flags = ["--json", "--no-messages", "--no-ledger"];
    let (preview, memory) = best_run(3, home, "preview", &flags, |_| ());
    report("assay preview", bytes, preview, Some(memory));
    println!("   ratio to the scan: {:.2} (target: 0.5 or more)", scan.as_secs_f64() / preview.as_secs_f64());
    let library = home.join("library.db");
    let option = format!("--library={}", library.display());
    let fresh = |_: usize| remove_library(&library);
    let (import, memory) = best_run(2, home, "import", &["--json", &option], fresh);
    report("assay import into an empty library", bytes, import, Some(memory));
    println!(
        "   ratio to the scan: {:.2}; library: {:.0} MB",
        scan.as_secs_f64() / import.as_secs_f64(),
        mb(std::fs::metadata(&library).unwrap().len())
    );
}

fn unchanged(home: &Path, bytes: u64) {
    println!("\n== {:.0} MB in {} sessions", mb(bytes), files(home).len());
    let (first, memory) = best_run(1, home, "import", &["--json"], |_| ());
    report("assay import, first time", bytes, first, Some(memory));
    let (again, memory) = best_run(3, home, "import", &["--json"], |_| ());
    report("assay import, nothing changed", bytes, again, Some(memory));
    println!(
        "   target: under 1 s for 10,000 sessions; first : again = {:.0} : 1",
        first.as_secs_f64() / again.as_secs_f64()
    );
}

fn mb(bytes: u64) -> f64 {
    bytes as f64 / 1_000_000.0
}

fn report(what: &str, bytes: u64, took: Duration, memory: Option<u64>) {
    let peak = memory.map(|m| format!(", peak {:.0} MB", mb(m))).unwrap_or_default();
    println!("{what}: {:.3} s, {:.0} MB/s{peak}", took.as_secs_f64(), mb(bytes) / took.as_secs_f64());
}

fn best_of(times: usize, mut run: impl FnMut() -> Duration) -> Duration {
    (0..times).map(|_| run()).min().unwrap()
}

fn best_run(times: usize, home: &Path, command: &str, flags: &[&str], before: impl Fn(usize)) -> (Duration, u64) {
    let runs = (0..times).map(|i| {
        before(i);
        run(home, command, flags)
    });
    let runs: Vec<_> = runs.collect();
    (runs.iter().map(|r| r.0).min().unwrap(), runs.iter().map(|r| r.1).max().unwrap())
}

/// One run of the program. Returns how long it took and its peak resident memory (0 where that is not told).
fn run(home: &Path, command: &str, flags: &[&str]) -> (Duration, u64) {
    let started = Instant::now();
    let mut child =
        Command::new(ASSAY).arg(command).arg("--home").arg(home).args(flags).stdout(Stdio::null()).spawn().unwrap();
    let status_file = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    loop {
        let status = std::fs::read_to_string(&status_file).unwrap_or_default();
        let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
        let kilobytes = line.and_then(|l| l.trim().trim_end_matches(" kB").parse::<u64>().ok());
        peak = peak.max(kilobytes.unwrap_or(0) * 1024);
        if let Some(exit) = child.try_wait().unwrap() {
            assert!(exit.success(), "assay {command} failed");
            return (started.elapsed(), peak);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

fn remove_library(library: &Path) {
    for ending in ["", "-wal", "-shm"] {
        let mut name = library.as_os_str().to_owned();
        name.push(ending);
        let _ = std::fs::remove_file(PathBuf::from(name));
    }
}

fn files(home: &Path) -> Vec<PathBuf> {
    let mut all = Vec::new();
    let mut open = vec![home.join(".claude/projects"), home.join(".codex/sessions")];
    while let Some(dir) = open.pop() {
        for path in std::fs::read_dir(dir).into_iter().flatten().flatten().map(|e| e.path()) {
            if path.is_dir() { open.push(path) } else { all.push(path) }
        }
    }
    all.sort();
    all
}

fn bare_scan(file: &Path) -> usize {
    let mut input = std::io::BufReader::with_capacity(1 << 20, std::fs::File::open(file).unwrap());
    let (mut line, mut records) = (Vec::new(), 0);
    while input.read_until(b'\n', &mut line).unwrap() > 0 {
        serde_json::from_slice::<serde::de::IgnoredAny>(&line).unwrap();
        records += 1;
        line.clear();
    }
    records
}

/// Writes sessions of two JSONL sources until they hold `total` bytes, about `each` bytes a session.
fn generate(home: &Path, total: u64, each: u64) -> u64 {
    let mut words = Words(0x5EED);
    let (mut written, mut session) = (0, 0u64);
    while written < total {
        session += 1;
        let id = format!("{session:08x}-0000-4000-8000-{:012x}", session * 7919);
        let text =
            if session.is_multiple_of(3) { rollout(&id, each, &mut words) } else { transcript(&id, each, &mut words) };
        let file = if session.is_multiple_of(3) {
            home.join(format!(".codex/sessions/2026/01/{:02}/rollout-2026-01-01T10-00-00-{id}.jsonl", session % 28 + 1))
        } else {
            home.join(format!(".claude/projects/-home-u-p{}/{id}.jsonl", session % 40))
        };
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        let mut out = BufWriter::new(std::fs::File::create(file).unwrap());
        out.write_all(text.as_bytes()).unwrap();
        written += text.len() as u64;
    }
    written
}

fn time(n: usize) -> String {
    format!("2026-01-10T{:02}:{:02}:{:02}.{:03}Z", n / 3600 % 24, n / 60 % 60, n % 60, n % 1000)
}

fn transcript(id: &str, size: u64, words: &mut Words) -> String {
    let mut out = String::new();
    let mut n = 0;
    let mut line = |out: &mut String, kind: &str, message: String, extra: &str| {
        n += 1;
        let uuid = |n: usize| format!("\"{}{n:012x}\"", &id[..24]);
        let parent = if n == 1 { "null".to_owned() } else { uuid(n - 1) };
        out.push_str(&format!(
            "{{\"parentUuid\":{parent},\"isSidechain\":false,\"userType\":\"external\",\"cwd\":\"/home/u/p\",\"sessionId\":\"{id}\",\"version\":\"2.1.30\",\"gitBranch\":\"main\",\"type\":\"{kind}\",\"message\":{message},\"uuid\":{},\"timestamp\":\"{}\"{extra}}}\n",
            uuid(n),
            time(n)
        ));
    };
    let mut call = 0;
    while (out.len() as u64) < size {
        call += 1;
        line(&mut out, "user", format!("{{\"role\":\"user\",\"content\":{}}}", words.json(30)), "");
        let head = format!("\"id\":\"msg_{call}\",\"type\":\"message\",\"role\":\"assistant\",\"model\":\"m\"");
        line(
            &mut out,
            "assistant",
            format!(
                "{{{head},\"content\":[{{\"type\":\"thinking\",\"thinking\":{},\"signature\":\"c2ln\"}}]}}",
                words.json(80)
            ),
            ",\"requestId\":\"r\"",
        );
        line(
            &mut out,
            "assistant",
            format!("{{{head},\"content\":[{{\"type\":\"text\",\"text\":{}}}]}}", words.json(120)),
            ",\"requestId\":\"r\"",
        );
        line(
            &mut out,
            "assistant",
            format!(
                "{{{head},\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{call}\",\"name\":\"Bash\",\"input\":{{\"command\":{}}}}}]}}",
                words.json(12)
            ),
            ",\"requestId\":\"r\"",
        );
        let body = words.json(500);
        line(
            &mut out,
            "user",
            format!(
                "{{\"role\":\"user\",\"content\":[{{\"tool_use_id\":\"t{call}\",\"type\":\"tool_result\",\"content\":{body},\"is_error\":false}}]}}"
            ),
            &format!(
                ",\"toolUseResult\":{{\"stdout\":{body},\"stderr\":\"\",\"interrupted\":false,\"isImage\":false}}"
            ),
        );
    }
    out
}

fn rollout(id: &str, size: u64, words: &mut Words) -> String {
    let mut n = 0;
    let mut out = String::new();
    let mut line = |out: &mut String, kind: &str, payload: String| {
        n += 1;
        out.push_str(&format!("{{\"timestamp\":\"{}\",\"type\":\"{kind}\",\"payload\":{payload}}}\n", time(n)));
    };
    line(
        &mut out,
        "session_meta",
        format!(
            "{{\"id\":\"{id}\",\"timestamp\":\"{}\",\"cwd\":\"/home/u/p\",\"originator\":\"codex_cli_rs\",\"cli_version\":\"0.66.0\",\"source\":\"cli\"}}",
            time(0)
        ),
    );
    let mut call = 0;
    while (out.len() as u64) < size {
        call += 1;
        let (prompt, answer, thought) = (words.json(30), words.json(120), words.json(60));
        line(
            &mut out,
            "response_item",
            format!(
                "{{\"type\":\"message\",\"role\":\"user\",\"content\":[{{\"type\":\"input_text\",\"text\":{prompt}}}]}}"
            ),
        );
        line(&mut out, "event_msg", format!("{{\"type\":\"user_message\",\"message\":{prompt},\"images\":[]}}"));
        line(&mut out, "event_msg", format!("{{\"type\":\"agent_reasoning\",\"text\":{thought}}}"));
        line(
            &mut out,
            "response_item",
            format!(
                "{{\"type\":\"reasoning\",\"summary\":[{{\"type\":\"summary_text\",\"text\":{thought}}}],\"encrypted_content\":\"Z0FBQUFB\"}}"
            ),
        );
        line(
            &mut out,
            "response_item",
            format!(
                "{{\"type\":\"function_call\",\"name\":\"shell\",\"arguments\":\"{{\\\"command\\\":[\\\"ls\\\"]}}\",\"call_id\":\"c{call}\"}}"
            ),
        );
        line(
            &mut out,
            "response_item",
            format!("{{\"type\":\"function_call_output\",\"call_id\":\"c{call}\",\"output\":{}}}", words.json(400)),
        );
        line(&mut out, "event_msg", format!("{{\"type\":\"agent_message\",\"message\":{answer}}}"));
        line(
            &mut out,
            "response_item",
            format!(
                "{{\"type\":\"message\",\"role\":\"assistant\",\"content\":[{{\"type\":\"output_text\",\"text\":{answer}}}]}}"
            ),
        );
    }
    out
}

/// Words from a small generator, the same on every run. One in eight lines is Chinese.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    fn json(&mut self, count: usize) -> String {
        const LATIN: [&str; 16] = [
            "the",
            "parser",
            "returns",
            "src/main.rs:42",
            "an",
            "error",
            "when",
            "fn",
            "retry()",
            "is",
            "called",
            "with",
            "\"quoted\"",
            "let x = 1;",
            "std::io::Result<()>",
            "again",
        ];
        const CHINESE: [&str; 8] = ["请解释", "这个函数", "为什么", "重试之后", "仍然失败", "修复它", "并补上", "测试"];
        let mut text = String::new();
        let mut chinese = false;
        for i in 0..count {
            if i.is_multiple_of(12) {
                text.push_str(if i == 0 { "" } else { "\n    " });
                chinese = self.next().is_multiple_of(8);
            }
            let pick = self.next() as usize;
            text.push_str(if chinese { CHINESE[pick % 8] } else { LATIN[pick % 16] });
            text.push(' ');
        }
        serde_json::to_string(&text).unwrap()
    }
}

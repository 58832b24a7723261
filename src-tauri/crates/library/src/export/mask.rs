//! Secrets that can be told by their look or by the name before them. One rule for every format, language
//! and field. Deliberately absent: guesses by randomness, which mark commit hashes and miss passwords; and
//! names above a table's column, whose values are rows away.

mod fold;
#[cfg(test)]
mod tests;
mod value;

use fold::Folded;
use regex::Regex;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

/// Kinds of secrets and how they look. Of a group named `secret` only that is masked, else all of it.
/// Earlier kinds win. Tokens begin where no word goes on; `\n` and `%20` in escaped text end one.
const LOOKS: &[(&str, &str)] = &[
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    (
        "signed-token",
        r"(?:^|[^A-Za-z0-9]|\\[nrt]|%[0-9A-F]{2})(?P<secret>eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*)",
    ),
    (
        "access-token",
        r"(?x)(?: ^ | [^A-Za-z0-9] | \\[nrt] | %[0-9A-F]{2} | \x1b\[[0-9;]*m )
            (?P<secret> sk-[A-Za-z0-9_-]{20,} | gh[pousr][_-][A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{20,}
            | A[KS]IA[0-9A-Z]{16}\b | AIza[0-9A-Za-z_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | xox[abeoprs]-[A-Za-z0-9-]{10,}
            | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{50,} | hf_[A-Za-z0-9]{30,} | [rs]k_(?:live|test)_[A-Za-z0-9]{16,}
            | SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,} | whsec_[A-Za-z0-9+/=]{20,} | AGE-SECRET-KEY-1[A-Z0-9]{50,} )",
    ),
    (
        "authorization",
        r#"(?i)(?:bearer|authorization\\*["']?\s*[:=]\s*\\*["']?basic)\s+(?P<secret>[A-Za-z0-9+/=._~-]{12,})"#,
    ),
    ("url-password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:(?P<secret>[^\s/@]+)@"),
    (
        "password",
        r#"\bcurl\b(?:[^\n|]|\\\n)*?\s(?:-u|--user|-U|--proxy-user)[\s=]*\\*["']?[^\s:"'\\]+:(?P<secret>[^\s"'\\]+)"#,
    ),
    // The one-letter options of programs that ask for a password, and pairs of attributes.
    (
        "password",
        r#"\b(?:mysql(?:dump|admin)?|mariadb)\b(?:[^\n|]|\\\n)*?\s-p\\*["']?(?P<secret>[^\s"'\\-][^\s"'\\]*)"#,
    ),
    ("password", r#"\bsshpass\s+-p\s*\\*["']?(?P<secret>[^\s"'\\]+)"#),
    (
        "password",
        r#"(?i)\b(?:key|name)\s*=\s*\\*["'][^"'\n]{0,60}(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|密码)\\*["']\s+value\s*=\s*\\*["'](?P<secret>[^"'\\\n]{3,})"#,
    ),
];

/// Names of what is secret, with the least length of a value behind them.
const NAMES: &[(&str, usize, &str)] = &[
    (
        "password",
        3,
        r"(?xi) password | passwd | passphrase | passcode | (?:^|[^a-z])pwd | 密码 | 密碼 | 口令 | パスワード
            | パスフレーズ | パスコード | 暗証番号 | 비밀\s?번호 | 암호 | 패스워드",
    ),
    (
        "key",
        4,
        r"(?xi) (?:api|access|private|secret|signing|encryption|account|master|auth)[_\s-]?key | client[_-]?secret
            | 密钥 | 密鑰 | 秘钥 | 私钥 | 私鑰 | 金鑰 | 令牌 | 权杖 | 權杖 | 秘密鍵 | (?: api | アクセス | シークレット ) \s? キー
            | トークン | シークレット | 토큰 | (?: api | 비밀 | 액세스 | 시크릿 | 개인 ) \s? 키",
    ),
    ("key", 8, r"(?i)token|secret"),
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> =
    LazyLock::new(|| LOOKS.iter().filter_map(|(kind, look)| Some((*kind, Regex::new(look).ok()?))).collect());

static COMPILED_NAMES: LazyLock<Vec<(&str, usize, Regex)>> = LazyLock::new(|| {
    NAMES.iter().filter_map(|(kind, least, name)| Some((*kind, *least, Regex::new(name).ok()?))).collect()
});

/// Masks the secrets of a text and counts them by kind.
pub(super) fn mask(text: &mut String, counts: &mut BTreeMap<&'static str, u64>) {
    let secrets = secrets(text);
    if secrets.is_empty() {
        return;
    }
    let (mut masked, mut end) = (String::with_capacity(text.len()), 0);
    for (span, kind) in secrets {
        masked.push_str(&text[end..span.start]);
        masked.push_str(&format!("[masked: {kind}]"));
        *counts.entry(kind).or_default() += 1;
        end = span.end;
    }
    masked.push_str(&text[end..]);
    *text = masked;
}

/// Where the secrets of a text are, in order and apart.
fn secrets(original: &str) -> Vec<(Range<usize>, &'static str)> {
    let folded = Folded::of(original);
    let text = folded.text.as_ref();
    let mut found: Vec<(Range<usize>, usize, &'static str)> = Vec::new();
    for (rank, (kind, look)) in COMPILED.iter().enumerate() {
        for captures in look.captures_iter(text) {
            let secret = captures.name("secret").or_else(|| captures.get(0));
            let span = secret.map_or(0..0, |secret| secret.range());
            if is_secret(kind, &text[span.clone()]) {
                found.push((span, rank, kind));
            }
        }
    }
    for (kind, least, name) in COMPILED_NAMES.iter() {
        let mut from = 0;
        while let Some(name) = name.find_at(text, from) {
            from = name.end();
            let Some(value) = value::behind(text, &name.range()) else { continue };
            let is_one = match *kind {
                "password" => value.is_password(text),
                _ => value.is_key(text, *least),
            };
            if is_one {
                from = from.max(value.span.end);
                found.push((value.span, COMPILED.len(), kind));
            }
        }
    }
    found.sort_by_key(|(span, rank, _)| (span.start, *rank));
    let mut apart: Vec<(Range<usize>, usize, &'static str)> = Vec::new();
    for (span, rank, kind) in found {
        match apart.last_mut() {
            // The same secret, seen in two ways.
            Some((last, best, name)) if span.start < last.end => {
                last.end = last.end.max(span.end);
                if rank < *best {
                    (*best, *name) = (rank, kind);
                }
            }
            _ => apart.push((span, rank, kind)),
        }
    }
    apart.into_iter().map(|(span, _, kind)| (folded.original(&span), kind)).collect()
}

/// Whether what has the look of a secret is one.
fn is_secret(kind: &str, value: &str) -> bool {
    match kind {
        // Folders and packages begin like keys; keys have a long run of letters and digits.
        "access-token" => value.strip_prefix("sk-").is_none_or(|key| {
            let long = |run: &str| run.len() >= 16 && run.bytes().any(|b| b.is_ascii_digit());
            let plain = key.bytes().all(|b| b.is_ascii_alphanumeric());
            plain || key.starts_with("lf-") || key.split(['-', '_']).any(long)
        }),
        "authorization" => value::looks_like_one(value),
        "url-password" | "password" => !value::stands_for_one(value),
        _ => true,
    }
}

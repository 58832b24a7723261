//! Secrets that can be told by their look. One table for every format, language and field. Deliberately
//! absent: guesses by randomness, which mark commit hashes and miss passwords.

use regex::{Captures, Regex};
use std::collections::BTreeMap;
use std::sync::LazyLock;

/// Kinds of secrets and how they look. Of a group named `secret` only that is masked, else all of it.
/// Earlier kinds win.
const LOOKS: &[(&str, &str)] = &[
    (
        "private-key",
        r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----[^-]*(?:-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----)?",
    ),
    ("signed-token", r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*"),
    (
        "access-token",
        r"(?x)\b(?: sk-[A-Za-z0-9_-]{20,} | gh[pousr]_[A-Za-z0-9]{30,} | github_pat_[A-Za-z0-9_]{30,} | glpat-[A-Za-z0-9_-]{20,}
            | A[KS]IA[0-9A-Z]{16}\b | AIza[0-9A-Za-z_-]{35} | ya29\.[A-Za-z0-9_-]{20,} | xox[abeoprs]-[A-Za-z0-9-]{10,}
            | npm_[A-Za-z0-9]{36} | pypi-[A-Za-z0-9_-]{50,} | hf_[A-Za-z0-9]{30,} | [rs]k_(?:live|test)_[A-Za-z0-9]{16,}
            | SG\.[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{40,} | whsec_[A-Za-z0-9+/=]{20,} | AGE-SECRET-KEY-1[A-Z0-9]{50,} )",
    ),
    ("authorization", r"(?i)\b(?:bearer|authorization\s*[:=]\s*\W?basic)\s+(?P<secret>[A-Za-z0-9+/=._~-]{12,})"),
    ("url-password", r"\b[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:(?P<secret>[^\s/@]+)@"),
    (
        "password",
        r#"(?xi)(?: \b(?:[a-z0-9_]*(?:password|passwd|passphrase) | pwd ) | 密码 | 密碼 | 口令 | パスワード | パスフレーズ | 暗証番号
            | 비밀번호 | 암호 | 패스워드 )
            \\*["'”」]? \s* (?: [:=：＝] | => | 是 | 为 | 為 | は | 은 | 는 ) \s* \\*["'“「]?
            (?P<secret>[^\s"'”」`\\,;，；。、(){}\[\]<>]{3,})"#,
    ),
    (
        "key",
        r#"(?xi)(?: \b[a-z0-9_-]*(?:api[_-]?key|secret|access[_-]?key|private[_-]?key|token) | 密钥 | 密鑰 | 私钥 | 金鑰 | 令牌 | 權杖
            | 秘密鍵 | (?: api | アクセス | シークレット ) \s? キー | トークン | シークレット | 토큰 | (?: api | 비밀 | 액세스 | 시크릿 ) \s? 키 )
            \\*["'”」]? \s* (?: [:=：＝] | => | 是 | 为 | 為 | は | 은 | 는 ) \s* \\*["'“「]? (?P<secret>[A-Za-z0-9+/=_.~-]{12,})"#,
    ),
];

/// What stands in the place of a password in code and in forms without being one.
const NO_SECRETS: &[&str] = &[
    "string",
    "str",
    "boolean",
    "bool",
    "number",
    "null",
    "none",
    "nil",
    "undefined",
    "true",
    "false",
    "required",
    "optional",
    "masked",
    "redacted",
    "hidden",
    "any",
    "self",
];

static COMPILED: LazyLock<Vec<(&str, Regex)>> =
    LazyLock::new(|| LOOKS.iter().filter_map(|(kind, look)| Some((*kind, Regex::new(look).ok()?))).collect());

/// Masks the secrets of a text and counts them by kind.
pub(super) fn mask(text: &mut String, counts: &mut BTreeMap<&'static str, u64>) {
    for (kind, look) in COMPILED.iter() {
        let mut found = 0;
        let masked = look.replace_all(text, |captures: &Captures<'_>| {
            let whole = &captures[0];
            let Some(secret) = captures.name("secret").or_else(|| captures.get(0)) else { return whole.to_owned() };
            if !is_secret(kind, secret.as_str()) {
                return whole.to_owned();
            }
            found += 1;
            let start = secret.start() - captures.get(0).map_or(0, |m| m.start());
            format!("{}[masked: {kind}]{}", &whole[..start], &whole[start + secret.len()..])
        });
        if found > 0 {
            *text = masked.into_owned();
            *counts.entry(kind).or_default() += found;
        }
    }
}

/// Whether what stands where a secret would stand is one: not a type, a variable, or a mark of ours.
fn is_secret(kind: &str, value: &str) -> bool {
    let word = value.trim_end_matches(['.', ':', '?', '!', '|', '=']).to_lowercase();
    match kind {
        "password" => {
            let stands_for_it =
                value.starts_with(['$', '%', '*', '•']) || value.contains("env.") || value.contains("environ");
            !stands_for_it && !NO_SECRETS.contains(&word.as_str())
        }
        // Names of variables and paths have no digits among their letters.
        "key" => {
            value.bytes().any(|b| b.is_ascii_digit())
                && value.bytes().any(|b| b.is_ascii_alphabetic())
                && !value.contains('/')
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn masked(text: &str) -> (String, BTreeMap<&'static str, u64>) {
        let (mut text, mut counts) = (text.to_owned(), BTreeMap::new());
        mask(&mut text, &mut counts);
        (text, counts)
    }

    #[test]
    fn every_look_is_a_valid_expression() {
        assert_eq!(COMPILED.len(), LOOKS.len());
    }

    #[test]
    fn secrets_are_masked_in_every_language() {
        let cases = [
            ("密码: xxx", "密码: [masked: password]"),
            ("密码是hunter2。", "密码是[masked: password]。"),
            ("パスワード：ひみつの", "パスワード：[masked: password]"),
            ("비밀번호 = 'abc123'", "비밀번호 = '[masked: password]'"),
            ("パスワードはhunter2です", "パスワードは[masked: password]"),
            ("비밀번호는 abc123", "비밀번호는 [masked: password]"),
            ("APIキー：abcd1234efgh5678", "APIキー：[masked: key]"),
            ("API 키: abcd1234efgh5678", "API 키: [masked: key]"),
            ("访问令牌=abcd1234efgh5678;", "访问令牌=[masked: key];"),
            ("Server=h;Password=hunter2;Port=1", "Server=h;Password=[masked: password];Port=1"),
            (r#"{\"password\":\"p4ss\"}"#, r#"{\"password\":\"[masked: password]\"}"#),
            ("DB_PASSWORD=hunter", "DB_PASSWORD=[masked: password]"),
            (r#"{"password": "p4ss"}"#, r#"{"password": "[masked: password]"}"#),
            ("postgres://u:pw@host/db", "postgres://u:[masked: url-password]@host/db"),
            ("Authorization: Bearer abcdef0123456789", "Authorization: Bearer [masked: authorization]"),
            ("export OPENAI_API_KEY=abcd1234efgh5678", "export OPENAI_API_KEY=[masked: key]"),
            ("sk-aaaaaaaaaaaaaaaaaaaaaaaa!", "[masked: access-token]!"),
            ("-----BEGIN RSA PRIVATE KEY-----\nMIIE\n-----END RSA PRIVATE KEY-----", "[masked: private-key]"),
        ];
        for (text, expected) in cases {
            assert_eq!(masked(text).0, expected, "{text}");
        }
        assert_eq!(masked("密码: abc, pwd: def").1, BTreeMap::from([("password", 2)]));
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "password: string",
            "password: $DB_PASSWORD",
            "password = process.env.PASSWORD",
            "token: tokenizer.next()",
            "the secret = /home/user/project/src/secret_file1.rs",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "see https://host:8080/path@v1",
            "密码学是一门学问",
        ] {
            assert_eq!(masked(text).0, text);
        }
    }

    #[test]
    fn masking_twice_changes_nothing() {
        let once = masked("password: hunter2, token=abcd1234efgh5678").0;
        assert_eq!(masked(&once), (once.clone(), BTreeMap::new()));
    }
}

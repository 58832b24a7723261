//! What is assigned to a name: the signs that assign, the wrappings of a value, and what a value is not.
//! Deliberately absent: the names.

use std::ops::Range;

/// How sure a sign is that a value follows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sign {
    /// An assignment: what follows is a value.
    Assigns,
    /// A sentence may go on as well: only what looks like a value is one.
    MayAssign,
    /// Looks like a sign and is none.
    Nothing,
}

/// Signs behind any name, longer ones first.
const SIGNS: &[(&str, Sign)] = &[
    ("::", Sign::Nothing),
    (":=", Sign::Assigns),
    ("=>", Sign::Assigns),
    ("===", Sign::Assigns),
    ("==", Sign::Assigns),
    ("=", Sign::Assigns),
    (":", Sign::Assigns),
    ("是", Sign::MayAssign),
    ("为", Sign::MayAssign),
    ("為", Sign::MayAssign),
    ("は", Sign::MayAssign),
    ("은", Sign::MayAssign),
    ("는", Sign::MayAssign),
    ("is ", Sign::MayAssign),
];

/// What opens and closes a value.
const WRAPPINGS: &[(char, char)] =
    &[('"', '"'), ('\'', '\''), ('`', '`'), ('“', '”'), ('‘', '’'), ('「', '」'), ('『', '』'), ('【', '】')];

/// Wrapped values are read this far, so that an open quote costs little.
const LONGEST_WRAPPED: usize = 4096;

/// Names that a sign stands before are looked at this far back.
const LONGEST_NAME: usize = 64;

/// What stands in the place of a secret in code, forms and sentences without being one.
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
    "option",
    "masked",
    "redacted",
    "hidden",
    "any",
    "self",
    "flag",
    "argument",
    "parameter",
    "stdin",
    "and",
    "for",
    "with",
    "from",
    "when",
    "instead",
    "empty",
    "utf-8",
    "base64",
    "sha-256",
    "sha256",
    "md5",
    "bcrypt",
    "argon2",
    "oauth2",
];

/// What a form asks a person with.
const PROMPTS: &[&str] =
    &["请输入", "请填写", "請輸入", "不能为空", "必填", "してください", "入力", "必須", "입력", "하세요", "필수"];

/// A value behind a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Value {
    /// Where it is.
    pub(super) span: Range<usize>,
    sign: Sign,
}

fn wrapping(c: char) -> Option<char> {
    WRAPPINGS.iter().find(|(open, _)| *open == c).map(|(_, close)| *close)
}

/// The end of the name's decoration: what Markdown or a quote puts behind it.
fn closes(c: char) -> bool {
    matches!(c, '*' | '_' | '~' | '\\') || WRAPPINGS.iter().any(|(_, close)| *close == c)
}

fn ends_value(c: char) -> bool {
    c.is_whitespace()
        || matches!(
            c,
            ',' | ';'
                | '。'
                | '、'
                | '\\'
                | ')'
                | '}'
                | ']'
                | '<'
                | '>'
                | '|'
                | '"'
                | '\''
                | '`'
                | '”'
                | '’'
                | '」'
                | '』'
                | '】'
        )
}

fn is_space(c: char) -> bool {
    c.is_whitespace() && c != '\n'
}

/// The value that is assigned to the name at `name`.
pub(super) fn behind(text: &str, name: &Range<usize>) -> Option<Value> {
    let back = || text[..name.start].chars().rev().take(LONGEST_NAME);
    let in_name = |c: &char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    let first = back().take_while(in_name).last();
    let mut before = back().skip_while(in_name).skip_while(|c| matches!(c, '*' | '`' | ' '));
    let (flag, before) = (first == Some('-'), before.next());

    let rest = text[name.end..].trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(closes);
    let spaced = rest.trim_start_matches(is_space);
    // `password (root): …`: what is told in between is no value, and what follows need not be one.
    // Brackets right behind a Latin name are those of a call.
    let apart = spaced.len() < rest.len() || !text[..name.end].ends_with(|c: char| c.is_ascii());
    let (spaced, told) = match beyond_brackets(spaced).filter(|_| apart) {
        Some(beyond) => (beyond, true),
        None => (spaced, false),
    };
    let sign = SIGNS.iter().find(|(sign, _)| spaced.starts_with(sign));
    let (sign, rest) = match (sign, spaced.chars().next()?) {
        (Some((sign, Sign::Assigns)), _) if told => (Sign::MayAssign, &spaced[sign.len()..]),
        (Some((sign, kind)), _) => (*kind, &spaced[sign.len()..]),
        (None, '>') if before == Some('<') => (Sign::Assigns, &spaced[1..]),
        (None, '|') if before == Some('|') => (Sign::MayAssign, &spaced[1..]),
        (None, '「' | '『' | '【') => (Sign::MayAssign, spaced),
        (None, '-') => return None,
        (None, _) if flag && spaced.len() < rest.len() => (Sign::Assigns, spaced),
        (None, _) => return None,
    };
    if sign == Sign::Nothing {
        return None;
    }
    let value = read(text, text.len() - rest.len(), sign)?;
    // A type between the name and what is assigned: `password: str = "…"`.
    let behind = text[value.span.end..].trim_start_matches(is_space);
    if NO_SECRETS.contains(&text[value.span.clone()].to_lowercase().as_str()) && behind.starts_with("= ") {
        return read(text, text.len() - behind.len() + 1, Sign::Assigns);
    }
    Some(value)
}

/// What follows a short remark in brackets.
fn beyond_brackets(text: &str) -> Option<&str> {
    let inside = text.strip_prefix('(')?;
    let (end, _) = inside.char_indices().take(LONGEST_NAME).find(|(_, c)| matches!(c, ')' | '\n'))?;
    inside[end..].strip_prefix(')')
}

fn read(text: &str, from: usize, mut sign: Sign) -> Option<Value> {
    let decoration = |c: char| is_space(c) || c == '*';
    let mut rest = text[from..].trim_start_matches(decoration);
    if let Some(next_line) = rest.strip_prefix('\n') {
        let next_line = next_line.trim_start_matches(decoration);
        (rest, sign) = (next_line.strip_prefix('\n').unwrap_or(next_line), Sign::MayAssign);
        // A fence around it.
        if let Some((_, inside)) = rest.strip_prefix("```").and_then(|fence| fence.split_once('\n')) {
            rest = inside.trim_start_matches(decoration);
        }
    }
    let escapes = rest.len() - rest.trim_start_matches('\\').len();
    let open = rest[escapes..].chars().next()?;
    let mut start = text.len() - rest.len();
    if let Some(close) = wrapping(open) {
        start += escapes + open.len_utf8();
        if let Some(length) = wrapped(&text[start..], escapes, close) {
            return Some(Value { span: start..start + length, sign });
        }
    }
    let rest = &text[start..];
    let end = rest.find(|c: char| ends_value(c) || sign == Sign::MayAssign && !c.is_ascii()).unwrap_or(rest.len());
    let value = rest[..end].trim_end_matches('*');
    Some(Value { span: start..start + value.len(), sign })
}

/// The length of what is wrapped, if it is closed in its line as it was opened.
fn wrapped(rest: &str, escapes: usize, close: char) -> Option<usize> {
    let mut met = 0;
    for (at, c) in rest.char_indices().take(LONGEST_WRAPPED) {
        match c {
            '\n' => return None,
            '\\' => met += 1,
            // An escaped quote inside is part of the value.
            _ if c == close && met == escapes => return Some(at - met),
            _ if c == close && met < escapes => return None,
            _ => met = 0,
        }
        if c == close {
            met = 0;
        }
    }
    None
}

impl Value {
    /// Whether a password may be this value.
    pub(super) fn is_password(&self, text: &str) -> bool {
        let value = &text[self.span.clone()];
        value.chars().count() >= 3 && self.holds(text) && !is_path(value)
    }

    /// Whether a key or token of at least so many letters may be this value.
    pub(super) fn is_key(&self, text: &str, least: usize) -> bool {
        let value = &text[self.span.clone()];
        // Names of variables have no digits among their letters, or say what they are.
        let names_one = value.len() <= 20 && is_name(value) && {
            let lower = value.to_lowercase();
            ["token", "secret", "key", "password"].iter().any(|word| lower.contains(word))
        };
        value.len() >= least
            && value.bytes().all(|b| b.is_ascii_graphic())
            && value.bytes().any(|b| b.is_ascii_digit())
            && value.bytes().any(|b| b.is_ascii_alphabetic())
            && self.holds(text)
            && !names_one
            && !is_path(value)
            && (!value.contains('/') || is_dense(value))
    }

    /// Whether it is a value at all.
    fn holds(&self, text: &str) -> bool {
        let value = &text[self.span.clone()];
        let word = value.trim_start_matches('&').trim_end_matches(['.', ':', '?', '!', '|', '=']).to_lowercase();
        !stands_for_one(value)
            && !NO_SECRETS.contains(&word.as_str())
            && !PROMPTS.iter().any(|prompt| value.contains(prompt))
            && !is_code(text, &self.span)
            && (self.sign == Sign::Assigns || looks_like_one(value))
    }
}

/// Whether a value may stand in the middle of a sentence.
pub(super) fn looks_like_one(value: &str) -> bool {
    let bytes = value.as_bytes();
    let mixed = bytes.windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase());
    let symbol = bytes.iter().any(|b| b"!@#$%^&*+=~".contains(b));
    let letter = bytes.iter().any(u8::is_ascii_alphabetic);
    let digit = bytes.iter().any(u8::is_ascii_digit);
    // Digits with signs between them are a range, a date or a version.
    let figure = !letter && bytes.iter().any(|b| b"-~./:".contains(b));
    bytes.len() >= 4 && bytes.iter().all(u8::is_ascii_graphic) && !figure && (digit || mixed || symbol)
}

/// Whether a value is a mark for one that is elsewhere.
pub(super) fn stands_for_one(value: &str) -> bool {
    let mut characters = value.chars();
    let (first, second) = (characters.next(), characters.next());
    let starts_name = second.is_some_and(|c| c.is_ascii_alphabetic() || matches!(c, '_' | '{' | '('));
    value.chars().all(|c| matches!(c, '*' | '•' | '●' | '.' | '…' | '-' | '_' | '#' | '?'))
        || value.contains("[masked:")
        || value.contains("://")
        || match first {
            None | Some('<' | '{' | '[' | '(' | '…') => true,
            Some('$') => starts_name && value[1..].chars().all(|c| c.is_ascii_alphanumeric() || "_{}().:-".contains(c)),
            Some('%') => starts_name && (value.len() <= 3 || value.ends_with('%')),
            Some(_) => false,
        }
}

fn is_name(value: &str) -> bool {
    value.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && value.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'$'))
}

/// Whether the value is an expression: a call, an index, a member named like a secret.
fn is_code(text: &str, span: &Range<usize>) -> bool {
    let value = &text[span.clone()];
    let wrapped = text[..span.start].chars().next_back().is_some_and(|c| wrapping(c).is_some());
    if wrapped {
        return false;
    }
    let name = value.split(['(', '[', '{']).next().unwrap_or(value);
    let opened = value[name.len()..].chars().next();
    let close = match opened {
        Some('(') => ')',
        Some('[') => ']',
        Some('{') => '}',
        _ => {
            let (of, member) = value.rsplit_once('.').unwrap_or_default();
            let (of, member) = (of.to_lowercase(), member.to_lowercase());
            let secret = ["pass", "pwd", "secret", "token", "key"].iter().any(|word| member.contains(word));
            return is_name(value) && !of.is_empty() && (secret || of.ends_with("env") || of.contains("environ"));
        }
    };
    let closes_in_line = || {
        let line = text[span.start + name.len()..].chars().take(200);
        line.take_while(|c| *c != '\n').any(|c| c == close)
    };
    is_name(name) && closes_in_line()
}

/// Whether a value is a place in a file system. Base64 has slashes too, but no dots, and is dense.
fn is_path(value: &str) -> bool {
    let rooted = ["/", "./", "../", "~/"].iter().any(|root| value.starts_with(root));
    let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'/' | b'.' | b'_' | b'-' | b'~' | b'@');
    let of_key_length = value.len() == 40 && is_dense(value);
    rooted && value.matches('/').count() >= 2 && value.bytes().all(plain) && !of_key_length
}

/// Small and capital letters and digits, and no dots: as base64 is, and paths seldom are.
fn is_dense(value: &str) -> bool {
    let has = |of: fn(&u8) -> bool| value.as_bytes().iter().any(of);
    has(u8::is_ascii_lowercase) && has(u8::is_ascii_uppercase) && has(u8::is_ascii_digit) && !value.contains('.')
}

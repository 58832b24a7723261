//! Text to nodes: one pass, no recursion, nothing decoded. Deliberately absent: what a value is asked for.

use super::value::{Members, unescape};
use super::{JsonType, Malformed, Node, Tape, is_space, surrogate_or_char, tag};
use std::borrow::Cow;

/// How many bytes of a string are looked at eight by eight before the rest is searched: most strings are
/// short, and escapes stand in groups, so that a search has to be worth its start.
const NEAR: usize = 32;

/// Where the first quote or backslash is.
fn string_end(text: &[u8]) -> Option<usize> {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let (mut near, _) = text.split_at(text.len().min(NEAR));
    let mut at = 0;
    while let Some((word, rest)) = near.split_first_chunk::<8>() {
        let word = u64::from_le_bytes(*word);
        // The high bit of a byte that is zero; one above a true hit may be wrong, the lowest never is.
        let zero = |word: u64| word.wrapping_sub(ONES) & !word & (ONES << 7);
        let hits = zero(word ^ (ONES * b'"' as u64)) | zero(word ^ (ONES * b'\\' as u64));
        if hits != 0 {
            return Some(at + hits.trailing_zeros() as usize / 8);
        }
        at += 8;
        near = rest;
    }
    Some(at + memchr::memchr2(b'"', b'\\', &text[at..])?)
}

pub(super) struct Scanner<'a, 't> {
    pub(super) text: &'a [u8],
    pub(super) at: usize,
    pub(super) tape: &'t mut Tape,
}

impl Scanner<'_, '_> {
    fn fail<T>(&self) -> Result<T, Malformed> {
        Err(Malformed { at: self.at, truncated: self.at >= self.text.len() })
    }

    fn space(&mut self) {
        while self.text.get(self.at).is_some_and(|b| is_space(*b)) {
            self.at += 1;
        }
    }

    fn push(&mut self, kind: JsonType, escaped: bool, start: usize) {
        let next = self.tape.nodes.len() as u32 + 1;
        self.tape.nodes.push(Node { kind, escaped, tag: 0, start: start as u32, end: self.at as u32, next });
    }

    /// Reads one value without recursion: `open` holds the containers that are not closed yet.
    pub(super) fn value(mut self) -> Result<usize, Malformed> {
        'value: loop {
            self.space();
            let start = self.at;
            match self.text.get(self.at) {
                Some(b'{') => {
                    self.at += 1;
                    self.tape.open.push(self.tape.nodes.len() as u32);
                    self.push(JsonType::Object, false, start);
                    self.space();
                    if self.text.get(self.at) != Some(&b'}') {
                        self.key()?;
                        continue 'value;
                    }
                }
                Some(b'[') => {
                    self.at += 1;
                    self.tape.open.push(self.tape.nodes.len() as u32);
                    self.push(JsonType::Array, false, start);
                    self.space();
                    if self.text.get(self.at) != Some(&b']') {
                        continue 'value;
                    }
                }
                Some(b'"') => self.string()?,
                Some(b't') => self.word(b"true", JsonType::Bool)?,
                Some(b'f') => self.word(b"false", JsonType::Bool)?,
                Some(b'n') => self.word(b"null", JsonType::Null)?,
                Some(b'-' | b'0'..=b'9') => self.number()?,
                Some(_) | None => return self.fail(),
            }
            // After a value: close what ends here, or go on with the next member.
            loop {
                let Some(&container) = self.tape.open.last() else { return Ok(self.at) };
                let object = self.tape.nodes[container as usize].kind == JsonType::Object;
                self.space();
                match (self.text.get(self.at), object) {
                    (Some(b','), true) => {
                        self.at += 1;
                        self.key()?;
                        continue 'value;
                    }
                    (Some(b','), false) => {
                        self.at += 1;
                        continue 'value;
                    }
                    (Some(b'}'), true) | (Some(b']'), false) => {
                        self.at += 1;
                        self.tape.open.pop();
                        let next = self.tape.nodes.len() as u32;
                        let node = &mut self.tape.nodes[container as usize];
                        node.end = self.at as u32;
                        node.next = next;
                        if object {
                            self.count_duplicates(container);
                        }
                    }
                    _ => return self.fail(),
                }
            }
        }
    }

    fn key(&mut self) -> Result<(), Malformed> {
        self.space();
        if self.text.get(self.at) != Some(&b'"') {
            return self.fail();
        }
        let node = self.tape.nodes.len();
        self.string()?;
        let key = &mut self.tape.nodes[node];
        key.tag = tag(&self.text[key.start as usize..key.end as usize]);
        self.space();
        if self.text.get(self.at) != Some(&b':') {
            return self.fail();
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self, word: &[u8], kind: JsonType) -> Result<(), Malformed> {
        let start = self.at;
        for byte in word {
            if self.text.get(self.at) != Some(byte) {
                return self.fail();
            }
            self.at += 1;
        }
        self.push(kind, false, start);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        while self.text.get(self.at).is_some_and(u8::is_ascii_digit) {
            self.at += 1;
        }
        if self.at == start { self.fail() } else { Ok(()) }
    }

    fn number(&mut self) -> Result<(), Malformed> {
        let start = self.at;
        if self.text[self.at] == b'-' {
            self.at += 1;
        }
        if self.text.get(self.at) == Some(&b'0') {
            self.at += 1;
        } else {
            self.digits()?;
        }
        if self.text.get(self.at) == Some(&b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.text.get(self.at) {
            self.at += 1;
            if let Some(b'+' | b'-') = self.text.get(self.at) {
                self.at += 1;
            }
            self.digits()?;
        }
        self.push(JsonType::Number, false, start);
        Ok(())
    }

    /// The node's span is the inside of the quotes.
    fn string(&mut self) -> Result<(), Malformed> {
        let start = self.at + 1;
        let mut escaped = false;
        self.at = start;
        loop {
            let Some(offset) = string_end(&self.text[self.at..]) else {
                self.at = self.text.len();
                return self.fail();
            };
            self.at += offset;
            if self.text[self.at] == b'"' {
                break;
            }
            escaped = true;
            self.escape()?;
        }
        self.push(JsonType::String, escaped, start);
        self.at += 1;
        Ok(())
    }

    /// Steps over one escape, or over both halves of a surrogate pair.
    fn escape(&mut self) -> Result<(), Malformed> {
        let Some(&kind) = self.text.get(self.at + 1) else {
            self.at = self.text.len();
            return self.fail();
        };
        if kind != b'u' {
            if !matches!(kind, b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') {
                self.tape.repairs.escapes += 1;
            }
            self.at += 2;
            return Ok(());
        }
        match surrogate_or_char(&self.text[self.at..]) {
            (Some(_), length) => self.at += length,
            (None, length) => {
                self.tape.repairs.escapes += 1;
                self.at += length;
            }
        }
        Ok(())
    }

    fn count_duplicates(&mut self, container: u32) {
        let (mut seen, mut suspicious) = ([0u64; 16], false);
        let keys = || Members { tape: self.tape, at: container + 1, end: self.tape.nodes[container as usize].next };
        for (key, _) in keys() {
            let (word, bit) = (&mut seen[usize::from(key.tag >> 6) % 16], 1 << (key.tag % 64));
            // An escaped key may spell any other: only decoding tells.
            suspicious |= *word & bit != 0 || key.escaped;
            *word |= bit;
        }
        if suspicious {
            let text = |n: Node| {
                let text = String::from_utf8_lossy(&self.text[n.start as usize..n.end as usize]);
                if n.escaped { Cow::Owned(unescape(&text)) } else { text }
            };
            let mut all: Vec<Cow<'_, str>> = keys().map(|(key, _)| text(key)).collect();
            all.sort_unstable();
            if all.windows(2).any(|pair| pair[0] == pair[1]) {
                self.tape.repairs.duplicate_keys += 1;
            }
        }
    }
}

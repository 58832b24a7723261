//! The two hashes of a conversation.
//!
//! `contentHash` is interchangeable with the reference system's: SHA-256 of the reference projection
//! written exactly as ECMAScript's `JSON.stringify` writes it. `fullHash` is the last link of a chain
//! over the whole timeline, so that an older timeline is a prefix of a newer one exactly when its
//! `fullHash` is a link of the newer chain.

use crate::{Message, ParsedConversation, When};
use sha2::{Digest, Sha256};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// Lower-case hex.
pub fn hex(hash: &Hash) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    hash.iter().flat_map(|b| [DIGITS[usize::from(b >> 4)] as char, DIGITS[usize::from(b & 15)] as char]).collect()
}

/// SHA-256 of raw bytes.
pub fn sha256(bytes: &[u8]) -> Hash {
    Sha256::digest(bytes).into()
}

/// SHA-256 of bytes that come in pieces.
#[derive(Default)]
pub struct Stream(Sha256);

impl Stream {
    /// Takes the next piece.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all pieces.
    pub fn finish(self) -> Hash {
        self.0.finalize().into()
    }
}

/// `contentHash` of the reference projection. Ids, times, title and parser version are not in it.
pub fn content_hash(conversation: &ParsedConversation) -> Hash {
    content_hash_of(&conversation.source, conversation.reference())
}

/// [`content_hash`] of messages that are already in reference order.
pub fn content_hash_of<'a>(source: &str, messages: impl Iterator<Item = &'a Message>) -> Hash {
    let mut out = Sink::default();
    out.raw(br#"{"source":"#);
    out.string(source);
    out.raw(br#","messages":["#);
    for (i, m) in messages.enumerate() {
        out.raw(if i == 0 { br#"{"index":"#.as_slice() } else { br#",{"index":"# });
        out.raw(i.to_string().as_bytes());
        out.raw(br#","type":"#);
        out.string(m.message_type.code());
        out.raw(br#","role":"#);
        out.string(&m.role);
        out.raw(br#","content":"#);
        out.string(&m.content);
        out.raw(if m.has_tool_use { br#","hasToolUse":true"#.as_slice() } else { br#","hasToolUse":false"# });
        out.raw(if m.has_code { br#","hasCode":true"#.as_slice() } else { br#","hasCode":false"# });
        out.raw(br#","thinking":"#);
        match &m.thinking {
            Some(thinking) => out.string(thinking),
            None => out.raw(b"null"),
        }
        out.raw(b"}");
    }
    out.raw(b"]}");
    out.finish()
}

/// One link for each message of the timeline; the last is `fullHash`. The first link starts from the
/// source's name. Recorded times are in it, made-up and derived ones are not; neither are paths,
/// positions, and ids that the source did not write.
pub fn chain(conversation: &ParsedConversation) -> Vec<Hash> {
    let mut previous = chain_root(conversation);
    let mut out = Sink::default();
    conversation
        .messages
        .iter()
        .map(|m| {
            out.raw(&previous);
            out.field(m.message_type.code());
            out.field(&m.role);
            out.field(m.kind.code());
            out.field(&m.content);
            out.optional(m.thinking.as_deref());
            out.raw(&[u8::from(m.has_tool_use), u8::from(m.has_code)]);
            match m.when {
                When::Recorded(at) => out.raw(&at.millis().to_le_bytes()),
                When::Derived { .. } | When::Synthetic { .. } => out.raw(&[0; 8]),
            }
            out.optional(m.reason().map(|r| r.code()));
            out.optional(m.tool_name.as_deref());
            out.optional(m.tool_call_id.as_deref());
            out.optional(m.branch.map(|b| b.code()));
            previous = out.finish();
            previous
        })
        .collect()
}

/// What the chain of an empty timeline ends in.
pub fn chain_root(conversation: &ParsedConversation) -> Hash {
    sha256(conversation.source.as_bytes())
}

/// The last link of [`chain`].
pub fn full_hash(conversation: &ParsedConversation) -> Hash {
    chain(conversation).last().copied().unwrap_or_else(|| chain_root(conversation))
}

/// The buffer is small enough to stay in the nearest cache.
const FULL: usize = 8 * 1024;

/// Collects small writes, so that the digest sees large ones.
#[derive(Default)]
struct Sink {
    digest: Sha256,
    buffer: Vec<u8>,
}

impl Sink {
    fn raw(&mut self, bytes: &[u8]) {
        if self.buffer.len() + bytes.len() > FULL {
            self.digest.update(&self.buffer);
            self.buffer.clear();
        }
        if bytes.len() > FULL {
            self.digest.update(bytes);
        } else {
            self.buffer.extend_from_slice(bytes);
        }
    }

    /// A text with its length before it.
    fn field(&mut self, text: &str) {
        self.raw(&(text.len() as u64).to_le_bytes());
        self.raw(text.as_bytes());
    }

    fn optional(&mut self, text: Option<&str>) {
        self.raw(&[u8::from(text.is_some())]);
        self.field(text.unwrap_or(""));
    }

    /// A JSON string as `JSON.stringify` writes it: short escapes where there are any, `\u00xx` for
    /// other control characters, everything else as it is (also U+2028 and U+007F).
    fn string(&mut self, text: &str) {
        self.raw(b"\"");
        let bytes = text.as_bytes();
        let mut done = 0;
        while let Some(i) = special(&bytes[done..]).map(|at| done + at) {
            let b = bytes[i];
            self.raw(&bytes[done..i]);
            done = i + 1;
            match b {
                b'"' => self.raw(br#"\""#),
                b'\\' => self.raw(br"\\"),
                8 => self.raw(br"\b"),
                9 => self.raw(br"\t"),
                10 => self.raw(br"\n"),
                12 => self.raw(br"\f"),
                13 => self.raw(br"\r"),
                _ => self.raw(format!("\\u{b:04x}").as_bytes()),
            }
        }
        self.raw(&bytes[done..]);
        self.raw(b"\"");
    }

    /// The digest of what came since the last one.
    fn finish(&mut self) -> Hash {
        self.digest.update(&self.buffer);
        self.buffer.clear();
        self.digest.finalize_reset().into()
    }
}

/// Where the first byte stands that a JSON string does not hold as it is. Looks at blocks without
/// branching inside, so that the compiler can look at many bytes at once.
fn special(bytes: &[u8]) -> Option<usize> {
    let is_special = |b: &u8| (*b < 0x20) | (*b == b'"') | (*b == b'\\');
    let (blocks, _) = bytes.as_chunks::<32>();
    let plain = blocks.iter().take_while(|block| !block.iter().fold(false, |any, b| any | is_special(b))).count() * 32;
    bytes[plain..].iter().position(is_special).map(|at| plain + at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Locator, MessageType, Timestamp};

    fn message(content: &str) -> Message {
        let at = Locator::Bytes { file: "f".into(), byte_start: 0, byte_end: 1, line: 1, pointer: None };
        Message::new("id", MessageType::User, content, at)
    }

    #[test]
    fn content_hash_is_the_sha256_of_the_json_text() {
        let text = "q\"\\\u{8}\u{c}\n\r\t\u{1}\u{7f}\u{2028}é😀</";
        let m = message(text);
        let json = serde_json::json!({"source": "codex", "messages": [serde_json::Value::Null]}).to_string();
        assert!(json.contains("messages"), "keys are checked by hand below");
        let expected = format!(
            r#"{{"source":"codex","messages":[{{"index":0,"type":"user","role":"user","content":{},"hasToolUse":false,"hasCode":false,"thinking":null}}]}}"#,
            serde_json::to_string(text).unwrap_or_default()
        );
        assert_eq!(content_hash_of("codex", [&m].into_iter()), sha256(expected.as_bytes()));
    }

    #[test]
    fn hashes_see_thinking_and_order_and_not_ids_or_times() {
        let (a, b) = (message("a"), message("b"));
        let base = content_hash_of("s", [&a, &b].into_iter());
        assert_ne!(base, content_hash_of("s", [&b, &a].into_iter()), "order");
        let thought = Message { thinking: Some(String::new()), ..a.clone() };
        assert_ne!(base, content_hash_of("s", [&thought, &b].into_iter()), "thinking");
        let renamed = Message {
            id: "other".into(),
            when: When::Recorded(Timestamp::plus_millis(
                Timestamp::parse("2026-01-01T00:00:00Z").unwrap_or_else(|| unreachable!()),
                1,
            )),
            ..a.clone()
        };
        assert_eq!(base, content_hash_of("s", [&renamed, &b].into_iter()), "ids and times");
    }
}

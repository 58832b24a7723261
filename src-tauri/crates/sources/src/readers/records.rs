//! Records of a line-oriented store, so that their spans tile the file.
//!
//! A physical line holds none, one or several records and whatever damage left between them: a byte
//! order mark, runs of NUL, a record that was cut off where the next begins, two records without a
//! line break. Every byte lands in exactly one span. Deliberately absent: what a record means.

use super::json::{JsonType, Malformed, Repairs, Tape, Value, is_space};
use std::io::{self, BufRead};

/// The longest line that is read as text, in bytes; a longer one is one span that nobody looks into.
pub const MAX_LINE: usize = 1 << 30;

/// What a span holds.
#[derive(Debug)]
pub enum Content<'a> {
    /// An object.
    Record(Value<'a>, Repairs),
    /// JSON, but not an object.
    NotARecord(Value<'a>),
    /// Nothing but white space.
    Blank,
    /// A run of NUL bytes.
    Nul,
    /// Not JSON. `incomplete`: it runs to the end of the file and no line break follows.
    Malformed {
        /// Where reading stopped.
        why: Malformed,
        /// Whether this may be a record that is still being written.
        incomplete: bool,
    },
    /// Longer than [`MAX_LINE`].
    TooLarge,
}

/// One span of the file.
#[derive(Debug)]
pub struct Span<'a> {
    /// First byte, from the start of the file.
    pub start: u64,
    /// One past the last byte, line break included.
    pub end: u64,
    /// Physical line, from 1.
    pub line: u64,
    /// The bytes of the span (empty for [`Content::TooLarge`]).
    pub bytes: &'a [u8],
    /// What it holds.
    pub content: Content<'a>,
}

/// [`read_records`] of a text that is in memory as it is: nothing is copied. Returns its length.
pub fn split_records(text: &[u8], mut visit: impl FnMut(Span<'_>)) -> u64 {
    let mut tape = Tape::new();
    let mut at = 0;
    for (line, bytes) in (1..).zip(lines(text)) {
        let end = at + bytes.len() as u64;
        if bytes.len() > MAX_LINE {
            visit(Span { start: at, end, line, bytes: &[], content: Content::TooLarge });
        } else {
            split_line(bytes, at, line, &mut tape, &mut visit);
        }
        at = end;
    }
    at
}

/// Physical lines with their line breaks.
fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let end = memchr::memchr(b'\n', rest).map_or(rest.len(), |at| at + 1);
        let (line, tail) = rest.split_at(end);
        rest = tail;
        (!line.is_empty()).then_some(line)
    })
}

/// Reads `input` to its end and hands every span to `visit`, in order. Memory is bounded by the
/// longest line. Returns the number of bytes read; an error of the input ends the reading, and what was
/// visited until then stands: the beginning of a line that the error cut is a span, too.
pub fn read_records(mut input: impl BufRead, mut visit: impl FnMut(Span<'_>)) -> io::Result<u64> {
    let (mut at, mut line) = (0u64, 0u64);
    let mut buffer = Vec::new();
    let mut tape = Tape::new();
    loop {
        buffer.clear();
        let (length, broken) = read_line(&mut input, &mut buffer);
        if length == 0 {
            return broken.map_or(Ok(at), Err);
        }
        line += 1;
        if length as usize > buffer.len() {
            visit(Span { start: at, end: at + length, line, bytes: &[], content: Content::TooLarge });
        } else {
            split_line(&buffer, at, line, &mut tape, &mut visit);
        }
        at += length;
        if let Some(error) = broken {
            return Err(error);
        }
    }
}

/// Reads up to and including the next line break. Returns its length, which is more than the buffer's
/// when the line was too long to be kept, and the error that cut it.
fn read_line(input: &mut impl BufRead, buffer: &mut Vec<u8>) -> (u64, Option<io::Error>) {
    let mut length = 0;
    loop {
        let chunk = match input.fill_buf() {
            Ok(chunk) => chunk,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return (length, Some(e)),
        };
        let (take, done) = match memchr::memchr(b'\n', chunk) {
            Some(end) => (end + 1, true),
            None => (chunk.len(), chunk.is_empty()),
        };
        if length as usize + take <= MAX_LINE {
            buffer.extend_from_slice(&chunk[..take]);
        } else {
            buffer.clear();
        }
        length += take as u64;
        input.consume(take);
        if done {
            return (length, None);
        }
    }
}

/// Splits one physical line (with its line break, if it has one) into spans.
fn split_line(bytes: &[u8], offset: u64, line: u64, tape: &mut Tape, visit: &mut impl FnMut(Span<'_>)) {
    let mut emit = |range: std::ops::Range<usize>, content: Content<'_>| {
        visit(Span {
            start: offset + range.start as u64,
            end: offset + range.end as u64,
            line,
            bytes: &bytes[range],
            content,
        });
    };
    let complete = bytes.last() == Some(&b'\n');
    let mut at = 0;
    let mut after_record = false;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let nul = rest.iter().take_while(|b| **b == 0).count();
        if nul > 0 {
            // Keep the line break with the run when nothing else follows.
            let tail = rest[nul..].iter().all(|b| is_space(*b));
            let end = if tail { bytes.len() } else { at + nul };
            emit(at..end, Content::Nul);
            at = end;
            continue;
        }
        let mark = if rest.starts_with(b"\xEF\xBB\xBF") { 3 } else { 0 };
        if rest[mark..].iter().all(|b| is_space(*b)) {
            emit(at..bytes.len(), Content::Blank);
            return;
        }
        match tape.read(&rest[mark..]) {
            Ok((value, length)) => {
                let mut end = at + mark + length;
                while bytes.get(end).is_some_and(|b| is_space(*b)) {
                    end += 1;
                }
                let object = value.kind() == JsonType::Object;
                // `42abc` is no number followed by something: only containers may be glued.
                let glued = end < bytes.len() && !matches!(bytes[end], b'{' | b'[' | 0 | 0xEF);
                if glued && !object {
                    let why = Malformed { at: end - at, truncated: false };
                    emit(at..bytes.len(), Content::Malformed { why, incomplete: false });
                    return;
                }
                let repairs = value.repairs();
                let content = if object { Content::Record(value, repairs) } else { Content::NotARecord(value) };
                emit(at..end, content);
                at = end;
                after_record = object;
            }
            Err(why) => {
                let glue = if std::mem::take(&mut after_record) { glue(rest, tape) } else { None };
                let next = glue.or_else(|| Some(1 + resynchronise(&rest[1..])?)).map(|skip| at + skip);
                let end = next.unwrap_or(bytes.len());
                let incomplete = next.is_none() && !complete && why.truncated;
                emit(at..end, Content::Malformed { why, incomplete });
                at = end;
            }
        }
    }
}

/// How long what joins a whole record to the next one is, if it is nothing but marks between the two: `{…},{…}`.
fn glue(rest: &[u8], tape: &mut Tape) -> Option<usize> {
    let marks =
        rest.iter().take_while(|b| **b != b'{' && (is_space(**b) || b.is_ascii_punctuation()) && **b != b'"').count();
    let next = rest.get(marks..).filter(|_| marks > 0)?;
    tape.read(next).is_ok_and(|(value, _)| value.kind() == JsonType::Object).then_some(marks)
}

/// Finds where the next whole record begins after damage: the first `{"` (or NUL run before one) from
/// which objects run to the end of the line. Bounded, so that a hostile line costs little.
fn resynchronise(rest: &[u8]) -> Option<usize> {
    const TRIES: usize = 256;
    const WORK: usize = 64 << 20;
    let mut probe = Tape::new();
    let mut work = 0;
    for start in memchr::memmem::find_iter(rest, b"{\"").take(TRIES) {
        let mut at = start;
        let whole = loop {
            while rest.get(at).is_some_and(|b| is_space(*b) || *b == 0) {
                at += 1;
            }
            if at == rest.len() {
                break true;
            }
            work += rest.len() - at;
            match probe.read(&rest[at..]) {
                Ok((value, length)) if value.kind() == JsonType::Object => at += length,
                Ok(_) | Err(_) => break false,
            }
        };
        if whole {
            return Some(start);
        }
        if work > WORK {
            return None;
        }
    }
    None
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn spans(bytes: &[u8]) -> Vec<(u64, u64, u64, String)> {
        let mut out = Vec::new();
        let length = read_records(bytes, |s| {
            let what = match s.content {
                Content::Record(v, _) => v.raw_text().into_owned(),
                Content::NotARecord(v) => format!("not {}", v.raw_text()),
                Content::Blank => "blank".into(),
                Content::Nul => "nul".into(),
                Content::Malformed { incomplete, .. } => format!("bad{}", if incomplete { "…" } else { "" }),
                Content::TooLarge => "large".into(),
            };
            out.push((s.start, s.end, s.line, what));
        })
        .unwrap();
        assert_eq!(length, bytes.len() as u64);
        let mut places = Vec::new();
        assert_eq!(split_records(bytes, |s| places.push((s.start, s.end, s.line))), length);
        assert!(out.iter().map(|s| (s.0, s.1, s.2)).eq(places), "the two ways of reading differ");
        out
    }

    fn kinds(bytes: &[u8]) -> Vec<String> {
        spans(bytes).into_iter().map(|s| s.3).collect()
    }

    #[test]
    fn tells_records_from_damage() {
        assert_eq!(kinds(b"{\"a\":1}\n{\"b\":2}"), ["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(kinds(b"\xEF\xBB\xBF{\"a\":1}\r\n\r\n  \n"), ["{\"a\":1}", "blank", "blank"]);
        assert_eq!(kinds(b"{\"a\":1}{\"b\":2}\n"), ["{\"a\":1}", "{\"b\":2}"], "glued");
        assert_eq!(kinds(b"\0\0\0{\"a\":1}\n\0\0"), ["nul", "{\"a\":1}", "nul"]);
        assert_eq!(kinds(b"{\"a\":1}\0\0{\"b\":2}\n"), ["{\"a\":1}", "nul", "{\"b\":2}"]);
        assert_eq!(
            kinds(b"{\"a\":\"te{\"type\":\"user\",\"m\":{\"c\":1}}\n"),
            ["bad", "{\"type\":\"user\",\"m\":{\"c\":1}}"],
            "spliced"
        );
        assert_eq!(kinds(b"not json\n42\n[]\n{\"a\":1}\n"), ["bad", "not 42", "not []", "{\"a\":1}"]);
        assert_eq!(kinds(b"{\"a\":1}\n{\"b\":\"half"), ["{\"a\":1}", "bad…"]);
        assert_eq!(kinds(b"{\"b\":\"half\n{\"a\":1}\n"), ["bad", "{\"a\":1}"], "cut in the middle");
        assert_eq!(kinds(b"{\"a\":1} trailing words\n"), ["{\"a\":1}", "bad"]);
        let glued = ["{\"a\":1}", "bad", "{\"b\":2}", "bad", "{\"c\":{\"d\":3}}"];
        assert_eq!(kinds(b"{\"a\":1},{\"b\":2} , {\"c\":{\"d\":3}}\n"), glued, "by commas");
        let torn = &glued[..4];
        assert_eq!(
            kinds(b"{\"a\":1},{\"b\":2},{\"c\":{\"d\":3},\"e\":\"half"),
            torn,
            "what is inside of a torn one is none"
        );
        assert_eq!(kinds(b""), Vec::<String>::new());
    }

    /// Gives its bytes and then fails, as a compressed file does that was cut.
    struct Cut<'a>(&'a [u8]);

    impl io::Read for Cut<'_> {
        fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
            match self.0.is_empty() {
                true => Err(io::ErrorKind::UnexpectedEof.into()),
                false => self.0.read(into),
            }
        }
    }

    #[test]
    fn what_was_read_before_the_input_failed_is_a_span() {
        let text = b"{\"a\":1}\n{\"b\":\"half";
        let mut seen = Vec::new();
        let outcome =
            read_records(io::BufReader::with_capacity(4, Cut(text)), |span| seen.push((span.start, span.end)));
        assert!(outcome.is_err());
        assert_eq!(seen, [(0, 8), (8, text.len() as u64)], "every byte that could be had");
    }

    proptest! {
        #[test]
        fn spans_tile_any_bytes(bytes in prop::collection::vec(prop_oneof![Just(b'{'), Just(b'}'), Just(b'"'), Just(b':'), Just(b'\n'), Just(0), Just(b'1'), any::<u8>()], 0..300)) {
            let mut at = 0;
            for (start, end, ..) in spans(&bytes) {
                prop_assert_eq!(start, at);
                prop_assert!(end > start);
                at = end;
            }
            prop_assert_eq!(at, bytes.len() as u64);
        }
    }
}

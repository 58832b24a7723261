//! Fields of a protobuf message without its schema: numbers, kinds and bytes. Cursor writes agent state that
//! way and documents none of it. Deliberately absent: meaning.

use assay_model::Reason;
use base64::Engine;

/// One field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wire<'a> {
    /// A variable-length number.
    Number(u64),
    /// Four or eight bytes.
    Fixed(&'a [u8]),
    /// Text, bytes or a message.
    Bytes(&'a [u8]),
}

/// The fields of a message in order; `None` if the bytes are not one.
pub(super) fn fields(mut bytes: &[u8]) -> Option<Vec<(u64, Wire<'_>)>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let tag = number(&mut bytes)?;
        let wire = match tag & 7 {
            0 => Wire::Number(number(&mut bytes)?),
            1 => Wire::Fixed(take(&mut bytes, 8)?),
            2 => {
                let length = number(&mut bytes)?;
                Wire::Bytes(take(&mut bytes, usize::try_from(length).ok()?)?)
            }
            5 => Wire::Fixed(take(&mut bytes, 4)?),
            _ => return None,
        };
        if tag >> 3 == 0 {
            return None;
        }
        found.push((tag >> 3, wire));
    }
    Some(found)
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (head, tail) = bytes.split_at_checked(length)?;
    *bytes = tail;
    Some(head)
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0u64;
    for shift in (0..64).step_by(7) {
        let (byte, tail) = bytes.split_first()?;
        *bytes = tail;
        value |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

/// The bytes of base64, with or without its end.
pub(super) fn decoded(body: &str) -> Option<Vec<u8>> {
    let engines = [&base64::engine::general_purpose::STANDARD, &base64::engine::general_purpose::STANDARD_NO_PAD];
    engines.iter().find_map(|e| e.decode(body).ok())
}

/// Why a `conversationState` (`~` and base64) is in no message: pointers to blobs are bookkeeping, anything
/// that could be text is opaque.
pub(super) fn opaque(state: &str) -> Reason {
    let bytes = decoded(state.strip_prefix('~').unwrap_or(state));
    match bytes.as_deref().and_then(|b| fields(b).map(|_| has_text(b))) {
        Some(false) => Reason::BookkeepingRecord,
        Some(true) | None => Reason::OpaqueBinary,
    }
}

/// Whether a field at any depth is longer than an id and reads as words.
fn has_text(message: &[u8]) -> bool {
    let mut open = vec![(message, 0)];
    while let Some((bytes, depth)) = open.pop() {
        for (_, wire) in fields(bytes).unwrap_or_default() {
            let Wire::Bytes(inner) = wire else { continue };
            if inner.len() > 40 && std::str::from_utf8(inner).is_ok_and(|t| t.contains(' ')) {
                return true;
            }
            if depth < 16 && inner.len() > 2 {
                open.push((inner, depth + 1));
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_read_in_order_and_damage_is_none() {
        let message = [0x08, 0x96, 0x01, 0x12, 0x02, b'h', b'i', 0x1D, 1, 2, 3, 4];
        let expected = vec![(1, Wire::Number(150)), (2, Wire::Bytes(b"hi")), (3, Wire::Fixed(&[1, 2, 3, 4]))];
        assert_eq!(fields(&message), Some(expected));
        for cut in [2, 5, 9] {
            assert_eq!(fields(&message[..cut]), None, "{cut}");
        }
        assert_eq!(fields(b"{\"role\":1}"), None);
    }

    #[test]
    fn pointers_are_bookkeeping_and_words_are_opaque() {
        let encode = |b: &[u8]| format!("~{}", base64::engine::general_purpose::STANDARD.encode(b));
        let pointer = [&[0x0A, 32][..], &[7; 32]].concat();
        assert_eq!(opaque(&encode(&pointer)), Reason::BookkeepingRecord);
        let words = "what a person said to the model, in words";
        let text = [&[0x0A, words.len() as u8][..], words.as_bytes()].concat();
        assert_eq!(opaque(&encode(&text)), Reason::OpaqueBinary);
        assert_eq!(opaque("~?"), Reason::OpaqueBinary);
    }
}

//! Large binary bodies inside text: told by size and hash instead of being carried along.

use assay_model::hash;
use base64::Engine;

/// Describes base64 text (with or without a `data:` prefix) as `[image/png, 1234 bytes, sha256 …]`.
/// What is not base64 is described by its own length and hash.
pub fn describe(media_type: &str, body: &str) -> String {
    let (media_type, body) = match body.strip_prefix("data:").and_then(|b| b.split_once(',')) {
        Some((head, data)) => (head.split(';').next().filter(|m| !m.is_empty()).unwrap_or(media_type), data),
        None => (media_type, body),
    };
    let decoded = base64::engine::general_purpose::STANDARD.decode(body.trim()).ok();
    describe_bytes(media_type, decoded.as_deref().unwrap_or(body.as_bytes()))
}

/// Describes bytes that are not text.
pub fn describe_bytes(media_type: &str, bytes: &[u8]) -> String {
    format!("[{media_type}, {} bytes, sha256 {}]", bytes.len(), hash::hex(&hash::sha256(bytes)))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn describes_bodies_by_size_and_hash() {
        let plain = describe("image/png", "aGk=");
        assert_eq!(plain, describe("x", "data:image/png;base64,aGk="));
        assert!(plain.starts_with("[image/png, 2 bytes, sha256 8f43"), "{plain}");
        assert!(describe("image/png", "not base64!").contains(" 11 bytes"));
    }
}

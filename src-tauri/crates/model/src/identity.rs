//! Portable ids, and the collisions that the namespacing rule allows.

use std::collections::BTreeMap;

/// The portable id of a conversation: `id` if it already starts with `source:`, else `source:id`.
/// Idempotent, not injective: see [`collisions`].
pub fn namespace(source: &str, id: &str) -> String {
    match id.strip_prefix(source) {
        Some(rest) if rest.starts_with(':') => id.to_owned(),
        _ => format!("{source}:{id}"),
    }
}

/// The portable id of a message or of a parent: the portable conversation id, `:`, the id.
pub fn namespace_message(portable_conversation: &str, id: &str) -> String {
    match id.strip_prefix(portable_conversation) {
        Some(rest) if rest.starts_with(':') => id.to_owned(),
        _ => format!("{portable_conversation}:{id}"),
    }
}

/// Portable ids that more than one raw id of one source maps to, with those raw ids.
pub fn collisions<'a>(source: &str, ids: impl IntoIterator<Item = &'a str>) -> BTreeMap<String, Vec<String>> {
    let mut by_portable: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for id in ids {
        let raw = by_portable.entry(namespace(source, id)).or_default();
        if !raw.iter().any(|r| r == id) {
            raw.push(id.to_owned());
        }
    }
    by_portable.retain(|_, raw| raw.len() > 1);
    by_portable
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn namespacing_is_idempotent_and_its_collisions_are_found() {
        let once = namespace("codex", "7");
        assert_eq!(once, "codex:7");
        assert_eq!(namespace("codex", &once), once);
        assert_eq!(namespace("codex", "codexes"), "codex:codexes");
        let found = collisions("codex", ["7", "codex:7", "8", "8"]);
        assert_eq!(found.len(), 1, "equal raw ids are one conversation, not a collision");
        assert_eq!(found["codex:7"], ["7", "codex:7"]);
        assert_eq!(namespace_message("codex:7", "m"), "codex:7:m");
        assert_eq!(namespace_message("codex:7", "codex:7:m"), "codex:7:m");
    }
}

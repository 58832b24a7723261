//! What stands in a user's message without being the user's words.
//!
//! The names are those that Codex itself gives its fragments (versions up to 0.149). Upstream hides a
//! whole message when one of its parts is such a fragment; here each part is judged by itself.

use assay_model::text;

/// After it, the published rules take everything for the prompt.
const REQUEST: &str = "## My request for Codex:\n";

/// Elements whose text is context for the model.
const ELEMENTS: &[&str] = &[
    "user_instructions",
    "environment_context",
    "skill",
    "turn_aborted",
    "subagent_notification",
    "recommended_plugins",
    "goal_context",
    "codex_internal_context",
    "hook_prompt",
    "realtime_delegation",
    "image_resize_notice",
    "user_action",
    "permissions instructions",
];

/// Whether one part of a user's message is context.
pub(super) fn is_context(part: &str) -> bool {
    let part = text::trim(part);
    if part.starts_with("# AGENTS.md instructions for ") {
        return true;
    }
    let Some(tag) = part.strip_prefix('<') else { return false };
    let name_ends = |rest: &str| rest.starts_with(['>', ' ', '\n']);
    tag.starts_with("external_") || ELEMENTS.iter().any(|e| tag.strip_prefix(e).is_some_and(name_ends))
}

/// Whether a part only labels the image or sound beside it.
pub(super) fn is_label(part: &str) -> bool {
    let part = text::trim(part);
    part.len() < 200
        && part.starts_with('<')
        && part.ends_with('>')
        && ["<image", "</image", "<audio", "</audio"].iter().any(|l| part.starts_with(l))
        && part.matches('<').count() == 1
}

/// What an editor put before the prompt (its last line is the marker), if it did, and the prompt, trimmed.
pub(super) fn split_request(message: &str) -> (Option<&str>, &str) {
    match message.find(REQUEST) {
        Some(at) => {
            let (before, prompt) = message.split_at(at + REQUEST.len());
            (Some(before), text::trim(prompt))
        }
        None => (None, text::trim(message)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tells_context_from_words() {
        for part in ["<environment_context>\n</environment_context>", "# AGENTS.md instructions for /p\n", "<hook_prompt id=\"1\">x", "<external_ide>"] {
            assert!(is_context(part), "{part}");
        }
        for part in ["<environment_contexts>", "why <skill>?", "<user_shell_command>\nls", "# AGENTS.md"] {
            assert!(!is_context(part), "{part}");
        }
        assert!(is_label("<image name=[Image #1]>") && is_label("</image>"));
        assert!(!is_label("<image> look <b>"));
    }

    #[test]
    fn the_first_marker_ends_the_editors_part() {
        assert_eq!(split_request("ctx\n## My request for Codex:\n hi ## My request for Codex:\n x "), (Some("ctx\n## My request for Codex:\n"), "hi ## My request for Codex:\n x"));
        assert_eq!(split_request("  hi "), (None, "hi"));
    }
}

//! Records about the conversation as a whole: what it is, where it runs, where it comes from.
//!
//! Owns `session_meta`, `turn_context` and the header of 2025's files. Their instructions are recovered,
//! everything else of them is metadata. Deliberately absent: what was said.

use super::rollout::{COPIED, Rollout};
use super::{heads, readable};
use crate::Account;
use crate::Fate;
use crate::readers::json::Value;
use assay_model::{Kind, Link, MessageType, NoticeCode, Reason, Relation, Timestamp};

/// The newest version whose files this parser was written against.
const KNOWN: (u32, u32) = (0, 153);

/// The same of Trae's command line, which counts its own versions and names itself as the provider.
const KNOWN_OF_TRAE: (u32, u32) = (0, 200);

impl Rollout {
    /// The first line of a file of that time, and the `session` of the TypeScript CLI's.
    pub fn header(&mut self, account: &mut Account, header: Value<'_>) {
        if let Some(here) = &mut self.here {
            here.legacy = true;
        }
        self.metas += 1;
        self.own_id = self.own_id.take().or(header.get("id").and_then(Value::non_empty).map(Into::into));
        self.git(account, header);
        let carved = self.instructions(account, header, "");
        self.metadata_beside(account, "legacy/header", "", header, carved);
        self.rest(account, header, "", "legacy/header", &["id", "timestamp", "instructions", "git"]);
    }

    fn git(&self, account: &mut Account, meta: Value<'_>) {
        if account.git_branch.is_none() {
            account.git_branch = meta.path(&["git", "branch"]).and_then(Value::non_empty).map(Into::into);
        }
    }

    pub fn session_meta(&mut self, account: &mut Account, meta: Value<'_>) {
        const KNOWN_FIELDS: &[&str] = &[
            "id", "session_id", "forked_from_id", "parent_thread_id", "timestamp", "cwd", "originator", "cli_version",
            "source", "thread_source", "agent_nickname", "agent_role", "agent_type", "agent_path", "model_provider",
            "base_instructions", "instructions", "dynamic_tools", "selected_capability_roots", "memory_mode",
            "history_mode", "history_base", "subagent_history_start_ordinal", "multi_agent_version", "context_window",
            "git",
        ];
        let entry = self.entry();
        account.set_kind(entry, "session_meta");
        let id = meta.get("id").and_then(Value::non_empty);
        self.metas += 1;
        if self.metas > 1 && id.as_deref() != self.own_id.as_deref() {
            self.foreign_meta(account, meta, id.as_deref().unwrap_or(""));
            return;
        }
        if self.metas == 1 {
            self.own_id = id.map(Into::into);
            account.tool_version = meta.get("cli_version").and_then(Value::non_empty).map(Into::into);
            if let Some(at) = meta.get("timestamp").and_then(Value::str).and_then(|t| Timestamp::parse(&t)) {
                account.created_at = Some(at);
            }
            self.version(account, meta);
            self.links(account, meta);
        }
        self.git(account, meta);
        self.cwd(account, meta, false);
        let mut carved = self.instructions(account, meta, "/payload");
        if let Some(tools) = meta.get("dynamic_tools").filter(|t| !t.is_default()) {
            let block = account.block(
                entry,
                "/payload/dynamic_tools",
                "session_meta/dynamic_tools",
                tools.raw().len(),
                Fate::Dropped(Reason::Catalogue),
            );
            account.excerpt(block, &tools.raw_text());
            carved += tools.raw().len();
        }
        self.metadata_beside(account, "session_meta", "/payload", meta, carved);
        self.rest(account, meta, "/payload", "session_meta", KNOWN_FIELDS);
    }

    /// A fork or a spawned agent begins with a copy of its parent, whose `session_meta` comes first.
    fn foreign_meta(&mut self, account: &mut Account, meta: Value<'_>, id: &str) {
        let (entry, locator) = (self.entry(), self.locator());
        let block =
            account.block(entry, "/payload", "session_meta/copied", meta.raw().len(), COPIED);
        account.excerpt(block, &meta.raw_text());
        if self.parent_id.as_deref() == Some(id) && self.parent.is_some() {
            (self.in_beginning, self.copied) = (true, true);
        } else if self.parent_id.is_some() {
            account.notice(NoticeCode::Replay, format!("may-repeat={id}"), Some(locator));
        } else {
            account.notice(NoticeCode::MixedSessions, id, Some(locator));
        }
    }

    fn version(&self, account: &mut Account, meta: Value<'_>) {
        let of_trae = meta.get_str("model_provider").as_deref() == Some("trae");
        let known = if of_trae { KNOWN_OF_TRAE } else { KNOWN };
        let newer = account.tool_version.as_deref().is_some_and(|v| {
            let mut parts = v.split(['.', '-']).map(str::parse::<u32>);
            matches!((parts.next(), parts.next()), (Some(Ok(major)), Some(Ok(minor))) if (major, minor) > known)
        });
        if newer {
            let version = account.tool_version.clone().unwrap_or_default();
            account.notice(NoticeCode::UnknownVersion, version, Some(self.locator()));
        }
        if let Some(mode) = meta.get("history_mode").and_then(Value::non_empty)
            && !matches!(&*mode, "default" | "legacy" | "paginated")
        {
            account.notice(NoticeCode::UnknownVersion, format!("history_mode={mode}"), Some(self.locator()));
        }
    }

    fn links(&mut self, account: &mut Account, meta: Value<'_>) {
        self.parent_id = heads::parent_of(meta);
        let Some(parent) = self.parent_id.clone() else { return };
        let spawned = meta.path(&["source", "subagent"]).is_some() || meta.get("parent_thread_id").is_some();
        let relation = if spawned { Relation::SubAgent } else { Relation::Fork };
        let spawned = self.parent.as_ref().map(|parent| &parent.spawned);
        let tool_call_id = spawned.and_then(|s| s.get(self.own_id.as_deref()?).cloned());
        account.links.push(Link { relation, conversation: parent.clone(), tool_call_id });
        if let Some(base) = meta.get("history_base").filter(|b| !b.is_default()) {
            // A paginated fork does not repeat its beginning: it is only in the parent's file.
            let end = base.get("end_byte_offset").and_then(Value::i64).and_then(|end| u64::try_from(end).ok());
            // The parent may be gone, or have been cut since.
            let at_hand = self.parent.as_ref().is_some_and(|parent| end.is_none_or(|end| end <= parent.bytes));
            let code = if at_hand { NoticeCode::Replay } else { NoticeCode::BodyMissing };
            account.notice(code, format!("history-base={}", base.raw_text()), Some(self.locator()));
        }
    }

    fn cwd(&self, account: &mut Account, value: Value<'_>, inferred: bool) {
        let Some(cwd) = value.get("cwd").and_then(Value::non_empty) else { return };
        match &account.cwd {
            None => {
                account.project_dir = cwd.clone().into_owned();
                account.project_name = crate::account::base_name(&cwd).to_owned();
                account.cwd = Some(cwd.clone().into_owned());
                if inferred {
                    account.notice(NoticeCode::Inferred, format!("cwd={cwd}"), Some(self.locator()));
                }
            }
            Some(known) if **known != *cwd => {
                account.notice(NoticeCode::CwdChanged, cwd.into_owned(), Some(self.locator()));
            }
            Some(_) => {}
        }
    }

    /// The system prompt, in the ways that versions have written it.
    fn instructions(&mut self, account: &mut Account, meta: Value<'_>, base: &str) -> usize {
        let mut carved = 0;
        for (path, pointer) in [
            (&["base_instructions", "text"][..], "base_instructions/text"),
            (&["base_instructions"], "base_instructions"),
            (&["instructions"], "instructions"),
        ] {
            let Some(value) = meta.path(path) else { continue };
            let Some(text) = value.non_empty() else { continue };
            carved += value.str_len();
            let pointer = format!("{base}/{pointer}");
            let message = self.draft(&pointer, MessageType::System, Kind::Attachment, text, Reason::Boilerplate);
            self.once(account, &pointer, "instructions", message);
        }
        carved
    }

    pub fn turn_context(&mut self, account: &mut Account, context: Value<'_>) {
        self.cwd(account, context, true);
        let mut carved = 0;
        for path in [
            &["user_instructions"][..],
            &["developer_instructions"],
            &["base_instructions"],
            &["final_output_json_schema"],
            &["collaboration_mode", "settings", "developer_instructions"],
        ] {
            let Some(value) = context.path(path).filter(|v| !v.is_default()) else { continue };
            carved += value.raw().len();
            let pointer = format!("/payload/{}", path.join("/"));
            let message = self.draft(
                &pointer,
                MessageType::System,
                Kind::Attachment,
                readable::text(value),
                Reason::ResponseItemDeveloper,
            );
            self.once(account, &pointer, "turn_context/instructions", message);
        }
        self.metadata_beside(account, "turn_context", "/payload", context, carved);
        const KNOWN_FIELDS: &[&str] = &[
            "turn_id", "cwd", "workspace_roots", "current_date", "timezone", "approval_policy", "approvals_reviewer",
            "sandbox_policy", "permission_profile", "active_permission_profile", "network", "file_system_sandbox_policy",
            "model", "comp_hash", "personality", "collaboration_mode", "multi_agent_version", "multi_agent_mode",
            "realtime_active", "effort", "summary", "user_instructions", "developer_instructions", "base_instructions",
            "final_output_json_schema", "truncation_policy",
        ];
        self.rest(account, context, "/payload", "turn_context", KNOWN_FIELDS);
    }
}

//! Everything that the library has of a conversation, one object a line, in the field names of `assay show`.

use super::Document;
use assay_model::hash::hex;
use assay_model::{LedgerEntry, Link, Message, Notice, Summary};
use serde::Serialize;
use std::collections::BTreeMap;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    source: &'a str,
    id: &'a str,
    conversation_id: &'a str,
    coverage: assay_model::Coverage,
    parser_version: &'a str,
    retention: &'a str,
    meta: super::portable::Meta<'a>,
    slug: Option<&'a str>,
    title: &'a str,
    project_dir: &'a str,
    project_name: &'a str,
    cwd: Option<&'a str>,
    git_branch: Option<&'a str>,
    tool_version: Option<&'a str>,
    links: &'a [Link],
    first_message_at: Option<assay_model::Timestamp>,
    last_message_at: Option<assay_model::Timestamp>,
    content_hash: String,
    full_hash: String,
    raw_hash: Option<String>,
    verdict: &'a str,
    gone_since: Option<assay_model::Timestamp>,
    messages: &'a [Message],
    reference_order: &'a [u32],
    ledger: &'a [LedgerEntry],
    extents: &'a [assay_model::FileExtent],
    rows: u64,
    row_bytes: u64,
    notices: &'a [Notice],
    summary: &'a Summary,
    masked: &'a BTreeMap<&'static str, u64>,
}

pub(super) fn write(documents: &[Document]) -> String {
    documents.iter().map(|d| crate::code::json(&line(d)) + "\n").collect()
}

fn line(d: &Document) -> Line<'_> {
    let (stored, listed, c) = (&d.stored, &d.stored.listed, &d.conversation);
    Line {
        source: &listed.source,
        id: &listed.id,
        conversation_id: d.portable_id(),
        coverage: stored.candidate.coverage,
        parser_version: &listed.parser_version,
        retention: listed.retention.code(),
        meta: super::portable::Meta::of(&stored.candidate),
        slug: c.slug.as_deref(),
        title: &listed.title,
        project_dir: &c.project_dir,
        project_name: &c.project_name,
        cwd: c.cwd.as_deref(),
        git_branch: c.git_branch.as_deref(),
        tool_version: c.tool_version.as_deref(),
        links: &c.links,
        first_message_at: c.first_message_at,
        last_message_at: c.last_message_at,
        content_hash: hex(&stored.content_hash),
        full_hash: hex(&stored.full_hash),
        raw_hash: stored.raw_hash.as_ref().map(hex),
        verdict: listed.verdict.code(),
        gone_since: listed.gone_since,
        messages: &c.messages,
        reference_order: &c.reference_order,
        ledger: &d.ledger.entries,
        extents: &d.ledger.extents,
        rows: d.ledger.rows,
        row_bytes: d.ledger.row_bytes,
        notices: &d.ledger.notices,
        summary: &stored.summary,
        masked: &d.masked,
    }
}

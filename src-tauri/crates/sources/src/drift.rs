//! Fields that say something and that nobody has heard of. Stores change with every release; a parser that looks
//! for what it knows would not notice.
//!
//! A source gives the names of all fields that its records are known to have. Any other member of any object whose
//! value has words in it is kept as it is, and listed by its name. Names only, whatever object they stand in: a
//! list that people can keep. Deliberately absent: flags, numbers and ids, of which every release has new ones,
//! and what is inside the arguments and results of tools, whose shape is the tool's.

use crate::readers::json::{JsonType, Value, pointer_to};
use crate::{Account, EntryId, Fate, MessageId};
use assay_model::{Disposition, Reason, When};
use foldhash::{HashMap, HashMapExt as _, HashSet, HashSetExt as _};

/// The fields that a source's records are known to have.
#[derive(Debug)]
pub struct Known {
    names: HashSet<&'static str>,
    opaque: &'static [&'static str],
}

impl Known {
    /// Of a list with a name a line, and the members that are not looked into.
    pub fn of(list: &'static str, opaque: &'static [&'static str]) -> Self {
        Self { names: list.lines().collect(), opaque }
    }
}

/// Lists the members of `value` that are not known. `value` stands at `base` of the record `entry`; what the
/// parser said of the record stands already.
pub(crate) fn list(account: &mut Account, record: EntryId, base: &str, value: Value<'_>, known: &Known) {
    if all_known(value, known) {
        return; // nearly always, and told without making a single pointer
    }
    let mut found: Vec<(String, String, Value<'_>)> = Vec::new();
    let mut open = vec![(base.to_owned(), value)];
    while let Some((pointer, value)) = open.pop() {
        for (at, item) in value.items().enumerate() {
            if matches!(item.kind(), JsonType::Object | JsonType::Array) {
                open.push((format!("{pointer}/{at}"), item));
            }
        }
        for (name, member) in value.entries() {
            let inner = matches!(member.kind(), JsonType::Object | JsonType::Array);
            let is_known = known.names.contains(&*name);
            if is_known && (!inner || known.opaque.contains(&&*name)) {
                continue;
            }
            let place = pointer_to(&pointer, &name);
            if is_known {
                open.push((place, member));
            } else if has_words(member) {
                found.push((place, name.into_owned(), member));
            }
        }
    }
    if !found.is_empty() && !account.is_unknown(record) {
        keep(account, record, found);
    }
}

/// Whether there is nothing to list.
fn all_known(value: Value<'_>, known: &Known) -> bool {
    let inner = |value: &Value<'_>| matches!(value.kind(), JsonType::Object | JsonType::Array);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        open.extend(value.items().filter(inner));
        for (name, member) in value.entries() {
            if !known.names.contains(&*name) {
                if has_words(member) {
                    return false;
                }
            } else if inner(&member) && !known.opaque.contains(&&*name) {
                open.push(member);
            }
        }
    }
    true
}

/// What is looked for in what a record says already, at most; of a record with more news than that, all of it is
/// kept by its names.
const LOOKED_FOR: usize = 256;

fn keep(account: &mut Account, record: EntryId, found: Vec<(String, String, Value<'_>)>) {
    let of = account.kind(record).to_owned();
    let mut own: HashMap<String, Option<EntryId>> = HashMap::new();
    let mut whole: HashSet<String> = HashSet::new();
    let mut told: Vec<MessageId> = Vec::new();
    for (id, entry) in account.entries_of(record) {
        let Some(pointer) = entry.locator.pointer() else { continue };
        let is_state = entry.disposition == Disposition::Folded && entry.reason == Some(Reason::Metadata);
        own.insert(pointer.to_owned(), is_state.then_some(id));
        // Accounted for with what it stands in: kept raw, or left out for a reason.
        if !pointer.is_empty() && matches!(entry.disposition, Disposition::Unknown | Disposition::Dropped) {
            whole.insert(pointer.to_owned());
        }
        told.extend(entry.message_index.filter(|id| (*id as usize) < account.messages().len()));
    }
    told.dedup();
    let when = told.last().map_or(When::MISSING, |id| account.messages()[*id as usize].when);
    let inside = |place: &str| place.match_indices('/').any(|(end, _)| whole.contains(&place[..end]));
    for (n, (place, name, member)) in found.into_iter().enumerate() {
        let raw = member.str().unwrap_or_else(|| member.raw_text());
        // Told, if not by its name.
        let said = |id: &MessageId| account.messages()[*id as usize].content.contains(&*raw);
        if inside(&place) || (n < LOOKED_FOR && told.iter().any(said)) {
            continue;
        }
        let kind = format!("{of}/{name}");
        let block = match own.get(&place) {
            Some(Some(id)) => *id,
            Some(None) => continue,
            None => {
                account.begin_blocks(record);
                account.block(record, place, "field", raw.len(), Fate::Pending)
            }
        };
        if account.repeats {
            account.set_kind(block, kind);
            account.refate(block, Fate::Folded(Reason::CopiedPrefix, None));
            continue;
        }
        let message = account.unknown(block, kind, &raw);
        account.message(message).when = when;
    }
}

/// Whether a value says anything to a person: a text with a space or a letter that is no ASCII letter, at any
/// depth.
fn has_words(value: Value<'_>) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        if value
            .str()
            .is_some_and(|text| text.trim().contains(|c: char| c.is_whitespace() || !c.is_ascii() && c.is_alphabetic()))
        {
            return true;
        }
        open.extend(value.items());
        open.extend(value.entries().map(|(_, member)| member));
    }
    false
}

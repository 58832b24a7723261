//! The rows of `ItemTable` that hold conversation, and the many shapes of their values.

use crate::readers::json::{JsonType, Tape, Value, pointer_to};
use crate::readers::pages::KeyTable;

/// The only table.
pub(super) const TABLE: &str = "ItemTable";

/// The tables of which something may be left in a damaged database.
pub(super) const TABLES: &[KeyTable] = &[KeyTable { name: TABLE, has: |_| true }];

/// The row that the published rules read.
pub(super) const AGENT: &str = "memento/icube-ai-agent-storage";

/// What a row is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Family {
    /// Sessions with their messages.
    Sessions,
    /// Prompts, without time and session.
    History,
    /// A prompt that was not sent.
    Draft,
    /// Follow-up prompts that the tool offered.
    Suggestion,
    /// A fact about each session, by session id.
    Facts,
    /// Which session was open last.
    Last,
}

enum Name {
    Is(&'static str),
    Begins(&'static str),
    Ends(&'static str),
    /// Begins with the first and holds the second.
    Around(&'static str, &'static str),
}

/// The first that fits counts. Rows that fit none are the editor's state and are not read at all, which
/// keeps `secret://` rows out.
const FAMILIES: &[(Name, Family)] = &[
    (Name::Begins("draft:session:"), Family::Draft),
    (Name::Begins("ai-chat.chatQueryCompletion."), Family::Suggestion),
    (Name::Begins("all_session_badges_"), Family::Facts),
    (Name::Is("icube_session_agent_map"), Family::Facts),
    (Name::Is("ai-chat-v2.lastActiveSessionId"), Family::Last),
    (Name::Ends(":sessionRelation:modelMap"), Family::Facts),
    (Name::Ends(":sessionRelation:modeMap"), Family::Facts),
    (Name::Ends("-input-history"), Family::History),
    (Name::Around("memento/icube-ai-", "-storage"), Family::Sessions),
    (Name::Is("ChatStore"), Family::Sessions),
    (Name::Is("chat.ChatSessionStore.index"), Family::Sessions),
];

impl Family {
    /// What the row `key` is for.
    pub fn of(key: &str) -> Option<Self> {
        if key.starts_with("secret://") {
            return None;
        }
        let fits = |name: &Name| match name {
            Name::Is(whole) => key == *whole,
            Name::Begins(start) => key.starts_with(start),
            Name::Ends(end) => key.ends_with(end),
            Name::Around(start, inside) => key.starts_with(start) && key.contains(inside),
        };
        FAMILIES.iter().find(|(name, _)| fits(name)).map(|(_, family)| *family)
    }
}

/// The session that a draft or a suggestion belongs to.
pub(super) fn session_of(key: &str, family: Family) -> Option<&str> {
    match family {
        Family::Draft => {
            let rest = key.strip_prefix("draft:session:")?;
            Some(rest.split_once(':').map_or(rest, |(id, _)| id))
        }
        Family::Suggestion => key.rsplit_once('.').map(|(_, id)| id),
        Family::Sessions | Family::History | Family::Facts | Family::Last => None,
    }
}

/// The sessions that a row of facts names, each with the pointer to what is said about it, and that. `None` for a
/// row that says something, and nobody knows of what.
pub(super) fn named(bytes: &[u8], family: Family) -> Option<Vec<(String, String, String)>> {
    let whole = || String::from_utf8_lossy(bytes).into_owned();
    let mut tape = Tape::new();
    Some(match (family, tape.read_whole(bytes).ok()) {
        (Family::Facts, Some(value)) if value.kind() == JsonType::Object || !has_text(value) => {
            value.entries().map(|(id, said)| (id.to_string(), step(&id), said.raw_text().into_owned())).collect()
        }
        (Family::Facts, None) if bytes.is_empty() => Vec::new(),
        (Family::Facts, _) => return None,
        // The id as it is, or as a JSON text.
        (Family::Last, Some(value)) if value.kind() == JsonType::String => {
            value.non_empty().map(|id| (id.into_owned(), String::new(), whole())).into_iter().collect()
        }
        (Family::Last, _) => {
            let id = whole().trim().to_owned();
            (!matches!(&*id, "" | "null")).then(|| (id, String::new(), whole())).into_iter().collect()
        }
        (Family::Sessions | Family::History | Family::Draft | Family::Suggestion, _) => Vec::new(),
    })
}

/// The key of an element's slice: the row's key and the element's JSON pointer as a fragment.
pub(super) fn slice_key(key: &str, pointer: &str) -> String {
    format!("{key}#{pointer}")
}

/// The row's key and the pointer of a slice; an empty pointer for a whole row.
pub(super) fn split_key(key: &str) -> (&str, &str) {
    match key.rsplit_once('#') {
        Some((row, pointer)) if pointer.is_empty() || pointer.starts_with('/') => (row, pointer),
        _ => (key, ""),
    }
}

/// One step of a JSON pointer.
pub(super) fn step(name: &str) -> String {
    pointer_to("", name)
}

/// One element of a value that may be a session.
#[derive(Debug, Clone)]
pub(super) struct Element<'a> {
    /// Its place in the value.
    pub pointer: String,
    /// It.
    pub value: Value<'a>,
    /// The member name, where sessions stand in an object.
    pub name: Option<String>,
}

/// Where sessions stand: builds and panels differ. `state`, `value` and `data` may only lead there.
const LISTS: &[&str] = &["list", "sessions", "conversations", "entries", "value", "data", "state"];

/// Where messages stand. The published rules know the first name only.
const MESSAGES: &[&str] = &["messages", "conversation", "history", "list", "bubbles", "turns"];

/// What names a session.
const IDS: &[&str] = &["sessionId", "id", "key"];

/// What of a value around its sessions is known, and is no conversation.
const AROUND: &[&str] = &["currentSessionId", "version", "turnsHeight"];

/// A row's value, taken apart.
#[derive(Debug, Default)]
pub(super) struct Taken<'a> {
    /// What may be a session, in the order it stands.
    pub elements: Vec<Element<'a>>,
    /// Text around the sessions that nobody knows.
    pub rest: Vec<Element<'a>>,
}

/// Takes a value apart.
pub(super) fn take(value: Value<'_>) -> Taken<'_> {
    let mut taken = Taken::default();
    taken.add(value, "", 0);
    taken
}

impl<'a> Taken<'a> {
    fn add(&mut self, value: Value<'a>, pointer: &str, depth: u8) {
        for (i, value) in value.items().enumerate() {
            self.elements.push(Element { pointer: format!("{pointer}/{i}"), value, name: None });
        }
        for (name, member) in value.entries() {
            let pointer = format!("{pointer}{}", step(&name));
            let may_hold = LISTS.contains(&&*name) && matches!(member.kind(), JsonType::Array | JsonType::Object);
            if may_hold && member.entries().any(|(_, inner)| is_session(inner)) {
                for (name, value) in member.entries() {
                    let element = Element { pointer: format!("{pointer}{}", step(&name)), value, name: Some(name.into()) };
                    let list = if is_session(value) { &mut self.elements } else { &mut self.rest };
                    list.push(element);
                }
            } else if may_hold && depth < 3 {
                self.add(member, &pointer, depth + 1);
            } else if !AROUND.contains(&&*name) && has_text(member) {
                self.rest.push(Element { pointer, value: member, name: None });
            }
        }
    }
}

/// Whether a value may hold something that a person would miss.
pub(super) fn has_text(value: Value<'_>) -> bool {
    match value.kind() {
        JsonType::Null | JsonType::Bool | JsonType::Number => false,
        JsonType::String | JsonType::Array | JsonType::Object => !value.is_default(),
    }
}

fn is_session(value: Value<'_>) -> bool {
    value.get_str("sessionId").is_some() || MESSAGES.iter().any(|name| value.get(name).is_some_and(is_list))
}

fn is_list(value: Value<'_>) -> bool {
    value.kind() == JsonType::Array || value.entries().any(|(_, member)| member.kind() == JsonType::Object)
}

impl<'a> Element<'a> {
    /// The session's own id.
    pub fn id(&self) -> Option<String> {
        let written = written_id(self.value);
        written.map(std::borrow::Cow::into_owned).or_else(|| self.name.clone())
    }

    /// Where the messages stand; the first place that has any, else the first that is there.
    pub fn messages(&self) -> Option<(&'static str, Value<'a>)> {
        messages(self.value)
    }

    /// Whether the published rules would see this session.
    pub fn is_published(&self) -> bool {
        let messages = self.value.get("messages").filter(|m| m.items().next().is_some());
        self.pointer.starts_with("/list/")
            && self.value.get("sessionId").and_then(Value::non_empty).is_some()
            && messages.is_some()
    }
}

fn written_id(session: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    IDS.iter().find_map(|name| session.get(name)?.non_empty())
}

/// Whether a session states its id.
pub(super) fn has_id(session: Value<'_>) -> bool {
    written_id(session).is_some()
}

/// The words of a value's strings that look like names of files.
pub(super) struct Names<'a>(Vec<std::borrow::Cow<'a, str>>);

impl<'a> Names<'a> {
    /// Walks the whole value, without recursion.
    pub fn of(value: Value<'a>) -> Self {
        let (mut strings, mut open) = (Vec::new(), vec![value]);
        while let Some(value) = open.pop() {
            strings.extend(value.str().filter(|text| text.contains('.')));
            open.extend(value.items());
            open.extend(value.entries().map(|(_, member)| member));
        }
        Self(strings)
    }

    /// Whether a string names `file`.
    pub fn hold(&self, file: &str) -> bool {
        self.0.iter().any(|text| text.contains(file))
    }
}

/// Where the messages of `session` stand; the first place that has any, else the first that is there.
pub(super) fn messages(session: Value<'_>) -> Option<(&'static str, Value<'_>)> {
    let lists = || MESSAGES.iter().filter_map(|name| Some((*name, session.get(name).filter(|v| is_list(*v))?)));
    lists().find(|(_, list)| !list.is_default()).or_else(|| lists().next())
}

/// The messages of a list or an object, with the pointer's last step.
pub(super) fn members(list: Value<'_>) -> Vec<(String, Value<'_>)> {
    match list.kind() {
        JsonType::Object => list.entries().map(|(name, value)| (step(&name), value)).collect(),
        JsonType::Null | JsonType::Bool | JsonType::Number | JsonType::String | JsonType::Array => {
            list.items().enumerate().map(|(i, value)| (format!("/{i}"), value)).collect()
        }
    }
}

/// A value as far as it can be read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Read<'a> {
    /// The value, or what could be saved of it.
    pub value: Option<Value<'a>>,
    /// Where damage begins in the row's bytes.
    pub damage: Option<usize>,
}

/// Reads a row's value. Of a damaged one everything up to the last element that is whole is saved.
pub(super) fn read<T>(bytes: &[u8], visit: impl FnOnce(Read<'_>) -> T) -> T {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    let mut tape = Tape::new();
    let malformed = match tape.read_whole(bytes) {
        Ok(value) => return visit(Read { value: Some(value), damage: None }),
        Err(malformed) => malformed,
    };
    let (saved, damage) = save(bytes, malformed.at);
    let value = tape.read_whole(&saved).ok();
    visit(Read { value, damage: Some(if value.is_some() { damage } else { 0 }) })
}

/// The text up to the last array or object that ends before `at`, with what is open after it closed.
fn save(bytes: &[u8], at: usize) -> (Vec<u8>, usize) {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    let (mut end, mut depth) = (0, 0);
    for (i, byte) in bytes[..at.min(bytes.len())].iter().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => open.push(b'}'),
            b'[' => open.push(b']'),
            b'}' | b']' => {
                open.pop();
                (end, depth) = (i + 1, open.len());
            }
            _ => {}
        }
    }
    let closed = open[..depth.min(open.len())].iter().rev();
    (bytes[..end].iter().chain(closed).copied().collect(), end)
}

//! A JSON value as a session's state holds it, apart from the text it was read from.
//!
//! Deliberately absent: where a value was written and how it changes (`state.rs`).

use crate::readers::json::{JsonType, Value};
use std::collections::HashMap;

/// Below this depth a value is kept as it is written: nothing that a person wrote is nested so deep.
const MAX_DEPTH: usize = 200;

/// The number of elements from which an array of small numbers is taken for the bytes of a file.
const MIN_BYTES: usize = 64;

/// A value of the tree.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Node {
    /// Index into [`State::origins`] plus one; 0 for what is part of its parent's record.
    pub(super) origin: u32,
    /// What it is.
    pub data: Data,
}

/// What a [`Node`] is.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Data {
    /// `null`, and a hole that a deletion left in an array.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as it is written.
    Number(Box<str>),
    /// A string, decoded.
    Text(Box<str>),
    /// An array.
    List(Vec<Node>),
    /// An object, in the order it is written; of a key that stands twice the last value.
    Map(Vec<(Box<str>, Node)>),
    /// Bytes written as an object with the keys 0, 1, 2 … or as a long array of small numbers.
    Bytes(Box<[u8]>),
    /// Too deep to be taken apart: as it is written.
    Deep(Box<str>),
}

impl Node {
    /// An empty object.
    pub fn empty() -> Self {
        Self { origin: 0, data: Data::Map(Vec::new()) }
    }

    /// Copies a value off its tape.
    pub fn of(value: Value<'_>) -> Self {
        Self::of_depth(value, 0)
    }

    fn of_depth(value: Value<'_>, depth: usize) -> Self {
        let data = match value.kind() {
            JsonType::Null => Data::Null,
            JsonType::Bool => Data::Bool(value.bool() == Some(true)),
            JsonType::Number => Data::Number(value.raw_text().into()),
            JsonType::String => Data::Text(value.str().unwrap_or_default().into()),
            JsonType::Array | JsonType::Object if depth >= MAX_DEPTH => Data::Deep(value.raw_text().into()),
            JsonType::Array => match bytes_of(value.items().map(|v| (None, v)), MIN_BYTES) {
                Some(bytes) => Data::Bytes(bytes),
                None => Data::List(value.items().map(|v| Self::of_depth(v, depth + 1)).collect()),
            },
            JsonType::Object => match bytes_of(value.entries().map(|(k, v)| (Some(k), v)), 1) {
                Some(bytes) => Data::Bytes(bytes),
                None => Data::Map(members(value, depth)),
            },
        };
        Self { origin: 0, data }
    }

    /// Member `key` of an object.
    pub fn get(&self, key: &str) -> Option<&Node> {
        match &self.data {
            Data::Map(members) => members.iter().find(|(k, _)| **k == *key).map(|(_, v)| v),
            _ => None,
        }
    }

    /// The string, if it is one.
    pub fn str(&self) -> Option<&str> {
        match &self.data {
            Data::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Member `key` if it is a string that is not empty.
    pub fn get_str(&self, key: &str) -> Option<&str> {
        self.get(key)?.str().filter(|s| !s.is_empty())
    }

    /// The number, if it is one.
    pub fn f64(&self) -> Option<f64> {
        match &self.data {
            Data::Number(text) => text.parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `true`.
    pub fn is_true(&self) -> bool {
        self.data == Data::Bool(true)
    }

    /// The elements of an array; none if it is not one.
    pub fn items(&self) -> &[Node] {
        match &self.data {
            Data::List(items) => items,
            _ => &[],
        }
    }

    /// The members of an object; none if it is not one.
    pub fn members(&self) -> &[(Box<str>, Node)] {
        match &self.data {
            Data::Map(members) => members,
            _ => &[],
        }
    }

    /// Whether it carries nothing: null, false, zero, or an empty string, array or object.
    pub fn is_default(&self) -> bool {
        match &self.data {
            Data::Null => true,
            Data::Bool(on) => !on,
            Data::Number(_) => self.f64() == Some(0.0),
            Data::Text(text) => text.is_empty(),
            Data::List(items) => items.is_empty(),
            Data::Map(members) => members.is_empty(),
            Data::Bytes(bytes) => bytes.is_empty(),
            Data::Deep(_) => false,
        }
    }

    /// Whether JavaScript takes it for false, so that a push makes a new array in its place.
    pub fn is_falsy(&self) -> bool {
        match &self.data {
            Data::Null => true,
            Data::Bool(on) => !on,
            Data::Number(_) => self.f64().is_none_or(|n| n == 0.0 || n.is_nan()),
            Data::Text(text) => text.is_empty(),
            Data::List(_) | Data::Map(_) | Data::Bytes(_) | Data::Deep(_) => false,
        }
    }
}

fn members(value: Value<'_>, depth: usize) -> Vec<(Box<str>, Node)> {
    let all = value.entries().map(|(k, v)| (Box::from(&*k), Node::of_depth(v, depth + 1)));
    if value.repairs().duplicate_keys == 0 {
        return all.collect();
    }
    let mut index = HashMap::new();
    let mut members: Vec<(Box<str>, Node)> = Vec::new();
    for (key, node) in all {
        match index.get(&key) {
            Some(&at) => {
                let known: &mut (Box<str>, Node) = &mut members[at];
                known.1 = node;
            }
            None => {
                index.insert(key.clone(), members.len());
                members.push((key, node));
            }
        }
    }
    members
}

/// The bytes that small numbers at the places 0, 1, 2 … stand for, if there are at least `min`.
fn bytes_of<'a>(
    all: impl Iterator<Item = (Option<std::borrow::Cow<'a, str>>, Value<'a>)>,
    min: usize,
) -> Option<Box<[u8]>> {
    let mut bytes = Vec::new();
    for (at, (key, value)) in all.enumerate() {
        if key.is_some_and(|k| k.parse() != Ok(at)) {
            return None;
        }
        bytes.push(u8::try_from(value.i64()?).ok()?);
    }
    (bytes.len() >= min).then(|| bytes.into())
}

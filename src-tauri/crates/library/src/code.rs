//! Codes as they stand in columns, and back. Deliberately absent: the codes themselves; `assay-model` has them.

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult, ValueRef};
use serde::de::DeserializeOwned;
use serde::de::value::{self, StrDeserializer};
use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// A closed list of the model, read from its code.
pub(crate) struct Code<T>(pub T);

impl<T: DeserializeOwned> FromSql for Code<T> {
    fn column_result(column: ValueRef<'_>) -> FromSqlResult<Self> {
        T::deserialize(StrDeserializer::<value::Error>::new(column.as_str()?)).map(Code).map_err(FromSqlError::other)
    }
}

/// A value kept as JSON text.
pub(crate) struct Json<T>(pub T);

impl<T: DeserializeOwned> FromSql for Json<T> {
    fn column_result(column: ValueRef<'_>) -> FromSqlResult<Self> {
        serde_json::from_str(column.as_str()?).map(Json).map_err(FromSqlError::other)
    }
}

/// A value as JSON text. Nothing that is kept this way can fail to be written: all keys are text.
pub(crate) fn json<T: serde::Serialize>(value: &T) -> String {
    serde_json::to_string(value).unwrap_or_default()
}

/// The name of a rule that made a time. The model wants it for ever, because adapters name their rules in
/// their own text; here it comes from a file, so each name is kept once for the life of the process. A
/// file that somebody filled with more names than any version ever had gets no more.
pub(crate) fn rule(name: &str) -> &'static str {
    static KNOWN: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    match known.get(name) {
        Some(rule) => rule,
        None if known.len() >= 1000 => "unknown",
        None => {
            let rule: &'static str = Box::leak(name.to_owned().into_boxed_str());
            known.insert(rule);
            rule
        }
    }
}

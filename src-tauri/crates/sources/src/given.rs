//! Ids that earlier runs gave. Where two files claim one id, only one can have the plain one; which of them has it
//! must not hang on what else exists today, so what once was given an id keeps it.
//!
//! Deliberately absent: what an id looks like, and where earlier ids are remembered. Both are told.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::Arc;

/// What a source's ids were given to: a path as text, by id.
pub type GivenIds = HashMap<String, String>;

/// How to ask for the ids that earlier runs gave. Only asked where a source is listed.
#[derive(Clone)]
pub struct Given(Arc<dyn Fn(&str) -> GivenIds + Send + Sync>);

impl Given {
    /// Asks `ask`, by the name of a source.
    pub fn new(ask: impl Fn(&str) -> GivenIds + Send + Sync + 'static) -> Self {
        Self(Arc::new(ask))
    }

    /// The ids that conversations of `source` were given.
    pub(crate) fn of(&self, source: &str) -> Ids {
        Ids((self.0)(source))
    }
}

impl Default for Given {
    /// No earlier run.
    fn default() -> Self {
        Self::new(|_| GivenIds::new())
    }
}

impl std::fmt::Debug for Given {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Given")
    }
}

/// The ids that conversations of one source were given.
pub(crate) struct Ids(GivenIds);

impl Ids {
    /// Whether what is read at `path` was given `id`.
    pub fn has(&self, id: &str, path: &Path) -> bool {
        self.0.get(id).is_some_and(|holder| *holder == path.to_string_lossy())
    }

    /// Whether `id` was given to a file of the folder that `path` lies in.
    pub fn has_beside(&self, id: &str, path: &Path) -> bool {
        self.0.get(id).is_some_and(|holder| Path::new(holder).parent() == path.parent())
    }

    /// An id for each, no two alike: the one that it was given before, or the first of its forms that is free.
    pub fn hand_out(&self, all: &[(Vec<String>, &Path)]) -> Vec<String> {
        let before = |(forms, path): &(Vec<String>, &Path)| forms.iter().find(|id| self.has(id, path)).cloned();
        let before: Vec<Option<String>> = all.iter().map(before).collect();
        let mut taken: HashSet<String> = before.iter().flatten().cloned().collect();
        let own = all.iter().zip(before).map(|((forms, _), before)| {
            let id = before.or_else(|| forms.iter().find(|id| !taken.contains(*id)).cloned());
            // No form is free only if two of them are one file, which a scan does not list twice.
            let id = id.unwrap_or_default();
            taken.insert(id.clone());
            id
        });
        own.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_stays_where_it_was_given_whatever_else_is_there() {
        let forms = |n: u8| vec!["x".to_owned(), format!("x@{n}")];
        let (a, b, c) = (Path::new("/a/x"), Path::new("/b/x"), Path::new("/c/x"));
        let given =
            |ids: &[(&str, &str)]| Ids(ids.iter().map(|(id, path)| ((*id).to_owned(), (*path).to_owned())).collect());
        let all = [(forms(1), a), (forms(2), b), (forms(3), c)];
        assert_eq!(given(&[]).hand_out(&all), ["x", "x@2", "x@3"]);
        assert_eq!(given(&[("x", "/b/x")]).hand_out(&all), ["x@1", "x", "x@3"], "a newcomer takes nothing");
        let later = given(&[("x", "/a/x"), ("x@2", "/b/x")]);
        assert_eq!(later.hand_out(&all[1..]), ["x@2", "x"], "what stays keeps its id when the other is gone");
        assert_eq!(given(&[("x", "/z/x")]).hand_out(&all[2..]), ["x"], "what moved is asked by its messages, later");
    }
}

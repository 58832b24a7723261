//! A session's state: a JSON tree that a mutation log changes, in which every value knows the record
//! that wrote it and its place there.
//!
//! Only the value that a change inserts carries an origin; what is inside it inherits its record and
//! extends its pointer. Elements of an array never shift in these logs (a change cuts the end off,
//! appends, or overwrites in place), so an element's index is also its place in what wrote it.
//! Deliberately absent: lines and damage (`log.rs`), what any field means.

use super::node::{Data, Node};
use crate::readers::json::{JsonType, Value, pointer_to};

/// The longest path a change may take, and how far beyond an array's end it may write.
const MAX_PATH: usize = 200;
const MAX_GAP: usize = 1 << 16;

/// Where a value was written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    /// The number of the record.
    pub record: u32,
    /// The pointer inside it.
    pub pointer: String,
}

/// One step of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Step {
    /// A member of an object.
    Key(Box<str>),
    /// An element of an array.
    Index(usize),
}

impl Step {
    fn read(value: Value<'_>) -> Option<Self> {
        match value.kind() {
            JsonType::String => value.str().map(|s| Step::Key(Box::from(&*s))),
            JsonType::Number => value.i64().and_then(|n| usize::try_from(n).ok()).map(Step::Index),
            JsonType::Null | JsonType::Bool | JsonType::Array | JsonType::Object => None,
        }
    }

    fn key(&self) -> Box<str> {
        match self {
            Step::Key(key) => key.clone(),
            Step::Index(at) => at.to_string().into(),
        }
    }

    /// The element of an array it names; JavaScript takes `"3"` for 3.
    pub fn index(&self) -> Option<usize> {
        match self {
            Step::Key(key) => key.parse().ok().filter(|n: &usize| n.to_string() == **key),
            Step::Index(at) => Some(*at),
        }
    }

    /// Whether it names the member `key`.
    pub fn is(&self, key: &str) -> bool {
        matches!(self, Step::Key(k) if **k == *key)
    }
}

/// Something that a change replaced, cut off or deleted.
#[derive(Debug)]
pub(super) struct Removed {
    /// Where it stood in the state.
    pub path: Vec<Step>,
    /// What it was.
    pub node: Node,
    /// Where it had been written.
    pub place: Place,
    /// Where its array was cut off: what was written there took the place of all that stood from there on.
    pub cut: Option<usize>,
}

/// Why a change could not be applied; VS Code stops reading the session there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotApplied(pub &'static str);

/// The state that a log has reached.
#[derive(Debug)]
pub(super) struct State {
    /// The session.
    pub root: Node,
    origins: Vec<Place>,
    /// Whatever was there once and is no more, in the order it went.
    pub removed: Vec<Removed>,
}

impl State {
    /// A state that no record wrote.
    pub fn empty() -> Self {
        Self { root: Node::empty(), origins: vec![Place { record: 0, pointer: String::new() }], removed: Vec::new() }
    }

    /// Replaces everything by `value`, which stands at `place`.
    pub fn replace(&mut self, value: Value<'_>, place: Place) {
        let root = self.place(&self.root, &Place { record: 0, pointer: String::new() });
        let node = self.insert(value, place);
        let old = std::mem::replace(&mut self.root, node);
        self.retire(Vec::new(), old, root, None);
    }

    /// Where the root was written.
    pub fn root_place(&self) -> Place {
        self.place(&self.root, &Place { record: 0, pointer: String::new() })
    }

    /// The place of `node`, whose parent's continuation is `inherited`.
    pub fn place(&self, node: &Node, inherited: &Place) -> Place {
        match node.origin {
            0 => inherited.clone(),
            n => self.origins.get(n as usize - 1).unwrap_or(inherited).clone(),
        }
    }

    fn insert(&mut self, value: Value<'_>, place: Place) -> Node {
        let mut node = Node::of(value);
        self.origins.push(place);
        node.origin = self.origins.len() as u32;
        node
    }

    fn retire(&mut self, path: Vec<Step>, node: Node, place: Place, cut: Option<usize>) {
        if !node.is_default() {
            self.removed.push(Removed { path, node, place, cut });
        }
    }

    /// Sets or deletes (`value` absent: an object's member goes, an array keeps a hole) what `path`
    /// names. The empty path changes nothing.
    pub fn set(&mut self, path: &[Step], value: Option<Value<'_>>, place: Place) -> Result<(), NotApplied> {
        let Some((last, _)) = path.split_last() else { return Ok(()) };
        let node = value.map(|v| self.insert(v, place));
        let (parent, at) = self.parent(path)?;
        let old = match &mut parent.data {
            Data::Map(members) => {
                let key = last.key();
                let known = members.iter().position(|(k, _)| *k == key);
                match (known, node) {
                    (Some(at), Some(node)) => Some(std::mem::replace(&mut members[at].1, node)),
                    (Some(at), None) => Some(members.remove(at).1),
                    (None, Some(node)) => {
                        members.push((key, node));
                        None
                    }
                    (None, None) => None,
                }
            }
            Data::List(items) => {
                let index = last.index().ok_or(NotApplied("a named member of an array"))?;
                if index > items.len() + MAX_GAP {
                    return Err(NotApplied("far beyond the end of an array"));
                }
                while items.len() <= index {
                    items.push(Node { origin: 0, data: Data::Null });
                }
                Some(std::mem::replace(&mut items[index], node.unwrap_or(Node { origin: 0, data: Data::Null })))
            }
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Bytes(_) | Data::Deep(_) => {
                return Err(NotApplied("a member of what has none"));
            }
        };
        if let Some(old) = old {
            let place = self.place(&old, &extend(&at, last));
            self.retire(path.to_vec(), old, place, None);
        }
        Ok(())
    }

    /// Cuts the array that `path` names off at `keep` (or pads it up to there), then appends `values`.
    pub fn push(
        &mut self,
        path: &[Step],
        values: Option<Value<'_>>,
        keep: Option<usize>,
        place: &Place,
    ) -> Result<(), NotApplied> {
        let Some((last, _)) = path.split_last() else { return Err(NotApplied("a push without a path")) };
        if values.is_some_and(|v| v.kind() != JsonType::Array) {
            return Err(NotApplied("a push of what is no array"));
        }
        let first = self.origins.len();
        let new: Vec<Node> = values
            .into_iter()
            .flat_map(Value::items)
            .enumerate()
            .map(|(i, v)| {
                let pointer = format!("{}/{i}", place.pointer);
                self.insert(v, Place { record: place.record, pointer })
            })
            .collect();
        let result = self.push_nodes(path, last, new, keep);
        if result.is_err() {
            self.origins.truncate(first);
        }
        result
    }

    fn push_nodes(
        &mut self,
        path: &[Step],
        last: &Step,
        new: Vec<Node>,
        keep: Option<usize>,
    ) -> Result<(), NotApplied> {
        let (parent, at) = self.parent(path)?;
        let at = extend(&at, last);
        let array = match &mut parent.data {
            Data::Map(members) => {
                let key = last.key();
                let known = members.iter().position(|(k, _)| *k == key).unwrap_or_else(|| {
                    members.push((key, Node { origin: 0, data: Data::Null }));
                    members.len() - 1
                });
                &mut members[known].1
            }
            Data::List(items) => {
                let index = last.index().ok_or(NotApplied("a named member of an array"))?;
                if index > items.len() + MAX_GAP {
                    return Err(NotApplied("far beyond the end of an array"));
                }
                while items.len() <= index {
                    items.push(Node { origin: 0, data: Data::Null });
                }
                &mut items[index]
            }
            Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Bytes(_) | Data::Deep(_) => {
                return Err(NotApplied("a member of what has none"));
            }
        };
        if array.is_falsy() {
            array.data = Data::List(Vec::new());
        }
        let origin = array.origin;
        let Data::List(items) = &mut array.data else { return Err(NotApplied("a push to what is no array")) };
        let keep = keep.unwrap_or(items.len());
        if keep > items.len() + MAX_GAP {
            return Err(NotApplied("far beyond the end of an array"));
        }
        let cut: Vec<Node> = items.drain(keep.min(items.len())..).collect();
        let kept = items.len();
        while items.len() < keep {
            items.push(Node { origin: 0, data: Data::Null });
        }
        items.extend(new);
        let at = match origin {
            0 => at,
            n => self.origins[n as usize - 1].clone(),
        };
        for (i, node) in cut.into_iter().enumerate() {
            let step = Step::Index(kept + i);
            let place = self.place(&node, &extend(&at, &step));
            let mut path = path.to_vec();
            path.push(step);
            self.retire(path, node, place, Some(kept));
        }
        Ok(())
    }

    /// The container that holds what `path` names, and where it was written.
    fn parent(&mut self, path: &[Step]) -> Result<(&mut Node, Place), NotApplied> {
        if path.len() > MAX_PATH {
            return Err(NotApplied("a path that is too long"));
        }
        let mut place = self.root_place();
        let origins = &self.origins;
        let mut node = &mut self.root;
        for step in &path[..path.len().saturating_sub(1)] {
            let inner = match &mut node.data {
                Data::Map(members) => {
                    let key = step.key();
                    members.iter_mut().find(|(k, _)| *k == key).map(|(_, v)| v)
                }
                Data::List(items) => step.index().and_then(|i| items.get_mut(i)),
                Data::Null | Data::Bool(_) | Data::Number(_) | Data::Text(_) | Data::Bytes(_) | Data::Deep(_) => None,
            };
            node = inner.ok_or(NotApplied("no such parent"))?;
            place = match node.origin {
                0 => extend(&place, step),
                n => origins[n as usize - 1].clone(),
            };
        }
        Ok((node, place))
    }
}

/// The place of what `step` names inside the value at `place`.
fn extend(place: &Place, step: &Step) -> Place {
    Place { record: place.record, pointer: pointer_to(&place.pointer, &step.key()) }
}

/// Reads the path of a change.
pub(super) fn path_of(value: Option<Value<'_>>) -> Result<Vec<Step>, NotApplied> {
    let value = value.filter(|v| v.kind() == JsonType::Array).ok_or(NotApplied("a change without a path"))?;
    value.items().map(|v| Step::read(v).ok_or(NotApplied("a path that is none"))).collect()
}

/// A value together with where it was written.
#[derive(Debug, Clone)]
pub(super) struct At<'s> {
    /// The state that knows the places.
    pub state: &'s State,
    /// The value.
    pub node: &'s Node,
    /// Where it was written.
    pub place: Place,
}

impl<'s> At<'s> {
    /// Member `key`, if it is there and not null.
    pub fn get(&self, key: &str) -> Option<At<'s>> {
        let node = self.node.get(key).filter(|n| n.data != Data::Null)?;
        Some(self.inner(node, key))
    }

    /// The members of an object that carry something.
    pub fn members(&self) -> impl Iterator<Item = (&'s str, At<'s>)> + use<'s> {
        let this = self.clone();
        self.node
            .members()
            .iter()
            .filter(|(_, v)| !v.is_default())
            .map(move |(key, node)| (&**key, this.inner(node, key)))
    }

    /// The elements of an array.
    pub fn items(&self) -> impl Iterator<Item = At<'s>> + use<'s> {
        let this = self.clone();
        self.node.items().iter().enumerate().map(move |(i, node)| this.inner(node, &i.to_string()))
    }

    fn inner(&self, node: &'s Node, key: &str) -> At<'s> {
        let place = match node.origin {
            0 => Place { record: self.place.record, pointer: pointer_to(&self.place.pointer, key) },
            _ => self.state.place(node, &self.place),
        };
        At { state: self.state, node, place }
    }
}

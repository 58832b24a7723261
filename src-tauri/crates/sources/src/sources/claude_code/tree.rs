//! The tree that records form by their parents: which branch is live, which were left, what is broken.
//!
//! Nothing is left out because of where it stands: a message off the live path is marked. A branch counts
//! as left only if somebody says something on it that the live path does not have; results of parallel
//! calls and the tool's own notices hang beside the path by design. Deliberately absent: the order of the
//! timeline, which is that of the file.

use super::queue::hash;
use crate::{Account, MessageId};
use assay_model::{Branch, Locator, NoticeCode};
use foldhash::{HashMap, HashSet};

/// What a record is on its branch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Step {
    /// A person's words.
    Prompt,
    /// The model's, with a hash of the answer that the record is a part of.
    Answer(u64),
    /// Everything else: results, notices, context.
    Aside,
}

/// One record with an id.
pub(super) struct Node {
    /// Its id.
    pub uuid: String,
    /// The record it follows; over a compaction the one before it.
    pub parent: Option<String>,
    /// What it is.
    pub step: Step,
    /// Whether it belongs to a side conversation.
    pub sidechain: bool,
    /// Whether it can be the end of the live path.
    pub can_end: bool,
    /// A hash of its bytes, to know a record that was written twice.
    pub bytes: u64,
    /// Equal for two records of one parent, time and text.
    pub replay: Option<u64>,
    /// Its messages: the first, and the one after the last.
    pub messages: (MessageId, MessageId),
    /// Its place.
    pub locator: Locator,
}

/// The records of a file.
#[derive(Default)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    by_id: HashMap<String, usize>,
    replays: Vec<(usize, usize)>,
    /// Records whose id was read before, and the record that had it first. Only that one has a place in the
    /// tree.
    repeated: HashMap<usize, usize>,
    by_replay: HashMap<u64, usize>,
    /// The record that the tool itself names as the end of the live path, the last time it did.
    pub leaf: Option<String>,
    /// Records that were taken back or replaced, and by which message.
    pub retracted: Vec<(String, Branch, Option<String>)>,
}

impl Tree {
    /// Whether a record with this id was read before.
    pub fn contains(&self, uuid: &str) -> bool {
        self.by_id.contains_key(uuid)
    }

    /// How many records with an id there are, each once.
    pub fn len(&self) -> usize {
        self.by_id.len()
    }

    /// Adds a record.
    pub fn add(&mut self, node: Node) {
        let at = self.nodes.len();
        let first = *self.by_id.entry(node.uuid.clone()).or_insert(at);
        if first != at {
            self.repeated.insert(at, first);
        } else if let Some(key) = node.replay {
            match self.by_replay.get(&key) {
                Some(first) => self.replays.push((*first, at)),
                None => {
                    self.by_replay.insert(key, at);
                }
            }
        }
        self.nodes.push(node);
    }

    /// Marks the messages and remarks what is broken.
    pub fn settle(&self, account: &mut Account) {
        let parents = self.parents(account);
        let roots = roots(&parents);
        let active = self.active(&parents, &roots);
        self.mark_branches(account, &parents, &active);
        self.mark_sidechains(account);
        for (first, second) in &self.replays {
            let (kept, copy) = if active[*first] { (*first, *second) } else { (*second, *first) };
            let detail = format!("{} = {}", self.nodes[copy].uuid, self.nodes[kept].uuid);
            account.notice(NoticeCode::Replay, detail, Some(self.nodes[copy].locator.clone()));
            self.mark(account, copy, Branch::Superseded, Some(&self.nodes[kept].uuid));
        }
        for (at, node) in self.nodes.iter().enumerate() {
            let Some(first) = self.repeated.get(&at).map(|first| &self.nodes[*first]) else { continue };
            let same = node.bytes == first.bytes || says(account, node) == says(account, first);
            let of = if same { "=" } else { "differs from" };
            let detail = format!("uuid {}~{} {of} {}", node.uuid, place(node), first.uuid);
            account.notice(NoticeCode::DuplicateOf, detail, Some(node.locator.clone()));
            if same {
                self.mark(account, at, Branch::Superseded, Some(&first.uuid));
            }
        }
        for (uuid, branch, by) in &self.retracted {
            if let Some(node) = self.by_id.get(uuid) {
                self.mark(account, *node, *branch, by.as_deref());
            }
        }
    }

    /// Each node's parent, without circles; what is missing or circular is remarked once by kind.
    fn parents(&self, account: &mut Account) -> Vec<Option<usize>> {
        let mut broken: [(&str, u64, Option<usize>); 3] =
            [("self-parent", 0, None), ("missing-parent", 0, None), ("cycle", 0, None)];
        let mut report = |kind: usize, node: usize| {
            broken[kind].1 += 1;
            broken[kind].2.get_or_insert(node);
        };
        let mut parents: Vec<Option<usize>> = Vec::with_capacity(self.nodes.len());
        for (at, node) in self.nodes.iter().enumerate() {
            let placed = !self.repeated.contains_key(&at);
            let parent = node.parent.as_deref().filter(|p| placed && !p.is_empty());
            parents.push(match parent.map(|p| (p == node.uuid, self.by_id.get(p))) {
                None => None,
                Some((true, _)) => {
                    report(0, at);
                    None
                }
                Some((false, None)) => {
                    report(1, at);
                    None
                }
                Some((false, found)) => found.copied(),
            });
        }
        let mut state = vec![0u32; parents.len()]; // 0: not seen, else the walk that saw it
        for start in 0..parents.len() {
            let walk = start as u32 + 1;
            let mut at = start;
            while state[at] == 0 {
                state[at] = walk;
                match parents[at] {
                    Some(parent) if state[parent] == walk => {
                        parents[at] = None;
                        report(2, at);
                    }
                    Some(parent) => at = parent,
                    None => break,
                }
            }
        }
        for (kind, count, first) in broken {
            if let Some(first) = first {
                let place = self.nodes[first].locator.clone();
                account.notice(NoticeCode::BrokenTree, format!("{kind} {count}"), Some(place));
            }
        }
        parents
    }

    /// The nodes on the live path of each tree: from its last end in the file, or the one that the tool
    /// names, up to its root. Several trees are normal: a session that was taken up again, cleared, or begun anew.
    fn active(&self, parents: &[Option<usize>], roots: &[usize]) -> Vec<bool> {
        let mut has_child = vec![false; self.nodes.len()];
        for parent in parents.iter().flatten() {
            has_child[*parent] = true;
        }
        let mut ends: HashMap<usize, usize> = HashMap::default();
        for (at, node) in self.nodes.iter().enumerate() {
            if !has_child[at] && node.can_end && !node.sidechain {
                ends.insert(roots[at], at);
            }
        }
        if let Some(named) = self.leaf.as_ref().and_then(|leaf| self.by_id.get(leaf)) {
            // What follows the named record is live too, if nothing branches off there.
            let last = ends.get(&roots[*named]).copied();
            let follows = last.is_some_and(|l| path(parents, l).any(|n| n == *named));
            if !follows {
                ends.insert(roots[*named], *named);
            }
        }
        let mut active = vec![false; self.nodes.len()];
        for end in ends.values() {
            for node in path(parents, *end) {
                active[node] = true;
            }
        }
        active
    }

    fn mark_branches(&self, account: &mut Account, parents: &[Option<usize>], active: &[bool]) {
        let live: HashSet<u64> = (0..self.nodes.len())
            .filter(|n| active[*n])
            .filter_map(|n| match self.nodes[n].step {
                Step::Answer(answer) => Some(answer),
                Step::Prompt | Step::Aside => None,
            })
            .collect();
        let copies: HashSet<usize> = self.replays.iter().flat_map(|(a, b)| [*a, *b]).collect();
        let heads = branch_heads(parents, active);
        let mut left: HashSet<usize> = HashSet::default();
        for (at, node) in self.nodes.iter().enumerate() {
            let said = match node.step {
                Step::Prompt => true,
                Step::Answer(answer) => !live.contains(&answer),
                Step::Aside => false,
            };
            if let (true, Some(head), false) = (said && !node.sidechain, heads[at], copies.contains(&at)) {
                left.insert(head);
            }
        }
        for (at, head) in heads.iter().enumerate() {
            if head.is_some_and(|head| left.contains(&head)) {
                self.mark(account, at, Branch::Abandoned, None);
            }
        }
    }

    /// A side conversation is marked where it is mixed with another; in a file of its own it is the story.
    fn mark_sidechains(&self, account: &mut Account) {
        let said = |n: &&Node| n.step != Step::Aside;
        if self.nodes.iter().filter(said).all(|n| n.sidechain) {
            return;
        }
        for (at, node) in self.nodes.iter().enumerate() {
            if node.sidechain {
                self.mark(account, at, Branch::Sidechain, None);
            }
        }
    }

    fn mark(&self, account: &mut Account, node: usize, branch: Branch, by: Option<&str>) {
        let (first, end) = self.nodes[node].messages;
        for id in first..end {
            let message = account.message(id);
            message.branch = Some(branch);
            if by.is_some() {
                message.superseded_by = by.map(str::to_owned);
            }
        }
    }
}

/// What a record says under the published rules.
fn says<'a>(account: &'a Account, node: &Node) -> Vec<(&'a str, Option<&'a str>)> {
    let (first, end) = node.messages;
    let all = &account.messages()[first as usize..end as usize];
    all.iter().filter(|m| m.is_reference()).map(|m| (m.content.as_str(), m.thinking.as_deref())).collect()
}

/// Where a record begins.
fn place(node: &Node) -> u64 {
    match node.locator {
        Locator::Bytes { byte_start, .. } => byte_start,
        Locator::Row { .. } => 0,
    }
}

/// A hash of what makes two records one said twice.
pub(super) fn replay_key(parent: Option<&str>, time: &[u8], text: &str) -> Option<u64> {
    (!time.is_empty() && !text.is_empty()).then(|| hash((parent, time, text)))
}

/// From a node to its root.
fn path(parents: &[Option<usize>], from: usize) -> impl Iterator<Item = usize> + '_ {
    std::iter::successors(Some(from), |n| parents[*n])
}

/// Each node's root.
fn roots(parents: &[Option<usize>]) -> Vec<usize> {
    let mut roots: Vec<Option<usize>> = vec![None; parents.len()];
    for start in 0..parents.len() {
        let known = path(parents, start).find_map(|n| roots[n].or(parents[n].is_none().then_some(n)));
        for node in path(parents, start) {
            if roots[node].is_some() {
                break;
            }
            roots[node] = known;
        }
    }
    roots.into_iter().enumerate().map(|(n, root)| root.unwrap_or(n)).collect()
}

/// For each node off the live path the node where its branch leaves it; `None` for the others, and for
/// trees that have no live path.
fn branch_heads(parents: &[Option<usize>], active: &[bool]) -> Vec<Option<usize>> {
    /// Where a walk upwards ended.
    #[derive(Clone, Copy)]
    enum Head {
        Unknown,
        None,
        At(usize),
    }
    let mut heads = vec![Head::Unknown; parents.len()];
    for start in 0..parents.len() {
        let mut found = Head::None;
        for node in path(parents, start) {
            match (active[node], heads[node], parents[node]) {
                (true, ..) => break,
                (false, Head::Unknown, Some(parent)) if active[parent] => {
                    found = Head::At(node);
                    break;
                }
                (false, Head::Unknown, _) => {}
                (false, known, _) => {
                    found = known;
                    break;
                }
            }
        }
        for node in path(parents, start) {
            if active[node] || !matches!(heads[node], Head::Unknown) {
                break;
            }
            heads[node] = found;
        }
    }
    let head = |h| if let Head::At(node) = h { Some(node) } else { None };
    heads.into_iter().map(head).collect()
}

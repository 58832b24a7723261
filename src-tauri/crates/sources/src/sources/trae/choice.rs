//! The published rules' choice among the parts of a message, and why they lose the others.

use super::message::{Part, Parts, Slot};
use assay_model::{Kind, MessageType, Reason, text};

impl Parts<'_> {
    /// The published rules' choice: direct content if it is not blank, else what is nested.
    pub(super) fn choose(&mut self) {
        if !self.mapped {
            return;
        }
        let is = |part: &Part<'_>, slot: Slot| part.published && part.slot == slot;
        let has = |list: &[Part<'_>], slots: &[Slot]| list.iter().any(|p| slots.iter().any(|slot| is(p, *slot)));
        let direct = self.list.iter().any(|p| is(p, Slot::Direct) && !text::is_blank(&p.text));
        let mut thinking: Vec<&str> = Vec::new();
        let mut texts: Vec<&str> = Vec::new();
        let texts_of: &[Slot] = if direct || self.from == MessageType::User {
            self.shadowed = direct;
            &[Slot::Direct]
        } else if has(&self.list, &[Slot::Proposal, Slot::FinishThought]) {
            &[Slot::Proposal, Slot::FinishThought]
        } else {
            &[Slot::GuidelineThought]
        };
        let thinking_of: &[Slot] = if direct || self.from == MessageType::User {
            &[]
        } else {
            &[Slot::ProposalReasoning, Slot::StepReasoning]
        };
        for part in self.list.iter().filter(|part| part.published) {
            if texts_of.contains(&part.slot) {
                texts.push(&part.text);
            }
            if thinking_of.contains(&part.slot) {
                thinking.push(&part.text);
            }
        }
        let text = text::trim(&texts.join("\n\n")).to_owned();
        let thinking = (!thinking.is_empty()).then(|| thinking.join("\n"));
        (self.text, self.thinking) = (text, thinking);
        if !self.is_kept() {
            return;
        }
        for part in &mut self.list {
            let of_text = texts_of.contains(&part.slot) && !self.text.is_empty();
            part.kept = part.published && (of_text || thinking_of.contains(&part.slot));
        }
    }

    /// Whether the published rules keep the message.
    pub fn is_kept(&self) -> bool {
        !self.text.is_empty() || self.thinking.is_some()
    }

    /// The part at whose place the kept message stands: its last text, else its last thinking.
    pub fn anchor(&self) -> Option<usize> {
        let last = |of: &dyn Fn(&Part<'_>) -> bool| self.list.iter().rposition(of);
        last(&|part| part.kept && part.slot.kind() == Kind::Text).or_else(|| last(&|part| part.kept))
    }

    /// The text that a person wrote or read, to know copies of it.
    pub fn said(&self) -> &str {
        self.list.iter().find(|part| part.slot == Slot::Direct).map_or("", |part| &part.text)
    }

    /// Why the published rules lose `part`.
    pub fn reason(&self, part: &Part<'_>) -> Reason {
        let blank = text::is_blank(&part.text);
        if part.slot == Slot::FinishSummary && self.repeats(part) {
            return Reason::Duplicate;
        }
        match part.slot {
            Slot::Call | Slot::Result => {}
            _ if blank => return Reason::EmptyMessage,
            _ => {}
        }
        if self.copy {
            return Reason::ExtendedCoverage;
        }
        if !self.mapped {
            return Reason::RoleNotMapped;
        }
        if !part.published {
            return Reason::LegacyShape;
        }
        match part.slot {
            Slot::Error => Reason::ErrorRecord,
            Slot::Result => Reason::ToolResult,
            Slot::Call if self.is_kept() => Reason::ToolInput,
            Slot::Call => Reason::ToolOnlyMessage,
            Slot::StepThought if !self.shadowed && !self.is_kept() => Reason::ToolOnlyMessage,
            Slot::StepThought | Slot::FinishSummary | Slot::Other if !self.shadowed => Reason::UnmappedResponsePart,
            Slot::Direct
            | Slot::Proposal
            | Slot::ProposalReasoning
            | Slot::GuidelineThought
            | Slot::FinishThought
            | Slot::FinishSummary
            | Slot::StepThought
            | Slot::StepReasoning
            | Slot::Other => Reason::NestedContentShadowed,
        }
    }

    /// Whether a text stands word for word in another part that is told anyway.
    fn repeats(&self, part: &Part<'_>) -> bool {
        let others = self.list.iter().filter(|p| p.slot == Slot::FinishThought || p.slot == Slot::Direct);
        others.into_iter().any(|other| text::trim(&other.text) == text::trim(&part.text))
    }
}

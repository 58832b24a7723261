//! Instants and where they came from. Deliberately absent: the clock.

use serde::{Deserialize, Serialize, Serializer};
use std::borrow::Cow;
use std::fmt;

/// An instant in UTC, in milliseconds since 1970. Written as ECMAScript's `toISOString` writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(i64);

/// 2000-01-01 and 2100-01-01 in milliseconds: outside of these a tool's time is not believable.
const SANE: std::ops::Range<i64> = 946_684_800_000..4_102_444_800_000;

impl Timestamp {
    /// The beginning of 1970.
    pub const EPOCH: Self = Self(0);

    /// From milliseconds since 1970; `None` outside the years that can be written (0..=9999).
    pub fn from_millis(millis: i64) -> Option<Self> {
        (-62_167_219_200_000..=253_402_300_799_999).contains(&millis).then_some(Self(millis))
    }

    /// Milliseconds since 1970.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// Reads an RFC 3339 / ISO 8601 instant with an offset or `Z`, or a bare date-time taken as UTC.
    /// Returns `None` for anything else.
    pub fn parse(text: &str) -> Option<Self> {
        let text = &*ecma_form(text.trim());
        let instant = match text.parse::<jiff::Timestamp>() {
            Ok(instant) => instant,
            Err(_) => {
                let local = text.parse::<jiff::civil::DateTime>().ok()?;
                jiff::tz::Offset::UTC.to_timestamp(local).ok()?
            }
        };
        Self::from_millis(instant.as_nanosecond().div_euclid(1_000_000) as i64)
    }

    /// The instant `millis` later; saturates at the last one that can be written.
    pub fn plus_millis(self, millis: i64) -> Self {
        Self::from_millis(self.0.saturating_add(millis)).unwrap_or(self)
    }

    /// Whether the instant lies in this century, so that it can be meant.
    pub fn is_sane(self) -> bool {
        SANE.contains(&self.0)
    }

    /// Reads a number that a tool meant as milliseconds. Returns the instant, and whether the number
    /// had to be taken as seconds (a known fault of some writers) to be believable.
    pub fn from_number(number: f64) -> Option<(Self, bool)> {
        if !number.is_finite() {
            return None;
        }
        let millis = number as i64;
        if !SANE.contains(&millis) && SANE.contains(&millis.saturating_mul(1000)) {
            return Self::from_millis(millis * 1000).map(|at| (at, true));
        }
        Self::from_millis(millis).map(|at| (at, false))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match jiff::Timestamp::from_millisecond(self.0) {
            Ok(instant) => write!(f, "{instant:.3}"),
            Err(_) => f.write_str("invalid"),
        }
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom("not an instant"))
    }
}

/// The text with what ECMAScript's `Date` takes and RFC 3339 readers do not put right: more than nine
/// digits of a second (cut off), and the hour 24 (the next day's 0).
fn ecma_form(text: &str) -> Cow<'_, str> {
    if let Some((date, rest)) = text.split_once("T24:00:00") {
        let midnight = format!("{date}T00:00:00{rest}");
        if let Some(at) = Timestamp::parse(&midnight) {
            return at.plus_millis(86_400_000).to_string().into();
        }
    }
    match text.find('.').map(|dot| dot + 1) {
        Some(start) => {
            let digits = text[start..].bytes().take_while(u8::is_ascii_digit).count();
            if digits > 9 { format!("{}{}", &text[..start + 9], &text[start + digits..]).into() } else { text.into() }
        }
        None => text.into(),
    }
}

/// A message's time together with where it came from, so that the mark cannot be forgotten.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum When {
    /// Written by the tool for this record.
    Recorded(Timestamp),
    /// Taken from another recorded time of the same record or conversation.
    Derived {
        /// The instant.
        at: Timestamp,
        /// The rule that made it, a stable kebab-case code.
        rule: &'static str,
    },
    /// Made up to keep order; `None` where there is nothing to make it from.
    Synthetic {
        /// The instant, if any.
        at: Option<Timestamp>,
        /// The rule that made it, a stable kebab-case code.
        rule: &'static str,
    },
}

impl When {
    /// No time of its own: the account fills it in from the neighbours.
    pub const MISSING: When = When::Synthetic { at: None, rule: "unknown" };

    /// The instant, whatever its origin.
    pub fn at(self) -> Option<Timestamp> {
        match self {
            When::Recorded(at) | When::Derived { at, .. } => Some(at),
            When::Synthetic { at, .. } => at,
        }
    }

    /// `recorded`, `derived` or `synthetic`.
    pub fn origin(self) -> &'static str {
        match self {
            When::Recorded(_) => "recorded",
            When::Derived { .. } => "derived",
            When::Synthetic { .. } => "synthetic",
        }
    }

    /// The rule that made the time; `None` for a recorded one.
    pub fn rule(self) -> Option<&'static str> {
        match self {
            When::Recorded(_) => None,
            When::Derived { rule, .. } | When::Synthetic { rule, .. } => Some(rule),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instants_read_and_write_as_ecmascript_does() {
        let cases = [
            ("2026-01-10T04:29:30.753Z", "2026-01-10T04:29:30.753Z"),
            ("2026-01-10T04:29:30Z", "2026-01-10T04:29:30.000Z"),
            ("2026-01-10T12:29:30.753123+08:00", "2026-01-10T04:29:30.753Z"),
            ("2026-01-10T04:29:30", "2026-01-10T04:29:30.000Z"),
            ("2026-01-10T04:29:30.1111111111119Z", "2026-01-10T04:29:30.111Z"),
            ("2026-01-10T24:00:00Z", "2026-01-11T00:00:00.000Z"),
        ];
        for (input, expected) in cases {
            let at = Timestamp::parse(input).map(|t| t.to_string());
            assert_eq!(at.as_deref(), Some(expected), "{input}");
        }
        for bad in ["yesterday", "", "2026-13-01T00:00:00Z"] {
            assert_eq!(Timestamp::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn seconds_are_told_from_milliseconds() {
        let seconds = Timestamp::from_number(1_717_000_100.0).map(|(t, s)| (t.to_string(), s));
        assert_eq!(seconds, Some(("2024-05-29T16:28:20.000Z".into(), true)));
        let millis = Timestamp::from_number(1_717_000_100_000.0).map(|(t, s)| (t.to_string(), s));
        assert_eq!(millis, Some(("2024-05-29T16:28:20.000Z".into(), false)));
        assert_eq!(Timestamp::from_number(f64::INFINITY), None);
    }
}

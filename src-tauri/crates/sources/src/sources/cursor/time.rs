//! A bubble's time. Cursor writes `createdAt` since about 2025-08; before that only `timingInfo` tells.
//! Deliberately absent: the clock, and made-up times (the account makes those).

use crate::Account;
use crate::readers::json::Value;
use assay_model::{Locator, Timestamp, When};

/// Milliseconds from 2000-01-01 on are a time; anything smaller counts from the start of the editor.
const ABSOLUTE: f64 = 946_684_800_000.0;

/// The time of a bubble: its own, else from its timing, else from its header.
pub(super) fn of(account: &mut Account, bubble: Value<'_>, header: Option<Timestamp>, place: &Locator) -> When {
    let recorded = account.time(bubble.get("createdAt").filter(|v| !v.is_default()), place);
    if recorded != When::MISSING {
        return recorded;
    }
    if let Some(derived) = bubble.get("timingInfo").and_then(from_timing) {
        return derived;
    }
    match header {
        Some(at) => When::Derived { at, rule: "header-created-at" },
        None => When::MISSING,
    }
}

fn from_timing(timing: Value<'_>) -> Option<When> {
    let number = |key: &str| timing.get(key).and_then(Value::f64).filter(|n| n.is_finite() && *n > 0.0);
    let start = number("clientStartTime");
    let (millis, rule) = match start.filter(|s| *s >= ABSOLUTE) {
        Some(start) => (start, "timing-info-start"),
        None => {
            let later = ["clientRpcSendTime", "clientSettleTime", "clientEndTime"];
            let later = later.iter().find_map(|key| number(key).filter(|n| *n >= ABSOLUTE))?;
            match start {
                Some(relative) => (later - relative, "timing-info-relative-start"),
                None => (later, "timing-info-later"),
            }
        }
    };
    Timestamp::from_millis(millis as i64).map(|at| When::Derived { at, rule })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::readers::json::Tape;

    #[test]
    fn timing_gives_a_time_by_a_named_rule() {
        let cases = [
            (r#"{"clientStartTime":1780000000000.5,"clientEndTime":1780000009000}"#, Some(1_780_000_000_000), "timing-info-start"),
            (r#"{"clientStartTime":5321.2,"clientEndTime":1780000009000}"#, Some(1_780_000_003_678), "timing-info-relative-start"),
            (r#"{"clientRpcSendTime":1780000001000,"clientEndTime":1780000009000}"#, Some(1_780_000_001_000), "timing-info-later"),
            (r#"{"clientStartTime":5321.2}"#, None, ""),
            (r#"{"clientStartTime":"soon","clientEndTime":null}"#, None, ""),
        ];
        for (json, millis, rule) in cases {
            let mut tape = Tape::new();
            let when = from_timing(tape.read_whole(json.as_bytes()).unwrap());
            assert_eq!(when.and_then(When::at).map(Timestamp::millis), millis, "{json}");
            assert_eq!(when.and_then(When::rule).unwrap_or(""), rule, "{json}");
        }
    }
}

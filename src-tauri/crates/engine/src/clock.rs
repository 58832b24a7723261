//! The time, injected. Deliberately absent: time zones and calendars (the page has them).

use assay_model::Timestamp;
use std::sync::Arc;

/// Tells the time in nanoseconds since 1970.
#[derive(Clone)]
pub struct Clock(Arc<dyn Fn() -> i64 + Send + Sync>);

impl Clock {
    /// The machine's clock: the one place of the product that asks it.
    #[allow(clippy::disallowed_methods)]
    pub fn system() -> Self {
        Self::of(|| match std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH) {
            Ok(since) => i64::try_from(since.as_nanos()).unwrap_or(i64::MAX),
            Err(_) => 0,
        })
    }

    /// A clock of one's own.
    pub fn of(tell: impl Fn() -> i64 + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    /// Nanoseconds since 1970.
    pub fn nanos(&self) -> i64 {
        (self.0)()
    }

    /// Now as people and JSON write it.
    pub fn iso(&self) -> String {
        iso(self.nanos())
    }
}

/// Nanoseconds since 1970 as ECMAScript's `toISOString` writes them.
pub fn iso(nanos: i64) -> String {
    Timestamp::from_millis(nanos.div_euclid(1_000_000)).map_or_else(String::new, |at| at.to_string())
}

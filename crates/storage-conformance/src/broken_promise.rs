//! Reasons for broken clauses.

use std::any::Any;
use std::fmt::{self, Debug, Display};

use storage::StoreError;

/// A broken promise: the store failed, or its behaviour differs from the contract.
#[derive(Debug)]
pub struct BrokenPromise(String);

/// Result of a case.
pub type Verdict = Result<(), BrokenPromise>;

impl BrokenPromise {
    /// A broken promise, as a sentence.
    pub fn new(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Converts a panic by its message.
    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Self(
            text.unwrap_or("the case panicked without a message")
                .to_owned(),
        )
    }
}

impl Display for BrokenPromise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<StoreError> for BrokenPromise {
    fn from(error: StoreError) -> Self {
        Self(format!("the store returned an unexpected error: {error}"))
    }
}

/// Fails with `sentence` unless `holds`.
///
/// # Errors
/// The sentence.
pub(crate) fn check(holds: bool, sentence: impl FnOnce() -> String) -> Verdict {
    if holds {
        return Ok(());
    }
    Err(BrokenPromise(sentence()))
}

/// Compares a found value with the expected one.
///
/// # Errors
/// A sentence that begins with `subject`, if the values differ.
pub(crate) fn same<T: PartialEq + Debug>(subject: &str, found: &T, expected: &T) -> Verdict {
    check(found == expected, || {
        format!("{subject} is {found:?}, but must be {expected:?}")
    })
}

/// Return value of a case: a verdict, or `()` for a case that panics on failure.
pub trait IntoVerdict {
    /// Converts the return value to a verdict.
    ///
    /// # Errors
    /// The broken promise.
    fn into_verdict(self) -> Verdict;
}

impl IntoVerdict for () {
    fn into_verdict(self) -> Verdict {
        Ok(())
    }
}

impl IntoVerdict for Verdict {
    fn into_verdict(self) -> Verdict {
        self
    }
}

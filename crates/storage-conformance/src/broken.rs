//! Reasons for broken clauses.

use std::any::Any;
use std::fmt::{self, Debug, Display};

use storage::StoreError;

/// A broken promise: the store failed, or its behaviour differs from the contract.
#[derive(Debug)]
pub struct Broken(String);

/// Result of a case.
pub type Verdict = Result<(), Broken>;

impl Broken {
    /// A broken promise, as a sentence.
    pub fn promise(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// Converts a panic by its message.
    pub(crate) fn of_panic(payload: &(dyn Any + Send)) -> Self {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        let text = text.or_else(|| payload.downcast_ref::<&str>().copied());
        Self(text.unwrap_or("the case panicked").to_owned())
    }
}

impl Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl From<StoreError> for Broken {
    fn from(error: StoreError) -> Self {
        Self(format!("the store gave an error where it may not: {error}"))
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
    Err(Broken(sentence()))
}

/// Compares a found value with the expected one.
///
/// # Errors
/// A sentence that begins with `what`, if the values differ.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, found: &T, wanted: &T) -> Verdict {
    check(found == wanted, || {
        format!("{what} is {found:?}, but must be {wanted:?}")
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

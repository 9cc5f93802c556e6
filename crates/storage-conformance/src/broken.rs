//! Why a clause is broken.

use std::any::Any;
use std::fmt::{self, Debug, Display};

use storage::StoreError;

/// What a store did wrong: it failed, or it did something other than it promises.
#[derive(Debug)]
pub struct Broken(String);

/// What a case gives.
pub type Verdict = Result<(), Broken>;

impl Broken {
    /// A broken promise, as a sentence.
    pub fn promise(sentence: impl Into<String>) -> Self {
        Self(sentence.into())
    }

    /// What a panic said.
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

/// Says `sentence` unless `holds`.
///
/// # Errors
/// The sentence.
pub(crate) fn check(holds: bool, sentence: impl FnOnce() -> String) -> Verdict {
    if holds {
        return Ok(());
    }
    Err(Broken(sentence()))
}

/// Says what was found and what is right, unless they are the same.
///
/// # Errors
/// A sentence that begins with `what`.
pub(crate) fn same<T: PartialEq + Debug>(what: &str, found: &T, wanted: &T) -> Verdict {
    check(found == wanted, || {
        format!("{what} is {found:?}, but must be {wanted:?}")
    })
}

/// What a case may give: nothing when it panics instead.
pub trait IntoVerdict {
    /// The verdict.
    ///
    /// # Errors
    /// What the store did wrong.
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

//! Cases: a promise of the contract, and its test.

use std::fmt::{self, Debug};
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};

use storage::{Capabilities, Store as _};

use crate::Harness;
use crate::areas::HarnessFor;
use crate::broken_promise::{BrokenPromise, Verdict};

/// Capability of the store that a case needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CaseNeeds {
    /// Nothing beyond the contract.
    Nothing,
    /// Rows outlive the store.
    Durable,
    /// Several processes open the same rows.
    MultiProcess,
}

impl CaseNeeds {
    const fn met_by(self, capabilities: Capabilities) -> bool {
        match self {
            Self::Nothing => true,
            Self::Durable => capabilities.durable,
            Self::MultiProcess => capabilities.multi_process,
        }
    }
}

/// A case of a suite. It returns the broken promise, or panics with it.
///
/// The check is on an [`AreaHarness`](crate::areas::AreaHarness), which is `H`. For a case of the suite of the store,
/// `H` is the adapter's harness.
pub struct ConformanceCase<H: ?Sized> {
    /// The number and the text of the clause, such as `s02_an_error_undoes_the_whole_closure`.
    pub name: &'static str,
    /// The kind of record under test, for a clause of all records; empty for other clauses.
    pub kind: &'static str,
    /// Capability that the store needs for the case to make sense.
    pub needs: CaseNeeds,
    /// The check. It gets an empty store.
    pub check: fn(&mut H) -> Verdict,
}

impl<H: ?Sized> Debug for ConformanceCase<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Case")
            .field("name", &self.name)
            .field("kind", &self.kind)
            .field("needs", &self.needs)
            .finish_non_exhaustive()
    }
}

impl<H: ?Sized> ConformanceCase<H> {
    /// True if the capabilities of the store behind `harness` rule the case out.
    fn is_skipped(&self, harness: &impl Harness) -> bool {
        !self.needs.met_by(harness.store().capabilities())
    }

    /// Checks the case on the empty store of `harness`.
    ///
    /// # Errors
    /// The broken promise, including a panic of the case.
    pub fn verdict(&self, harness: &mut H) -> Verdict {
        catch_unwind(AssertUnwindSafe(|| (self.check)(harness)))
            .unwrap_or_else(|payload| Err(BrokenPromise::of_panic(payload.as_ref())))
    }

    /// The number of the clause, and its promise in words.
    fn clause(&self) -> (&'static str, String) {
        let (number, words) = self.name.split_once('_').unwrap_or((self.name, ""));
        (number, words.replace('_', " "))
    }
}

/// Runs the case with this name on a fresh store.
///
/// # Panics
/// With the clause and the store's fault, if the promise is broken; if no case has the name; and, where `CI` is set, if
/// the harness has no server.
pub fn run<H: HarnessFor<V>, V: ?Sized>(cases: &[ConformanceCase<V>], name: &str) {
    run_of::<H, V>(cases, "", name);
}

/// Runs the case with this name for a kind of record, as [`run`] does.
///
/// # Panics
/// As [`run`] does.
pub fn run_of<H: HarnessFor<V>, V: ?Sized>(cases: &[ConformanceCase<V>], kind: &str, name: &str) {
    let mut cases = cases.iter();
    let case = cases.find(|case| (case.kind, case.name) == (kind, name));
    let case = case.unwrap_or_else(|| panic!("no case {name} of {kind:?}"));
    let Some(mut harness) = fresh::<H>(name) else {
        return;
    };
    if case.is_skipped(&harness) {
        println!("skipped: the store is not declared to be {:?}", case.needs);
    } else if let Err(broken) = case.verdict(harness.view()) {
        let (number, promise) = case.clause();
        panic!("the store breaks clause {number} ({promise}): {broken}");
    }
}

/// Checks that the store's capabilities rule out exactly the `declared` cases.
///
/// # Panics
/// If the cases differ; and, where `CI` is set, if the harness has no server.
pub fn check_skips<H: HarnessFor<V>, V: ?Sized>(cases: &[ConformanceCase<V>], declared: &[&str]) {
    let Some(harness) = fresh::<H>("the skipped cases") else {
        // The test harness hides the output of passing tests, so this goes directly to standard error, once per suite.
        // A failed write only loses the line.
        let _ = writeln!(std::io::stderr().lock(), "skipped: {NO_SERVER}: a suite");
        return;
    };
    let skipped = cases.iter().filter(|case| case.is_skipped(&harness));
    let mut names: Vec<&str> = Vec::new();
    for case in skipped {
        // A clause of all records is declared once.
        if !names.contains(&case.name) {
            names.push(case.name);
        }
    }
    assert_eq!(
        names, declared,
        "the skipped cases differ from the declared ones"
    );
}

/// True if a missing server is a fault.
#[expect(
    clippy::disallowed_methods,
    reason = "tests read their environment directly"
)]
fn is_ci() -> bool {
    let set = std::env::var("CI").unwrap_or_default();
    !matches!(set.as_str(), "" | "0" | "false")
}

/// Reason for skipping a whole suite.
const NO_SERVER: &str = "this machine has no server for the store";

/// Returns an empty store, or reports that there is no server for one.
fn fresh<H: Harness>(name: &str) -> Option<H> {
    let harness = H::fresh();
    if harness.is_none() {
        assert!(!is_ci(), "no server for the store of {name}, and CI is set");
        println!("skipped: {NO_SERVER}");
    }
    harness
}

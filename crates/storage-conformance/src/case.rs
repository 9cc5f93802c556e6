//! One promise of the contract, and how it is put to the test.

use storage::{Capabilities, Store as _};

use crate::Harness;

/// What a case needs a store to be capable of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needs {
    /// Nothing beyond the contract.
    Nothing,
    /// Rows outlive the store.
    Durable,
    /// Several processes open the same rows.
    MultiProcess,
}

impl Needs {
    const fn met_by(self, capabilities: Capabilities) -> bool {
        match self {
            Self::Nothing => true,
            Self::Durable => capabilities.durable,
            Self::MultiProcess => capabilities.multi_process,
        }
    }
}

/// A case of a suite. It panics when the promise is broken.
#[derive(Debug)]
pub struct Case<H> {
    /// The clause and what it says, such as `s02_an_error_undoes_the_whole_closure`.
    pub name: &'static str,
    /// What a store must be capable of for the case to make sense.
    pub needs: Needs,
    /// The check. The store that it is given is empty.
    pub check: fn(&mut H),
}

impl<H: Harness> Case<H> {
    /// Whether the capabilities of the store behind `harness` rule the case out.
    fn is_skipped(&self, harness: &H) -> bool {
        !self.needs.met_by(harness.store().capabilities())
    }
}

/// Runs the case with this name on a fresh store.
///
/// # Panics
/// If the promise is broken, and if no case has the name.
pub fn run<H: Harness>(cases: &[Case<H>], name: &str) {
    let case = cases.iter().find(|case| case.name == name);
    let case = case.unwrap_or_else(|| panic!("there is no case {name}"));
    let Some(mut harness) = H::fresh() else {
        return;
    };
    if case.is_skipped(&harness) {
        println!("skipped: the store is not declared to be {:?}", case.needs);
    } else {
        (case.check)(&mut harness);
    }
}

/// Checks that the cases that a store's capabilities rule out are exactly the `declared` ones.
///
/// # Panics
/// If they are not.
pub fn check_skips<H: Harness>(cases: &[Case<H>], declared: &[&str]) {
    let Some(harness) = H::fresh() else { return };
    let skipped = cases.iter().filter(|case| case.is_skipped(&harness));
    let names: Vec<&str> = skipped.map(|case| case.name).collect();
    assert_eq!(
        names, declared,
        "the cases that are skipped, against those declared"
    );
}

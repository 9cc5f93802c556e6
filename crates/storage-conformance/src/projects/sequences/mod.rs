//! Sequences of changes of groups, projects, roles and shares: after each one the store must agree with a simple model.

mod changes;
mod checks;
mod contents;
mod deletions;
mod model;
mod roles;
mod step;
mod world;

use api_conventions::ids::UserId;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use crate::areas::{AreaHarness, Projects};
use crate::broken_promise::{BrokenPromise, Verdict, check};
use step::{SequenceStep, sequences};
use world::World;

/// Default seed of the random sequences, so that a failure can be reproduced. `PROPTEST_RNG_SEED` overrides it.
const SEED: u64 = 20_240_301;
/// Divisor of proptest's number of cases (`PROPTEST_CASES`), because each case takes some thirty transactions.
const CASES_DIVISOR: u32 = 8;

pub(super) fn p91_invariants_hold_after_any_sequence_of_changes(
    harness: &mut AreaHarness<Projects>,
) -> Verdict {
    let people = harness.people();
    let defaults = Config::default();
    let config = Config {
        cases: (defaults.cases / CASES_DIVISOR).max(1),
        max_shrink_iters: if harness.shortens_failures() { 400 } else { 0 },
        failure_persistence: None,
        rng_seed: match defaults.rng_seed {
            RngSeed::Random => RngSeed::Fixed(SEED),
            given @ RngSeed::Fixed(_) => given,
        },
        ..defaults
    };
    let seed = config.rng_seed;
    let harness = &*harness;
    let played = TestRunner::new(config).run(&sequences(), |steps| {
        let played = play(harness, people, &steps);
        played.map_err(|broken| TestCaseError::fail(broken.to_string()))
    });
    played.map_err(|error| match error {
        TestError::Fail(reason, steps) => {
            BrokenPromise::new(format!("{reason}, after {steps:?} ({seed:?})"))
        }
        TestError::Abort(reason) => BrokenPromise::new(reason.to_string()),
    })
}

/// Plays a sequence on the store. Clears the store first, so that earlier sequences have no effect.
fn play(harness: &AreaHarness<Projects>, people: [UserId; 3], steps: &[SequenceStep]) -> Verdict {
    let mut world = World::new(harness.store(), people)?;
    world.clear()?;
    check_references(harness)?;
    for step in steps {
        world.play(step)?;
    }
    world.check()?;
    check_references(harness)
}

/// Checks that no row refers to a missing one.
fn check_references(harness: &AreaHarness<Projects>) -> Verdict {
    let dangling = harness.dangling_rows();
    check(dangling.is_empty(), || {
        format!("these rows reference missing rows: {}", dangling.join("; "))
    })
}

//! Sequences of changes of groups, projects, roles and shares: after each one the store must agree with a simple model.

mod changes;
mod checks;
mod contents;
mod deletions;
mod model;
mod rights;
mod step;
mod world;

use api_conventions::ids::UserId;
use proptest::test_runner::{Config, RngSeed, TestCaseError, TestError, TestRunner};

use crate::areas::{AreaHarness, Projects};
use crate::broken::{Broken, Verdict, check};
use step::{Step, sequences};
use world::World;

/// Default seed of the random sequences, so that a failure can be reproduced. `PROPTEST_RNG_SEED` overrides it.
const SEED: u64 = 20_240_301;
/// Divisor of proptest's number of cases (`PROPTEST_CASES`), because each case takes some thirty transactions.
const FEWER: u32 = 8;

pub(super) fn p91_any_sequence_of_changes_leaves_what_it_must(
    harness: &mut AreaHarness<Projects>,
) -> Verdict {
    let people = harness.people();
    let asked = Config::default();
    let config = Config {
        cases: (asked.cases / FEWER).max(1),
        max_shrink_iters: 400,
        failure_persistence: None,
        rng_seed: match asked.rng_seed {
            RngSeed::Random => RngSeed::Fixed(SEED),
            given @ RngSeed::Fixed(_) => given,
        },
        ..asked
    };
    let seed = config.rng_seed;
    let harness = &*harness;
    let played = TestRunner::new(config).run(&sequences(), |steps| {
        let played = play(harness, people, &steps);
        played.map_err(|broken| TestCaseError::fail(broken.to_string()))
    });
    played.map_err(|error| match error {
        TestError::Fail(reason, steps) => {
            Broken::promise(format!("{reason}, after {steps:?} ({seed:?})"))
        }
        TestError::Abort(reason) => Broken::promise(reason.to_string()),
    })
}

/// Plays a sequence on the store. Clears the store first, so that earlier sequences have no effect.
fn play(harness: &AreaHarness<Projects>, people: [UserId; 3], steps: &[Step]) -> Verdict {
    let mut world = World::new(harness.store(), people)?;
    world.clear()?;
    nothing_dangles(harness)?;
    for step in steps {
        world.play(step)?;
    }
    world.check()?;
    nothing_dangles(harness)
}

/// Checks that no row refers to a missing one.
fn nothing_dangles(harness: &AreaHarness<Projects>) -> Verdict {
    let dangling = harness.dangling_rows();
    check(dangling.is_empty(), || {
        format!("these rows point to nothing: {}", dangling.join("; "))
    })
}

//! Tests of the conformance suite itself: the clause that forbids a fault catches a store with that fault.
//!
//! A saboteur is the embedded database with one structural fault: in how transactions are rolled back, answered,
//! grouped and isolated, or in how lists are split into pages. Each is run against the cases that must catch it.
//! `cargo xtask mutants`, which changes the store itself, tests whether single methods are covered.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    reason = "a test that panics is a test that fails"
)]

mod accounts;
mod alerts;
mod batches;
mod errors;
mod fault_injection;
mod feed;
mod grants;
mod issues;
mod members;
mod places;
mod projects;
mod revocation;
mod store;
mod tokens;

use std::collections::BTreeSet;
use std::sync::Arc;

use fault_injection::{FaultyHarness, NoFault, Saboteur};
use storage_conformance::areas::HarnessFor;
use storage_conformance::{ConformanceCase, Verdict};

/// Case of any suite.
struct SabotagedCase {
    name: &'static str,
    verdict: Box<dyn Fn(&mut FaultyHarness) -> Verdict>,
}

/// Returns the cases of a suite, on stores with a fault.
fn sabotaged<V: ?Sized + 'static>(
    cases: Vec<ConformanceCase<V>>,
) -> impl Iterator<Item = SabotagedCase>
where
    FaultyHarness: HarnessFor<V>,
{
    cases.into_iter().map(|case| SabotagedCase {
        name: case.name,
        verdict: Box::new(move |harness| case.verdict(harness.view())),
    })
}

/// Returns the cases of all suites.
fn all_cases() -> Vec<SabotagedCase> {
    let cases = sabotaged(storage_conformance::store::cases::<FaultyHarness>())
        .chain(sabotaged(storage_conformance::accounts::cases()))
        .chain(sabotaged(storage_conformance::sign_in::cases()))
        .chain(sabotaged(storage_conformance::projects::cases()))
        .chain(sabotaged(storage_conformance::alerts::cases()))
        .chain(sabotaged(storage_conformance::incidents::cases()))
        .chain(sabotaged(storage_conformance::silences::cases()))
        .chain(sabotaged(storage_conformance::errors::cases()))
        .chain(sabotaged(storage_conformance::pipelines::cases()))
        .chain(sabotaged(storage_conformance::events::cases()))
        .chain(sabotaged(storage_conformance::deprecations::cases()))
        .chain(sabotaged(storage_conformance::notifications::cases()))
        .chain(sabotaged(storage_conformance::on_call::cases()))
        .chain(sabotaged(storage_conformance::oauth::cases()))
        .chain(sabotaged(storage_conformance::cross::cases()));
    cases.collect()
}

/// True if a case passes on an empty store with the fault of the saboteur.
fn passes(case: &SabotagedCase, saboteur: &Arc<dyn Saboteur>) -> bool {
    let mut harness = FaultyHarness::of(saboteur);
    (case.verdict)(&mut harness).is_ok()
}

/// Number of attempts of a clause.
/// A saboteur of races needs two threads at the same place, and on a busy machine they may run one after the other.
const TRIES: usize = 10;

/// Checks that each of the clauses catches the saboteur.
#[track_caller]
fn caught_by(saboteur: &Arc<dyn Saboteur>, clauses: &[&str]) {
    let cases = all_cases();
    for clause in clauses {
        // A clause of all records exists once for each kind.
        let named = cases.iter().filter(|case| case.name.starts_with(clause));
        let named: Vec<&SabotagedCase> = named.collect();
        assert!(!named.is_empty(), "unknown clause {clause}");
        let is_caught = (0..TRIES).any(|_| named.iter().any(|case| !passes(case, saboteur)));
        assert!(is_caught, "{clause} does not detect the fault");
    }
}

/// Generates a test for each saboteur.
macro_rules! saboteurs {
    ($($test:ident: $saboteur:path => [ $($clause:literal),+ $(,)? ];)+) => {
        $(
            #[test]
            fn $test() {
                let saboteur: Arc<dyn Saboteur> = Arc::new($saboteur);
                caught_by(&saboteur, &[$($clause),+]);
            }
        )+
    };
}

saboteurs! {
    an_error_that_undoes_nothing: store::ForgetsRollback => [
        "s02", "s11", "s21", "a09", "a26", "a27", "a33", "c25", "d02", "e09", "j03", "j22", "j32", "j42", "j62", "l05", "l11", "m03", "m32", "o04", "o16", "o35", "o45", "r03",
        "t05", "t12", "t32", "t44", "t62", "x02", "x11",
    ];
    a_write_that_is_not_kept: store::LosesWrites => ["s01", "s08", "s14", "s20"];
    an_error_that_is_replaced: store::ReplacesErrors => ["s02", "s05"];
    a_panic_that_breaks_the_store: store::StaysBroken => ["s03"];
    an_answer_before_the_commit: store::AcknowledgesEarly => ["s08"];
    a_dropped_pending_that_cancels: store::CancelsDropped => ["s06"];
    an_answer_that_never_comes: store::NeverAnswers => ["s07"];
    a_failure_that_spreads: store::FailsNeighbours => ["s11", "s13"];
    grouped_work_that_is_run_twice: store::DoublesGroupedWork => ["s12"];
    statements_that_commit_alone: store::CommitsEachFeedEntry => ["s10", "x01", "x03"];
    queries_outside_the_transaction: store::ReadsCommittedRows => ["s04", "s09"];
    checks_that_wait_for_lists: store::KeepsOneLane => ["s15", "s16"];
    a_caller_who_holds_every_reader: store::ServesInOrder => ["s16"];
    a_reopened_store_that_is_empty: store::ForgetsOnReopen => [
        "s20", "c40", "d12", "e10", "j10", "j28", "j47", "j67", "l44", "m63", "o70", "o71", "r14", "t19", "t41", "t96",
    ];
    a_second_process_on_its_own: store::OpensAnother => ["s22", "s23"];
    updates_that_are_lost: store::LosesUpdates => [
        "a06", "a22", "a25", "c14", "c16", "c22", "d10", "j06", "j33", "l04", "l10", "l45", "m06", "m21", "o14", "o15", "o24", "o33", "o44", "o65", "p05",
        "r05", "r06", "r07", "r08", "r09", "t03", "t14", "t15", "t34", "t35", "t43", "t53", "t63", "t87",
    ];
    revocations_that_come_late: accounts::ListsRevocationsLate => ["a34"];
    changes_that_ignore_locks: revocation::IgnoresLocks => ["c51", "c52"];
    a_row_on_two_pages: projects::RepeatsRows => ["p24"];
    a_walk_that_starts_anew: projects::RestartsKeyset => ["p26"];
    private_groups_for_everybody: places::ShowsEveryGroup => ["p74", "p91"];
    a_walk_of_groups_that_starts_anew: places::RestartsGroups => ["p76"];
    groups_that_lose_their_parent: places::UprootsGroups => ["p72", "p91"];
    a_group_whose_inside_is_unknown: places::IgnoresGroupContents => ["p78"];
    doomed_things_that_are_found: places::FindsPendingDeletions => ["p85", "p91"];
    a_deletion_that_is_cancelled_in_words: places::FakesCancellation => ["p86", "p87", "p91"];
    a_deletion_that_begins_too_early: places::BeginsTooEarly => ["p87"];
    a_deletion_in_one_go: places::DeletesInOneGo => ["p88"];
    groups_that_outlive_their_deletion: places::LeavesEmptyGroups => ["p88", "p91"];
    deletions_in_the_wrong_order: places::ReversesDeletions => ["p89"];
    roles_that_count_for_ever: members::IgnoresExpiry => ["p12", "p43", "p91"];
    shares_that_lift_roles: members::LiftsSharedRoles => ["p41", "p91"];
    a_project_shared_twice: members::SharesTwice => ["p40"];
    roles_below_that_stay: members::LeavesRolesBelow => ["p33", "p90"];
    owners_everywhere: members::FindsOwnersEverywhere => ["p34", "p36"];
    a_lock_on_nothing: members::LocksNothing => ["p35", "p90", "p91"];
    expired_roles_beyond_the_limit: members::TakesAllExpired => ["p37"];
    inherited_roles_that_are_missing: members::ListsDirectMembersOnly => ["p31", "p42"];
    confidential_issues_for_everybody: issues::ShowsConfidentialIssues => ["i14"];
    counts_of_what_is_hidden: issues::CountsHiddenIssues => ["i13", "i14"];
    an_issue_found_in_another_project: issues::MixesUpIssues => ["i02"];
    numbers_with_gaps: issues::SkipsNumbers => ["i10"];
    numbers_that_are_given_although_left_out: issues::GivesSkippedNumbers => ["i18"];
    changes_that_only_add: issues::AddsOnly => ["i04"];
    internal_notes_for_everybody: issues::ShowsInternalNotes => ["n10"];
    a_note_changed_on_another_thing: issues::ChangesAnyNote => ["n04"];
    a_note_deleted_again: issues::DeletesAgain => ["n05"];
    a_log_that_starts_anew: accounts::RestartsTheLog => ["c62"];
    a_log_that_is_cut: accounts::CutsTheLog => ["c63"];
    a_log_without_times: accounts::IgnoresTimesOfTheLog => ["a45"];
    a_log_of_every_kind: accounts::MixesKindsOfTheLog => ["a44"];
    an_alert_found_in_another_project: alerts::MixesUpProjects => ["l02"];
    ties_that_break_one_way: alerts::BreaksTiesUpwards => ["l33", "l37"];
    a_last_row_that_is_missing: alerts::DropsTheLastRow => ["l34"];
    a_total_that_is_cut: alerts::CutsTotals => ["l35"];
    an_event_stored_twice: errors::ForgetsEvents => ["t68", "t53"];
    thinning_that_forgets_the_id: errors::ForgetsPrunedEvents => ["t71"];
    users_counted_by_key: errors::CountsUsersByKey => ["t48", "t89"];
    a_merge_that_loses_events: errors::LosesEventsOfMerged => ["t89", "t90"];
    a_key_that_is_counted_with_its_old_error: errors::CountsBothTogether => ["t91"];
    an_error_locked_in_another_project: errors::MixesUpErrors => ["t85"];
    a_deleted_key_that_is_still_found: errors::KeepsTheKey => ["t14", "t21"];
    a_link_that_is_not_taken_away: errors::KeepsTheLink => ["t06"];
    tallies_that_are_overwritten: errors::OverwritesCounters => ["t75", "t69"];
    tokens_that_outlive_their_grant: grants::LeavesTokens => ["o50", "o51", "o53", "o54"];
    a_rotation_after_the_end: tokens::IgnoresRevocation => ["o43", "o53"];
    an_order_that_is_lost: batches::LosesTheOrder => ["o46"];
    codes_redeemed_together_again: batches::RedeemsTwiceInGroup => ["o36", "o37"];
    pairs_rotated_together_again: batches::RotatesTwiceInGroup => ["o47", "o48"];
    a_user_who_is_blocked_bit_by_bit: revocation::CommitsEachStatement => ["x11", "x12"];
    a_feed_of_another_project: feed::MixesUpProjects => ["e03"];
    rights_applied_after_the_limit: feed::FiltersAfterTheLimit => ["e04"];
    a_page_without_a_next: feed::EndsEarly => ["e07"];
    entries_beyond_a_thousand_that_are_lost: feed::CutsBatches => ["e08"];
}

#[test]
fn a_store_without_a_fault_is_never_caught() {
    let no_fault: Arc<dyn Saboteur> = Arc::new(NoFault);
    for case in all_cases() {
        assert!(
            passes(&case, &no_fault),
            "{} fails without a fault",
            case.name
        );
    }
}

#[test]
fn a_failed_clause_describes_the_fault_of_the_store() {
    let saboteurs: [(Arc<dyn Saboteur>, &str, &str); 3] = [
        (
            Arc::new(feed::EndsEarly),
            "e07",
            "the next-page flag is false, but must be true",
        ),
        (
            Arc::new(store::NeverAnswers),
            "a09",
            "the store returned an unexpected error: the store is unavailable (work was dropped before it completed)",
        ),
        // A panic reports the same, with both values.
        (
            Arc::new(alerts::BreaksTiesUpwards),
            "l33",
            "Severity descending\n  left: [2, 3, 1, 4]\n right: [2, 1, 3, 4]",
        ),
    ];
    for (saboteur, clause, sentence) in saboteurs {
        let cases = all_cases();
        let mut named = cases.iter().filter(|case| case.name.starts_with(clause));
        let case = named.next().unwrap();
        let broken = (case.verdict)(&mut FaultyHarness::of(&saboteur));
        assert!(
            broken.unwrap_err().to_string().contains(sentence),
            "{clause}"
        );
    }
}

#[test]
fn every_clause_is_documented_in_the_storage_contract() {
    let written = include_str!("../../../../docs/storage-contract.md");
    let clauses: BTreeSet<&str> = written
        .lines()
        .filter_map(|line| line.strip_prefix("| ")?.split_once(" |"))
        .map(|(clause, _)| clause)
        .filter(|clause| *clause != "clause")
        .collect();
    let cases = all_cases();
    let proven: BTreeSet<&str> = cases
        .iter()
        .filter_map(|case| case.name.split('_').next())
        .collect();
    assert_eq!(clauses, proven);
}

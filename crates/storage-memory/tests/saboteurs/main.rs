//! The conformance suite proves itself: a store with one fault is caught by the clause that forbids the fault.
//!
//! A saboteur is the store in memory with one thing done wrong. Each is run against the cases that must catch it,
//! and a case that no saboteur can make fail would prove nothing, so there is none.

#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::panic,
    reason = "a test that panics is a test that fails"
)]

mod accounts;
mod alerts;
mod applications;
mod batches;
mod credentials;
mod fault_injection;
mod feed;
mod grants;
mod projects;
mod revocation;
mod sessions;
mod store;
mod tokens;

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use fault_injection::{FaultyHarness, NoFault, Saboteur};
use storage_conformance::Case;

/// The cases of all suites.
fn all_cases() -> Vec<Case<FaultyHarness>> {
    let mut cases = storage_conformance::store::cases();
    cases.extend(storage_conformance::accounts::cases());
    cases.extend(storage_conformance::sign_in::cases());
    cases.extend(storage_conformance::projects::cases());
    cases.extend(storage_conformance::alerts::cases());
    cases.extend(storage_conformance::events::cases());
    cases.extend(storage_conformance::oauth::cases());
    cases.extend(storage_conformance::cross::cases());
    cases
}

/// Whether a case passes on an empty store with the fault of the saboteur.
fn passes(case: &Case<FaultyHarness>, saboteur: &Arc<dyn Saboteur>) -> bool {
    let mut harness = FaultyHarness::of(saboteur);
    catch_unwind(AssertUnwindSafe(|| (case.check)(&mut harness))).is_ok()
}

/// Checks that each of the clauses catches the saboteur.
#[track_caller]
fn caught_by(saboteur: &Arc<dyn Saboteur>, clauses: &[&str]) {
    let cases = all_cases();
    for clause in clauses {
        let mut named = cases.iter().filter(|case| case.name.starts_with(clause));
        let case = named
            .next()
            .unwrap_or_else(|| panic!("there is no clause {clause}"));
        assert!(!passes(case, saboteur), "{} does not catch it", case.name);
    }
}

/// Makes a test of each saboteur, and the list of all clauses that catch one.
macro_rules! saboteurs {
    ($($test:ident: $saboteur:path => [ $($clause:literal),+ $(,)? ];)+) => {
        $(
            #[test]
            fn $test() {
                let saboteur: Arc<dyn Saboteur> = Arc::new($saboteur);
                caught_by(&saboteur, &[$($clause),+]);
            }
        )+

        const CATCHING: &[&[&str]] = &[ $( &[$($clause),+] ),+ ];
    };
}

saboteurs! {
    an_error_that_undoes_nothing: store::ForgetsRollback => [
        "s02", "s11", "s21", "a26", "a33", "c25", "l05", "o35", "o45", "x02", "x11",
    ];
    a_write_that_is_not_kept: store::LosesWrites => ["s01", "s08", "s14", "s20"];
    an_error_that_is_replaced: store::ReplacesErrors => ["s02", "s05"];
    a_panic_that_breaks_the_store: store::StaysBroken => ["s03"];
    an_answer_before_the_commit: store::AcknowledgesEarly => ["s08"];
    a_dropped_pending_that_cancels: store::CancelsDropped => ["s06"];
    an_answer_that_never_comes: store::LosesTheAnswer => ["s07"];
    a_failure_that_spreads: store::FailsNeighbours => ["s11", "s13"];
    grouped_work_that_is_run_twice: store::DoublesGroupedWork => ["s12"];
    statements_that_commit_alone: store::CommitsEachStatement => ["s10", "x01", "x03"];
    queries_outside_the_transaction: store::LooksElsewhere => ["s04", "s09"];
    checks_that_wait_for_lists: store::KeepsOneLane => ["s15", "s16"];
    a_caller_who_holds_every_reader: store::ServesWhoCameFirst => ["s16"];
    a_reopened_store_that_is_empty: store::ForgetsOnReopen => ["s20", "c40", "l44", "o70"];
    a_second_process_on_its_own: store::OpensAnother => ["s22", "s23"];

    names_that_are_trimmed: accounts::TrimsNames => ["a01"];
    absence_that_is_an_error: accounts::FailsOnAbsence => ["a02"];
    usernames_with_wildcards: accounts::MatchesWildcards => ["a03"];
    usernames_that_differ_in_case: accounts::MindsCase => ["a03", "a04"];
    addresses_that_are_shared: accounts::SharesAddresses => ["a05"];
    names_that_two_racers_get: accounts::LetsBothWin => ["a04", "a06"];
    users_listed_as_often_as_asked: accounts::ListsRepeats => ["a07"];
    a_second_bot: accounts::LetsInASecondBot => ["a08"];
    scopes_that_are_lost: accounts::LosesScopes => ["a20"];
    digests_that_are_shared: accounts::SharesDigests => ["a21"];
    a_token_revoked_again: accounts::RevokesAgain => ["a22"];
    use_noted_for_the_first_token_only: accounts::NotesTheFirstUse => ["a23"];
    an_epoch_that_two_raises_share: accounts::SharesEpochs => ["a24", "a25"];
    one_revocation_of_many: accounts::KeepsTheFirstRevocation => ["a30"];
    an_epoch_that_is_listed_again: accounts::ListsTheEpochItself => ["a31"];
    a_list_of_revocations_without_its_beginning: accounts::ListsTheLastRevocations => ["a31"];
    an_epoch_too_many_that_is_forgotten: accounts::ForgetsOneEpochMore => ["a32"];
    revocations_that_come_late: accounts::ListsRevocationsLate => ["a34"];

    passwords_that_are_lost: credentials::LosesPasswords => ["c01"];
    a_change_to_nobody: credentials::KnowsEverybody => ["c02"];
    addresses_whose_case_matters: credentials::MindsCaseOfAddresses => ["c03"];
    an_impostor_s_address: credentials::PrefersAddresses => ["c04"];
    a_bot_that_signs_in: credentials::LetsBotsIn => ["c05"];
    a_password_for_everybody: credentials::ChangesEveryPassword => ["c06"];
    a_block_that_stays: credentials::BlocksForGood => ["c07"];
    sealed_secrets_that_are_cut: credentials::CutsSecrets => ["c10"];
    a_second_factor_that_one_query_hides: credentials::HidesTheFactor => ["c10"];
    steps_of_the_factor_before: credentials::KeepsTheLastStep => ["c11"];
    a_second_factor_that_stays_on: credentials::LeavesTheFactorOn => ["c12"];
    a_step_before_the_last: credentials::AllowsEarlierSteps => ["c13"];
    what_is_spent_again: credentials::SpendsAgain => ["c13", "c14", "c15", "c16"];
    a_recovery_code_of_another: credentials::SharesRecoveryCodes => ["c15"];
    recovery_codes_that_stay: credentials::KeepsOldCodes => ["c17"];
    one_count_for_all: credentials::CountsTogether => ["c20"];
    a_window_that_never_ends: credentials::NeverBeginsAnew => ["c21", "c22"];
    a_failure_that_is_not_counted: credentials::LosesCounts => ["c22"];
    failures_forgotten_for_all: credentials::ForgetsAllFailures => ["c23"];
    failures_deleted_early: credentials::DeletesFailuresEarly => ["c24"];

    browsers_whose_names_are_cut: sessions::CutsAgents => ["c30"];
    a_session_that_two_share: sessions::SharesSessions => ["c31"];
    a_cookie_that_outlives_renewal: sessions::KeepsTheOldCookie => ["c31", "c32"];
    use_noted_for_the_first_session_only: sessions::NotesTheFirstUse => ["c33"];
    sessions_whose_ties_break_upwards: sessions::BreaksTiesUpwards => ["c34"];
    a_session_that_ends_again: sessions::EndsAgain => ["c02", "c35"];
    a_session_that_is_not_spared: sessions::SparesNobody => ["c36"];
    unused_sessions_that_stay: sessions::SparesTheUnused => ["c37"];
    more_sessions_than_the_limit: sessions::KnowsNoLimit => ["c37"];
    a_session_with_the_id_of_another: sessions::GivesIdsAgain => ["c38"];
    a_session_locked_beyond_its_end: sessions::LocksAnySession => ["c50"];
    a_lock_on_nobody: credentials::LocksAnybody => ["c50"];
    changes_that_ignore_locks: revocation::IgnoresLocks => ["c51", "c52"];

    a_subgroup_without_its_parent: projects::LosesParents => ["p01"];
    long_texts_that_are_cut: projects::CutsDescriptions => ["p02"];
    a_project_found_as_a_namespace: projects::MixesUpKinds => ["p03"];
    a_namespace_on_a_project_s_path: projects::AllowsNamespaceOnProject => ["p04"];
    a_path_that_two_racers_get: projects::LetsBothWin => ["p04", "p05"];
    activity_noted_late: projects::NotesActivityLate => ["p06"];
    names_without_those_above: projects::NamesInnermostOnly => ["p07"];
    activity_noted_once_for_all: projects::NotesTheLatestActivity => ["p06"];
    owners_that_are_less: projects::DemotesOwners => ["p10"];
    roles_in_groups_that_are_lost: projects::LosesGroupRoles => ["p11", "p13"];
    roles_that_are_not_told_apart: projects::MergesRoles => ["p14"];
    groups_without_those_below_them: projects::ForgetsSubgroups => ["p15"];
    inherited_groups_as_direct_ones: projects::MakesEveryGroupDirect => ["p15"];
    roles_that_last_a_day_too_long: projects::ExtendsRoles => ["p12", "p15", "p25"];
    strangers_that_see_what_is_internal: projects::TrustsStrangers => ["p20"];
    a_filter_that_is_ignored: projects::IgnoresOwned => ["p21"];
    a_time_that_is_ignored: projects::IgnoresActivity => ["p21"];
    a_search_with_wildcards: projects::SearchesWildcards => ["p22"];
    names_sorted_by_their_bytes: projects::SortsBytes => ["p23"];
    a_row_on_two_pages: projects::RepeatsRows => ["p24"];
    a_walk_that_starts_anew: projects::StartsAnew => ["p26"];

    payloads_that_are_cut: alerts::CutsPayloads => ["l01"];
    an_alert_found_in_another_project: alerts::MixesUpProjects => ["l02"];
    numbers_that_are_used_again: alerts::ReusesNumbers => ["l03", "l04"];
    a_conflict_that_is_hidden: alerts::HidesConflicts => ["l06"];
    identities_of_one_project_only: alerts::AnswersForOneProject => ["l07"];
    deliveries_that_count_twice: alerts::CountsTwice => ["l08", "l10"];
    a_long_list_that_is_cut: alerts::CutsBatches => ["l09"];
    a_change_without_its_moment: alerts::LosesTheMoment => ["l20"];
    a_change_of_nothing: alerts::AlwaysChanged => ["l21", "l22"];
    an_end_that_moves: alerts::MovesTheEnd => ["l08", "l23"];
    a_list_that_tells_less: alerts::ListsLess => ["l30"];
    a_filter_of_severity_that_is_ignored: alerts::IgnoresSeverity => ["l31"];
    a_search_of_alerts_with_wildcards: alerts::SearchesWildcards => ["l32"];
    ties_that_break_one_way: alerts::BreaksTiesUpwards => ["l33"];
    a_last_row_that_is_missing: alerts::DropsTheLastRow => ["l34"];
    a_total_that_is_cut: alerts::CutsTotals => ["l35"];
    a_search_of_what_is_prepared_only: alerts::SearchesWhatIsPrepared => ["l36"];
    an_endpoint_that_is_always_active: alerts::ActivatesEndpoints => ["l40"];
    an_identifier_that_two_share: alerts::SharesIdentifiers => ["l41"];
    notes_that_are_lost: alerts::LosesNotes => ["l42"];
    receipts_upside_down: alerts::TurnsReceipts => ["l43"];
    a_change_that_is_lost_when_the_clock_goes_back: alerts::LosesEarlierChanges => ["l24"];
    starts_that_nobody_stated: alerts::InsertsAsStated => ["l01", "l07"];
    later_starts_that_nobody_stated: alerts::AdvancesAsStated => ["l08"];
    answers_without_titles: alerts::CutsAnswers => ["l50"];
    answers_of_another_endpoint: alerts::MixesUpEndpoints => ["l50"];
    an_answer_that_is_never_replaced: alerts::KeepsTheFirstAnswer => ["l51"];
    answers_deleted_early: alerts::DeletesAnswersEarly => ["l52"];
    more_answers_than_the_limit: alerts::KnowsNoLimit => ["l52"];

    addresses_upside_down: applications::TurnsAddresses => ["o01"];
    addresses_after_sign_out_that_are_lost: applications::LosesAddressesAfterSignOut => ["o01", "o04"];
    a_change_of_no_application: applications::ChangesNothing => ["o02"];
    a_uid_found_in_any_case: applications::FindsInAnyCase => ["o03"];
    a_uid_that_two_share: applications::SharesUids => ["o03"];
    a_secret_that_changes_along: applications::RenewsTheSecretToo => ["o04"];
    a_secret_that_stays: applications::KeepsTheSecret => ["o05"];
    an_application_that_takes_too_much: applications::TakesTooMuch => ["o06"];
    an_owner_that_is_lost: applications::ForgetsTheOwner => ["o01", "o07"];
    applications_whose_ties_break_downwards: applications::ListsByAge => ["o07", "o08"];
    pages_of_applications_that_end_early: applications::EndsEarly => ["o08"];
    authority_without_an_end: applications::AuthorizesForGood => ["o10"];
    authorized_applications_by_name: applications::ListsAuthorizedByName => ["o11"];
    consent_to_less: applications::TakesMoreForConsent => ["o12"];

    empty_states_that_are_lost: grants::ForgetsEmptyStates => ["o20"];
    a_handle_that_two_share: grants::KeepsTheFirstRequest => ["o21"];
    a_request_that_stays: grants::LooksInsteadOfTaking => ["o22", "o24"];
    an_answer_that_is_late: grants::AnswersLate => ["o23"];
    an_answer_by_another_session: grants::AnswersAnybody => ["o23"];
    nonces_that_are_lost: grants::LosesNonces => ["o30"];
    a_code_that_two_share: grants::SharesCodes => ["o31"];
    a_code_redeemed_again: grants::RedeemsAgain => ["o32", "o33", "o34"];
    tokens_that_outlive_their_grant: grants::LeavesTokens => ["o50", "o51", "o53", "o54"];
    a_grant_that_ends_again: grants::EndsAgain => ["o02", "o50"];
    a_grant_that_ends_others: grants::EndsAllOfTheUser => ["o50"];
    grants_to_any_application: grants::MindsNoApplication => ["o51"];
    redeemed_grants_that_end: grants::EndsTheRedeemedToo => ["o52"];
    more_grants_than_the_limit: grants::KnowsNoLimit => ["o55"];
    grants_deleted_early: grants::DeletesEarly => ["o55"];

    refresh_tokens_that_end_early: tokens::EndsRefreshTokensEarly => ["o40"];
    a_token_that_two_share: tokens::SharesTokens => ["o41"];
    a_pair_that_stays_current: tokens::LeavesTheOldPair => ["o42", "o43", "o44"];
    a_seed_of_the_loser: tokens::GivesTheLoserItsOwnSeed => ["o43", "o44"];
    a_rotation_after_the_end: tokens::OutrunsTheEnd => ["o43", "o53"];
    an_order_that_is_lost: batches::LosesTheOrder => ["o46"];
    codes_redeemed_together_again: batches::RedeemsTogetherAgain => ["o36", "o37"];
    pairs_rotated_together_again: batches::RotatesTogetherAgain => ["o47", "o48"];

    private_halves_that_are_cut: tokens::CutsKeys => ["o60"];
    a_generation_that_two_share: tokens::SharesGenerations => ["o61", "o65"];
    a_kid_that_two_share: tokens::HidesSharedKids => ["o62"];
    keys_listed_by_their_names: tokens::ListsKeysByTheirKids => ["o63"];
    keys_that_are_not_deleted: tokens::DeletesOneKey => ["o64"];

    an_epoch_that_stays: revocation::ForgetsTheEpoch => ["x10"];
    a_user_who_is_blocked_bit_by_bit: revocation::CommitsEachStatement => ["x11", "x12"];
    grants_that_end_with_their_session: revocation::EndsGrantsWithTheSession => ["x13"];

    titles_that_are_lost: feed::LosesTitles => ["e01"];
    entries_sorted_by_the_clock: feed::SortsByClock => ["e02"];
    a_feed_of_another_project: feed::MixesUpProjects => ["e03"];
    rights_applied_after_the_limit: feed::FiltersAfterTheLimit => ["e04"];
    a_filter_of_targets_that_is_ignored: feed::IgnoresTargets => ["e05"];
    a_day_that_is_let_in: feed::LetsTheDayIn => ["e06"];
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
fn every_clause_catches_a_saboteur() {
    let catching: BTreeSet<&str> = CATCHING.iter().copied().flatten().copied().collect();
    let idle: Vec<&str> = all_cases()
        .into_iter()
        .map(|case| case.name)
        .filter(|name| !catching.iter().any(|clause| name.starts_with(clause)))
        .collect();
    assert_eq!(idle, [""; 0], "clauses that no saboteur puts to the test");
}

#[test]
fn every_clause_stands_in_the_written_contract() {
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

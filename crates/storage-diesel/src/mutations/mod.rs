//! Mutation tests: if a change of the repositories has no effect, a clause of the contract fails.
//!
//! A change without effect still returns its usual result; only its writes are undone. So a clause that checks results
//! alone does not notice.

mod queries;
mod store;

use std::collections::{BTreeMap, BTreeSet};
use std::panic;
use std::sync::Arc;
use std::time::{Duration, Instant};

use accounts::{
    AccountRepositoryWrapper, AuditRepositoryWrapper, CredentialRepositoryWrapper,
    InvitationRepositoryWrapper, SessionRepositoryWrapper, StatusRepositoryWrapper,
};
use alert_intake::store::{
    AlertRepositoryWrapper, IncidentRepositoryWrapper, SilenceRepositoryWrapper,
};
use deprecations::UseRepositoryWrapper;
use error_tracking::store::{
    CollectRepositoryWrapper, ErrorRepositoryWrapper, MonitorRepositoryWrapper,
    SettingsRepositoryWrapper,
};
use events::EventRepositoryWrapper;
use notifications::store::{NotificationRepositoryWrapper, OnCallRepositoryWrapper};
use oauth_provider::{
    ApplicationRepositoryWrapper, GrantRepositoryWrapper, SigningKeyRepositoryWrapper,
};
use pipelines::store::{
    DeploymentRepositoryWrapper, EnvironmentRepositoryWrapper, JobRepositoryWrapper,
    PipelineRepositoryWrapper, RunnerRepositoryWrapper,
};
use projects::{
    DeletionRepositoryWrapper, GroupRepositoryWrapper, ImageRepositoriesWrapper,
    IssueRepositoryWrapper, LabelContent, MemberRepositoryWrapper, MilestoneContent,
    NoteRepositoryWrapper, ProjectRepositoryWrapper, SnippetRepositoryWrapper,
    SpamRepositoryWrapper,
};
use records::RecordRepositoryWrapper;
use storage::RepositoryMethod;
use storage_conformance::ConformanceCase;
use storage_conformance::areas::{AreaHarness, HarnessFor};

use store::{ChangeName, MutantHarness, MutantTx, Mutation};

/// Prefixes of the names of methods that change nothing: they read, or lock, and a write transaction of SQLite has the
/// whole database to itself.
const READ_PREFIXES: [&str; 4] = ["count_stored_", "find_", "list_", "lock_"];

/// Runs a case, and returns the changes that it called if it passes.
fn run_case<S: ?Sized + 'static>(
    case: &ConformanceCase<AreaHarness<S>>,
    disabled: Option<ChangeName>,
) -> Option<Vec<ChangeName>>
where
    MutantHarness: HarnessFor<AreaHarness<S>>,
{
    let mutation = Arc::new(Mutation {
        disabled,
        ..Mutation::default()
    });
    let mut harness = MutantHarness::of(&mutation);
    case.verdict(harness.view()).ok()?;
    let called = mutation.called.lock().unwrap().iter().copied().collect();
    Some(called)
}

/// Checks that some case fails for each change of the repositories of an area, if that change has no effect.
fn check<S: ?Sized + 'static>(
    cases: &[ConformanceCase<AreaHarness<S>>],
    repositories: &[&[RepositoryMethod]],
) where
    MutantHarness: HarnessFor<AreaHarness<S>>,
{
    // Silences the panics of failing cases, of which there are hundreds.
    panic::set_hook(Box::new(|_| {}));
    let mut callers =
        BTreeMap::<ChangeName, Vec<(Duration, &ConformanceCase<AreaHarness<S>>)>>::new();
    for case in cases {
        // Random sequences of many changes notice everything, but take seconds each.
        if case.name.starts_with("p91_") {
            continue;
        }
        let begun = Instant::now();
        let called = run_case(case, None);
        for change in called.unwrap_or_else(|| panic!("{} fails without a mutation", case.name)) {
            let callers = callers.entry(change).or_default();
            callers.push((begun.elapsed(), case));
        }
    }
    // Quick cases first, because one failure is enough.
    for callers in callers.values_mut() {
        callers.sort_by_key(|(took, _)| *took);
    }
    let is_unnoticed = |change: ChangeName| {
        let callers = callers.get(&change).map_or(&[][..], Vec::as_slice);
        let mut passing = callers.iter().map(|(_, case)| run_case(case, Some(change)));
        passing.all(|passed| passed.is_some())
    };
    let changes = repositories.iter().copied().flatten();
    let changes = changes.map(|method| (method.repository, method.name));
    let changes =
        changes.filter(|(_, name)| !READ_PREFIXES.iter().any(|prefix| name.starts_with(prefix)));
    // The methods of records occur for every kind, so this removes duplicates.
    let changes: BTreeSet<ChangeName> = changes.collect();
    let unnoticed = changes.into_iter().filter(|change| is_unnoticed(*change));
    let unnoticed: Vec<ChangeName> = unnoticed.collect();
    drop(panic::take_hook());
    assert_eq!(unnoticed, [], "mutations that no test detects");
}

/// Generates a test for each area, and delegates its repositories.
/// If a repository is missing, the store does not serve the area.
macro_rules! areas {
    ($($area:ident: [$($suite:ident),+], [$($repository:path),+ $(,)?];)+) => { $(
        #[test]
        fn $area() {
            let suites = vec![$(storage_conformance::$suite::cases()),+];
            check(&suites.into_iter().flatten().collect::<Vec<_>>(), &[$(<MutantTx<'_> as $repository>::METHODS),+]);
        }

        $( impl $repository for MutantTx<'_> {} )+
    )+ };
}

areas! {
    accounts: [accounts, sign_in], [
        AccountRepositoryWrapper, CredentialRepositoryWrapper, SessionRepositoryWrapper, AuditRepositoryWrapper,
        InvitationRepositoryWrapper, StatusRepositoryWrapper,
    ];
    projects: [projects], [
        ProjectRepositoryWrapper, GroupRepositoryWrapper, DeletionRepositoryWrapper, MemberRepositoryWrapper,
        IssueRepositoryWrapper, NoteRepositoryWrapper, SnippetRepositoryWrapper, SpamRepositoryWrapper, ImageRepositoriesWrapper,
        RecordRepositoryWrapper<LabelContent>,
        RecordRepositoryWrapper<MilestoneContent>,
    ];
    alerts: [alerts], [AlertRepositoryWrapper];
    incidents: [incidents], [IncidentRepositoryWrapper];
    silences: [silences], [SilenceRepositoryWrapper];
    errors: [errors], [
        SettingsRepositoryWrapper, ErrorRepositoryWrapper, CollectRepositoryWrapper, MonitorRepositoryWrapper,
    ];
    pipelines: [pipelines], [
        EnvironmentRepositoryWrapper, DeploymentRepositoryWrapper, PipelineRepositoryWrapper, JobRepositoryWrapper,
        RunnerRepositoryWrapper,
    ];
    events: [events], [EventRepositoryWrapper];
    deprecations: [deprecations], [UseRepositoryWrapper];
    notifications: [notifications], [NotificationRepositoryWrapper];
    on_call: [on_call], [OnCallRepositoryWrapper];
    oauth: [oauth], [ApplicationRepositoryWrapper, GrantRepositoryWrapper, SigningKeyRepositoryWrapper];
}

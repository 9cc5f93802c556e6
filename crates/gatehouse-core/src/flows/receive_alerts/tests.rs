//! However POSTs are grouped, the alerts, receipts, feed and project activity are the same as if they were stored one
//! after the other, and every sender gets the same response.

use accounts::{AccountRepository as _, InsertUser, NewUser, UserKind, Username};
use alert_intake::flow::receive::KeyReused;
use alert_intake::model::{AlertFilter, AlertSummary, IncidentSettings, Receipt, Source};
use alert_intake::store::{AlertQueries as _, IncidentRepository as _};
use api_conventions::access::Visibility;
use api_conventions::ids::{AlertIid, IssueIid};
use api_conventions::page::OffsetPage;
use api_conventions::reference::ProjectRef;
use events::{EventFilter, EventQueries as _, FeedEvent, FeedRights};
use projects::{
    InsertNamespace, InsertProject, NamespaceKind, NewNamespace, NewProject, ProjectQueries as _,
    ProjectRepository as _,
};
use proptest::prelude::*;
use storage::{GroupWork, Store, Work};
use storage_diesel::SqliteStore;

mod durable;
mod posts;

use posts::{Post, alert, posts};

use super::*;
use crate::database::{ReadTransaction, WriteTransaction};

/// Projects that a store is filled with.
const PROJECTS: [ProjectId; 2] = [ProjectId::new(1), ProjectId::new(2)];

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// Fills a store with two users, and a group of two projects, whose last activity is at second 0.
fn fill<S>(store: &S)
where
    S: Store,
    for<'t> S::WriteTx<'t>: WriteTransaction,
{
    let filled = store.write(|tx| {
        for name in ["ann", "bob"] {
            let user = NewUser {
                username: Username::parse(name).unwrap(),
                name: name.to_owned(),
                email: String::new(),
                kind: UserKind::Human,
                is_admin: false,
                password: None,
                created_at: at(0),
            };
            assert!(matches!(tx.insert_user(&user)?, InsertUser::Inserted(_)));
        }
        let group = tx.insert_namespace(&NewNamespace {
            kind: NamespaceKind::Group,
            name: "Shop".to_owned(),
            path: "shop".to_owned(),
            parent: None,
            visibility: Visibility::Private,
            owner: UserId::new(1),
            created_at: at(0),
        })?;
        let InsertNamespace::Inserted(namespace) = group else {
            panic!("the path is free");
        };
        // One of both projects has incidents for every alert.
        tx.put_incident_settings(&IncidentSettings {
            create_incidents: true,
            ..IncidentSettings::new(PROJECTS[0])
        })?;
        for path in ["web", "app"] {
            let inserted = tx.insert_project(&NewProject {
                namespace: namespace.clone(),
                name: path.to_owned(),
                path: path.to_owned(),
                description: String::new(),
                visibility: Visibility::Private,
                topics: Vec::new(),
                settings: projects::ProjectSettings::default(),
                creator_id: UserId::new(1),
                created_at: at(0),
            })?;
            assert!(matches!(inserted, InsertProject::Inserted(project) if PROJECTS.contains(&project.id)));
        }
        Ok::<_, StoreError>(())
    });
    filled.wait().unwrap();
}

/// Number of an incident, the time at which it was closed, and the numbers of its alerts.
type ObservedIncident = (IssueIid, Option<Timestamp>, Vec<AlertIid>);

/// Everything that can be observed afterwards.
#[derive(Debug, PartialEq)]
struct ObservedRows {
    answers: Vec<Result<DeliveryOutcome, KeyReused>>,
    alerts: Vec<AlertSummary>,
    receipts: Vec<Receipt>,
    events: Vec<FeedEvent>,
    /// Incidents with their alerts.
    incidents: Vec<ObservedIncident>,
    activity: Vec<Timestamp>,
}

/// POSTs that are written as one group, whatever other work is waiting.
#[derive(Debug)]
struct OneGroup(Vec<ReceiveAlertsWithFeed>);

impl Work for OneGroup {
    type Output = Vec<Result<DeliveryOutcome, KeyReused>>;
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        true
    }

    fn weight(&self) -> usize {
        self.0.iter().map(Work::weight).sum()
    }
}

impl<Tx: AsWriteTransaction + ?Sized> GroupWork<Tx> for OneGroup {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<Self::Output>, StoreError> {
        let run = |one: &&Self| ReceiveAlertsWithFeed::run(tx, &one.0.iter().collect::<Vec<_>>());
        group.iter().map(run).collect()
    }
}

fn run<'g>(groups: impl IntoIterator<Item = &'g [Post]>) -> ObservedRows {
    run_on(&SqliteStore::in_memory().unwrap(), groups)
}

/// Stores groups of POSTs one after the other in an empty store.
fn run_on<'g, S>(store: &S, groups: impl IntoIterator<Item = &'g [Post]>) -> ObservedRows
where
    S: Store,
    for<'t> S::WriteTx<'t>: WriteTransaction + Sized,
    for<'t> S::ReadTx<'t>: ReadTransaction,
{
    fill(store);
    let mut answers = Vec::new();
    for group in groups {
        let one = OneGroup(group.iter().map(Post::work).collect());
        answers.extend(store.write_grouped(one).wait().unwrap());
    }
    let seen = store.read(move |tx| {
        let all = OffsetPage::new(1, 100);
        let mut seen = ObservedRows {
            answers,
            alerts: Vec::new(),
            receipts: Vec::new(),
            events: Vec::new(),
            incidents: Vec::new(),
            activity: Vec::new(),
        };
        for project in PROJECTS {
            let filter = EventFilter::new(project, FeedRights::ALL);
            seen.alerts
                .extend(tx.list_alerts(&AlertFilter::new(project), all)?.items);
            seen.receipts.extend(tx.list_receipts(project, all)?.items);
            seen.events
                .extend(tx.list_project_events(&filter, all)?.items);
            seen.incidents.extend(incidents_of(tx, project)?);
            let found = tx.find_project(&ProjectRef::Id(project))?;
            seen.activity
                .extend(found.map(|project| project.last_activity_at));
        }
        Ok::<_, StoreError>(seen)
    });
    seen.wait().unwrap()
}

/// Returns the incidents of a project with their alerts.
fn incidents_of<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    project: ProjectId,
) -> Result<Vec<ObservedIncident>, StoreError> {
    let mut incidents = Vec::new();
    for iid in (1..).map(IssueIid::new) {
        let Some(issue) = tx.find_issue(project, iid)? else {
            break;
        };
        let alerts = tx.list_alerts_of_incident(issue.id, OffsetPage::new(1, 100))?;
        let alerts = alerts.items.iter().map(|alert| alert.iid).collect();
        incidents.push((iid, issue.body.closing.map(|closing| closing.at), alerts));
    }
    Ok(incidents)
}

/// Splits POSTs into groups, after each marked position.
fn split<'p>(posts: &'p [Post], marks: &[bool]) -> Vec<&'p [Post]> {
    let mut groups = Vec::new();
    let mut start = 0;
    for (end, marked) in (1..=posts.len()).zip(marks) {
        if *marked {
            groups.push(&posts[start..end]);
            start = end;
        }
    }
    groups.push(&posts[start..]);
    groups
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_batching_gives_the_same_result_as_sequential_requests(
        posts in posts(), marks in proptest::collection::vec(any::<bool>(), 9),
    ) {
        let alone = run(posts.chunks(1));
        prop_assert_eq!(&run([&*posts]), &alone);
        prop_assert_eq!(&run(split(&posts, &marks)), &alone);
    }
}

#[test]
fn each_entry_of_the_feed_has_the_author_of_its_own_post() {
    let post = |author, name| Post {
        project: PROJECTS[1],
        author,
        second: 10,
        key: None,
        alerts: vec![alert(name, Source::Generic, None, None)],
        acknowledged: None,
    };
    let seen = run([&[post(1, 1), post(2, 2)][..]]);
    let mut authors: Vec<i64> = seen
        .events
        .iter()
        .map(|event| event.author_id.get())
        .collect();
    authors.sort_unstable();
    assert_eq!(authors, [1, 2]);
}

#[test]
fn each_project_is_active_when_its_own_post_came() {
    let post = |project, second| Post {
        project,
        author: 1,
        second,
        key: None,
        alerts: vec![alert(1, Source::Generic, None, None)],
        acknowledged: None,
    };
    let seen = run([&[
        post(PROJECTS[0], 4000),
        post(PROJECTS[1], 4100),
        post(PROJECTS[0], 4200),
    ][..]]);
    assert_eq!(seen.activity, [at(4000), at(4100)]);
}

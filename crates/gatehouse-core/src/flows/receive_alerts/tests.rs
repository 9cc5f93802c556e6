//! However POSTs are grouped, the alerts, receipts, feed and project activity are the same as if they were stored one
//! after the other, and every sender gets the same response.

use std::sync::mpsc::channel;

use accounts::{InsertUser, NewUser, UserKind, Username};
use alert_intake::flow::receive::KeyReused;
use alert_intake::model::{AlertFilter, AlertSummary, IncidentSettings, Receipt, Source};
use api_conventions::access::Visibility;
use api_conventions::ids::{AlertIid, IssueIid};
use api_conventions::page::OffsetPage;
use api_conventions::reference::ProjectRef;
use events::{EventFilter, FeedEvent, FeedRights};
use projects::{InsertNamespace, InsertProject, NamespaceKind, NewNamespace, NewProject};
use proptest::prelude::*;
use storage::{GroupWork, Store, StoreErrorKind, Work};
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
fn fill<T: WriteTransaction + ?Sized>(tx: &mut T) -> Result<(), StoreError> {
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
        assert!(
            matches!(inserted, InsertProject::Inserted(project) if PROJECTS.contains(&project.id))
        );
    }
    Ok(())
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

/// Stores groups of POSTs one after the other, and undoes it. So all cases of a property use one empty store, which takes longer
/// to open than a case.
fn run<'g>(store: &SqliteStore, groups: impl IntoIterator<Item = &'g [Post]>) -> ObservedRows {
    let works = |group: &[Post]| group.iter().map(Post::work).collect::<Vec<_>>();
    let groups: Vec<Vec<ReceiveAlertsWithFeed>> = groups.into_iter().map(works).collect();
    let (sender, result) = channel();
    let undone = store
        .write(move |tx| {
            fill(tx)?;
            let mut answers = Vec::new();
            for group in &groups {
                let group: Vec<_> = group.iter().collect();
                answers.extend(ReceiveAlertsWithFeed::run(tx, &group)?);
            }
            sender.send(observe(tx, answers)?).unwrap();
            Err::<(), _>(StoreError::new(StoreErrorKind::Internal, "undo a case"))
        })
        .wait();
    assert!(undone.is_err());
    result.recv().unwrap()
}

/// Stores groups of POSTs one after the other in a store of their own.
fn run_fresh<'g>(groups: impl IntoIterator<Item = &'g [Post]>) -> ObservedRows {
    run_on(&SqliteStore::in_memory().unwrap(), groups)
}

/// Stores groups of POSTs one after the other in an empty store, each in a commit.
fn run_on<'g, S>(store: &S, groups: impl IntoIterator<Item = &'g [Post]>) -> ObservedRows
where
    S: Store,
    for<'t> S::WriteTx<'t>: WriteTransaction + Sized,
    for<'t> S::ReadTx<'t>: ReadTransaction,
{
    store.write(|tx| fill(tx)).wait().unwrap();
    let mut answers = Vec::new();
    for group in groups {
        let one = OneGroup(group.iter().map(Post::work).collect());
        answers.extend(store.write_grouped(one).wait().unwrap());
    }
    let seen = store.read(move |tx| observe(tx, answers));
    seen.wait().unwrap()
}

/// Reads everything.
fn observe<T: ReadTransaction + ?Sized>(
    tx: &mut T,
    answers: Vec<Result<DeliveryOutcome, KeyReused>>,
) -> Result<ObservedRows, StoreError> {
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
    Ok(seen)
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

#[test]
fn any_batching_gives_the_same_result_as_sequential_requests() {
    let store = SqliteStore::in_memory().unwrap();
    let marks = proptest::collection::vec(any::<bool>(), 9);
    proptest!(ProptestConfig::with_cases(300), |(posts in posts(), marks in marks)| {
        let alone = run(&store, posts.chunks(1));
        prop_assert_eq!(&run(&store, [&*posts]), &alone);
        prop_assert_eq!(&run(&store, split(&posts, &marks)), &alone);
    });
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
    let seen = run_fresh([&[post(1, 1), post(2, 2)][..]]);
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
    let seen = run_fresh([&[
        post(PROJECTS[0], 4000),
        post(PROJECTS[1], 4100),
        post(PROJECTS[0], 4200),
    ][..]]);
    assert_eq!(seen.activity, [at(4000), at(4100)]);
}

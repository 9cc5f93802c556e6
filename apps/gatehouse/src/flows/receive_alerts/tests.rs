//! However POSTs are gathered into groups, the alerts, the receipts, the feed and the activity of projects are those of
//! storing them one after the other, and everybody gets the same answer.

use alert_intake::model::{
    AlertFilter, AlertIdentity, AlertSummary, ContentDigest, DeliveryKey, IncomingAlert, Receipt,
    SenderContext, Severity, Source,
};
use alert_intake::store::AlertQueries as _;
use api_conventions::access::Visibility;
use api_conventions::ids::IntegrationId;
use api_conventions::page::OffsetPage;
use api_conventions::reference::ProjectRef;
use events::{Event, EventFilter, EventQueries as _};
use projects::{
    InsertNamespace, InsertProject, NamespaceKind, NewNamespace, NewProject, ProjectQueries as _,
    ProjectRepository as _,
};
use proptest::prelude::*;
use storage::Store as _;
use storage_memory::MemoryStore;

use super::*;

/// The projects that the store is filled with.
const PROJECTS: [ProjectId; 2] = [ProjectId::new(1), ProjectId::new(2)];

fn at(second: i64) -> Timestamp {
    Timestamp::from_micros(second * 1_000_000).unwrap()
}

/// A store with a group of two projects, whose last activity is at second 0.
fn store() -> MemoryStore {
    let store = MemoryStore::new();
    let filled = store.write(|tx| {
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
        for path in ["web", "app"] {
            let inserted = tx.insert_project(&NewProject {
                namespace: namespace.clone(),
                name: path.to_owned(),
                path: path.to_owned(),
                description: String::new(),
                visibility: Visibility::Private,
                creator_id: UserId::new(1),
                created_at: at(0),
            })?;
            assert!(matches!(inserted, InsertProject::Inserted(project) if PROJECTS.contains(&project.id)));
        }
        Ok::<_, StoreError>(())
    });
    filled.wait().unwrap();
    store
}

/// One POST, as its parts.
#[derive(Debug, Clone)]
struct Post {
    project: ProjectId,
    author: i64,
    second: i64,
    key: Option<(&'static str, &'static str)>,
    alerts: Vec<IncomingAlert>,
}

impl Post {
    fn work(&self) -> ReceiveAlerts {
        ReceiveAlerts {
            delivery: Delivery {
                project_id: self.project,
                integration_id: IntegrationId::new(self.project.get()),
                received_at: at(self.second),
                body_bytes: self.alerts.len(),
                alerts: self.alerts.clone(),
                context: SenderContext::default(),
                key: self.key.map(|(key, body)| DeliveryKey {
                    key: ContentDigest::of(key.as_bytes()),
                    body: ContentDigest::of(body.as_bytes()),
                }),
            },
            author_id: UserId::new(self.author),
        }
    }
}

fn alert(name: u8, source: Source, start: Option<i64>, end: Option<i64>) -> IncomingAlert {
    IncomingAlert {
        identity: AlertIdentity::from_bytes([name; 32]),
        source,
        title: format!("Alert {name}"),
        description: String::new(),
        severity: Severity::Critical,
        service: String::new(),
        monitoring_tool: String::new(),
        hosts: Vec::new(),
        environment_name: None,
        started_at: start.map(at),
        resolved_at: end.map(at),
        payload: "{}".to_owned(),
    }
}

/// Any POSTs: to both projects, from two authors, with moments that go back and that lie hours apart.
fn posts() -> impl Strategy<Value = Vec<Post>> {
    let source = proptest::sample::select(vec![Source::Generic, Source::Metrics]);
    let moment = || proptest::option::of(0_i64..9000);
    let alert = (0_u8..3, source, moment(), moment())
        .prop_map(|(name, source, start, end)| alert(name, source, start, end));
    let key = proptest::option::of((
        proptest::sample::select(vec!["k", "l"]),
        proptest::sample::select(vec!["b", "b", "c"]),
    ));
    let post = (
        proptest::sample::select(PROJECTS.to_vec()),
        1_i64..3,
        0_i64..20_000,
        key,
        proptest::collection::vec(alert, 0..4),
    );
    let post = post.prop_map(|(project, author, second, key, alerts)| Post {
        project,
        author,
        second,
        key,
        alerts,
    });
    proptest::collection::vec(post, 1..9)
}

/// Everything that can be seen afterwards.
#[derive(Debug, PartialEq)]
struct Seen {
    answers: Vec<Result<DeliveryOutcome, KeyReused>>,
    alerts: Vec<AlertSummary>,
    receipts: Vec<Receipt>,
    events: Vec<Event>,
    activity: Vec<Timestamp>,
}

fn run<'g>(groups: impl IntoIterator<Item = &'g [Post]>) -> Seen {
    let store = store();
    let mut answers = Vec::new();
    for group in groups {
        let works: Vec<ReceiveAlerts> = group.iter().map(Post::work).collect();
        let stored = store.write(move |tx| {
            let works: Vec<&ReceiveAlerts> = works.iter().collect();
            ReceiveAlerts::run(tx, &works)
        });
        answers.extend(stored.wait().unwrap());
    }
    let seen = store.read(move |tx| {
        let all = OffsetPage::new(1, 100);
        let mut seen = Seen {
            answers,
            alerts: Vec::new(),
            receipts: Vec::new(),
            events: Vec::new(),
            activity: Vec::new(),
        };
        for project in PROJECTS {
            let filter = EventFilter::new(project, Audience::Developers);
            seen.alerts
                .extend(tx.list_alerts(&AlertFilter::new(project), all)?.items);
            seen.receipts.extend(tx.list_receipts(project, all)?.items);
            seen.events
                .extend(tx.list_project_events(&filter, all)?.items);
            let found = tx.find_project(&ProjectRef::Id(project))?;
            seen.activity
                .extend(found.map(|project| project.last_activity_at));
        }
        Ok::<_, StoreError>(seen)
    });
    seen.wait().unwrap()
}

/// Splits into groups after the places that are marked.
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
    fn any_grouping_leaves_what_one_after_the_other_leaves(
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
        project: PROJECTS[0],
        author,
        second: 10,
        key: None,
        alerts: vec![alert(name, Source::Generic, None, None)],
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
    };
    let seen = run([&[
        post(PROJECTS[0], 4000),
        post(PROJECTS[1], 4100),
        post(PROJECTS[0], 4200),
    ][..]]);
    assert_eq!(seen.activity, [at(4000), at(4100)]);
}

//! Changes to members are recorded once in the feed and the audit log, and only if they are made.

use accounts::{AuditFilter, AuditQueries as _, InsertUser, NewUser, UserKind, Username};
use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::ProjectId;
use api_conventions::page::{KeysetPage, SortOrder};
use api_conventions::reference::FullPath;
use api_conventions::time::Timestamp;
use events::{Action, EventFilter, EventQueries as _, FeedRights};
use projects::flow::members::{ShareProject, expire_members, share_project};
use projects::{
    InsertNamespace, InsertProject, Membership, NamespaceKind, NewNamespace, NewProject, Project,
    ProjectQueries as _, Viewer,
};
use storage::Store as _;
use storage_diesel::SqliteStore;

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

fn start() -> Timestamp {
    at("2024-02-28T12:00:00Z")
}

/// Runs a transaction as the server does.
fn run<T: Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut (dyn WriteTransaction + '_)) -> Result<T, MemberError> + Send + 'static,
) -> Result<T, MemberError> {
    store.write(move |tx| work(tx)).wait()
}

/// Creates Ann's project in a group, another group of hers, and the user Ben.
fn fill(store: &SqliteStore) -> (Project, [UserId; 2]) {
    let filled = run(store, |tx| {
        let mut people = Vec::new();
        for name in ["ann", "ben"] {
            let user = NewUser {
                username: Username::parse(name).unwrap(),
                name: name.to_owned(),
                email: String::new(),
                kind: UserKind::Human,
                is_admin: false,
                password: None,
                created_at: start(),
            };
            let InsertUser::Inserted(id) = tx.insert_user(&user)? else {
                panic!("the name is free")
            };
            people.push(id);
        }
        let mut groups = Vec::new();
        for path in ["home", "other"] {
            let group = NewNamespace {
                kind: NamespaceKind::Group,
                name: path.to_owned(),
                path: path.to_owned(),
                parent: None,
                visibility: Visibility::Private,
                owner: people[0],
                created_at: start(),
            };
            let InsertNamespace::Inserted(group) = tx.insert_namespace(&group)? else {
                panic!("the path is free")
            };
            groups.push(group);
        }
        let project = NewProject {
            visibility: Visibility::Private,
            topics: Vec::new(),
            settings: projects::ProjectSettings::default(),
            created_at: start(),
            namespace: groups.swap_remove(0),
            name: "thing".to_owned(),
            path: "thing".to_owned(),
            description: String::new(),
            creator_id: people[0],
        };
        let InsertProject::Inserted(project) = tx.insert_project(&project)? else {
            panic!("the path is free")
        };
        Ok((*project, [people[0], people[1]]))
    });
    filled.unwrap()
}

/// Records of the project: the actions in the feed, and the event names in the audit log.
fn noted(store: &SqliteStore, project: ProjectId) -> (Vec<Action>, Vec<&'static str>) {
    let all = KeysetPage::new(100, SortOrder::Ascending);
    let noted = store.read(move |tx| {
        let filter = EventFilter {
            sort: SortOrder::Ascending,
            ..EventFilter::new(project, FeedRights::LEAST)
        };
        let feed = tx
            .list_project_events(&filter, OffsetPage::default())?
            .items;
        let log = tx
            .list_audit_entries(&AuditFilter::of(AuditEntity::Project(project)), None, all)?
            .items;
        Ok::<_, StoreError>((
            feed.iter().map(|entry| entry.action).collect(),
            log.iter().map(|entry| entry.event_name.as_str()).collect(),
        ))
    });
    noted.wait().unwrap()
}

#[test]
fn expirations_apply_from_their_day_and_are_recorded_once() {
    let store = SqliteStore::in_memory().unwrap();
    let (project, [ann, ben]) = fill(&store);
    let id = project.id;
    let acting = MemberActor {
        viewer: Viewer::User(ann),
        now: start(),
    };
    let until = CalendarDate::parse("2024-03-01");
    let given = project.clone();
    let added = run(&store, move |tx| {
        let new = |user_id| AddMember {
            user_id,
            level: AccessLevel::Developer,
            expires_on: until,
        };
        let user = NamedUser::Username("Ben".to_owned());
        add_named(tx, (&given).into(), &user, new, acting)?;
        let group = tx
            .find_namespace(&FullPath::parse("other").unwrap())?
            .unwrap()
            .id;
        let share = ShareProject {
            group_id: group,
            level: AccessLevel::Guest,
            expires_on: until,
        };
        share_project(tx, &given, &share, acting)
    });
    added.unwrap();
    let roles = |day: &str| {
        let today = CalendarDate::parse(day).unwrap();
        let roles = store.read(move |tx| tx.find_membership(ben, id, today));
        let roles: Result<Membership, StoreError> = roles.wait();
        roles.unwrap().own
    };
    assert_eq!(roles("2024-02-29"), Some(AccessLevel::Developer));
    assert_eq!(
        roles("2024-03-01"),
        None,
        "before the membership was deleted"
    );
    for (now, feed, log) in [
        (
            "2024-02-29T23:59:59Z",
            &[Action::Joined][..],
            &["member_added", "project_shared"][..],
        ),
        (
            "2024-03-01T00:00:00Z",
            &[Action::Joined, Action::Expired],
            &[
                "member_added",
                "project_shared",
                "member_expired",
                "share_expired",
            ],
        ),
        (
            "2024-03-02T00:00:00Z",
            &[Action::Joined, Action::Expired],
            &[
                "member_added",
                "project_shared",
                "member_expired",
                "share_expired",
            ],
        ),
    ] {
        let now = at(now);
        run(&store, move |tx| Ok(expire_members(tx, now, 10)?)).unwrap();
        assert_eq!(noted(&store, id), (feed.to_vec(), log.to_vec()));
    }
}

#[test]
fn a_refused_member_addition_is_not_recorded() {
    let store = SqliteStore::in_memory().unwrap();
    let (project, [_, ben]) = fill(&store);
    let id = project.id;
    let acting = MemberActor {
        viewer: Viewer::User(ben),
        now: start(),
    };
    let refused = run(&store, move |tx| {
        let new = |user_id| AddMember {
            user_id,
            level: AccessLevel::Guest,
            expires_on: None,
        };
        add_named(tx, (&project).into(), &NamedUser::Id(ben), new, acting)
    });
    assert!(matches!(refused, Err(MemberError::Forbidden)));
    assert_eq!(noted(&store, id), (vec![], vec![]));
}

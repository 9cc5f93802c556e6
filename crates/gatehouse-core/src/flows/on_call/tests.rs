//! Users on call are those who are available at that moment.

use accounts::{InsertUser, NewUser, UserKind, Username};
use api_conventions::access::Visibility;
use api_conventions::time::CalendarDate;
use notifications::model::{LocalTime, QuietHours};
use projects::{InsertNamespace, InsertProject, NamespaceKind, NewNamespace, NewProject, Viewer};
use storage::Store as _;
use storage_diesel::SqliteStore;

use super::*;

fn at(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

/// Runs a transaction as the server does.
fn run<T: Send + 'static>(
    store: &SqliteStore,
    work: impl Fn(&mut (dyn WriteTransaction + '_)) -> Result<T, ScheduleError> + Send + 'static,
) -> Result<T, ScheduleError> {
    store.write(move |tx| work(tx)).wait()
}

fn insert_user(
    tx: &mut dyn WriteTransaction,
    name: &str,
    is_admin: bool,
) -> Result<UserId, StoreError> {
    let user = NewUser {
        username: Username::parse(name).unwrap(),
        name: name.to_owned(),
        email: String::new(),
        kind: UserKind::Human,
        is_admin,
        password: None,
        created_at: at("2026-11-01T00:00:00Z"),
    };
    match tx.insert_user(&user)? {
        InsertUser::Inserted(id) => Ok(id),
        _ => panic!("the name is free"),
    }
}

fn insert_project(tx: &mut dyn WriteTransaction, owner: UserId) -> Result<ProjectId, StoreError> {
    let created_at = at("2026-11-01T00:00:00Z");
    let group = NewNamespace {
        kind: NamespaceKind::Group,
        name: "home".to_owned(),
        path: "home".to_owned(),
        parent: None,
        visibility: Visibility::Private,
        owner,
        created_at,
    };
    let InsertNamespace::Inserted(namespace) = tx.insert_namespace(&group)? else {
        panic!("the path is free")
    };
    let project = NewProject {
        visibility: Visibility::Private,
        topics: Vec::new(),
        settings: projects::ProjectSettings::default(),
        created_at,
        namespace,
        name: "thing".to_owned(),
        path: "thing".to_owned(),
        description: String::new(),
        creator_id: owner,
    };
    match tx.insert_project(&project)? {
        InsertProject::Inserted(project) => Ok(project.id),
        _ => panic!("the path is free"),
    }
}

#[test]
fn the_user_on_call_is_found_in_transactions_of_both_kinds() {
    let store = SqliteStore::in_memory().unwrap();
    let filled = run(&store, |tx| {
        let ann = insert_user(tx, "ann", true)?;
        let ben = insert_user(tx, "ben", true)?;
        let stranger = insert_user(tx, "carl", false)?;
        let project = insert_project(tx, ann)?;
        let actor = Actor {
            id: ann,
            viewer: Viewer::User(ann),
            now: at("2026-11-28T12:00:00Z"),
        };
        let settings = ScheduleSettings {
            name: "Primary".to_owned(),
            time_zone: QuietHours::parse_time_zone("UTC").unwrap(),
            handoff_time: LocalTime::parse("09:00").unwrap(),
            first_handoff: CalendarDate::parse("2026-11-30").unwrap(),
            turn_weeks: 1,
            participants: vec![ann, ben],
        };
        let unknown = ScheduleSettings {
            participants: vec![ann, stranger],
            ..settings.clone()
        };
        let refused = create_schedule(tx, project, unknown, actor);
        assert!(matches!(refused, Err(ScheduleError::User(name)) if name == "carl"));
        let schedule = create_schedule(tx, project, settings, actor)?;
        Ok((project, schedule.id, [ann, ben], actor))
    });
    let (project, schedule, [ann, ben], actor) = filled.unwrap();
    let on_call = |text: &'static str| {
        let read = store.read(move |tx| find_on_call(tx, project, schedule, at(text)));
        let found = read.wait().unwrap().map(|user| user.id);
        let written = run(&store, move |tx| {
            Ok(find_on_call(tx, project, schedule, at(text))?.map(|user| user.id))
        });
        assert_eq!(written.unwrap(), found, "{text}");
        found
    };
    assert_eq!(on_call("2026-11-30T08:59:59Z"), None);
    assert_eq!(on_call("2026-11-30T09:00:00Z"), Some(ann));
    assert_eq!(on_call("2026-12-07T09:00:00Z"), Some(ben));
    let values = OverrideValues {
        user_id: ben,
        from: at("2026-11-29T00:00:00Z"),
        until: at("2026-12-01T00:00:00Z"),
    };
    let swapped = run(&store, move |tx| {
        create_override(tx, (project, schedule), values, actor)
    });
    swapped.unwrap();
    assert_eq!(on_call("2026-11-29T00:00:00Z"), Some(ben));
    assert_eq!(on_call("2026-12-01T00:00:00Z"), Some(ann));
    let blocked = run(&store, move |tx| {
        let state = UserState::Blocked {
            at: at("2026-11-28T13:00:00Z"),
        };
        assert!(tx.set_user_state(ben, state)?);
        Ok(())
    });
    blocked.unwrap();
    // Neither the override nor the turn counts any more.
    assert_eq!(on_call("2026-11-29T00:00:00Z"), None);
    assert_eq!(on_call("2026-12-07T09:00:00Z"), Some(ann));
    let other = ScheduleId::new(schedule.get() + 1);
    let unknown = store.read(move |tx| find_on_call(tx, project, other, actor.now));
    assert_eq!(unknown.wait().unwrap(), None);
}

//! Channels of a project.

use api_conventions::ids::{ChannelId, ProjectId, UserId};
use notifications::flow::{
    ChannelError, ChannelInput, MAX_CHANNELS, create_channel, delete_channel, find_channel,
    list_channels, test_channel, update_channel,
};
use notifications::model::{
    Channel, ChannelOwner, ChannelSettings, ChannelSettingsError, MessageSeverity, MessageSubject,
    NewChannel, SealedSecret,
};
use storage_diesel::SqliteStore;

use crate::{HERE, at, channel, messages, new_channel, outbox, run, store, stored, write};

const OTHER_PROJECT: ProjectId = ProjectId::new(2);

fn create(store: &SqliteStore, new: NewChannel) -> Result<Channel, ChannelError> {
    write(store, move |tx| create_channel(tx, &new))
}

fn update(
    store: &SqliteStore,
    project: ProjectId,
    id: ChannelId,
    input: ChannelInput,
) -> Result<Channel, ChannelError> {
    write(store, move |tx| {
        update_channel(tx, project.into(), id, &input, at(9))
    })
}

fn named(name: &str) -> ChannelInput {
    ChannelInput {
        name: Some(name.to_owned()),
        ..ChannelInput::default()
    }
}

#[test]
fn a_project_has_a_limited_number_of_channels() {
    let store = store();
    for number in 0..MAX_CHANNELS {
        create(&store, new_channel(&format!("channel {number}"))).unwrap();
    }
    let refused = create(&store, new_channel("one more"));
    assert!(matches!(refused, Err(ChannelError::TooMany)));
    let mut foreign = new_channel("one more");
    foreign.owner = OTHER_PROJECT.into();
    create(&store, foreign).unwrap();
    let listed = run(&store, |tx| list_channels(tx, HERE.into()));
    assert_eq!(listed.len(), MAX_CHANNELS);
    let first = listed.first().unwrap().id;
    write(&store, move |tx| {
        delete_channel(tx, HERE.into(), first, at(1))
    })
    .unwrap();
    create(&store, new_channel("one more")).unwrap();
}

#[test]
fn only_channels_of_users_get_assignments() {
    let store = store();
    let mut new = new_channel("a");
    new.settings.assignment_events = true;
    let refused = create(&store, new.clone());
    let expected = ChannelSettingsError::NoUser;
    assert!(matches!(refused, Err(ChannelError::Settings(error)) if error == expected));
    new.owner = ChannelOwner::User(UserId::new(1));
    assert!(create(&store, new).unwrap().settings.assignment_events);
    let of_project = create(&store, new_channel("b")).unwrap();
    let input = ChannelInput {
        assignment_events: Some(true),
        ..ChannelInput::default()
    };
    let refused = update(&store, HERE, of_project.id, input);
    assert!(matches!(refused, Err(ChannelError::Settings(error)) if error == expected));
}

#[test]
fn a_name_belongs_to_one_channel_of_a_project() {
    let store = store();
    let first = create(&store, new_channel("a")).unwrap();
    let second = create(&store, new_channel("b")).unwrap();
    let taken = create(&store, new_channel("a"));
    assert!(matches!(taken, Err(ChannelError::NameTaken)));
    let taken = update(&store, HERE, second.id, named(" a "));
    assert!(matches!(taken, Err(ChannelError::NameTaken)));
    assert_eq!(stored(&store, second.id), second);
    let renamed = update(&store, HERE, first.id, named(" c ")).unwrap();
    assert_eq!(renamed.settings.name, "c");
    update(&store, HERE, second.id, named("a")).unwrap();
}

#[test]
fn a_change_sets_the_given_values() {
    let store = store();
    let before = create(&store, new_channel("a")).unwrap();
    let same = update(&store, HERE, before.id, ChannelInput::default()).unwrap();
    assert_eq!((same.settings, same.secret), (before.settings, None));
    let input = ChannelInput {
        name: Some("b".to_owned()),
        url: Some("https://example.org".to_owned()),
        recipient: None,
        alert_events: Some(false),
        incident_events: Some(false),
        error_events: Some(false),
        delay_minutes: Some(15),
        repeat_minutes: Some(30),
        minimum_severity: Some(MessageSeverity::Critical),
        active: Some(true),
        hourly_limit: Some(7),
        quiet_hours: Some(None),
        secret: Some(Some(SealedSecret(vec![1]))),
        ..ChannelInput::default()
    };
    let changed = update(&store, HERE, before.id, input.clone()).unwrap();
    assert_eq!(changed.settings.name, "b");
    assert_eq!(changed.settings.hourly_limit, 7);
    assert_eq!(changed.settings.minimum_severity, MessageSeverity::Critical);
    assert!(!changed.settings.alert_events && !changed.settings.incident_events);
    assert!(!changed.settings.error_events);
    let minutes = |settings: &ChannelSettings| (settings.delay_minutes, settings.repeat_minutes);
    assert_eq!(minutes(&changed.settings), (15, 30));
    assert_eq!(
        (changed.secret.clone(), changed.updated_at),
        (input.secret.flatten(), at(9))
    );
    assert_eq!(stored(&store, before.id), changed);
    let kept = update(&store, HERE, before.id, named("c")).unwrap();
    assert_eq!(kept.secret, changed.secret);
}

#[test]
fn invalid_settings_change_nothing() {
    let store = store();
    let mut new = new_channel("a");
    new.settings.url = "ftp://example.com".to_owned();
    let refused = create(&store, new);
    assert!(matches!(
        refused,
        Err(ChannelError::Settings(ChannelSettingsError::Url))
    ));
    let id = channel(&store, "a");
    for (input, expected) in [
        (named("  "), ChannelSettingsError::Name),
        (
            ChannelInput {
                hourly_limit: Some(0),
                ..ChannelInput::default()
            },
            ChannelSettingsError::HourlyLimit,
        ),
        (
            ChannelInput {
                recipient: Some("topic".to_owned()),
                ..ChannelInput::default()
            },
            ChannelSettingsError::UnusedRecipient,
        ),
    ] {
        let before = stored(&store, id);
        match update(&store, HERE, id, input) {
            Err(ChannelError::Settings(error)) => assert_eq!(error, expected),
            other => panic!("{other:?}"),
        }
        assert_eq!(stored(&store, id), before);
    }
}

#[test]
fn a_channel_is_found_in_its_project_only() {
    let store = store();
    let id = channel(&store, "a");
    let unknown = ChannelId::new(99);
    for (project, id) in [(OTHER_PROJECT, id), (HERE, unknown)] {
        let found = write(&store, move |tx| find_channel(tx, project.into(), id));
        assert!(matches!(found, Err(ChannelError::NotFound)));
        let changed = update(&store, project, id, named("b"));
        assert!(matches!(changed, Err(ChannelError::NotFound)));
        let deleted = write(&store, move |tx| {
            delete_channel(tx, project.into(), id, at(1))
        });
        assert!(matches!(deleted, Err(ChannelError::NotFound)));
        let tested = write(&store, move |tx| {
            test_channel(tx, project.into(), id, at(1))
        });
        assert!(matches!(tested, Err(ChannelError::NotFound)));
    }
    let found = write(&store, move |tx| find_channel(tx, HERE.into(), id)).unwrap();
    assert_eq!(found.settings.name, "a");
    assert_eq!(outbox(&store), []);
}

#[test]
fn a_test_is_sent_like_any_message() {
    let store = store();
    let mut new = new_channel("severe");
    new.settings.minimum_severity = MessageSeverity::Critical;
    new.settings.alert_events = false;
    let id = create(&store, new).unwrap().id;
    write(&store, move |tx| test_channel(tx, HERE.into(), id, at(5))).unwrap();
    let listed = messages(&store);
    assert_eq!(outbox(&store), [("test", "queued")]);
    assert_eq!(listed.first().unwrap().subject, MessageSubject::NONE);
    assert_eq!(stored(&store, id).lane.due_at, Some(at(5)));
    let off = ChannelInput {
        active: Some(false),
        ..ChannelInput::default()
    };
    update(&store, HERE, id, off).unwrap();
    let refused = write(&store, move |tx| test_channel(tx, HERE.into(), id, at(6)));
    assert!(matches!(refused, Err(ChannelError::Inactive)));
    assert_eq!(outbox(&store), [("test", "channel_off")]);
}

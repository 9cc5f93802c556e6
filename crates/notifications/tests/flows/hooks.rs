//! Project hooks: which events they get, beside the messages to people.

use std::collections::BTreeSet;

use notifications::flow::{Announcement, SubjectChange, announce_with_hooks};
use notifications::model::{
    AttemptOutcome, ChannelKind, ChannelSettings, HookBody, HookEvent, HookTriggers, MessageEvent,
    MessageSeverity, NewChannel,
};
use serde_json::json;
use storage_diesel::SqliteStore;

use crate::{
    HERE, announce_all, at, change, channel, deliver_all, insert, messages, new_channel, opened,
    outbox, run, store,
};

fn hook(name: &str, triggers: HookTriggers) -> NewChannel {
    NewChannel {
        kind: ChannelKind::ProjectHook,
        settings: ChannelSettings {
            name: name.to_owned(),
            url: "https://example.com/hook".to_owned(),
            hook_triggers: triggers,
            ..ChannelSettings::of_hook()
        },
        ..new_channel(name)
    }
}

fn event(event: MessageEvent, iid: i64, is_confidential: bool) -> HookEvent {
    HookEvent {
        project_id: HERE,
        event,
        is_confidential,
        title: format!("Issue {iid}"),
        iid,
        body: HookBody::new(json!({ "iid": iid })),
        at: at(iid),
    }
}

/// Announces changes and events together.
fn report(store: &SqliteStore, changes: Vec<Announcement>, events: Vec<HookEvent>) {
    run(store, move |tx| {
        let projects = BTreeSet::from([HERE]);
        announce_with_hooks(
            tx,
            &projects,
            &changes,
            |_| Ok(BTreeSet::new()),
            |_, _| Ok(events.clone()),
        )
    });
}

#[test]
fn a_hook_gets_the_events_that_it_reports_in_order() {
    let store = store();
    let all = HookTriggers {
        issues: true,
        notes: true,
        ..HookTriggers::default()
    };
    let public = insert(&store, hook("public", all)).id;
    let confidential = HookTriggers {
        confidential_issues: true,
        confidential_notes: true,
        ..HookTriggers::default()
    };
    let hidden = insert(&store, hook("hidden", confidential)).id;
    let mut off = hook("off", all);
    off.settings.is_active = false;
    insert(&store, off);
    let events = vec![
        event(MessageEvent::IssueHook, 1, false),
        event(MessageEvent::IssueHook, 2, true),
        event(MessageEvent::NoteHook, 3, false),
        event(MessageEvent::NoteHook, 4, true),
        event(MessageEvent::AlertHook, 5, false),
    ];
    report(&store, Vec::new(), events);
    let sent: Vec<_> = messages(&store)
        .into_iter()
        .map(|message| (message.channel_id, message.content.iid))
        .collect();
    let expected = [(public, 1), (public, 3), (hidden, 2), (hidden, 4)];
    assert_eq!(sent, expected.map(|(id, iid)| (id, Some(iid))));
    let body = messages(&store).remove(0).content.hook;
    assert_eq!(body, Some(HookBody::new(json!({ "iid": 1 }))));
}

#[test]
fn an_acknowledgement_cancels_messages_to_people_and_none_of_a_hook() {
    let store = store();
    channel(&store, "people");
    let mut alerts = hook("program", HookTriggers::default());
    alerts.settings.alert_events = true;
    insert(&store, alerts);
    let alert = |second| event(MessageEvent::AlertHook, second, false);
    report(&store, vec![opened(1, 1)], vec![alert(1)]);
    let known = change(1, SubjectChange::Acknowledged, MessageSeverity::High, 2);
    report(&store, vec![known], vec![alert(2)]);
    let expected = [
        ("alert.opened", "acknowledged"),
        ("hook.alert", "queued"),
        ("hook.alert", "queued"),
    ];
    assert_eq!(outbox(&store), expected);
}

#[test]
fn events_are_read_only_if_there_is_a_hook() {
    let store = store();
    channel(&store, "people");
    // `announce_all` knows of no events, and a hook gets none of its messages.
    insert(&store, hook("program", HookTriggers::default()));
    announce_all(&store, vec![opened(1, 1)]);
    assert_eq!(outbox(&store), [("alert.opened", "queued")]);

    let store = crate::store();
    channel(&store, "people");
    run(&store, |tx| {
        let projects = BTreeSet::from([HERE]);
        announce_with_hooks(
            tx,
            &projects,
            &[],
            |_| panic!("nothing begins"),
            |_, _| panic!("there is no hook"),
        )
    });
    assert_eq!(outbox(&store), []);
}

#[test]
fn a_hook_at_its_limit_drops_what_waits_without_a_notice() {
    const HOUR: i64 = 60 * 60;
    let store = store();
    let triggers = HookTriggers {
        issues: true,
        ..HookTriggers::default()
    };
    let mut new = hook("program", triggers);
    new.settings.hourly_limit = 1;
    insert(&store, new);
    let issue = |second| event(MessageEvent::IssueHook, second, false);
    report(&store, Vec::new(), vec![issue(1), issue(2)]);
    assert_eq!(deliver_all(&store, AttemptOutcome::Delivered, 10).len(), 1);
    report(&store, Vec::new(), vec![issue(HOUR)]);
    for second in [HOUR + 5, 2 * HOUR, 2 * HOUR + 100, 3 * HOUR + 200] {
        deliver_all(&store, AttemptOutcome::Delivered, second);
    }
    let events: BTreeSet<&str> = outbox(&store).into_iter().map(|(event, _)| event).collect();
    assert_eq!(events, BTreeSet::from(["hook.issue"]));
    let states: Vec<&str> = outbox(&store).into_iter().map(|(_, state)| state).collect();
    assert_eq!(states, ["sent", "limited", "sent"]);
}

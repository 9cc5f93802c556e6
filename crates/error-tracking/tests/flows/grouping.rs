//! Grouping of requests into commits: the result is that of storing them one after the other.

use api_conventions::ids::{ErrorIid, ProjectId};
use api_conventions::page::{KeysetPage, OffsetPage, SortOrder};
use api_conventions::time::Timestamp;
use error_tracking::collector::Attachment;
use error_tracking::flow::change::{IgnoreDuration, StatusEdit, merge};
use error_tracking::flow::collect::CollectOutcome;
use error_tracking::model::{
    ArrivingEvent, ErrorComment, ErrorEventSummary, ErrorFilter, EventDelivery, Outcome,
    OutcomeCounter, SessionSum, StoredAttachment, TagCount, TrackedError,
};
use error_tracking::protocol::feedback::Comment;
use error_tracking::protocol::item::Category;
use error_tracking::protocol::sessions::SessionCount;
use error_tracking::store::{CounterFilter, ErrorQueries, HourCount, SessionFilter};
use proptest::prelude::*;
use storage::StoreError;
use storage_diesel::SqliteWriteTx;

use crate::support::{
    HERE, THERE, TrackerStore, at, change, collect, event, id, of_release, request, seen_by, status,
};

/// An error with everything that belongs to it.
#[derive(Debug, PartialEq)]
struct ErrorContents {
    error: TrackedError,
    events: Vec<ErrorEventSummary>,
    comments: Vec<ErrorComment>,
    tags: Vec<TagCount>,
    hours: Vec<HourCount>,
}

/// Everything that a project holds.
#[derive(Debug, PartialEq)]
struct ProjectContents {
    errors: Vec<ErrorContents>,
    files: Vec<StoredAttachment>,
    counters: Vec<OutcomeCounter>,
    sessions: Vec<SessionSum>,
    releases: Vec<(String, Timestamp)>,
}

/// All visible effects of requests.
#[derive(Debug, PartialEq)]
struct GroupingResult {
    outcomes: Vec<CollectOutcome>,
    rows: [ProjectContents; 2],
}

fn whole(tx: &mut impl ErrorQueries, error: TrackedError) -> Result<ErrorContents, StoreError> {
    let page = OffsetPage::new(1, 100);
    let hours = tx.list_error_hours(&[error.id], Timestamp::MIN)?;
    Ok(ErrorContents {
        events: tx.list_error_events(error.id, page)?.items,
        comments: tx.list_error_comments(error.id, page)?.items,
        tags: tx.list_error_tags(error.id, 100)?,
        hours: hours.into_iter().map(|(_, count)| count).collect(),
        error,
    })
}

fn rows(tx: &mut impl ErrorQueries, project: ProjectId) -> Result<ProjectContents, StoreError> {
    let all = KeysetPage::new(100, SortOrder::Ascending);
    let errors = tx
        .list_errors_after(&ErrorFilter::new(project), None, all)?
        .items;
    let mut files = Vec::new();
    for number in 0..60 {
        files.extend(tx.list_attachments(project, id(number))?);
    }
    let [from, to] = [at(0), at(10 * 86_400)].map(Timestamp::date);
    let counters = CounterFilter {
        project_id: project,
        from,
        to,
    };
    let sessions = SessionFilter {
        project_id: project,
        release: None,
        from,
        to,
    };
    Ok(ProjectContents {
        errors: errors
            .into_iter()
            .map(|error| whole(tx, error))
            .collect::<Result<_, _>>()?,
        files,
        counters: tx.list_counters(&counters)?,
        sessions: tx.list_session_sums(&sessions, 100)?,
        releases: tx.list_releases(project, 100)?,
    })
}

/// Stores errors: the first has two keys, and users have edited it and another one.
fn begin(tx: &mut SqliteWriteTx<'_>, edit: &StatusEdit) {
    let old = vec![
        seen_by(1, event(0, 'a')),
        of_release("3f2a9c1", event(1, 'b')),
        of_release("web@1.0.0", event(2, 'c')),
    ];
    for project in [HERE, THERE] {
        collect(tx, &[request(project, old.clone())]);
    }
    let [from, into] = [2, 1].map(ErrorIid::new);
    assert!(merge(tx, HERE, from, into).is_ok());
    for iid in [1, 3] {
        change(tx, iid, &status(edit.clone()));
    }
}

/// Stores the groups one after the other.
fn store<'g>(
    tracker: &TrackerStore,
    edit: &StatusEdit,
    groups: impl IntoIterator<Item = &'g [EventDelivery]>,
) -> GroupingResult {
    let groups: Vec<Vec<EventDelivery>> =
        groups.into_iter().map(<[EventDelivery]>::to_vec).collect();
    let edit = edit.clone();
    tracker.undone(move |tx| {
        begin(tx, &edit);
        GroupingResult {
            outcomes: groups.iter().flat_map(|group| collect(tx, group)).collect(),
            rows: [HERE, THERE].map(|project| rows(tx, project).unwrap()),
        }
    })
}

/// Edits that users may have made before.
fn edits() -> impl Strategy<Value = StatusEdit> {
    let ignoring = |events, users, until| {
        StatusEdit::Ignore(IgnoreDuration {
            until,
            events,
            users,
        })
    };
    proptest::sample::select(vec![
        StatusEdit::Unresolve,
        StatusEdit::Resolve,
        StatusEdit::ResolveInNextRelease,
        StatusEdit::ResolveInRelease("web@1.1.0".to_owned()),
        StatusEdit::ResolveInRelease("77b01de".to_owned()),
        ignoring(Some(3), None, None),
        ignoring(None, Some(2), None),
        ignoring(None, None, Some(at(40))),
        ignoring(Some(5), Some(3), Some(at(90_000))),
    ])
}

/// Any events of five keys: some are repeated, some have a release, a user and tags.
fn events() -> impl Strategy<Value = Vec<ArrivingEvent>> {
    let releases = vec![
        "web@1.0.0",
        "web@1.1.0",
        "web@1.2.0",
        "3f2a9c1",
        "77b01de",
        "9d00000",
    ];
    let release = proptest::option::of(proptest::sample::select(releases));
    let user = proptest::option::of(1_u8..5);
    let tag = proptest::option::of(0_u8..3);
    let any = (
        0_u16..50,
        proptest::char::range('a', 'e'),
        release,
        user,
        tag,
    );
    let any = any.prop_map(|(number, name, release, user, tag)| {
        let mut event = event(number, name);
        if let Some(release) = release {
            event = of_release(release, event);
        }
        if let Some(user) = user {
            event = seen_by(user, event);
        }
        event
            .tags
            .extend(tag.map(|tag| ("tag".to_owned(), tag.to_string())));
        event
    });
    proptest::collection::vec(any, 0..5)
}

/// Adds other items beside the events to a request.
fn with_attachments_and_comments(number: u16) -> impl Fn(EventDelivery) -> EventDelivery {
    move |delivery| EventDelivery {
        attachments: vec![Attachment {
            event_id: Some(id(number)),
            filename: format!("{number}.txt"),
            content_type: String::new(),
            kind: String::new(),
            bytes: vec![1; usize::from(number)],
        }],
        comments: vec![Comment {
            event_id: Some(id(number)),
            name: None,
            email: None,
            text: format!("about {number}"),
            url: None,
        }],
        sessions: vec![SessionCount {
            release: format!("web@{}", number % 3),
            environment: None,
            started_at: delivery.received_at,
            started: 1,
            errored: 0,
            crashed: (number % 2).into(),
            abnormal: 0,
        }],
        losses: vec![(Category::Transaction, Outcome::NotKept, number.into())],
        ..delivery
    }
}

/// Any requests to two projects, some with a quota. The clock goes forward, sometimes by a day.
fn requests() -> impl Strategy<Value = Vec<EventDelivery>> {
    let later = prop_oneof![6 => 0_i64..9, 1 => Just(86_400)];
    let project = proptest::sample::select(vec![HERE, THERE]);
    let quota = proptest::option::weighted(0.3, 1_u64..12);
    let beside = proptest::option::of(0_u16..50);
    let request_of = (project, later, events(), quota, beside);
    proptest::collection::vec(request_of, 1..12).prop_map(|posts| {
        let mut clock = 10;
        let to_request = |(project, later, mut events, quota, beside): (_, _, Vec<_>, _, _)| {
            clock += later;
            for event in &mut events {
                let event: &mut ArrivingEvent = event;
                event.received_at = at(clock);
            }
            let mut delivery = request(project, events);
            delivery.received_at = at(clock);
            delivery.limits.events_per_day = quota;
            match beside {
                Some(number) => with_attachments_and_comments(number)(delivery),
                None => delivery,
            }
        };
        posts.into_iter().map(to_request).collect()
    })
}

/// Splits requests into groups after the marked positions.
fn split<'d>(requests: &'d [EventDelivery], marks: &[bool]) -> Vec<&'d [EventDelivery]> {
    let mut groups = Vec::new();
    let mut rest = requests;
    let mut length = 0;
    for marked in marks.iter().take(requests.len()) {
        length += 1;
        if *marked {
            let (group, others) = rest.split_at(length);
            groups.push(group);
            (rest, length) = (others, 0);
        }
    }
    if !rest.is_empty() {
        groups.push(rest);
    }
    groups
}

#[test]
fn any_grouping_leaves_identical_rows_and_outcomes() {
    let tracker = TrackerStore::default();
    let marks = proptest::collection::vec(any::<bool>(), 12);
    proptest!(
        ProptestConfig::with_cases(400),
        |(edit in edits(), requests in requests(), marks in marks)| {
            let alone = store(&tracker, &edit, requests.chunks(1));
            prop_assert_eq!(&store(&tracker, &edit, split(&requests, &marks)), &alone);
            prop_assert_eq!(&store(&tracker, &edit, [&*requests]), &alone);
        }
    );
}

#[test]
fn error_counts_match_the_stored_events() {
    let tracker = TrackerStore::default();
    proptest!(ProptestConfig::with_cases(400), |(edit in edits(), requests in requests())| {
        let seen = store(&tracker, &edit, [&*requests]);
        for rows in &seen.rows {
            for whole in &rows.errors {
                // Nothing is pruned here, so every event that counts is stored.
                let events = i64::try_from(whole.events.len()).unwrap();
                prop_assert_eq!(whole.error.events, events);
                let by_hour: i64 = whole.hours.iter().map(|hour| hour.events).sum();
                prop_assert_eq!(by_hour, events);
                let times = || whole.events.iter().map(|event| event.received_at);
                prop_assert_eq!(Some(whole.error.first_seen), times().min());
                prop_assert_eq!(Some(whole.error.last_seen), times().max());
                let mut named = whole.events.iter().rev().filter_map(|event| event.release.as_ref());
                prop_assert_eq!(whole.error.first_release.as_ref(), named.next());
            }
        }
        let stored: usize = seen.outcomes.iter().map(|one| one.stored).sum();
        let sent: usize = requests.iter().map(|one| one.events.len()).sum();
        let left_out: usize = seen.outcomes.iter().map(|one| one.duplicates + one.over_quota).sum();
        prop_assert_eq!(stored + left_out, sent);
    });
}

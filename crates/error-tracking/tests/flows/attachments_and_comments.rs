//! Items beside events: comments, attachments, sessions and losses.

use api_conventions::ids::AttachmentId;
use api_conventions::page::OffsetPage;
use error_tracking::collector::Attachment;
use error_tracking::model::{ErrorComment, EventDelivery, Outcome, OutcomeCounter, StorageLimits};
use error_tracking::protocol::feedback::Comment;
use error_tracking::protocol::item::Category;
use error_tracking::protocol::sessions::SessionCount;
use error_tracking::store::{CounterFilter, ErrorQueries as _, SessionFilter};
use storage::{Store as _, StoreError};

use crate::support::{HERE, TrackerStore, at, event, id, request};

fn comment(about: Option<u16>, text: &str) -> Comment {
    Comment {
        event_id: about.map(id),
        name: None,
        email: None,
        text: text.to_owned(),
        url: None,
    }
}

fn file(of: Option<u16>, name: &str) -> Attachment {
    Attachment {
        event_id: of.map(id),
        filename: name.to_owned(),
        content_type: "text/plain".to_owned(),
        kind: "event.attachment".to_owned(),
        bytes: name.as_bytes().to_vec(),
    }
}

impl TrackerStore {
    /// Comments on an error, the latest first.
    fn comments(&self, iid: i64) -> Vec<String> {
        let error = self.error(iid).id;
        let page = OffsetPage::new(1, 100);
        let listed = self.0.read(move |tx| tx.list_error_comments(error, page));
        let listed: Result<_, StoreError> = listed.wait();
        let comments = listed.unwrap().items.into_iter();
        comments.map(|one: ErrorComment| one.text).collect()
    }

    /// Names of the attachments of an event.
    fn files(&self, number: u16) -> Vec<String> {
        let listed = self.0.read(move |tx| {
            let listed = tx.list_attachments(HERE, id(number))?;
            for file in &listed {
                let (_, bytes) = tx.find_attachment(HERE, id(number), file.id)?.unwrap();
                assert_eq!(bytes, file.filename.as_bytes());
            }
            assert_eq!(
                tx.find_attachment(HERE, id(number), AttachmentId::new(999))?,
                None
            );
            Ok::<_, StoreError>(listed)
        });
        let files = listed.wait().unwrap().into_iter();
        files.map(|file| file.filename).collect()
    }

    /// Accounting of the first two days, without zeros: category, outcome, quantity.
    pub(crate) fn accounting(&self) -> Vec<(Category, Outcome, i64)> {
        let filter = CounterFilter {
            project_id: HERE,
            from: at(0).date(),
            to: at(86_400).date(),
        };
        let listed = self.0.read(move |tx| tx.list_counters(&filter));
        let listed: Result<Vec<OutcomeCounter>, StoreError> = listed.wait();
        let counters = listed.unwrap().into_iter();
        counters
            .map(|one| (one.of.category, one.of.outcome, one.quantity))
            .collect()
    }
}

#[test]
fn feedback_is_stored_with_its_event_in_any_order_of_arrival() {
    let tracker = TrackerStore::default();
    let mut early = request(HERE, Vec::new());
    early.comments = vec![comment(Some(1), "early"), comment(None, "about nothing")];
    tracker.collect(&[early]);
    let mut with = request(HERE, vec![event(1, 'a'), event(2, 'b')]);
    with.comments = vec![comment(Some(1), "with it")];
    let mut late = request(HERE, Vec::new());
    late.comments = vec![comment(Some(2), "of another"), comment(Some(1), "late")];
    tracker.collect(&[with, late]);
    assert_eq!(tracker.comments(1), ["late", "with it", "early"]);
    assert_eq!(tracker.comments(2), ["of another"]);
    let stored = (Category::Feedback, Outcome::Stored, 5);
    assert!(tracker.accounting().contains(&stored));
}

#[test]
fn files_are_stored_with_events_that_are_new() {
    let tracker = TrackerStore::default();
    let mut first = request(HERE, vec![event(1, 'a')]);
    first.attachments = vec![
        file(Some(1), "one.txt"),
        file(Some(1), "two.txt"),
        file(Some(9), "of no event.txt"),
        file(None, "of nothing.txt"),
    ];
    let again = first.clone();
    tracker.collect(&[first, again.clone()]);
    tracker.collect(&[again]);
    assert_eq!(tracker.files(1), ["one.txt", "two.txt"]);
    assert_eq!(tracker.files(9), [""; 0]);
    let mut limited = request(HERE, vec![event(2, 'a'), event(3, 'a')]);
    limited.limits = StorageLimits {
        events_per_day: Some(2),
        ..limited.limits
    };
    limited.attachments = vec![file(Some(3), "left out.txt"), file(Some(2), "kept.txt")];
    let outcomes = tracker.collect(&[limited]);
    assert_eq!((outcomes[0].stored, outcomes[0].over_quota), (1, 1));
    assert_eq!(tracker.files(2), ["kept.txt"]);
    assert_eq!(tracker.files(3), [""; 0]);
    let files = tracker.accounting().into_iter();
    let files: Vec<_> = files
        .filter(|(category, ..)| *category == Category::Attachment)
        .collect();
    let of = |outcome, quantity| (Category::Attachment, outcome, quantity);
    let expected = [
        of(Outcome::Stored, 3),
        of(Outcome::WithoutEvent, 2),
        of(Outcome::Quota, 1),
    ];
    assert_eq!(files, expected);
}

#[test]
fn everything_that_came_is_accounted_for() {
    let tracker = TrackerStore::default();
    let mut first = request(HERE, vec![event(1, 'a'), event(1, 'a'), event(2, 'a')]);
    first.limits.events_per_day = Some(1);
    first.losses = vec![
        (Category::Transaction, Outcome::NotKept, 7),
        (Category::Error, Outcome::SdkSample, 3),
        (Category::Span, Outcome::Unknown, 0),
    ];
    let mut second = request(HERE, vec![event(1, 'a')]);
    second.losses = vec![(Category::Transaction, Outcome::NotKept, 1)];
    tracker.collect(&[first, second]);
    let expected = [
        (Category::Error, Outcome::Stored, 1),
        (Category::Error, Outcome::Quota, 1),
        (Category::Error, Outcome::Duplicate, 2),
        (Category::Error, Outcome::SdkSample, 3),
        // Items sent with an event that was already stored were received before, too.
        (Category::Transaction, Outcome::NotKept, 7),
    ];
    assert_eq!(tracker.accounting(), expected);
}

#[test]
fn comments_and_losses_of_a_retried_request_count_once() {
    let tracker = TrackerStore::default();
    let mut first = request(HERE, vec![event(1, 'a')]);
    first.comments = vec![comment(Some(1), "once")];
    first.losses = vec![(Category::Span, Outcome::NotKept, 3)];
    let again = first.clone();
    tracker.collect(&[first, again.clone()]);
    tracker.collect(std::slice::from_ref(&again));
    assert_eq!(tracker.comments(1), ["once"]);
    // If some of its events are new, the request is not a retry.
    let mut more = again;
    more.events.push(event(2, 'a'));
    more.comments = vec![comment(Some(1), "twice")];
    tracker.collect(&[more]);
    assert_eq!(tracker.comments(1), ["twice", "once"]);
    let expected = [
        (Category::Error, Outcome::Stored, 2),
        (Category::Error, Outcome::Duplicate, 3),
        (Category::Feedback, Outcome::Stored, 2),
        (Category::Span, Outcome::NotKept, 6),
    ];
    assert_eq!(tracker.accounting(), expected);
}

#[test]
fn sessions_count_for_the_day_on_which_they_began() {
    let tracker = TrackerStore::default();
    let session = |environment: Option<&str>, second, started, crashed| SessionCount {
        release: "web@1".to_owned(),
        environment: environment.map(str::to_owned),
        started_at: at(second),
        started,
        errored: 0,
        crashed,
        abnormal: 0,
    };
    let with = |sessions: Vec<SessionCount>| EventDelivery {
        received_at: at(86_400),
        sessions,
        ..request(HERE, Vec::new())
    };
    tracker.collect(&[
        with(vec![session(None, 5, 2, 0), session(Some("live"), 5, 1, 0)]),
        with(vec![
            session(None, 86_399, 0, 1),
            session(None, 86_400, 4, 0),
        ]),
    ]);
    let filter = SessionFilter {
        project_id: HERE,
        release: Some("web@1".to_owned()),
        from: at(0).date(),
        to: at(86_400).date(),
    };
    let listed = tracker.0.read(move |tx| tx.list_session_sums(&filter, 9));
    let listed: Result<Vec<_>, StoreError> = listed.wait();
    let sums: Vec<_> = listed
        .unwrap()
        .into_iter()
        .map(|sum| (sum.of.day, sum.of.environment, sum.started, sum.crashed))
        .collect();
    let expected = [
        (at(86_400).date(), String::new(), 4, 0),
        (at(0).date(), String::new(), 2, 1),
        (at(0).date(), "live".to_owned(), 1, 0),
    ];
    assert_eq!(sums, expected);
    let counted = (Category::Session, Outcome::Stored, 7);
    assert!(tracker.accounting().contains(&counted));
}

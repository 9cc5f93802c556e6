//! The spam log.

use api_conventions::ids::{IssueIid, ProjectId, SnippetId, SpamLogId, UserId};
use api_conventions::time::Timestamp;
use projects::{NewSpamLog, SpamLog, SpamReason, Submission, SubmissionDigest, SubmissionTarget};
use storage::StoreExt as _;

use crate::areas::{AreaHarness, Projects};
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, race, timestamp};

/// Threads that hold the same submission concurrently, and rounds of each.
const THREADS: usize = 8;
const ROUNDS: u64 = 5;

/// A user's submission with this title.
fn sent(user: i64, title: &str, second: i64) -> NewSpamLog {
    let submission = Submission {
        user_id: UserId::new(user),
        project_id: Some(ProjectId::new(7)),
        target: SubmissionTarget::Issue(None),
        title: title.to_owned(),
        description: "what it says".to_owned(),
    };
    submission.to_spam_log(SpamReason::Pattern, timestamp(second))
}

/// Entries that differ in every field.
fn edges() -> Vec<NewSpamLog> {
    let edge = NewSpamLog {
        user_id: UserId::new(i64::MAX),
        project_id: Some(ProjectId::new(i64::MAX)),
        target: SubmissionTarget::Issue(Some(IssueIid::new(i64::MAX))),
        digest: SubmissionDigest::from_bytes([255; 32]),
        title: HOSTILE.to_owned(),
        excerpt: HOSTILE.repeat(20),
        reason: SpamReason::Service,
        now: Timestamp::MAX,
    };
    let empty = NewSpamLog {
        digest: SubmissionDigest::from_bytes([0; 32]),
        target: SubmissionTarget::Issue(None),
        title: String::new(),
        excerpt: String::new(),
        reason: SpamReason::Links,
        now: Timestamp::MIN,
        ..edge.clone()
    };
    let snippet = |digest, id| NewSpamLog {
        project_id: None,
        digest: SubmissionDigest::from_bytes([digest; 32]),
        target: SubmissionTarget::Snippet(id),
        ..edge.clone()
    };
    let snippets = [snippet(1, None), snippet(2, Some(SnippetId::new(i64::MAX)))];
    [&[edge.clone(), empty], &snippets[..]].concat()
}

entity! {
    /// An entry of the spam log. Entries have no owner.
    StoredSpamLog in Projects, of (): NewSpamLog => SpamLog;
    owners: |_harness| [(), ()];
    key: |log| -> SpamLogId { log.id }, unknown: SpamLogId::new(i64::MAX);
    sample: |(), number| sent(number.into(), "sample", 1);
    edges: |()| edges();
    insert: |tx, new| Ok(tx.put_spam_log(new)?.id);
    find: |tx, (), id| tx.find_spam_log(*id), by owner: false;
    expected: |new, found| new.stored(found.id);
}

fn hold(store: &Projects, new: NewSpamLog) -> SpamLog {
    let held = store.change(move |tx| tx.put_spam_log(&new));
    held.wait().unwrap()
}

fn titles(store: &Projects, limit: usize) -> Vec<String> {
    let listed = store.query(move |tx| tx.list_spam_logs(limit));
    let listed = listed.wait().unwrap();
    listed.into_iter().map(|log| log.title).collect()
}

pub(super) fn k03_a_repeated_submission_is_counted_in_its_entry(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    let first = hold(store, sent(1, "a", 5));
    assert_eq!(first, sent(1, "a", 5).stored(first.id));
    let again = NewSpamLog {
        reason: SpamReason::Service,
        ..sent(1, "a", 9)
    };
    let expected = SpamLog {
        reason: SpamReason::Service,
        held: 2,
        last_at: timestamp(9),
        ..first.clone()
    };
    assert_eq!(hold(store, again.clone()), expected);
    // A clock that is behind does not make an entry older.
    let late = NewSpamLog {
        now: timestamp(2),
        ..again
    };
    let expected = SpamLog {
        held: 3,
        ..expected
    };
    assert_eq!(hold(store, late), expected);
    let id = first.id;
    let found = store.query(move |tx| tx.find_spam_log(id));
    assert_eq!(found.wait().unwrap(), Some(expected));
}

pub(super) fn k04_submissions_that_differ_in_user_or_content_have_separate_entries(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    let all = [sent(1, "a", 1), sent(2, "a", 1), sent(1, "A", 1)];
    let mut ids: Vec<SpamLogId> = all.map(|new| hold(store, new).id).into();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), 3);
}

pub(super) fn k05_entries_are_listed_the_last_held_first(harness: &mut AreaHarness<Projects>) {
    let store = harness.store();
    for (user, title, second) in [(1, "a", 3), (2, "b", 1), (1, "c", 3), (3, "d", 2)] {
        hold(store, sent(user, title, second));
    }
    let expected = ["c", "a", "d", "b"];
    for limit in [0, 1, 3, 9] {
        let first: Vec<&str> = expected.into_iter().take(limit).collect();
        assert_eq!(titles(store, limit), first);
    }
    hold(store, sent(2, "b", 9));
    assert_eq!(titles(store, 2), ["b", "c"]);
}

pub(super) fn k06_trimming_retains_the_last_held_entries_of_a_user(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    for (user, title, second) in [(1, "a", 4), (1, "b", 2), (2, "c", 1), (1, "d", 3)] {
        hold(store, sent(user, title, second));
    }
    let trim = |user, keep| {
        let trimmed = store.change(move |tx| tx.trim_spam_logs(UserId::new(user), keep));
        trimmed.wait().unwrap()
    };
    assert_eq!((trim(1, 3), trim(3, 0)), (0, 0));
    assert_eq!(trim(1, 2), 1);
    assert_eq!(titles(store, 9), ["a", "d", "c"]);
    assert_eq!(trim(1, 0), 2);
    assert_eq!(titles(store, 9), ["c"]);
}

pub(super) fn k07_an_entry_stores_the_time_of_the_last_solved_captcha(
    harness: &mut AreaHarness<Projects>,
) {
    let store = harness.store();
    let [one, other] = ["a", "b"].map(|title| hold(store, sent(1, title, 1)));
    let note = |id, second| {
        let noted = store.change(move |tx| tx.record_captcha_solved(id, timestamp(second)));
        noted.wait().unwrap()
    };
    assert!(note(one.id, 5) && note(one.id, 8));
    assert!(!note(SpamLogId::new(i64::MAX), 5));
    let (first, second) = (one.id, other.id);
    let found = store.query(move |tx| {
        Ok::<_, storage::StoreError>((tx.find_spam_log(first)?, tx.find_spam_log(second)?))
    });
    let solved = SpamLog {
        solved_at: Some(timestamp(8)),
        ..one
    };
    assert_eq!(found.wait().unwrap(), (Some(solved.clone()), Some(other)));
    // An entry keeps it when its submission is held again.
    let held = hold(store, sent(1, "a", 9));
    assert_eq!((held.held, held.solved_at), (2, solved.solved_at));
}

pub(super) fn k08_old_entries_are_deleted_up_to_a_limit(harness: &mut AreaHarness<Projects>) {
    let store = harness.store();
    for (title, second) in [("a", 1), ("b", 2), ("c", 3), ("d", 4)] {
        hold(store, sent(1, title, second));
    }
    let delete = |before, limit| {
        let deleted = store.change(move |tx| tx.delete_spam_logs_before(timestamp(before), limit));
        deleted.wait().unwrap()
    };
    assert_eq!((delete(1, 9), delete(4, 0)), (0, 0));
    assert_eq!((delete(4, 2), delete(4, 2), delete(4, 2)), (2, 1, 0));
    // An entry of that very time stays.
    assert_eq!(titles(store, 9), ["d"]);
}

pub(super) fn k09_entries_outlive_the_store(harness: &mut AreaHarness<Projects>) {
    let before = hold(harness.store(), sent(1, "a", 1));
    harness.reopen();
    let again = hold(harness.store(), sent(1, "a", 2));
    let expected = SpamLog {
        held: 2,
        last_at: timestamp(2),
        ..before.clone()
    };
    assert_eq!(again, expected);
    let other = hold(harness.store(), sent(1, "b", 2));
    assert_ne!(other.id, before.id);
}

pub(super) fn k10_concurrent_submissions_are_all_counted(harness: &mut AreaHarness<Projects>) {
    let store = harness.store();
    race(THREADS, |_| {
        for _ in 0..ROUNDS {
            hold(store, sent(1, "a", 1));
        }
    });
    let listed = store.query(|tx| tx.list_spam_logs(9)).wait().unwrap();
    let held: Vec<u64> = listed.iter().map(|log| log.held).collect();
    assert_eq!(held, [u64::try_from(THREADS).unwrap() * ROUNDS]);
}

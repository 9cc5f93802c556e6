//! Aggregates: hours, tags, statistics and sessions.

use api_conventions::ids::{ClientKeyId, ErrorId, ProjectId};
use api_conventions::time::Timestamp;
use error_tracking::flow::change::merge;
use error_tracking::model::{
    CounterKey, Outcome, OutcomeCounter, SessionSum, SessionSumKey, TagCount,
};
use error_tracking::protocol::item::Category;
use error_tracking::store::{CounterFilter, HourCount, SessionFilter, TagProgress};
use storage::StoreExt as _;

use super::{counter, insert, new_error};
use crate::areas::{AreaHarness, Errors};
use crate::samples::{HOSTILE, timestamp};

/// Start of the hour with this number, counted from the first one.
fn hour(number: i64) -> Timestamp {
    let first = timestamp(0).as_unix_seconds() / 3600 * 3600;
    Timestamp::from_micros((first + number * 3600) * 1_000_000).unwrap()
}

pub(super) fn t73_hours_add_up(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let listed = harness.store().change(move |tx| {
        let errors = [1, 2, 3].map(|number| new_error(project, number));
        let known = insert(tx, errors.to_vec())?;
        let [one, two, three] = [0, 1, 2].map(|place: usize| known[place].clone());
        let count = |number, events| HourCount {
            hour: hour(number),
            events,
        };
        tx.add_error_hours(&[
            (one.key_id, count(0, 3)),
            (one.key_id, count(2, 1)),
            (two.key_id, count(0, 7)),
            (three.key_id, count(1, 9)),
        ])?;
        tx.add_error_hours(&[(one.key_id, count(2, 4)), (one.key_id, count(-1, 1))])?;
        let mut both = [one.error_id, two.error_id];
        let listed = tx.list_error_hours(&both, hour(-9))?;
        let expected = [
            (one.error_id, -1, 1),
            (one.error_id, 0, 3),
            (one.error_id, 2, 5),
        ];
        let mut expected: Vec<(ErrorId, HourCount)> = expected
            .into_iter()
            .chain([(two.error_id, 0, 7)])
            .map(|(error, number, events)| (error, count(number, events)))
            .collect();
        expected.sort_by_key(|(error, count)| (*error, count.hour));
        assert_eq!(listed, expected);
        both.reverse();
        assert_eq!(tx.list_error_hours(&both, hour(-9))?, expected);
        let late = tx.list_error_hours(&[one.error_id], hour(2))?;
        assert_eq!(late, [(one.error_id, count(2, 5))]);
        assert_eq!(tx.list_error_hours(&[], hour(-9))?, []);
        // A merged error has the hours of both.
        merge(tx, project, two.iid, one.iid)?;
        let listed = tx.list_error_hours(&[one.error_id, two.error_id], hour(0))?;
        assert_eq!(
            listed,
            [(one.error_id, count(0, 10)), (one.error_id, count(2, 5))]
        );
        Ok(())
    });
    listed.wait().unwrap();
}

/// Tags of a list, as tuples.
fn short(tags: &[TagCount]) -> Vec<(&str, &str, i64)> {
    let short = tags.iter().map(|tag| (&*tag.name, &*tag.value, tag.events));
    short.collect()
}

pub(super) fn t74_tags_add_up(harness: &mut AreaHarness<Errors>) {
    let [project, _] = harness.places();
    let listed = harness.store().change(move |tx| {
        let errors = [1, 2, 3].map(|number| new_error(project, number));
        let known = insert(tx, errors.to_vec())?;
        let tag = |place: usize, name: &str, value: &str, events, at| TagProgress {
            project_id: project,
            key_id: known[place].key_id,
            name: name.to_owned(),
            value: value.to_owned(),
            events,
            last_seen: timestamp(at),
        };
        tx.add_error_tags(&[
            tag(0, "os", "Linux", 3, 9),
            tag(0, "os", "linux", 1, 1),
            tag(0, "level", "error", 4, 9),
            tag(1, "os", "Linux", 1, 20),
            tag(1, HOSTILE, HOSTILE, 1, 3),
            tag(2, "os", "Plan 9", 8, 1),
        ])?;
        tx.add_error_tags(&[
            tag(0, "os", "linux", 4, 5),
            tag(0, "os", "BSD", 3, 1),
            tag(0, "os", "Linux", 1, 2),
        ])?;
        let [one, two] = [&known[0], &known[1]];
        let listed = tx.list_error_tags(one.error_id, 9)?;
        let expected = [
            ("level", "error", 4),
            ("os", "linux", 5),
            ("os", "Linux", 4),
            ("os", "BSD", 3),
        ];
        assert_eq!(short(&listed), expected);
        // The latest time of each tag is kept, in whatever order events are added.
        let times: Vec<Timestamp> = listed.iter().map(|tag| tag.last_seen).collect();
        assert_eq!(times, [9, 5, 9, 1].map(timestamp));
        let few = tx.list_error_tags(one.error_id, 1)?;
        assert_eq!(short(&few), [expected[0], expected[1]]);
        // A merged error has the tags of both, and ties are broken by the value.
        merge(tx, project, two.iid, one.iid)?;
        let listed = tx.list_error_tags(one.error_id, 2)?;
        let mut expected = vec![
            (HOSTILE, HOSTILE, 1),
            ("level", "error", 4),
            ("os", "Linux", 5),
            ("os", "linux", 5),
        ];
        expected.sort_by_key(|(name, ..)| *name);
        assert_eq!(short(&listed), expected);
        assert_eq!(listed[2].last_seen, timestamp(20));
        assert_eq!(tx.list_error_tags(two.error_id, 9)?, []);
        Ok(())
    });
    listed.wait().unwrap();
}

/// A filter of all statistics in a range of days, counted from the first one.
fn days(project_id: ProjectId, from: i64, to: i64) -> CounterFilter {
    let day = |number: i64| timestamp(number * 86_400).date();
    CounterFilter {
        project_id,
        from: day(from),
        to: day(to),
    }
}

pub(super) fn t75_the_accounting_adds_up(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let listed = harness.store().change(move |tx| {
        let first = counter(project, 1, 3);
        let of = |change: fn(&mut CounterKey), quantity| {
            let mut counter = OutcomeCounter { quantity, ..first };
            change(&mut counter.of);
            counter
        };
        let tomorrow = of(|of| of.day = timestamp(86_400).date(), 1);
        let key = of(|of| of.key_id = ClientKeyId::new(i64::MAX), 2);
        let category = of(|of| of.category = Category::Internal, i64::from(u32::MAX));
        let outcome = of(|of| of.outcome = Outcome::SdkOther, 5);
        let elsewhere = counter(other, 1, 9);
        tx.add_counters(&[tomorrow, elsewhere, key, category, outcome, first])?;
        tx.add_counters(&[
            OutcomeCounter {
                quantity: 4,
                ..first
            },
            OutcomeCounter {
                quantity: 1,
                ..outcome
            },
        ])?;
        let sums = [
            OutcomeCounter {
                quantity: 7,
                ..first
            },
            OutcomeCounter {
                quantity: 6,
                ..outcome
            },
            category,
            key,
        ];
        assert_eq!(tx.list_counters(&days(project, 0, 0))?, sums);
        let mut all = sums.to_vec();
        all.push(tomorrow);
        assert_eq!(tx.list_counters(&days(project, -1, 1))?, all);
        assert_eq!(tx.list_counters(&days(project, 1, 5))?, [tomorrow]);
        assert_eq!(tx.list_counters(&days(project, 2, 5))?, []);
        assert_eq!(tx.list_counters(&days(other, -9, 9))?, [elsewhere]);
        // Every combination of a category and an outcome is counted separately.
        let day = timestamp(0).date();
        let mut every = Vec::new();
        for category in Category::ALL {
            every.extend(Outcome::ALL.iter().map(|outcome| {
                let key_id = ClientKeyId::new(5);
                let of = CounterKey {
                    project_id: other,
                    day,
                    key_id,
                    category: *category,
                    outcome: *outcome,
                };
                OutcomeCounter { of, quantity: 1 }
            }));
        }
        tx.add_counters(&every)?;
        let listed = tx.list_counters(&days(other, 0, 0))?;
        assert_eq!(listed[0], elsewhere);
        assert_eq!(listed[1..], every);
        Ok(())
    });
    listed.wait().unwrap();
}

pub(super) fn t76_sessions_add_up(harness: &mut AreaHarness<Errors>) {
    let [project, other] = harness.places();
    let listed = harness.store().change(move |tx| {
        let sum = |release: &str, environment: &str, day: i64, started| SessionSum {
            started,
            errored: 2,
            crashed: 3,
            abnormal: 4,
            ..SessionSum::none(SessionSumKey {
                project_id: project,
                release: release.to_owned(),
                environment: environment.to_owned(),
                day: timestamp(day * 86_400).date(),
            })
        };
        let mut elsewhere = sum("web@1", "", 0, 1);
        elsewhere.of.project_id = other;
        tx.add_session_sums(&[
            sum("web@2", "live", 0, 10),
            sum("web@1", "live", 0, 20),
            sum("web@1", "", 0, 30),
            sum(HOSTILE, HOSTILE, 1, 40),
            elsewhere,
        ])?;
        tx.add_session_sums(&[sum("web@1", "live", 0, 1)])?;
        let twice = SessionSum {
            started: 21,
            errored: 4,
            crashed: 6,
            abnormal: 8,
            ..sum("web@1", "live", 0, 0)
        };
        let all = [
            sum(HOSTILE, HOSTILE, 1, 40),
            sum("web@1", "", 0, 30),
            twice,
            sum("web@2", "live", 0, 10),
        ];
        let filter = |release: Option<&str>, from, to| {
            let days = days(project, from, to);
            SessionFilter {
                project_id: project,
                release: release.map(str::to_owned),
                from: days.from,
                to: days.to,
            }
        };
        assert_eq!(tx.list_session_sums(&filter(None, -5, 5), 9)?, all);
        assert_eq!(tx.list_session_sums(&filter(None, -5, 5), 2)?, all[..2]);
        assert_eq!(tx.list_session_sums(&filter(None, 0, 0), 9)?, all[1..]);
        let of_release = tx.list_session_sums(&filter(Some("web@1"), 0, 1), 9)?;
        assert_eq!(of_release, all[1..3]);
        assert_eq!(tx.list_session_sums(&filter(Some(""), 0, 1), 9)?, []);
        Ok(())
    });
    listed.wait().unwrap();
}

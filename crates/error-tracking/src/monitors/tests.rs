//! Rules of monitors, with times in seconds from an hour that begins a day.

use serde_json::json;

use super::*;
use crate::model::EventId;
use api_conventions::time::Timestamp;

const MINUTE: i64 = 60;
const HOUR: i64 = 60 * MINUTE;

fn at(seconds: i64) -> Timestamp {
    let day = Timestamp::parse_rfc3339("2026-11-20T00:00:00Z").unwrap();
    day.plus_seconds(seconds)
}

fn id(number: u8) -> EventId {
    EventId::from_bytes([number; 16]).unwrap()
}

fn crontab(pattern: &str) -> MonitorConfig {
    MonitorConfig::new(JobSchedule::crontab(pattern).unwrap())
}

fn check_in(status: CheckInStatus, run: Option<u8>) -> CheckIn {
    CheckIn {
        id: run.map(id),
        slug: "backup".to_owned(),
        environment: "production".to_owned(),
        status,
        duration: None,
        release: None,
        config: None,
    }
}

/// A monitor whose job ran at 0.
fn after_ok(config: MonitorConfig) -> MonitorState {
    let mut state = MonitorState::default();
    let first = CheckIn {
        config: Some(config),
        ..check_in(CheckInStatus::Ok, Some(1))
    };
    assert_eq!(state.record(&first, id(99), at(0)).report, None);
    state
}

fn record(state: &mut MonitorState, status: CheckInStatus, now: i64) -> Option<MonitorReport> {
    let number = u8::try_from(now % 90).unwrap() + 100;
    state
        .record(&check_in(status, Some(number)), id(99), at(now))
        .report
}

fn expire(state: &mut MonitorState, now: i64) -> Vec<MonitorReport> {
    expire_since(state, now, i64::MIN / 10_000_000)
}

fn expire_since(state: &mut MonitorState, now: i64, up_since: i64) -> Vec<MonitorReport> {
    let mut reports = Vec::new();
    let mut rounds = 0;
    while state.due_at().is_some_and(|due| due <= at(now)) {
        reports.extend(state.expire(at(now), at(up_since)));
        rounds += 1;
        assert!(rounds < 1_000, "{state:?}");
    }
    reports
}

const MISSED: MonitorReport = MonitorReport::Failing(MonitorOutcome::Missed);
const FAILED: MonitorReport = MonitorReport::Failing(MonitorOutcome::Failed);
const TIMED_OUT: MonitorReport = MonitorReport::Failing(MonitorOutcome::TimedOut);

#[test]
fn a_missed_slot_is_reported_once_its_margin_is_over_and_resolved_by_a_run() {
    let mut state = after_ok(crontab("0 * * * *"));
    assert_eq!(state.due_at(), Some(at(HOUR + MINUTE)));
    assert_eq!(expire(&mut state, HOUR + MINUTE - 1), []);
    assert_eq!(expire(&mut state, HOUR + MINUTE), [MISSED]);
    assert_eq!(state.failing_since, Some(at(HOUR + MINUTE)));
    // One alert says it, however long the job is silent.
    assert_eq!(
        (state.due_at(), expire(&mut state, 90 * HOUR)),
        (None, vec![])
    );
    let back = record(&mut state, CheckInStatus::Ok, 100 * HOUR + 30);
    assert_eq!(back, Some(MonitorReport::Recovered));
    assert_eq!(state.due_at(), Some(at(101 * HOUR + MINUTE)));
}

#[test]
fn a_check_in_shortly_before_its_slot_counts_for_it() {
    // A run that began a minute early, and one that took nearly until the next slot.
    for (run_at, duration, next) in [
        (HOUR - MINUTE, None, 2 * HOUR),
        (HOUR - MINUTE, Some(59 * MINUTE), HOUR),
        (HOUR - 10 * MINUTE, None, HOUR),
        (HOUR + 50 * MINUTE, None, 2 * HOUR),
    ] {
        let mut state = after_ok(crontab("0 * * * *"));
        let early = CheckIn {
            duration,
            ..check_in(CheckInStatus::Ok, Some(2))
        };
        state.record(&early, id(99), at(run_at));
        assert_eq!(state.expected.map(|slot| slot.at), Some(at(next)));
        // The one on time that follows a check-in before counts for the same slot.
        record(&mut state, CheckInStatus::Ok, next);
        let slot = state.expected.map(|slot| slot.at);
        assert_eq!(slot, Some(at(next + HOUR)));
    }
    // For a job that runs each minute, a minute early is the slot before.
    let mut state = after_ok(crontab("* * * * *"));
    record(&mut state, CheckInStatus::Ok, MINUTE + 1);
    assert_eq!(state.expected.map(|slot| slot.at), Some(at(2 * MINUTE)));
}

#[test]
fn a_run_that_does_not_end_times_out_and_a_late_end_still_counts() {
    let mut state = MonitorState::default();
    let config = MonitorConfig {
        max_runtime: 10,
        ..crontab("0 0 * * *")
    };
    let begin = CheckIn {
        config: Some(config),
        ..check_in(CheckInStatus::InProgress, Some(7))
    };
    assert_eq!(state.record(&begin, id(99), at(0)).id, id(7));
    assert!(state.is_running());
    assert_eq!(expire(&mut state, 10 * MINUTE - 1), []);
    assert_eq!(expire(&mut state, 10 * MINUTE), [TIMED_OUT]);
    assert!(!state.is_running());
    let ended = check_in(CheckInStatus::Ok, Some(7));
    let ended = state.record(&ended, id(99), at(11 * MINUTE));
    assert_eq!(ended.report, Some(MonitorReport::Recovered));
    // The sender repeats it because it got no response.
    let again = state.record(
        &check_in(CheckInStatus::Error, Some(7)),
        id(99),
        at(12 * MINUTE),
    );
    assert_eq!((again.id, again.report), (id(7), None));
    assert_eq!(state.outcome, Some(MonitorOutcome::Ok));
}

#[test]
fn a_check_in_without_an_id_is_about_the_latest_run_in_progress() {
    let mut state = after_ok(crontab("0 0 * * *"));
    for (number, status) in [
        (Some(3), CheckInStatus::InProgress),
        (None, CheckInStatus::InProgress),
    ] {
        state.record(&check_in(status, number), id(4), at(30));
    }
    let end = check_in(CheckInStatus::Ok, None);
    assert_eq!(state.record(&end, id(50), at(40)).id, id(4));
    assert_eq!(state.duration, Some(10));
    assert_eq!(state.record(&end, id(51), at(50)).id, id(3));
    assert_eq!(state.record(&end, id(52), at(60)).id, id(52));
}

#[test]
fn thresholds_count_consecutive_runs() {
    use CheckInStatus::{Error, Ok};
    let config = MonitorConfig {
        failure_threshold: 3,
        recovery_threshold: 2,
        ..crontab("0 * * * *")
    };
    let mut state = after_ok(config);
    for (now, status, expected) in [
        (10, Error, None),
        (11, Error, None),
        (12, Ok, None),
        (13, Error, None),
        (14, Error, None),
        (15, Error, Some(FAILED)),
        // Reported again, so that an alert which a person resolved opens anew.
        (16, Error, Some(FAILED)),
        (17, Ok, None),
        (18, Error, Some(FAILED)),
        (19, Ok, None),
        (20, Ok, Some(MonitorReport::Recovered)),
        (21, Ok, None),
    ] {
        assert_eq!(record(&mut state, status, now), expected, "{now}");
    }
    assert_eq!(expire(&mut state, 2 * HOUR + MINUTE), []);
    assert_eq!(expire(&mut state, 3 * HOUR + MINUTE), [MISSED]);
}

#[test]
fn without_a_schedule_only_failures_count() {
    let mut state = MonitorState::default();
    record(&mut state, CheckInStatus::InProgress, 0);
    assert_eq!(state.due_at(), None);
    assert_eq!(record(&mut state, CheckInStatus::Error, 5), Some(FAILED));
    let back = record(&mut state, CheckInStatus::Ok, 6);
    assert_eq!(back, Some(MonitorReport::Recovered));
}

#[test]
fn after_an_outage_of_the_server_nothing_is_reported_for_it() {
    let every_hour = JobSchedule::interval(1, IntervalUnit::Hour).unwrap();
    for (config, next) in [
        (crontab("0 * * * *"), 6 * HOUR),
        (MonitorConfig::new(every_hour), 6 * HOUR + 30 * MINUTE),
    ] {
        let mut state = after_ok(config);
        record(&mut state, CheckInStatus::InProgress, 5);
        let up = 5 * HOUR + 30 * MINUTE;
        assert_eq!(expire_since(&mut state, up + 5, up), []);
        assert_eq!(state.due_at(), Some(at(up + 30 * MINUTE)));
        assert_eq!(expire_since(&mut state, up + 30 * MINUTE, up), [TIMED_OUT]);
        record(&mut state, CheckInStatus::Ok, up + 30 * MINUTE);
        let slot = state.expected.map(|slot| slot.at);
        assert!(slot >= Some(at(next)), "{slot:?}");
    }
    // A slot at which the server was up is reported, although it started since the last check-in.
    let mut state = after_ok(crontab("0 * * * *"));
    assert_eq!(
        expire_since(&mut state, 2 * HOUR + MINUTE, 90 * MINUTE),
        [MISSED]
    );
}

#[test]
fn a_new_schedule_takes_effect_at_once() {
    let mut state = after_ok(crontab("0 0 * * *"));
    let changed = CheckIn {
        config: Some(crontab("*/10 * * * *")),
        ..check_in(CheckInStatus::Ok, Some(2))
    };
    state.record(&changed, id(99), at(5));
    assert_eq!(state.due_at(), Some(at(11 * MINUTE)));
}

#[test]
fn the_state_reads_back_as_written() {
    let monthly = JobSchedule::interval(2, IntervalUnit::Month).unwrap();
    for schedule in [JobSchedule::crontab("5 4 * * SUN-tue").unwrap(), monthly] {
        let mut state = after_ok(MonitorConfig {
            timezone: chrono_tz::Tz::Europe__Berlin,
            ..MonitorConfig::new(schedule)
        });
        record(&mut state, CheckInStatus::InProgress, 5);
        record(&mut state, CheckInStatus::Error, 6);
        let text = serde_json::to_string(&state).unwrap();
        assert_eq!(serde_json::from_str::<MonitorState>(&text).unwrap(), state);
    }
}

#[test]
fn check_ins_of_sdks_are_parsed() {
    let sent = json!({
        "check_in_id": "fc6d8c0c43fc4630ad850ee518f1b9d0", "monitor_slug": "Nightly Backup!", "status": "error",
        "duration": 2.7, "release": "shop@1", "environment": "staging",
        "monitor_config": {
            "schedule": {"type": "crontab", "value": "0 3 * * *"}, "checkin_margin": 5, "max_runtime": 0.2,
            "failure_issue_threshold": 1e9, "recovery_threshold": null, "timezone": "America/New_York",
        },
        "contexts": {"trace": {"trace_id": "x"}},
    });
    let parsed = CheckIn::parse(sent.to_string().as_bytes()).unwrap();
    assert_eq!(parsed.slug, "nightly-backup");
    assert_eq!(
        (parsed.duration, parsed.environment.as_str()),
        (Some(2), "staging")
    );
    let config = parsed.config.unwrap();
    let numbers = [
        config.margin,
        config.max_runtime,
        config.failure_threshold,
        config.recovery_threshold,
    ];
    assert_eq!(numbers, [5, 1, 720, 1]);
    assert_eq!(config.timezone, chrono_tz::Tz::America__New_York);
    let interval = json!({"schedule": {"type": "interval", "value": 2, "unit": "day"}});
    let interval = MonitorConfig::parse(&interval).unwrap();
    assert_eq!(
        Some(interval.schedule),
        JobSchedule::interval(2, IntervalUnit::Day)
    );
    let nil = r#"{"check_in_id": "00000000-0000-0000-0000-000000000000", "monitor_slug": "日次", "status": "ok"}"#;
    let nil = CheckIn::parse(nil.as_bytes()).unwrap();
    assert_eq!((nil.id, nil.slug.as_str()), (None, "日次"));
    assert_eq!(nil.environment, "production");
}

#[test]
fn what_is_no_check_in_is_refused() {
    for sent in [
        "[]",
        r#"{"monitor_slug": "a"}"#,
        r#"{"status": "ok"}"#,
        r#"{"monitor_slug": "!?", "status": "ok"}"#,
        r#"{"monitor_slug": "a", "status": "missed"}"#,
        r#"{"monitor_slug": "a", "status": "ok", "check_in_id": "x"}"#,
        r#"{"monitor_slug": "a", "status": "ok", "monitor_config": {}}"#,
    ] {
        assert_eq!(CheckIn::parse(sent.as_bytes()), None, "{sent}");
    }
    for schedule in [
        json!({"type": "crontab", "value": "* * * *"}),
        json!({"type": "crontab", "value": "0 0 30 2 *"}),
        json!({"type": "crontab", "value": "@reboot"}),
        json!({"type": "interval", "value": 0, "unit": "day"}),
        json!({"type": "interval", "value": 99, "unit": "year"}),
        json!({"type": "interval", "value": 1, "unit": "eon"}),
    ] {
        let config = json!({"schedule": schedule});
        assert_eq!(MonitorConfig::parse(&config), None, "{schedule}");
    }
    let zone =
        json!({"schedule": {"type": "crontab", "value": "@daily"}, "timezone": "Mars/Olympus"});
    assert_eq!(MonitorConfig::parse(&zone), None);
}

#[test]
fn long_names_are_cut() {
    let slug = normalize_slug(&"A ".repeat(100)).unwrap();
    assert_eq!(slug.chars().count(), MAX_SLUG - 1);
    assert!(slug.ends_with("-a"), "{slug}");
}

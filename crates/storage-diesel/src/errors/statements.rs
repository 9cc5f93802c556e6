//! Statements of the collector, for both databases.

use diesel::sql_types::{BigInt, Binary, Nullable, SmallInt, Text};

use crate::bulk::ColumnKind::{Bytes, Number, Small, Text as Words};
use crate::bulk::Statement;

/// Columns of [`KNOWN_ERRORS`].
pub(super) type KnownColumns = (
    BigInt,
    Binary,
    BigInt,
    BigInt,
    BigInt,
    BigInt,
    SmallInt,
    Nullable<Text>,
    BigInt,
    BigInt,
    BigInt,
    BigInt,
);

/// Finds stored events by their ids.
/// The sum keeps a database from reading all events of the project by another index, which costs the same as long as
/// there are none, and PostgreSQL does not plan anew for every group. [`KNOWN_RELEASES`] has a sum for the same reason.
pub(super) static STORED_EVENTS: Statement = Statement {
    columns: &[("project", Number), ("event", Bytes)],
    text: "SELECT e.project_id, e.event_id FROM new CROSS JOIN error_events AS e \
           WHERE e.event_id = new.event AND e.project_id + 0 = new.project",
};

pub(super) static KNOWN_ERRORS: Statement = Statement {
    columns: &[("project", Number), ("wanted", Bytes)],
    text: "SELECT k.project_id, k.group_key, k.id, e.id, e.iid, \
           (SELECT COUNT(*) FROM error_keys AS o WHERE o.error_id = e.id), \
           e.status, e.terms, e.events, e.users, k.events, k.kept \
           FROM new CROSS JOIN error_keys AS k CROSS JOIN errors AS e \
           WHERE k.project_id = new.project AND k.group_key = new.wanted AND e.id = k.error_id",
};

pub(super) static RESERVE: Statement = Statement {
    columns: &[("project", Number), ("wanted", Number)],
    text: "INSERT INTO error_counters (project_id, next_iid) SELECT project, 1 + wanted FROM new WHERE TRUE \
           ON CONFLICT (project_id) DO UPDATE SET next_iid = error_counters.next_iid + excluded.next_iid - 1 \
           RETURNING project_id, next_iid",
};

pub(super) static INSERT_ERRORS: Statement = Statement {
    columns: &[
        ("project", Number),
        ("iid", Number),
        ("title", Words),
        ("culprit", Words),
        ("location", Words),
        ("level", Small),
        ("platform", Words),
        ("seen", Number),
        ("release", Words),
    ],
    text: "INSERT INTO errors (project_id, iid, status, title, culprit, location, level, platform, first_seen, last_seen, \
           events, users, first_release, last_release) SELECT project, iid, 0, title, culprit, location, level, platform, \
           seen, seen, 0, 0, release, release FROM new RETURNING id, project_id, iid",
};

pub(super) static INSERT_KEYS: Statement = Statement {
    columns: &[
        ("project", Number),
        ("wanted", Bytes),
        ("error", Number),
        ("explanation", Words),
        ("seen", Number),
    ],
    text: "INSERT INTO error_keys (project_id, group_key, error_id, explanation, first_seen, events, kept) \
           SELECT project, wanted, error, explanation, seen, 0, 0 FROM new RETURNING id, project_id, group_key",
};

/// Finds the users who have already seen the error of a key, by that key or by another key of the error.
pub(super) static SEEN_USERS: Statement = Statement {
    columns: &[("key_id", Number), ("mark", Bytes)],
    text: "SELECT new.key_id, new.mark FROM new WHERE EXISTS (SELECT 1 FROM error_keys AS k CROSS JOIN error_keys AS o \
           CROSS JOIN error_users AS u WHERE k.id = new.key_id AND o.error_id = k.error_id AND u.key_id = o.id \
           AND u.mark = new.mark)",
};

pub(super) static INSERT_USERS: Statement = Statement {
    columns: &[("key_id", Number), ("mark", Bytes)],
    text: "INSERT INTO error_users (key_id, mark) SELECT key_id, mark FROM new WHERE TRUE ON CONFLICT DO NOTHING",
};

pub(super) static KNOWN_RELEASES: Statement = Statement {
    columns: &[("project", Number), ("wanted", Words)],
    text: "SELECT r.project_id, r.release, r.first_seen FROM new CROSS JOIN error_releases AS r \
           WHERE r.release = new.wanted AND r.project_id + 0 = new.project",
};

pub(super) static INSERT_RELEASES: Statement = Statement {
    columns: &[("project", Number), ("wanted", Words), ("seen", Number)],
    text: "INSERT INTO error_releases (project_id, release, first_seen) SELECT project, wanted, seen FROM new WHERE TRUE \
           ON CONFLICT DO NOTHING",
};

pub(super) static ADVANCE_ERRORS: Statement = Statement {
    columns: &[
        ("error", Number),
        ("more_events", Number),
        ("more_users", Number),
        ("title", Words),
        ("culprit", Words),
        ("location", Words),
        ("level", Small),
        ("platform", Words),
        ("first_named", Words),
        ("release", Words),
        ("seen", Number),
        ("reopens", Small),
        ("regressed", Number),
    ],
    text: "UPDATE errors SET events = errors.events + new.more_events, users = errors.users + new.more_users, \
           title = new.title, culprit = new.culprit, location = new.location, level = new.level, platform = new.platform, \
           first_release = COALESCE(errors.first_release, new.first_named), \
           last_release = COALESCE(new.release, errors.last_release), \
           last_seen = CASE WHEN new.seen > errors.last_seen THEN new.seen ELSE errors.last_seen END, \
           status = CASE WHEN new.reopens = 1 THEN 0 ELSE errors.status END, \
           terms = CASE WHEN new.reopens = 1 THEN NULL ELSE errors.terms END, \
           regressed_at = COALESCE(new.regressed, errors.regressed_at) FROM new WHERE errors.id = new.error",
};

/// Adds to the counters of keys, also to that of stored events.
/// Negative numbers subtract.
pub(super) static ADVANCE_KEYS: Statement = Statement {
    columns: &[
        ("key_id", Number),
        ("more_events", Number),
        ("more_kept", Number),
    ],
    text: "UPDATE error_keys SET events = error_keys.events + new.more_events, kept = error_keys.kept + new.more_kept \
           FROM new WHERE error_keys.id = new.key_id",
};

pub(super) static COUNT_STORED: Statement = Statement {
    columns: &[("project", Number), ("wanted", Number)],
    text: "SELECT new.project, new.wanted, CAST(SUM(t.quantity) AS BIGINT) FROM new CROSS JOIN error_tallies AS t \
           WHERE t.project_id = new.project AND t.day = new.wanted AND t.category = 1 AND t.outcome = 0 \
           GROUP BY new.project, new.wanted",
};

pub(super) static ADD_HOURS: Statement = Statement {
    columns: &[("key_id", Number), ("hour", Number), ("events", Number)],
    text: "INSERT INTO error_hours (key_id, hour, events) SELECT key_id, hour, events FROM new WHERE TRUE \
           ON CONFLICT (key_id, hour) DO UPDATE SET events = error_hours.events + excluded.events",
};

/// Adds to tag values.
/// An existing value is always updated; a new one is inserted only if there is room.
pub(super) static ADD_TAGS: Statement = Statement {
    columns: &[
        ("key_id", Number),
        ("name", Words),
        ("value", Words),
        ("project", Number),
        ("events", Number),
        ("seen", Number),
    ],
    text: "INSERT INTO error_tags (key_id, name, value, project_id, events, last_seen) \
           SELECT key_id, name, value, project, events, seen FROM new \
           WHERE EXISTS (SELECT 1 FROM error_tags AS t WHERE t.key_id = new.key_id AND t.name = new.name AND t.value = new.value) \
           OR ((SELECT COUNT(*) FROM (SELECT 1 FROM error_tags AS t WHERE t.key_id = new.key_id AND t.name = new.name LIMIT 100) AS few) < 100 \
           AND (SELECT COUNT(*) FROM (SELECT 1 FROM error_tags AS t WHERE t.key_id = new.key_id LIMIT 2000) AS few) < 2000) \
           ON CONFLICT (key_id, name, value) DO UPDATE SET events = error_tags.events + excluded.events, \
           last_seen = CASE WHEN excluded.last_seen > error_tags.last_seen THEN excluded.last_seen ELSE error_tags.last_seen END",
};

pub(super) static ADD_COUNTERS: Statement = Statement {
    columns: &[
        ("project", Number),
        ("day", Number),
        ("key_id", Number),
        ("category", Small),
        ("outcome", Small),
        ("quantity", Number),
    ],
    text: "INSERT INTO error_tallies (project_id, day, key_id, category, outcome, quantity) \
           SELECT project, day, key_id, category, outcome, quantity FROM new WHERE TRUE \
           ON CONFLICT (project_id, day, key_id, category, outcome) \
           DO UPDATE SET quantity = error_tallies.quantity + excluded.quantity",
};

pub(super) static ADD_SESSIONS: Statement = Statement {
    columns: &[
        ("project", Number),
        ("day", Number),
        ("release", Words),
        ("environment", Words),
        ("started", Number),
        ("errored", Number),
        ("crashed", Number),
        ("abnormal", Number),
    ],
    text: "INSERT INTO error_sessions (project_id, day, release, environment, started, errored, crashed, abnormal) \
           SELECT project, day, release, environment, started, errored, crashed, abnormal FROM new WHERE TRUE \
           ON CONFLICT (project_id, day, release, environment) DO UPDATE SET \
           started = error_sessions.started + excluded.started, errored = error_sessions.errored + excluded.errored, \
           crashed = error_sessions.crashed + excluded.crashed, abnormal = error_sessions.abnormal + excluded.abnormal",
};

//! Statements of alert intake.

use diesel::pg::Pg;
use diesel::query_builder::{AstPass, Query, QueryFragment, QueryId};
use diesel::result::QueryResult;
use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text};
use diesel::{PgConnection, RunQueryDsl};

use crate::postgres::over_arrays;

over_arrays! {
    /// Finds the open alert of each requested identity, or else the one stored last: one probe of one index each.
    /// The limit inside keeps the planner from joining by a scan of the whole table.
    ///
    /// Also returns the values that the new alerts will need, which would otherwise take the next query: an id for each
    /// identity that has no open alert, and the next numbers of the projects whose counters are locked.
    LatestByIdentity {
        projects: BigInt => i64,
        identities: Binary => &'v [u8],
        locked: BigInt => i64,
    }
    "WITH requested (projects, identities, locked) AS (VALUES (",
    ")) SELECT latest.project_id, latest.identity, latest.id, latest.iid, latest.title, latest.status, \
     latest.ended_at, latest.last_started_at, latest.last_start_stated, latest.resolved_by_hand, \
     latest.source, latest.report_digest, latest.severity, latest.reported_severity, latest.flaps, latest.hosts, \
     CASE WHEN latest.id IS NULL OR latest.closed_slot = latest.id THEN nextval('alert_ids') END, \
     NULL::bigint, NULL::bigint \
     FROM requested CROSS JOIN LATERAL unnest(requested.projects, requested.identities) AS target (project, identity) \
     LEFT JOIN LATERAL (SELECT a.project_id, a.identity, a.id, a.iid, a.title, a.status, a.ended_at, \
     a.last_started_at, a.last_start_stated, a.resolved_by_hand, a.source, a.report_digest, a.severity, \
     COALESCE(a.reported_severity, a.severity) AS reported_severity, a.flaps, a.hosts, a.closed_slot FROM alerts AS a \
     WHERE a.project_id = target.project AND a.identity = target.identity \
     ORDER BY a.closed_slot DESC LIMIT 1) AS latest ON TRUE \
     UNION ALL SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, c.project_id, c.next_iid \
     FROM requested CROSS JOIN LATERAL unnest(requested.locked) AS locked (project) \
     JOIN alert_counters AS c ON c.project_id = locked.project",
    gives (Nullable<(BigInt, Binary, BigInt, BigInt, Text, SmallInt, Nullable<BigInt>, BigInt, Bool, Bool,
        SmallInt, BigInt, SmallInt, SmallInt, BigInt, Text)>,
        Nullable<BigInt>, Nullable<BigInt>, Nullable<BigInt>)
}

over_arrays! {
    /// Reserves numbers within projects whose counters are not locked: returns for each project the number after the
    /// last one reserved.
    ReserveIids {
        projects: BigInt => i64,
        counts: BigInt => i64,
    }
    "INSERT INTO alert_counters (project_id, next_iid) SELECT project, 1 + count FROM unnest(",
    ") AS target (project, count) ORDER BY project ON CONFLICT (project_id) DO UPDATE \
     SET next_iid = alert_counters.next_iid + excluded.next_iid - 1 RETURNING project_id, next_iid",
    gives (BigInt, BigInt)
}

over_arrays! {
    /// Updates the next numbers of projects whose counters are locked.
    AdvanceCounters {
        projects: BigInt => i64,
        next_iids: BigInt => i64,
    }
    "UPDATE alert_counters SET next_iid = counted.next_iid FROM unnest(",
    ") AS counted (project, next_iid) WHERE alert_counters.project_id = counted.project"
}

over_arrays! {
    /// Inserts alerts.
    InsertAlerts {
        id: BigInt => i64,
        project_id: BigInt => i64,
        iid: BigInt => i64,
        integration_id: BigInt => i64,
        identity: Binary => Vec<u8>,
        closed_slot: BigInt => i64,
        source: SmallInt => i16,
        title: Text => String,
        description: Text => String,
        severity: SmallInt => i16,
        status: SmallInt => i16,
        service: Text => String,
        monitoring_tool: Text => String,
        hosts: Text => String,
        environment_name: Nullable<Text> => Option<String>,
        started_at: BigInt => i64,
        last_started_at: BigInt => i64,
        last_start_stated: Bool => bool,
        ended_at: Nullable<BigInt> => Option<i64>,
        occurrences: BigInt => i64,
        deliveries: BigInt => i64,
        payload: Text => String,
        created_at: BigInt => i64,
        updated_at: BigInt => i64,
        report_digest: BigInt => i64,
        flaps: BigInt => i64,
        stale_at: Nullable<BigInt> => Option<i64>,
        latest_payload: Nullable<Text> => Option<String>,
    }
    "INSERT INTO alerts (id, project_id, iid, integration_id, identity, closed_slot, source, title, \
     description, severity, status, service, monitoring_tool, hosts, environment_name, started_at, \
     last_started_at, last_start_stated, ended_at, occurrences, deliveries, payload, created_at, updated_at, \
     report_digest, flaps, stale_at, latest_payload) \
     SELECT * FROM unnest(",
    ")"
}

over_arrays! {
    /// Updates existing alerts.
    /// An alert that is already resolved keeps its end.
    AdvanceAlerts {
        id: BigInt => i64,
        occurrences: BigInt => i64,
        deliveries: BigInt => i64,
        last_started_at: BigInt => i64,
        last_start_stated: Bool => bool,
        resolves: Bool => bool,
        resolved_at: Nullable<BigInt> => Option<i64>,
        confirms_end: Bool => bool,
        updated_at: BigInt => i64,
        flaps: BigInt => i64,
        stale_at: Nullable<BigInt> => Option<i64>,
    }
    "UPDATE alerts SET \
     occurrences = alerts.occurrences + step.occurrences, \
     deliveries = alerts.deliveries + step.deliveries, \
     last_started_at = step.last_started_at, \
     last_start_stated = step.last_start_stated, \
     resolved_by_hand = alerts.resolved_by_hand AND NOT step.confirms_end, \
     flaps = alerts.flaps + step.flaps, \
     stale_at = step.stale_at, \
     updated_at = GREATEST(alerts.updated_at, step.updated_at), \
     status = CASE WHEN step.resolves THEN 2 ELSE alerts.status END, \
     ended_at = CASE WHEN step.resolves AND alerts.closed_slot <> alerts.id THEN step.resolved_at ELSE alerts.ended_at END, \
     closed_slot = CASE WHEN step.resolves THEN alerts.id ELSE alerts.closed_slot END \
     FROM unnest(",
    ") AS step (id, occurrences, deliveries, last_started_at, last_start_stated, resolves, resolved_at, confirms_end, updated_at, flaps, stale_at) \
     WHERE alerts.id = step.id"
}

over_arrays! {
    /// Sets the newest reports of alerts.
    ReviseAlerts {
        id: BigInt => i64,
        title: Text => String,
        description: Text => String,
        service: Text => String,
        monitoring_tool: Text => String,
        hosts: Text => String,
        environment_name: Nullable<Text> => Option<String>,
        severity: SmallInt => i16,
        reported_severity: SmallInt => i16,
        report_digest: BigInt => i64,
        payload: Text => String,
    }
    "UPDATE alerts SET title = newest.title, description = newest.description, service = newest.service, \
     monitoring_tool = newest.monitoring_tool, hosts = newest.hosts, environment_name = newest.environment_name, \
     severity = newest.severity, reported_severity = NULLIF(newest.reported_severity, newest.severity), \
     report_digest = newest.report_digest, latest_payload = newest.payload, \
     texts_changed = alerts.texts_changed OR (alerts.title, alerts.description, alerts.service, alerts.monitoring_tool) \
     IS DISTINCT FROM (newest.title, newest.description, newest.service, newest.monitoring_tool) FROM unnest(",
    ") AS newest (id, title, description, service, monitoring_tool, hosts, environment_name, severity, \
     reported_severity, report_digest, payload) WHERE alerts.id = newest.id"
}

over_arrays! {
    /// Inserts receipts, in their order.
    InsertReceipts {
        project_id: BigInt => i64,
        integration_id: BigInt => i64,
        received_at: BigInt => i64,
        body_bytes: BigInt => i64,
        created: BigInt => i64,
        counted: BigInt => i64,
        resolved: BigInt => i64,
        repeated: BigInt => i64,
        user_agent: Nullable<Text> => Option<String>,
        group_key: Nullable<Text> => Option<String>,
        truncated_alerts: BigInt => i64,
        skipped_alerts: BigInt => i64,
        notes: Text => String,
        refusal: Nullable<Text> => Option<String>,
        further_refusals: BigInt => i64,
    }
    "INSERT INTO alert_receipts (project_id, integration_id, received_at, body_bytes, created, counted, \
     resolved, repeated, user_agent, group_key, truncated_alerts, skipped_alerts, notes, refusal, \
     further_refusals) SELECT * FROM unnest(",
    ")"
}

over_arrays! {
    /// Inserts the slices of a part, which searches read, or replaces existing ones.
    InsertSlices {
        project_id: BigInt => i64,
        part: BigInt => i64,
        slot: Integer => i32,
        blocks: Binary => &'v [u8],
    }
    "INSERT INTO alert_search (project_id, part, slot, blocks) SELECT * FROM unnest(",
    ") ON CONFLICT (project_id, part, slot) DO UPDATE SET blocks = excluded.blocks"
}

over_arrays! {
    /// Finds the answers that are kept under keys: one probe of one index each.
    IdempotencyRecordsByKey {
        integrations: BigInt => i64,
        keys: Binary => &'v [u8],
    }
    "SELECT kept.* FROM unnest(",
    ") AS target (integration, key) CROSS JOIN LATERAL (SELECT k.id, k.integration_id, k.key_digest, \
     k.body_digest, k.alerts, k.received_at FROM alert_kept_answers AS k \
     WHERE k.integration_id = target.integration AND k.key_digest = target.key LIMIT 1) AS kept",
    gives (BigInt, BigInt, Binary, Binary, Text, BigInt)
}

over_arrays! {
    /// Stores answers, in the order of their keys.
    PutIdempotencyRecords {
        integration_id: BigInt => i64,
        key_digest: Binary => Vec<u8>,
        body_digest: Binary => Vec<u8>,
        alerts: Text => String,
        received_at: BigInt => i64,
    }
    "INSERT INTO alert_kept_answers (integration_id, key_digest, body_digest, alerts, received_at) \
     SELECT * FROM unnest(",
    ") AS new (integration_id, key_digest, body_digest, alerts, received_at) \
     ORDER BY integration_id, key_digest ON CONFLICT (integration_id, key_digest) DO UPDATE SET \
     body_digest = excluded.body_digest, alerts = excluded.alerts, received_at = excluded.received_at"
}

/// Allocates ids from the sequence of alerts.
#[derive(Debug, QueryId)]
pub(super) struct NextAlertIds {
    pub(super) count: i64,
}

impl Query for NextAlertIds {
    type SqlType = BigInt;
}

impl RunQueryDsl<PgConnection> for NextAlertIds {}

impl QueryFragment<Pg> for NextAlertIds {
    fn walk_ast<'b>(&'b self, mut out: AstPass<'_, 'b, Pg>) -> QueryResult<()> {
        out.push_sql("SELECT nextval('alert_ids') FROM generate_series(1, ");
        out.push_bind_param::<BigInt, _>(&self.count)?;
        out.push_sql(")");
        Ok(())
    }
}

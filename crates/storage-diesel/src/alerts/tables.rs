//! Tables of alerts, the same in both databases.

use diesel::table;

table! {
    alert_counters (project_id) {
        project_id -> BigInt,
        next_iid -> BigInt,
    }
}

table! {
    alerts (id) {
        id -> BigInt,
        project_id -> BigInt,
        iid -> BigInt,
        integration_id -> BigInt,
        identity -> Binary,
        closed_slot -> BigInt,
        source -> SmallInt,
        title -> Text,
        description -> Text,
        severity -> SmallInt,
        status -> SmallInt,
        service -> Text,
        monitoring_tool -> Text,
        hosts -> Text,
        environment_name -> Nullable<Text>,
        started_at -> BigInt,
        last_started_at -> BigInt,
        last_start_stated -> Bool,
        ended_at -> Nullable<BigInt>,
        occurrences -> BigInt,
        deliveries -> BigInt,
        payload -> Text,
        created_at -> BigInt,
        updated_at -> BigInt,
        assignee_id -> Nullable<BigInt>,
        resolved_by_hand -> Bool,
        report_digest -> BigInt,
        flaps -> BigInt,
        stale_at -> Nullable<BigInt>,
        reported_severity -> Nullable<SmallInt>,
        texts_changed -> Bool,
        latest_payload -> Nullable<Text>,
    }
}

table! {
    alert_search (project_id, part, slot) {
        project_id -> BigInt,
        part -> BigInt,
        slot -> Integer,
        blocks -> Binary,
    }
}

table! {
    alert_kept_answers (id) {
        id -> BigInt,
        integration_id -> BigInt,
        key_digest -> Binary,
        body_digest -> Binary,
        alerts -> Text,
        received_at -> BigInt,
    }
}

table! {
    incident_settings (project_id) {
        project_id -> BigInt,
        create_incidents -> Bool,
        severities -> SmallInt,
        template -> Text,
        close_incidents -> Bool,
    }
}

table! {
    alert_heartbeats (integration_id) {
        integration_id -> BigInt,
        project_id -> BigInt,
        last_at -> BigInt,
        patience -> BigInt,
        due_at -> Nullable<BigInt>,
    }
}

table! {
    alert_silences (id) {
        id -> BigInt,
        project_id -> BigInt,
        matchers -> Text,
        starts_at -> BigInt,
        ends_at -> BigInt,
        created_by -> Text,
        comment -> Text,
        updated_at -> BigInt,
        due_at -> Nullable<BigInt>,
    }
}

table! {
    alert_expiries (project_id, identity) {
        project_id -> BigInt,
        identity -> Binary,
        integration_id -> BigInt,
        expires_at -> BigInt,
    }
}

table! {
    alert_incidents (alert_id) {
        alert_id -> BigInt,
        project_id -> BigInt,
        issue_id -> BigInt,
    }
}

#[cfg(test)]
use super::rows::{integrations::alert_integrations, receipts::alert_receipts};

#[cfg(test)]
crate::schema::described!(
    alert_integrations,
    alert_receipts,
    alert_counters,
    alerts,
    alert_search,
    alert_kept_answers,
    incident_settings,
    alert_incidents,
    alert_heartbeats,
    alert_silences,
    alert_expiries,
);

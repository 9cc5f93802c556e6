//! Payload schemas of the alert endpoints, for the API document.
//!
//! Payloads vary from sender to sender, so the endpoints parse leniently: a field of an unexpected type is used as far
//! as possible, and the receipt says so. The schemas reject only what the endpoints reject, and show the usual form as
//! an example.

use schemars::{Schema, SchemaGenerator, json_schema};
use web_conventions::operations::Body;

/// Any JSON object.
pub(super) const GENERIC: Body = Body {
    media_type: "application/json",
    schema: generic,
};

/// Alertmanager webhook, version 4.
pub(super) const METRICS: Body = Body {
    media_type: "application/json",
    schema: metrics,
};

/// Event of `PagerDuty`.
pub(super) const PAGERDUTY: Body = Body {
    media_type: "application/json",
    schema: pagerduty,
};

/// Request to create an alert in Opsgenie.
pub(super) const OPSGENIE: Body = Body {
    media_type: "application/json",
    schema: opsgenie,
};

/// Request about an alert in Opsgenie.
pub(super) const OPSGENIE_ACTION: Body = Body {
    media_type: "application/json",
    schema: opsgenie_action,
};

/// List of alerts, as Prometheus posts it.
pub(super) const POSTED_ALERTS: Body = Body {
    media_type: "application/json",
    schema: posted_alerts,
};

/// Silence, as clients of Alertmanager send it.
pub(super) const SILENCE: Body = Body {
    media_type: "application/json",
    schema: silence,
};

fn posted_alerts(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "array",
        "items": {
            "type": "object",
            "properties": {
                "labels": {"type": "object", "description": "Identity of the alert. At least one has a value."},
                "annotations": {"description": "Texts, such as summary and description."},
                "startsAt": {"description": "Start (default: now)."},
                "endsAt": {"description": "Time at which the alert ends unless it is posted again (default: in 5 minutes)."},
                "generatorURL": {"description": "Link to the rule."},
            },
            "required": ["labels"],
        },
        "examples": [[{
            "labels": {"alertname": "DiskAlmostFull", "severity": "critical"},
            "annotations": {"summary": "Disk almost full"},
        }]],
    })
}

fn silence(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "id": {"description": "Silence to update; absent for a new one."},
            "matchers": {
                "type": "array",
                "minItems": 1,
                "maxItems": 50,
                "items": {
                    "type": "object",
                    "properties": {
                        "name": {"type": "string"},
                        "value": {"type": "string"},
                        "isRegex": {"type": "boolean"},
                        "isEqual": {"type": ["boolean", "null"]},
                    },
                    "required": ["name", "value"],
                },
            },
            "startsAt": {"type": "string", "format": "date-time"},
            "endsAt": {"type": "string", "format": "date-time"},
            "createdBy": {"type": "string", "maxLength": 255},
            "comment": {"type": "string", "maxLength": 1000},
        },
        "required": ["matchers", "startsAt", "endsAt"],
        "examples": [{
            "matchers": [{"name": "alertname", "value": "DiskAlmostFull", "isRegex": false, "isEqual": true}],
            "startsAt": "2026-01-01T22:00:00Z",
            "endsAt": "2100-01-02T06:00:00Z",
            "createdBy": "erin",
            "comment": "Disks are exchanged",
        }],
    })
}

fn pagerduty(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "routing_key": {"type": "string", "description": "Key of the endpoint."},
            "event_action": {"description": "trigger, acknowledge or resolve."},
            "dedup_key": {"type": "string", "description": "Identity of the alert. Required to acknowledge and resolve."},
            "payload": {"description": "The alert: summary, source, severity, timestamp, component, group, class, custom_details."},
        },
        "required": ["event_action", "routing_key"],
        "examples": [{
            "routing_key": "ghak_secret",
            "event_action": "trigger",
            "dedup_key": "disk-search-1",
            "payload": {"summary": "Disk almost full", "source": "search-1", "severity": "error"},
        }],
    })
}

fn opsgenie(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "message": {"type": "string", "description": "Title of the alert."},
            "alias": {"description": "Identity of the alert."},
            "description": {"description": "Description of the alert."},
            "priority": {"description": "P1 to P5 (default: P3)."},
            "entity": {"description": "Affected host."},
            "source": {"description": "Affected service."},
        },
        "required": ["message"],
        "examples": [{"message": "Disk almost full", "alias": "disk-search-1", "priority": "P2"}],
    })
}

fn opsgenie_action(_: &mut SchemaGenerator) -> Schema {
    json_schema!({"type": "object", "examples": [{"source": "search-1"}]})
}

fn generic(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "title": {"description": "Title of the alert."},
            "description": {"description": "Description of the alert."},
            "start_time": {"description": "Start time (RFC 3339; default: the time of receipt)."},
            "end_time": {"description": "End time (RFC 3339). Resolves the alert."},
            "service": {"description": "The affected service."},
            "monitoring_tool": {"description": "Monitoring tool that raised the alert."},
            "hosts": {"description": "Affected hosts, as a string or a list."},
            "severity": {"description": "critical, high, medium, low, info or unknown (default: critical)."},
            "fingerprint": {"description": "Identity of the alert, as a string or a list. Alerts with the same fingerprint are counted as one."},
        },
        "examples": [{
            "title": "Disk almost full",
            "severity": "high",
            "service": "search",
            "hosts": ["search-1"],
            "fingerprint": "disk-search-1",
            "start_time": "2024-05-01T02:00:00Z",
        }],
    })
}

fn metrics(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "version": {"description": "Version of the webhook format.", "const": "4"},
            "status": {"description": "Status of the group: firing or resolved."},
            "receiver": {"description": "The receiver in the sender's configuration."},
            "groupKey": {"description": "Key of the alert group."},
            "groupLabels": {"description": "Labels by which the alerts are grouped."},
            "commonLabels": {"description": "Labels common to all alerts."},
            "commonAnnotations": {"description": "Annotations common to all alerts."},
            "externalURL": {"description": "URL of the sender."},
            "truncatedAlerts": {"description": "Number of alerts that the sender left out."},
            "alerts": {"description": "Alerts: objects with status, labels, annotations, startsAt, endsAt and fingerprint. Alerts without a title or a start time are skipped; the receipt counts them."},
        },
        "required": [
            "alerts", "commonAnnotations", "commonLabels", "externalURL", "groupKey", "groupLabels", "receiver",
            "status", "version",
        ],
        "examples": [{
            "version": "4",
            "status": "firing",
            "receiver": "gatehouse",
            "groupKey": "{}:{alertname=\"DiskFull\"}",
            "groupLabels": {"alertname": "DiskFull"},
            "commonLabels": {"alertname": "DiskFull", "severity": "critical"},
            "commonAnnotations": {},
            "externalURL": "https://alertmanager.example.com",
            "alerts": [{
                "status": "firing",
                "labels": {"alertname": "DiskFull", "severity": "critical"},
                "annotations": {"title": "Disk almost full"},
                "startsAt": "2024-05-01T02:00:00Z",
                "endsAt": "0001-01-01T00:00:00Z",
                "fingerprint": "0f3a",
            }],
        }],
    })
}

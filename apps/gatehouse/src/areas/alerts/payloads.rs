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

fn generic(_: &mut SchemaGenerator) -> Schema {
    json_schema!({
        "type": "object",
        "properties": {
            "title": {"description": "What happened."},
            "description": {"description": "More about it."},
            "start_time": {"description": "When it began (RFC 3339); when it arrived unless given."},
            "end_time": {"description": "When it ended (RFC 3339): with it the alert is resolved."},
            "service": {"description": "The affected service."},
            "monitoring_tool": {"description": "What found it."},
            "hosts": {"description": "The affected hosts, as a text or a list."},
            "severity": {"description": "critical, high, medium, low, info or unknown; critical unless given."},
            "fingerprint": {"description": "The identity of the alert, as a text or a list: equal ones are counted together."},
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
            "version": {"description": "The version of the webhook.", "const": "4"},
            "status": {"description": "firing or resolved."},
            "receiver": {"description": "The receiver in the sender's configuration."},
            "groupKey": {"description": "The group of the alerts."},
            "groupLabels": {"description": "The labels that make the group."},
            "commonLabels": {"description": "The labels that all alerts have."},
            "commonAnnotations": {"description": "The annotations that all alerts have."},
            "externalURL": {"description": "Where the sender is reached."},
            "truncatedAlerts": {"description": "How many alerts the sender left out."},
            "alerts": {"description": "The alerts: objects with status, labels, annotations, startsAt, endsAt and fingerprint. Those without a title or a start are skipped, and the receipt says so."},
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

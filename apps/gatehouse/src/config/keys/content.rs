//! Keys of the areas of the API: alerts, errors, events, mail, projects.

use super::{ConfigKey, key};

/// Keys in the order of the documentation.
pub(super) const KEYS: &[ConfigKey] = &[
    key(
        "intake.max_body_bytes",
        "16777216",
        "largest body of an alert request, after decompression",
    ),
    key(
        "intake.max_alerts",
        "20000",
        "alerts in one request; requests with more are refused with 413. A request is stored completely or not at all, and others wait while it is written",
    ),
    key(
        "alerts.retention_days",
        "365",
        "days for which resolved alerts are kept after their last change, with their notes; 0 keeps them for ever. Open alerts are never deleted",
    ),
    key(
        "alerts.receipt_retention_days",
        "90",
        "days for which receipts of deliveries are kept, refused ones included; 0 keeps them for ever",
    ),
    key(
        "errors.max_body_bytes",
        "20971520",
        "largest body that the error collector accepts, before and after decompression",
    ),
    key(
        "errors.allowed_networks",
        "\"\"",
        "private addresses or networks in which external trackers are allowed, separated by commas, such as 10.0.0.0/8",
    ),
    key(
        "notifications.allowed_networks",
        "\"\"",
        "private addresses or networks in which receivers of notifications are allowed, separated by commas, such as 10.0.0.0/8",
    ),
    key(
        "mail.host",
        "",
        "host of the mail server that sends e-mail; without it no e-mail is sent",
    ),
    key("mail.port", "587", "port of the mail server"),
    key(
        "mail.security",
        "\"starttls\"",
        "starttls, which is then required, tls from the start, or none",
    ),
    key(
        "mail.allow_plaintext",
        "false",
        "allow mail.security none for a mail server on another machine",
    ),
    key("mail.username", "", "user name at the mail server"),
    key("mail.password", "", "password of that user"),
    key(
        "mail.from",
        "",
        "address from which e-mail is sent; required with mail.host",
    ),
    key(
        "api.release",
        "\"18.0\"",
        "API release that the server implements, 13.10 or later; in quotes, because 15.10 without them would be 15.1",
    ),
    key(
        "api.v5_preview",
        "false",
        "true to serve /api/v5, the API without everything that is announced for removal",
    ),
    key(
        "naming.service",
        "\"service\"",
        "word for the service in names such as service_environment_name",
    ),
    key(
        "naming.tracker",
        "\"tracker\"",
        "word for the tracker in names such as tracker_dsn",
    ),
    key(
        "projects.deletion_delay_days",
        "7",
        "days in which the deletion of a project or a group can be canceled; 0 deletes within a minute",
    ),
    key(
        "projects.max_import_bytes",
        "10485760",
        "largest request that imports a project, at most 67108864; it is kept in memory",
    ),
    key(
        "events.push_events_limit",
        "3",
        "branches, or tags, that one push may create, update or delete with an event for each in the activity feed; one event for all of them if there are more",
    ),
    key(
        "events.max_streams",
        "500",
        "streams of the activity feed that may be open at once, at most 10000; further ones are refused with 503",
    ),
    key(
        "events.max_streams_per_caller",
        "20",
        "the same for one user, or for one address of callers without credentials; further ones are refused with 429",
    ),
    key(
        "events.max_stream_seconds",
        "3600",
        "seconds after which a stream of the activity feed ends, at most 86400; clients then reconnect and continue",
    ),
    key(
        "paging.max_offset",
        "50000",
        "largest offset in lists that support keyset pagination; 0 for no limit",
    ),
];

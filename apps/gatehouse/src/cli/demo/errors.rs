//! Errors of the sample data: reports of the last days from three programs of the shop.

use std::sync::Arc;

use accounts::User;
use anyhow::Context as _;
use api_conventions::ids::ProjectId;
use api_conventions::page::OffsetPage;
use api_conventions::time::{Clock as _, Timestamp};
use error_tracking::collector::RequestContext;
use error_tracking::flow::settings::{OnMissingSettings, SettingsChange};
use error_tracking::model::{ClientKey, EventDelivery, EventId, Options, StorageLimits};
use gatehouse_core::clock::SystemClock;
use gatehouse_core::database::Database;
use gatehouse_core::flows::collect_errors::{CollectErrors, Consequences};
use gatehouse_core::flows::error_tracking::change;
use gatehouse_core::flows::groups::Actor;
use projects::{Project, Viewer};
use serde_json::{Value, json};
use storage::{Lane, Store as _, StoreError};

use crate::state::alert_bot;

/// Events of each error, a few hours apart.
const EVENTS: i64 = 24;

/// Hours between two events of the first error; each further error adds one hour.
const HOURS_APART: i64 = 5;

/// Returns a time before all sample events.
pub(super) fn before_all(now: Timestamp) -> Timestamp {
    now.plus_seconds(-(EVENTS + 1) * (HOURS_APART + 3) * 3600)
}

/// Enables error tracking, stores the samples and returns the client key.
pub(super) fn fill(
    database: &Arc<Database>,
    project: &Project,
    maker: &User,
) -> anyhow::Result<String> {
    let now = SystemClock.now();
    let key = switch_on(database, project.id, maker, now)?;
    let author_id = alert_bot(database, now)?;
    let mut events = Vec::new();
    for (number, sample) in samples().iter().enumerate() {
        for event in 0..EVENTS {
            let hours = (EVENTS - event) * (HOURS_APART + i64::try_from(number)?);
            let received_at = now.plus_seconds(-hours * 3600 + event * 61);
            events.push(delivery(sample, event, &key, received_at)?);
        }
    }
    events.sort_by_key(|delivery| delivery.received_at);
    let mut stored = Vec::new();
    for delivery in events {
        let after = Consequences {
            author_id,
            names: Arc::default(),
            opens_alerts: false,
        };
        let work = CollectErrors { delivery, after };
        // Queue all of them before waiting, so that they share commits.
        stored.push(database.write_grouped(work));
    }
    for written in stored {
        written.wait()?;
    }
    Ok(key.public_key.to_string())
}

fn switch_on(
    database: &Database,
    project: ProjectId,
    maker: &User,
    now: Timestamp,
) -> anyhow::Result<ClientKey> {
    let actor = Actor {
        id: maker.id,
        viewer: Viewer::Administrator(maker.id),
        now,
    };
    let random = uuid::Uuid::new_v4().into_bytes();
    let on = SettingsChange {
        active: Some(true),
        integrated: Some(true),
        ..SettingsChange::default()
    };
    database
        .write(move |tx| change(tx, project, &on, OnMissingSettings::Create, random, actor))
        .wait()?;
    let keys: Result<_, StoreError> = database
        .read(Lane::Shared, move |tx| {
            tx.list_client_keys(project, OffsetPage::new(1, 1))
        })
        .wait();
    let key = keys?.items.into_iter().next();
    key.context("a project that collects errors has a key")
}

/// Builds an event of a sample as its SDK would send it.
fn delivery(
    sample: &Value,
    number: i64,
    key: &ClientKey,
    received_at: Timestamp,
) -> anyhow::Result<EventDelivery> {
    let options = Options::default();
    let mut event = sample.clone();
    let is_new_release = number * 2 > EVENTS;
    let fields = [
        (
            "release",
            json!(if is_new_release {
                "web-shop@1.5.0"
            } else {
                "web-shop@1.4.2"
            }),
        ),
        (
            "environment",
            json!(if number % 5 == 0 {
                "staging"
            } else {
                "production"
            }),
        ),
        (
            "user",
            json!({"id": format!("user-{}", number % 7), "ip_address": "192.0.2.10"}),
        ),
    ];
    if let Some(event) = event.as_object_mut() {
        event.extend(fields.map(|(name, value)| (name.to_owned(), value)));
    }
    let context = RequestContext {
        received_at,
        peer: None,
        scrubbing: &options.scrubbing,
        generate_id: &|| EventId::from_random(|| uuid::Uuid::new_v4().into_bytes()),
    };
    let body = serde_json::to_vec(&event)?;
    let collected = context.parse_event(&body)?;
    let limits = StorageLimits::from(&options);
    Ok(EventDelivery::of(
        collected,
        key.project_id,
        key.id,
        received_at,
        body.len(),
        limits,
    ))
}

/// Reports of the programs.
fn samples() -> [Value; 3] {
    let frame = |file: &str, function: &str, line: u32, text: &str, is_own: bool| {
        json!({
            "filename": file, "function": function, "lineno": line, "context_line": text, "in_app": is_own,
            "pre_context": ["    order = load_order(request)", "    customer = order.customer"],
            "post_context": ["    return render(receipt)"],
        })
    };
    [
        json!({
            "platform": "python", "level": "error", "transaction": "POST /checkout",
            "sdk": {"name": "sentry.python", "version": "2.0.0"},
            "contexts": {"runtime": {"name": "CPython", "version": "3.12.3"}},
            "request": {"url": "https://shop.example/checkout", "method": "POST",
                "headers": {"User-Agent": "Mozilla/5.0", "Cookie": "session=secret"}},
            "breadcrumbs": [
                {"category": "query", "message": "SELECT * FROM orders WHERE id = %s", "level": "info"},
                {"category": "http", "message": "GET https://payments.example/v1/methods", "level": "info"},
            ],
            "exception": {"values": [
                {"type": "KeyError", "value": "'currency'", "stacktrace": {"frames": [
                    frame("shop/payments.py", "amount_of", 41, "    return order[\"currency\"], order[\"total\"]", true),
                ]}},
                {"type": "PaymentError", "value": "order 8814 has no amount", "stacktrace": {"frames": [
                    frame("django/core/handlers/base.py", "_get_response", 197, "        response = wrapped_callback(request)", false),
                    frame("shop/views.py", "checkout", 88, "    receipt = pay(order)", true),
                    frame("shop/payments.py", "pay", 57, "    raise PaymentError(order) from error", true),
                ]}},
            ]},
        }),
        json!({
            "platform": "javascript", "level": "error", "transaction": "/cart",
            "sdk": {"name": "sentry.javascript.browser", "version": "10.0.0"},
            "contexts": {"browser": {"name": "Firefox", "version": "128.0"}, "os": {"name": "Linux"}},
            "tags": {"tenant": "acme"},
            "exception": {"values": [{
                "type": "TypeError", "value": "can't access property \"price\", item is undefined",
                "mechanism": {"type": "onerror", "handled": false},
                "stacktrace": {"frames": [
                    {"filename": "https://shop.example/app.js", "function": "render", "lineno": 1201, "colno": 14, "in_app": true},
                    {"filename": "https://shop.example/app.js", "function": "total", "lineno": 342, "colno": 31, "in_app": true},
                ]},
            }]},
        }),
        json!({
            "platform": "other", "level": "warning", "logger": "inventory",
            "logentry": {"message": "stock of %s is below %d", "params": ["SKU-204", 5],
                "formatted": "stock of SKU-204 is below 5"},
        }),
    ]
}

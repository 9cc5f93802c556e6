//! Counters for monitoring, in the format of Prometheus.
//!
//! Requests and other events are counted when they happen. The state of the process, of its jobs and of its database is
//! read when it is requested. No label depends on what clients send: see `docs/metrics.md`.

mod family;
mod process;
mod server;

use std::time::Duration;

use api_conventions::time::Timestamp;
use error_tracking::flow::collect::CollectOutcome;
use error_tracking::model::Outcome;
use error_tracking::protocol::item::Category;
use gatehouse_core::flows::sign_in::SignInStep;
use gatehouse_core::sending_messages::SendingObserver;
use notifications::model::{AttemptOutcome, ChannelKind};
use prometheus::core::Collector;
use prometheus::{
    HistogramOpts, HistogramVec, IntCounterVec, IntGauge, Opts, Registry, TextEncoder,
};

use super::AppState;

/// Media type of [`AppState::metrics_text`].
pub use prometheus::TEXT_FORMAT;

/// Upper bounds of the buckets for the duration of requests, in seconds.
const DURATIONS: [f64; 11] = [
    0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0,
];

/// Value of the label `operation` for requests that no operation answers.
const NO_OPERATION: &str = "none";

/// Values of the label `result` of sign-ins.
const SIGN_IN_RESULTS: [&str; 6] = [
    "signed_in",
    "second_factor_required",
    "blocked",
    "wrong",
    "locked_out",
    "expired",
];

/// Counters of events in this process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: IntCounterVec,
    durations: HistogramVec,
    refusals: IntCounterVec,
    deliveries: IntCounterVec,
    alerts: IntCounterVec,
    items: IntCounterVec,
    sign_ins: IntCounterVec,
    attempts: IntCounterVec,
    due_since: IntGauge,
}

/// Answered request.
#[derive(Debug, Clone, Copy)]
pub struct AnsweredRequest<'a> {
    /// Operation that answered; `None` if there is none.
    pub operation: Option<&'static str>,
    /// Status of the response.
    pub status: &'a str,
    /// Duration.
    pub duration: Duration,
}

/// Result of a delivery of alerts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeliveryResult {
    /// Stored, with this number of alerts.
    Stored {
        /// Alerts that were created or updated.
        alerts: usize,
        /// Alerts that were left out.
        skipped: usize,
    },
    /// Refused.
    Refused,
}

impl Metrics {
    /// Creates the counters, all of them zero.
    pub fn new() -> Self {
        let registry = Registry::new();
        let counters = |name: &str, help: &str, labels: &[&str]| {
            let counters = IntCounterVec::new(Opts::new(name, help), labels);
            register(&registry, counters)
        };
        let durations = HistogramOpts::new(
            "gatehouse_http_request_duration_seconds",
            "Time from the head of a request to the head of its response.",
        );
        let durations = durations.buckets(DURATIONS.to_vec());
        let metrics = Self {
            requests: counters(
                "gatehouse_http_requests_total",
                "Requests by operation and status of the response.",
                &["operation", "status"],
            ),
            durations: register(&registry, HistogramVec::new(durations, &["operation"])),
            refusals: counters(
                "gatehouse_http_refusals_total",
                "Requests that were refused (4xx, and 503), by reason.",
                &["status", "reason"],
            ),
            deliveries: counters(
                "gatehouse_alert_deliveries_total",
                "Authenticated deliveries to alert endpoints.",
                &["result"],
            ),
            alerts: counters(
                "gatehouse_alerts_received_total",
                "Alerts in stored deliveries.",
                &["result"],
            ),
            items: counters(
                "gatehouse_error_items_total",
                "Items that programs reported to error tracking, or dropped themselves, by category and outcome.",
                &["category", "outcome"],
            ),
            sign_ins: counters(
                "gatehouse_sign_ins_total",
                "Passwords and second factors entered on the sign-in pages.",
                &["result"],
            ),
            attempts: counters(
                "gatehouse_notification_attempts_total",
                "Attempts to send a message over a channel.",
                &["channel", "outcome"],
            ),
            due_since: register(
                &registry,
                IntGauge::new(
                    "gatehouse_notification_due_since_timestamp_seconds",
                    "Time since which the message that waits longest is due; 0 if none is due.",
                ),
            ),
            registry,
        };
        metrics.begin_at_zero();
        metrics
    }

    /// Creates the counters whose labels are known, so that their first increase is visible as one.
    fn begin_at_zero(&self) {
        for result in ["stored", "refused"] {
            self.deliveries.with_label_values(&[result]);
        }
        for result in ["stored", "skipped"] {
            self.alerts.with_label_values(&[result]);
        }
        for step in SIGN_IN_RESULTS {
            self.sign_ins.with_label_values(&[step]);
        }
        for outcome in Outcome::ALL {
            let labels = [Category::Error.as_str(), outcome.as_str()];
            self.items.with_label_values(&labels);
        }
        for kind in ChannelKind::ALL {
            for outcome in AttemptOutcome::ALL {
                let labels = [kind.as_str(), outcome.as_str()];
                self.attempts.with_label_values(&labels);
            }
        }
    }

    /// Counts a request.
    pub fn answered(&self, request: AnsweredRequest<'_>) {
        let operation = request.operation.unwrap_or(NO_OPERATION);
        let labels = [operation, request.status];
        self.requests.with_label_values(&labels).inc();
        let duration = self.durations.with_label_values(&[operation]);
        duration.observe(request.duration.as_secs_f64());
    }

    /// Counts a refused request, with a reason out of a fixed set; empty if the status says all.
    pub fn refused(&self, status: &str, reason: &'static str) {
        let reason = if reason.is_empty() { "status" } else { reason };
        self.refusals.with_label_values(&[status, reason]).inc();
    }

    /// Counts an authenticated delivery of alerts.
    pub fn delivered(&self, result: DeliveryResult) {
        let name = match result {
            DeliveryResult::Stored { alerts, skipped } => {
                for (name, count) in [("stored", alerts), ("skipped", skipped)] {
                    let counter = self.alerts.with_label_values(&[name]);
                    counter.inc_by(u64::try_from(count).unwrap_or(u64::MAX));
                }
                "stored"
            }
            DeliveryResult::Refused => "refused",
        };
        self.deliveries.with_label_values(&[name]).inc();
    }

    /// Counts the items of a request to error tracking.
    pub fn collected(&self, losses: &[(Category, Outcome, i64)], stored: &CollectOutcome) {
        let events = [
            (Outcome::Stored, stored.stored),
            (Outcome::Duplicate, stored.duplicates),
            (Outcome::Quota, stored.over_quota),
        ];
        let events = events.map(|(outcome, count)| {
            let count = i64::try_from(count).unwrap_or(i64::MAX);
            (Category::Error, outcome, count)
        });
        for (category, outcome, count) in losses.iter().chain(&events) {
            let labels = [category.as_str(), outcome.as_str()];
            let counter = self.items.with_label_values(&labels);
            counter.inc_by(u64::try_from(*count).unwrap_or_default());
        }
    }

    /// Counts a step of a sign-in.
    pub fn signed_in(&self, step: &SignInStep) {
        let [
            signed_in,
            second_factor,
            blocked,
            wrong,
            locked_out,
            expired,
        ] = SIGN_IN_RESULTS;
        let result = match step {
            SignInStep::SignedIn => signed_in,
            SignInStep::SecondFactorMissing => second_factor,
            SignInStep::Blocked => blocked,
            SignInStep::Wrong => wrong,
            SignInStep::LockedOut { .. } => locked_out,
            SignInStep::Expired => expired,
        };
        self.sign_ins.with_label_values(&[result]).inc();
    }
}

impl Metrics {
    /// Returns the time since which the message that waits longest is due, in seconds since 1970; `None` if none is due.
    pub fn oldest_due_message(&self) -> Option<i64> {
        Some(self.due_since.get()).filter(|since| *since > 0)
    }
}

impl Default for Metrics {
    fn default() -> Self {
        Self::new()
    }
}

impl SendingObserver for Metrics {
    fn attempted(&self, kind: ChannelKind, outcome: AttemptOutcome) {
        let labels = [kind.as_str(), outcome.as_str()];
        self.attempts.with_label_values(&labels).inc();
    }

    fn delayed_since(&self, due_at: Option<Timestamp>) {
        let seconds = due_at.map_or(0, Timestamp::as_unix_seconds);
        self.due_since.set(seconds);
    }
}

impl AppState {
    /// Returns all metrics as text, with the media type [`TEXT_FORMAT`].
    ///
    /// # Errors
    /// If a metric cannot be written as text.
    pub fn metrics_text(&self) -> Result<String, prometheus::Error> {
        let mut families = self.metrics.registry.gather();
        families.extend(server::families(self));
        // The encoder refuses a family without samples.
        families.retain(|family| !family.get_metric().is_empty());
        families.sort_by(|one, other| one.name().cmp(other.name()));
        TextEncoder::new().encode_to_string(&families)
    }
}

/// Adds a metric to the registry.
///
/// # Panics
/// If its name is invalid or already in use. The metrics of a program are fixed, so this shows on its first run.
#[expect(clippy::panic, reason = "the metrics of a program are fixed")]
fn register<C: Collector + Clone + 'static>(
    registry: &Registry,
    created: Result<C, prometheus::Error>,
) -> C {
    let registered = created.and_then(|created| {
        registry
            .register(Box::new(created.clone()))
            .map(|()| created)
    });
    registered.unwrap_or_else(|error| panic!("{error}"))
}

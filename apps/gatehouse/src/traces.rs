//! Traces of requests, for a collector of OpenTelemetry.
//!
//! The SDK takes its settings from the environment variables of OpenTelemetry. Spans have the target `traces`, which log lines
//! ignore: one for each request, attempt to send a message, and run of a background job, and below it one for each read and write
//! of the database.

use std::sync::OnceLock;
use std::time::Duration;

use actix_web::body::BoxBody;
use actix_web::dev::{ServiceRequest, ServiceResponse};
use actix_web::http::header::{HeaderMap, HeaderName};
use actix_web::middleware::Next;
use actix_web::{Error, web};
use async_trait::async_trait;
use opentelemetry::propagation::{Extractor, TextMapPropagator as _};
use opentelemetry::trace::{TraceContextExt as _, TracerProvider as _};
use opentelemetry::{Key, KeyValue};
use opentelemetry_http::{Bytes, HttpClient, HttpError, Request, Response};
use opentelemetry_otlp::{SpanExporter, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::propagation::TraceContextPropagator;
use opentelemetry_sdk::trace::SdkTracerProvider;
use tracing::field::{self, Empty};
use tracing::{Instrument as _, Span, Subscriber};
use tracing_opentelemetry::OpenTelemetrySpanExt as _;
use tracing_subscriber::Layer;
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::registry::LookupSpan;
use ureq::Agent;
use web_conventions::edge::request_id;
use web_conventions::operations::{declaration_of, path_of};

use crate::frame::client::counted_client;
use crate::state::AppState;

/// Name that the traces have without `OTEL_SERVICE_NAME`.
const SERVICE: &str = "gatehouse";
/// Target of all spans.
const TARGET: &str = "traces";
/// Variables that name the collector. Without one of them there are no traces.
const COLLECTORS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
    "OTEL_EXPORTER_OTLP_ENDPOINT",
];
/// Time limit of a call to the collector.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Source of the traces of this process.
static PROVIDER: OnceLock<SdkTracerProvider> = OnceLock::new();

/// Creates the layer that sends spans to the collector; `None` if the environment names none, or if its settings are invalid,
/// which standard error then says.
pub(crate) fn layer<S>() -> Option<impl Layer<S>>
where
    S: Subscriber + for<'s> LookupSpan<'s>,
{
    let provider = PROVIDER.get().cloned().or_else(start)?;
    let spans = Targets::new().with_target(TARGET, LevelFilter::TRACE);
    let layer = tracing_opentelemetry::layer()
        .with_tracer(provider.tracer(SERVICE))
        .with_location(false)
        .with_threads(false)
        .with_tracked_inactivity(false);
    Some(layer.with_filter(spans))
}

/// Starts the exporter, which has a thread of its own.
#[expect(clippy::print_stderr, reason = "this happens while the log is set up")]
fn start() -> Option<SdkTracerProvider> {
    if !names_collector() {
        return None;
    }
    let exporter = SpanExporter::builder()
        .with_http()
        .with_http_client(CollectorClient::new())
        .build();
    match exporter {
        Ok(exporter) => {
            let provider = SdkTracerProvider::builder()
                .with_resource(resource())
                .with_batch_exporter(exporter)
                .build();
            Some(PROVIDER.get_or_init(|| provider).clone())
        }
        Err(error) => {
            eprintln!("no traces: {error}");
            None
        }
    }
}

#[expect(
    clippy::disallowed_methods,
    reason = "the SDK reads the other variables of OpenTelemetry itself"
)]
fn names_collector() -> bool {
    let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    COLLECTORS.iter().any(is_set)
}

/// Describes this process, with what the environment says.
fn resource() -> Resource {
    let given = Resource::builder();
    let version = KeyValue::new("service.version", env!("CARGO_PKG_VERSION"));
    let resource = given.with_attribute(version).build();
    let name = resource.get(&Key::new("service.name"));
    if name.is_some_and(|name| !name.as_str().starts_with("unknown_service")) {
        return resource;
    }
    let known = resource.iter();
    let known = known.map(|(key, value)| KeyValue::new(key.clone(), value.clone()));
    let known: Vec<KeyValue> = known.collect();
    Resource::builder_empty()
        .with_attributes(known)
        .with_attribute(KeyValue::new("service.name", SERVICE))
        .build()
}

/// Sends the spans that wait. Nothing is sent afterwards.
pub(crate) fn end() {
    if let Some(provider) = PROVIDER.get()
        && let Err(error) = provider.shutdown()
    {
        tracing::warn!(%error, "the last traces were not sent");
    }
}

/// Records each request as a span, as a middleware function.
///
/// # Errors
/// Errors of the inner services.
pub(crate) async fn trace(
    state: web::Data<AppState>,
    request: ServiceRequest,
    next: Next<BoxBody>,
) -> Result<ServiceResponse<BoxBody>, Error> {
    let client = counted_client(request.request(), &state).map(field::display);
    let span = tracing::trace_span!(
        target: "traces",
        "request",
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = %request.method(),
        http.route = Empty,
        http.response.status_code = Empty,
        client.address = client,
        request.id = request_id(request.request()),
        request.operation = Empty,
    );
    if span.is_disabled() {
        return next.call(request).await;
    }
    // It fails only for a span that is closed.
    let _ =
        span.set_parent(TraceContextPropagator::new().extract(&TraceHeaders(request.headers())));
    let response = next.call(request).instrument(span.clone()).await?;
    record(&span, &response);
    Ok(response)
}

/// Adds the result of a request to its span.
fn record(span: &Span, response: &ServiceResponse<BoxBody>) {
    let (request, status) = (response.request(), response.status());
    // The path of an unknown route may contain anything.
    let route = path_of(request);
    let name = route.map_or_else(String::new, |route| format!(" {route}"));
    let name = format!("{}{name}", request.method());
    span.context().span().update_name(name);
    span.record("http.route", route);
    if let Some(operation) = declaration_of(request) {
        span.record("request.operation", operation.id);
    }
    span.record("http.response.status_code", status.as_u16());
    if status.is_server_error() {
        span.record("otel.status_code", "ERROR");
    }
}

/// The headers of Trace Context, with the trace that a request belongs to.
struct TraceHeaders<'h>(&'h HeaderMap);

impl Extractor for TraceHeaders<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.get(key)?.to_str().ok()
    }

    fn keys(&self) -> Vec<&str> {
        self.0.keys().map(HeaderName::as_str).collect()
    }
}

/// HTTP client of the exporter.
#[derive(Debug)]
struct CollectorClient(Agent);

impl CollectorClient {
    fn new() -> Self {
        Self(gatehouse_core::http_client::agent(TIMEOUT))
    }
}

#[async_trait]
impl HttpClient for CollectorClient {
    /// Sends a request, which blocks the thread of the exporter.
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let response = self.0.run(request.map(Vec::from))?;
        let (parts, mut body) = response.into_parts();
        let body = body.read_to_vec()?;
        Ok(Response::from_parts(parts, Bytes::from(body)))
    }
}

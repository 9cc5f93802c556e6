//! Traces, as a collector of OpenTelemetry receives them. The tests build the program with its feature `traces`.

use opentelemetry_proto::tonic::collector::trace::v1::ExportTraceServiceRequest;
use opentelemetry_proto::tonic::common::v1::any_value::Value;
use opentelemetry_proto::tonic::common::v1::{AnyValue, KeyValue};
use opentelemetry_proto::tonic::trace::v1::Span;
use opentelemetry_proto::tonic::trace::v1::span::SpanKind;
use prost::Message as _;
use serde_json::json;

use crate::support::fake_service::FakeService;
use crate::support::{TestServer, eventually};

/// Path of the collector.
const TRACES: &str = "/v1/traces";
/// A trace of the client, and the span in which it calls the server.
const PARENT: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

fn received(collector: &FakeService) -> Vec<ExportTraceServiceRequest> {
    let bodies = collector.bodies(TRACES).into_iter();
    bodies
        .map(|body| ExportTraceServiceRequest::decode(&*body).unwrap())
        .collect()
}

fn spans(collector: &FakeService) -> Vec<Span> {
    let requests = received(collector).into_iter();
    let resources = requests.flat_map(|request| request.resource_spans);
    let scopes = resources.flat_map(|resource| resource.scope_spans);
    scopes.flat_map(|scope| scope.spans).collect()
}

/// An attribute as text.
fn attribute(attributes: &[KeyValue], key: &str) -> Option<String> {
    let found = attributes.iter().find(|attribute| attribute.key == key)?;
    match &found.value {
        Some(AnyValue {
            value: Some(Value::StringValue(text)),
        }) => Some(text.clone()),
        Some(AnyValue {
            value: Some(Value::IntValue(number)),
        }) => Some(number.to_string()),
        _ => None,
    }
}

/// An attribute of the process that sent the spans.
fn of_process(collector: &FakeService, key: &str) -> Option<String> {
    let resource = received(collector)[0].resource_spans[0].resource.clone();
    attribute(&resource.unwrap().attributes, key)
}

/// Starts a server that sends its spans to a collector at once.
fn start(collector: &FakeService, further: &[(&str, &str)]) -> TestServer {
    let url = collector.url();
    let mut variables = vec![
        ("OTEL_EXPORTER_OTLP_ENDPOINT", url.as_str()),
        ("OTEL_BSP_SCHEDULE_DELAY", "50"),
    ];
    variables.extend_from_slice(further);
    TestServer::start_in_environment(&variables)
}

#[test]
fn attempts_to_send_messages_and_runs_of_jobs_are_spans() {
    let (collector, receiver) = (FakeService::start(), FakeService::start());
    collector.always(TRACES, "application/x-protobuf", "");
    receiver.always("/hook", "text/plain", "thanks");
    let allowed = ("GATEHOUSE_NOTIFICATIONS_ALLOWED_NETWORKS", "127.0.0.1");
    let server = start(&collector, &[allowed]);
    let url = format!("{}/hook", receiver.url());
    let channel = json!({ "kind": "webhook", "name": "Hook", "url": url });
    let channels = server.below_project("/notification_channels");
    server.admin().post(&channels, &channel).expect(201);
    let alert = json!({ "title": "Disk full" });
    server.sender().post(&server.generic(), &alert).expect(200);
    let all = eventually("the message is sent", || {
        let all = spans(&collector);
        let is_sent = all.iter().any(|span| span.name == "send webhook");
        is_sent.then_some(all)
    });
    let sent = all.iter().find(|span| span.name == "send webhook");
    let sent = sent.unwrap();
    assert_eq!(sent.kind(), SpanKind::Client);
    for (key, value) in [
        ("message.event", "alert.opened"),
        ("message.attempt", "1"),
        ("http.response.status_code", "200"),
    ] {
        let found = attribute(&sent.attributes, key);
        assert_eq!(found.as_deref(), Some(value), "{key}");
    }
    assert!(
        all.iter()
            .any(|span| span.name == "database read" && span.parent_span_id == sent.span_id)
    );
    // The first run of each job is at the start of the server.
    let names: Vec<&str> = all.iter().map(|span| span.name.as_str()).collect();
    assert!(names.contains(&"clean"), "{names:?}");
    assert!(!names.contains(&"watch_revocations"), "{names:?}");
}

#[test]
fn a_request_is_a_span_in_the_trace_of_its_client() {
    let collector = FakeService::start();
    collector.always(TRACES, "application/x-protobuf", "");
    let server = start(&collector, &[]);
    let issues = server.below_project("/issues");
    let traced = server.developer().with("traceparent", PARENT);
    traced
        .post(&issues, &json!({ "title": "Traced" }))
        .expect(201);
    server
        .anonymous()
        .get("/api/v4/s3cret?token=s3cret")
        .expect(404);
    let all = eventually("both requests are sent", || {
        let all = spans(&collector);
        (all.iter()
            .filter(|span| span.kind() == SpanKind::Server)
            .count()
            == 2)
            .then_some(all)
    });

    let name = "POST /api/v4/projects/{id}/issues";
    let span = all.iter().find(|span| span.name == name).unwrap();
    assert_eq!(span.trace_id, hex("4bf92f3577b34da6a3ce929d0e0e4736"));
    assert_eq!(span.parent_span_id, hex("00f067aa0ba902b7"));
    assert!(span.end_time_unix_nano > span.start_time_unix_nano);
    for (key, value) in [
        ("http.request.method", "POST"),
        ("http.route", "/api/v4/projects/{id}/issues"),
        ("http.response.status_code", "201"),
        ("request.operation", "createIssue"),
        ("client.address", "127.0.0.1"),
    ] {
        assert_eq!(
            attribute(&span.attributes, key).as_deref(),
            Some(value),
            "{key}"
        );
    }
    let below: Vec<&Span> = all
        .iter()
        .filter(|other| other.parent_span_id == span.span_id)
        .collect();
    for name in ["database read", "database write"] {
        let of_database = below.iter().find(|other| other.name == name);
        let function = attribute(&of_database.unwrap().attributes, "code.function.name");
        assert!(
            function.is_some_and(|function| function.contains("::")),
            "{name}"
        );
    }
    // The path of an unknown route and the query may contain anything.
    let unknown = all.iter().find(|span| span.name == "GET").unwrap();
    assert!(unknown.parent_span_id.is_empty());
    assert_eq!(
        attribute(&unknown.attributes, "http.response.status_code").as_deref(),
        Some("404")
    );
    assert!(!format!("{all:?}").contains("s3cret"));
    let service = of_process(&collector, "service.name");
    assert_eq!(service.as_deref(), Some("gatehouse"));
    // Lines of the log have no part of a span.
    assert!(!server.log().contains("otel"), "{}", server.log());
}

#[test]
fn the_last_spans_are_sent_when_the_server_stops() {
    let collector = FakeService::start();
    collector.always(TRACES, "application/x-protobuf", "");
    let further = [
        ("OTEL_BSP_SCHEDULE_DELAY", "3600000"),
        ("OTEL_SERVICE_NAME", "shop"),
        (
            "OTEL_RESOURCE_ATTRIBUTES",
            "deployment.environment.name=test",
        ),
        ("OTEL_EXPORTER_OTLP_HEADERS", "x-tenant=t1"),
    ];
    let mut server = start(&collector, &further);
    server.anonymous().get("/api/v4/version");
    assert!(server.stop().success());
    assert!(
        spans(&collector)
            .iter()
            .any(|span| span.kind() == SpanKind::Server)
    );
    let service = of_process(&collector, "service.name");
    assert_eq!(service.as_deref(), Some("shop"));
    let environment = of_process(&collector, "deployment.environment.name");
    assert_eq!(environment.as_deref(), Some("test"));
    assert!(collector.requests()[0].contains("x-tenant: t1"));
}

#[test]
fn a_collector_that_fails_costs_a_line_and_no_request() {
    let collector = FakeService::start();
    collector.queue_response(400, "", b"no");
    let server = start(&collector, &[]);
    server.developer().get("/api/v4/user").expect(200);
    eventually("the failure is logged", || {
        server.log().contains("opentelemetry").then_some(())
    });
    server.developer().get("/api/v4/user").expect(200);
}

fn hex(text: &str) -> Vec<u8> {
    let digits = text.as_bytes().chunks(2);
    digits
        .map(|two| u8::from_str_radix(std::str::from_utf8(two).unwrap(), 16).unwrap())
        .collect()
}

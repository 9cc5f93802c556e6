//! Tests of routing.

use actix_web::http::header::{ALLOW, IF_UNMODIFIED_SINCE};
use actix_web::http::{Method, StatusCode};
use actix_web::test::TestRequest;
use web_conventions::operations::{delete, get, post, put};

use crate::support::{delete_resource, echo, open, router, secret, send, text};

#[actix_web::test]
async fn parameters_are_segments_and_slashes_at_the_end_do_not_count() {
    let all = || {
        vec![
            open("projects", "/api/projects"),
            open("project", "/api/projects/{id}"),
            open("issue", "/api/projects/{id}/issues/{iid}"),
            open("own", "/api/projects/own"),
        ]
    };
    for (path, expected) in [
        ("/api/projects", ""),
        ("/api/projects/", ""),
        ("/api/projects/7", "id=7"),
        ("/api/projects/7/", "id=7"),
        ("/api/projects/own", ""),
        ("/api/projects/a%2Fb", "id=a%2Fb"),
        ("/api/projects/a%20b", "id=a b"),
        ("/api/projects/7/issues/9", "id=7&iid=9"),
        ("/api/projects/7/issues", "404"),
        ("/api/projects//issues/9", "404"),
        ("/api", "404"),
        ("/", "404"),
    ] {
        assert_eq!(text(all(), path).await, expected, "{path}");
    }
}

#[actix_web::test]
async fn segments_before_a_tail_may_contain_slashes() {
    let tail =
        open("intake", "/{*project}/alerts/notify.json").also_at(&["/{*project}/alerts/notify"]);
    let all = || vec![tail.clone(), open("start", "/{name}/alerts")];
    for (path, expected) in [
        ("/a/b/c/alerts/notify.json", "project=a/b/c"),
        ("/a/alerts/notify/", "project=a"),
        ("/alerts/notify.json", "404"),
        ("//alerts/notify.json", "404"),
        ("/a/alerts", "name=a"),
    ] {
        assert_eq!(text(all(), path).await, expected, "{path}");
    }
}

/// Deletion with `If-Unmodified-Since` (RFC 9110, section 13.1.4).
#[actix_web::test]
async fn deletions_check_if_unmodified_since_and_declare_it() {
    let operation = || delete("delete", "/thing", delete_resource);
    for (date, status) in [
        (
            "Sun, 31 Dec 2023 23:59:59 GMT",
            StatusCode::PRECONDITION_FAILED,
        ),
        ("Mon, 01 Jan 2024 00:00:00 GMT", StatusCode::NO_CONTENT),
    ] {
        let request = TestRequest::delete().uri("/thing");
        let request = request.insert_header((IF_UNMODIFIED_SINCE, date));
        assert_eq!(
            send(vec![operation()], request).await.status(),
            status,
            "{date}"
        );
    }
    let request = TestRequest::delete().uri("/thing");
    let answer = send(vec![operation()], request).await;
    assert_eq!(answer.status(), StatusCode::NO_CONTENT);
    let operation = operation();
    let declared = operation.declaration();
    let names: Vec<&str> = declared.parameters.iter().map(|one| one.name).collect();
    assert_eq!(names, ["If-Unmodified-Since"]);
    let statuses: Vec<u16> = declared.responses.iter().map(|one| one.status).collect();
    assert_eq!(statuses, [412]);
}

#[actix_web::test]
async fn methods_are_listed_wherever_one_is_refused() {
    let all = || {
        vec![
            get("show", "/thing", echo),
            put("change", "/thing", secret),
            delete("delete", "/thing", delete_resource),
        ]
    };
    let expected = "OPTIONS, GET, HEAD, PUT, DELETE";
    for (method, status) in [
        (Method::OPTIONS, StatusCode::NO_CONTENT),
        (Method::POST, StatusCode::METHOD_NOT_ALLOWED),
        (Method::TRACE, StatusCode::METHOD_NOT_ALLOWED),
    ] {
        let request = TestRequest::default().method(method.clone()).uri("/thing");
        let answer = send(all(), request).await;
        assert_eq!(answer.status(), status, "{method}");
        assert_eq!(answer.headers().get(ALLOW).unwrap(), expected, "{method}");
    }
    let head = TestRequest::default().method(Method::HEAD).uri("/thing");
    assert_eq!(send(all(), head).await.status(), StatusCode::OK);
}

#[actix_web::test]
async fn the_caller_is_authenticated_before_the_handler_runs() {
    let all = || vec![post("change", "/thing", secret)];
    let request = TestRequest::post().uri("/thing");
    assert_eq!(
        send(all(), request).await.status(),
        StatusCode::UNAUTHORIZED
    );
    let request = TestRequest::post()
        .uri("/thing")
        .insert_header(("Authorization", "Bearer right"));
    assert_eq!(send(all(), request).await.status(), StatusCode::OK);
}

#[test]
fn operations_that_cannot_be_distinguished_are_refused() {
    let twice = vec![open("one", "/thing"), open("two", "/thing")];
    let same_id = vec![open("one", "/thing"), open("one", "/other")];
    let same_shape = vec![open("one", "/{id}"), open("two", "/{name}")];
    for (operations, reason) in [
        (twice, "the method is already in use"),
        (same_id, "the id is already in use"),
        (same_shape, "conflict"),
    ] {
        let refusal = router(operations).unwrap_err().to_string();
        assert!(refusal.contains(reason), "{refusal}");
    }
}

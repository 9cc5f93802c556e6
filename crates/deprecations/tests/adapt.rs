//! Adaptation of an operation to an edition: with the published records, and with test records for effects that none of
//! those has.
#![expect(
    clippy::unwrap_used,
    reason = "a helper that fails ends the test that called it"
)]

use api_conventions::release::Release;
use deprecations::adapt::{Adaptation, EditionRefusal, EditionRefusalReason, Note};
use deprecations::{Edition, Schedule, published};
use serde_json::{Map, Value, json};

const BEFORE: Edition = Edition::of(Release(15, 11));
const AFTER: Edition = Edition::of(Release(16, 0));
const PREVIEW: Edition = Edition::preview(Release(16, 0));

fn operation(method: &str, path: &str) -> Adaptation {
    Adaptation::of(published(), method, path).unwrap()
}

/// Returns the handler's parameters for a request from a client of an edition, and the ids of the deprecated records.
fn taken(
    operation: &Adaptation,
    at: Edition,
    sent: Value,
) -> Result<(Value, Vec<&str>), EditionRefusal> {
    let mut parameters: Map<String, Value> = serde_json::from_value(sent).unwrap();
    let seen = operation.adapt_request(at, &mut parameters)?;
    let ids = seen.notes.iter().map(|note| note.id.as_str()).collect();
    Ok((Value::Object(parameters), ids))
}

/// Asserts that an edition accepts this as sent, and that nothing in it is deprecated.
fn demand_untouched(operation: &Adaptation, at: Edition, sent: &Value) {
    let expected = Ok((sent.clone(), Vec::new()));
    assert_eq!(taken(operation, at, sent.clone()), expected, "{at} {sent}");
}

fn answered(operation: &Adaptation, at: Edition, mut answer: Value) -> Value {
    operation.adapt_response(at, &mut answer);
    answer
}

fn attribute(record: &str, name: &str, problem: &str) -> EditionRefusal {
    EditionRefusal {
        record: record.to_owned(),
        reason: EditionRefusalReason::Attribute {
            name: name.to_owned(),
            problem: problem.to_owned(),
        },
    }
}

/// A schedule of one record, about lamps, that is announced with 15.9 and removed with 16.0.
fn lamps(touches: &str) -> Schedule {
    let text = format!(
        r#"
        title = "Lamps"
        area = "Lamps"
        kind = "field"
        announced = "15.9"
        removal = "16.0"
        enforcement = "enforced"
        edited = "2026-11-24"
        body = "Read on."
        touches = [{touches}]
        "#
    );
    Schedule::parse([("15-9-lamps", text.as_str())]).unwrap()
}

#[test]
fn deployments_pair_the_filter_with_the_order_both_ways() {
    let list = operation("GET", "/api/v4/projects/{id}/deployments");
    let record = "15-8-deployments-updated-at";
    for lone in [
        json!({ "updated_after": "2023-01-01" }),
        json!({ "updated_before": "2023-01-01" }),
        json!({ "updated_after": "2023-01-01", "order_by": "id" }),
        json!({ "order_by": "updated_at" }),
        json!({ "order_by": "updated_at", "updated_after": "" }),
        json!({ "order_by": "updated_at", "finished_after": "2023-01-01" }),
    ] {
        demand_untouched(&list, Edition::of(Release(15, 7)), &lone);
        let tolerated = Ok((lone.clone(), vec![record]));
        assert_eq!(taken(&list, BEFORE, lone.clone()), tolerated, "{lone}");
        let refused = EditionRefusal {
            record: record.to_owned(),
            reason: EditionRefusalReason::Request(
                "`updated_at` filter and `updated_at` sorting must be paired".to_owned(),
            ),
        };
        assert_eq!(taken(&list, AFTER, lone.clone()), Err(refused), "{lone}");
    }
    for paired in [
        json!({}),
        json!({ "order_by": "id" }),
        json!({ "order_by": "updated_at", "updated_after": "2023-01-01" }),
        json!({ "order_by": "updated_at", "updated_before": "2023-01-01", "sort": "desc" }),
        json!({ "order_by": "finished_at", "finished_after": "2023-01-01", "status": "success" }),
    ] {
        demand_untouched(&list, BEFORE, &paired);
        demand_untouched(&list, AFTER, &paired);
    }
}

#[test]
fn environments_are_searched_by_three_characters() {
    let list = operation("GET", "/api/v4/projects/{id}/environments");
    let record = "15-10-environment-search";
    for short in ["p", "pr", "äö"] {
        let sent = json!({ "search": short });
        let tolerated = Ok((sent.clone(), vec![record]));
        assert_eq!(taken(&list, BEFORE, sent.clone()), tolerated);
        let problem = "is too short (minimum is 3 characters)";
        let refused = Err(attribute(record, "search", problem));
        assert_eq!(taken(&list, AFTER, sent), refused);
    }
    for search in ["", "pro", "äöü", "production"] {
        for at in [BEFORE, AFTER, PREVIEW] {
            demand_untouched(&list, at, &json!({ "search": search }));
        }
    }
    demand_untouched(&list, AFTER, &json!({ "name": "p" }));
}

#[test]
fn texts_of_pipelines_have_at_most_255_characters() {
    let status = operation("POST", "/api/v4/projects/{id}/statuses/{sha}");
    let pipeline = operation("POST", "/api/v4/projects/{id}/pipeline");
    let record = "15-9-ci-text-lengths";
    for (operation, name) in [
        (&status, "stage"),
        (&status, "ref"),
        (&status, "description"),
        (&status, "target_url"),
        (&pipeline, "ref"),
    ] {
        let sent = |count| json!({ name: "ü".repeat(count) });
        for at in [BEFORE, AFTER, PREVIEW] {
            demand_untouched(operation, at, &sent(255));
        }
        let tolerated = Ok((sent(256), vec![record]));
        assert_eq!(taken(operation, BEFORE, sent(256)), tolerated);
        let problem = "is too long (maximum is 255 characters)";
        let refused = Err(attribute(record, name, problem));
        assert_eq!(taken(operation, AFTER, sent(256)), refused);
    }
    demand_untouched(&pipeline, AFTER, &json!({ "description": "d".repeat(256) }));
}

#[test]
fn null_counts_as_false_until_its_removal() {
    for (method, path) in [("POST", "/api/v4/users"), ("PUT", "/api/v4/users/{id}")] {
        let change = operation(method, path);
        for nothing in [Value::Null, json!("")] {
            let sent = json!({ "name": "Ann", "private_profile": nothing });
            let expected = json!({ "name": "Ann", "private_profile": false });
            let before = taken(&change, BEFORE, sent.clone());
            assert_eq!(before, Ok((expected, vec!["15-8-private-profile-null"])));
            demand_untouched(&change, AFTER, &sent);
        }
        for value in [json!(true), json!(false), json!("true")] {
            demand_untouched(&change, BEFORE, &json!({ "private_profile": value }));
        }
        demand_untouched(&change, BEFORE, &json!({}));
    }
}

#[test]
fn operations_access_level_sets_the_five_levels_not_given() {
    let record = "15-8-operations-access-level";
    for (method, path) in [
        ("POST", "/api/v4/projects"),
        ("PUT", "/api/v4/projects/{id}"),
    ] {
        let change = operation(method, path);
        let five = json!({
            "releases_access_level": "private",
            "environments_access_level": "private",
            "feature_flags_access_level": "private",
            "infrastructure_access_level": "private",
            "monitor_access_level": "private",
        });
        let sent = json!({ "operations_access_level": "private" });
        for at in [BEFORE, AFTER] {
            let expected = Ok((five.clone(), vec![record]));
            assert_eq!(taken(&change, at, sent.clone()), expected, "{at}");
        }

        let both = json!({
            "operations_access_level": "private",
            "monitor_access_level": "enabled",
        });
        let mut with_monitor = five.clone();
        with_monitor["monitor_access_level"] = json!("enabled");
        let expected = Ok((with_monitor, vec![record]));
        assert_eq!(taken(&change, AFTER, both.clone()), expected);

        let gone = Ok((json!({}), Vec::new()));
        assert_eq!(taken(&change, PREVIEW, sent), gone);
        let only_new = Ok((json!({ "monitor_access_level": "enabled" }), Vec::new()));
        assert_eq!(taken(&change, PREVIEW, both), only_new);

        demand_untouched(&change, AFTER, &five);
    }
}

#[test]
fn removed_fields_are_absent_in_objects_and_arrays() {
    let old = json!({ "id": 1, "operations_access_level": "private", "name": "shop" });
    let new = json!({ "id": 1, "name": "shop" });
    let show = operation("GET", "/api/v4/projects/{id}");
    assert_eq!(answered(&show, AFTER, old.clone()), old);
    assert_eq!(answered(&show, PREVIEW, old.clone()), new);
    let list = operation("GET", "/api/v4/projects");
    let two = json!([old, { "id": 2 }]);
    assert_eq!(answered(&list, AFTER, two.clone()), two);
    assert_eq!(answered(&list, PREVIEW, two), json!([new, { "id": 2 }]));
    assert!(!list.changes_responses(AFTER) && list.changes_responses(PREVIEW));
    let ids = |at| list.deprecated_fields(at).map(|note| note.id.as_str());
    assert!(ids(AFTER).eq(["15-8-operations-access-level"]));
    assert!(ids(PREVIEW).eq([""; 0]) && ids(Edition::of(Release(15, 7))).eq([""; 0]));

    let token = operation("GET", "/oauth/token/info");
    let info = json!({
        "scope": ["api"], "scopes": ["api"], "expires_in": null, "expires_in_seconds": null,
    });
    assert_eq!(answered(&token, AFTER, info.clone()), info);
    let expected = json!({ "scope": ["api"], "expires_in": null });
    assert_eq!(answered(&token, PREVIEW, info), expected);
}

#[test]
fn additions_are_absent_before_their_release() {
    let settings = "/api/v4/projects/{id}/error_tracking/settings";
    let [before, after] = [Release(14, 1), Release(14, 2)].map(Edition::of);
    let change = operation("PATCH", settings);
    let sent = json!({ "active": true, "integrated": true });
    let expected = Ok((json!({ "active": true }), Vec::new()));
    assert_eq!(taken(&change, before, sent.clone()), expected);
    demand_untouched(&change, after, &sent);
    for method in ["GET", "PUT", "PATCH"] {
        let shown = operation(method, settings);
        assert_eq!(
            answered(&shown, before, sent.clone()),
            json!({ "active": true })
        );
        assert_eq!(answered(&shown, after, sent.clone()), sent);
    }

    let keys = "/api/v4/projects/{id}/error_tracking/client_keys";
    for (method, path, first) in [
        ("PUT", settings.to_owned(), Release(15, 10)),
        ("GET", keys.to_owned(), Release(14, 3)),
        ("POST", keys.to_owned(), Release(14, 3)),
        ("DELETE", format!("{keys}/{{key_id}}"), Release(14, 3)),
    ] {
        let found = operation(method, &path);
        let earlier = Release(first.0, first.1 - 1);
        assert!(!found.is_alive(Edition::of(earlier)), "{method} {path}");
        assert!(found.is_alive(Edition::of(first)), "{method} {path}");
        assert!(found.is_alive(Edition::preview(first)), "{method} {path}");
    }
    assert!(operation("GET", settings).is_alive(before));
}

#[test]
fn a_value_is_refused_before_it_is_introduced() {
    let jobs = operation("GET", "/api/v4/projects/{id}/jobs");
    let [before, after] = [Release(15, 8), Release(15, 9)].map(Edition::of);
    let keyset = json!({ "pagination": "keyset", "order_by": "id", "sort": "desc" });
    let refused = EditionRefusal {
        record: "15-9-keyset-jobs".to_owned(),
        reason: EditionRefusalReason::Value("pagination".to_owned()),
    };
    assert_eq!(taken(&jobs, before, keyset.clone()), Err(refused));
    demand_untouched(&jobs, after, &keyset);
    demand_untouched(&jobs, before, &json!({ "pagination": "offset" }));
    demand_untouched(&jobs, before, &json!({ "order_by": "id" }));
}

#[test]
fn fields_are_emptied() {
    let schedule =
        lamps(r#"{ endpoints = ["GET /api/v4/lamps"], field = "room.bulbs", effect = "empty" }"#);
    let list = Adaptation::of(&schedule, "GET", "/api/v4/lamps").unwrap();
    let full = json!([{ "room": { "bulbs": [1, 2] } }, { "room": {} }, { "room": null }, 3]);
    assert_eq!(answered(&list, BEFORE, full.clone()), full);
    let emptied = json!([{ "room": { "bulbs": [] } }, { "room": {} }, { "room": null }, 3]);
    assert_eq!(answered(&list, AFTER, full), emptied);
}

#[test]
fn removed_fields_of_inner_arrays_and_single_values_are_absent() {
    let schedule = lamps(
        r#"
        { endpoints = ["GET /api/v4/lamps"], field = "assets.links.external" },
        { endpoints = ["GET /api/v4/lamps"], field = "state", value = "dim" },
        "#,
    );
    let list = Adaptation::of(&schedule, "GET", "/api/v4/lamps").unwrap();
    let old = json!({
        "state": "dim",
        "external": 1,
        "assets": { "links": [{ "id": 1, "external": true }, { "id": 2 }] },
    });
    let new = json!({ "external": 1, "assets": { "links": [{ "id": 1 }, { "id": 2 }] } });
    assert_eq!(answered(&list, BEFORE, old.clone()), old);
    assert_eq!(
        answered(&list, AFTER, json!([old, { "state": "on" }])),
        json!([new, { "state": "on" }])
    );
}

#[test]
fn removed_parameters_and_operations_are_absent() {
    let schedule = lamps(
        r#"
        { endpoints = ["PUT /api/v4/lamps/:id"], parameter = "colour" },
        { endpoints = ["DELETE /api/v4/lamps/:id"] },
        "#,
    );
    let change = Adaptation::of(&schedule, "PUT", "/api/v4/lamps/{id}").unwrap();
    let sent = json!({ "id": 1, "colour": "red" });
    let before = Ok((sent.clone(), vec!["15-9-lamps"]));
    assert_eq!(taken(&change, BEFORE, sent.clone()), before);
    let after = Ok((json!({ "id": 1 }), Vec::new()));
    assert_eq!(taken(&change, AFTER, sent), after);
    demand_untouched(&change, BEFORE, &json!({ "id": 1, "colour": null }));

    let deletion = Adaptation::of(&schedule, "DELETE", "/api/v4/lamps/{id}").unwrap();
    assert!(deletion.is_alive(BEFORE) && !deletion.is_alive(AFTER));
    let (_, ids) = taken(&deletion, BEFORE, json!({})).unwrap();
    assert_eq!(ids, ["15-9-lamps"]);
    let ids: Vec<&str> = deletion
        .of_operation()
        .map(|note: &Note| note.id.as_str())
        .collect();
    assert_eq!(ids, ["15-9-lamps"]);
}

#[test]
fn runners_have_paused_since_14_8_and_active_until_version_5() {
    let change = operation("PUT", "/api/v4/runners/{id}");
    let old = Edition::of(Release(14, 7));
    let sent = json!({ "active": false, "paused": true });
    let of_old = Ok((json!({ "active": false }), Vec::new()));
    assert_eq!(taken(&change, old, sent.clone()), of_old);
    let deprecated = Ok((sent.clone(), vec!["14-8-runner-active"]));
    assert_eq!(taken(&change, AFTER, sent.clone()), deprecated);
    let of_preview = Ok((json!({ "paused": true }), Vec::new()));
    assert_eq!(taken(&change, PREVIEW, sent), of_preview);
    let body = json!({ "active": true, "paused": false, "status": "online" });
    let without = |name: &str| {
        let mut body = body.clone();
        body.as_object_mut().unwrap().remove(name);
        body
    };
    assert_eq!(answered(&change, old, body.clone()), without("paused"));
    assert_eq!(answered(&change, AFTER, body.clone()), body);
    assert_eq!(answered(&change, PREVIEW, body.clone()), without("active"));
    let list = operation("GET", "/api/v4/runners");
    for word in ["paused", "active"] {
        let refused = Err(EditionRefusal {
            record: "14-5-runner-status-values".to_owned(),
            reason: EditionRefusalReason::Value("status".to_owned()),
        });
        assert_eq!(taken(&list, PREVIEW, json!({ "status": word })), refused);
    }
    demand_untouched(&list, PREVIEW, &json!({ "status": "online" }));
}

#[test]
fn only_enforced_records_change_anything() {
    for (method, path) in [
        ("GET", "/api/v4/projects/{id}/merge_requests"),
        ("POST", "/api/v4/jobs/request"),
        ("GET", "/api/v4/version"),
    ] {
        assert!(
            Adaptation::of(published(), method, path).is_none(),
            "{method} {path}"
        );
    }
}

//! Credentials of requests.

use serde_json::{Value, json};

use crate::support::{TestCaller, TestResponse, TestServer, rows};

fn unauthorized() -> Value {
    json!({ "message": "401 Unauthorized" })
}

fn username(answer: &TestResponse) -> String {
    let user = answer.expect(200);
    user["username"].as_str().unwrap().to_owned()
}

/// AUTH-02.
#[test]
fn a_token_comes_in_a_header_a_parameter_or_as_a_bearer() {
    let server = TestServer::start();
    let token = server.text("/developer/token");
    let anonymous = server.anonymous();
    let path = "/api/v4/user";
    for answer in [
        anonymous.clone().with("PRIVATE-TOKEN", token).get(path),
        anonymous.clone().with("private-token", token).get(path),
        TestCaller::bearer(server.base_url(), token).get(path),
        anonymous
            .clone()
            .with("Authorization", &format!("bearer  {token}"))
            .get(path),
        anonymous.get(&format!("{path}?private_token={token}")),
        anonymous.get(&format!("{path}?access_token={token}")),
        anonymous.get(&format!("{path}?x=1&private%5Ftoken={token}")),
    ] {
        assert_eq!(username(&answer), "dev");
    }
}

/// API-02, AUTH-02. The parameter also works with methods that have a body.
#[test]
fn a_token_in_the_query_works_with_any_method() {
    let server = TestServer::start();
    let token = server.text("/developer/token");
    let path = format!("{}/1?private_token={token}", server.alerts());
    let body = json!({ "status": "acknowledged" });
    let answer = server.anonymous().put(&path, &body);
    assert_eq!(answer.expect(200)["status"], "acknowledged");
}

/// API-10.
#[test]
fn credentials_that_are_wrong_are_refused_on_public_endpoints_too() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let anonymous = server.anonymous();
    let path = "/api/v4/projects";
    anonymous.get(path).assert_ok();
    let key = server.text("/alerts/key").to_owned();
    for caller in [
        anonymous.clone().with("PRIVATE-TOKEN", "wrong"),
        anonymous.clone().with("PRIVATE-TOKEN", &key),
        TestCaller::bearer(server.base_url(), "wrong"),
        TestCaller::bearer(server.base_url(), &key),
        anonymous.clone().with("Authorization", "Bearer"),
        anonymous
            .clone()
            .with("Authorization", "Basic ZGV2OnNlY3JldA=="),
        anonymous.clone().with("Authorization", "Digest x"),
    ] {
        caller.get(path).assert_is(401, &unauthorized());
    }
    let by_query = anonymous.get(&format!("{path}?private_token=wrong"));
    by_query.assert_is(401, &unauthorized());
}

/// API-10. This server has no deploy tokens or job tokens, so none can be valid.
#[test]
fn tokens_of_deployments_and_jobs_are_refused_on_public_endpoints_too() {
    let server = TestServer::start();
    server.create_project("open/tools", "public", "dev");
    let path = "/api/v4/projects";
    for name in ["DEPLOY-TOKEN", "JOB-TOKEN", "job-token"] {
        for caller in [server.anonymous(), server.developer()] {
            let answer = caller.with(name, "wrong").get(path);
            answer.assert_is(401, &unauthorized());
        }
        server.anonymous().with(name, "").get(path).assert_ok();
    }
    let by_query = server.anonymous().get(&format!("{path}?job_token=wrong"));
    by_query.assert_is(401, &unauthorized());
}

/// AUTH-02. Another reader might use the other of two values of one credential.
#[test]
fn a_credential_with_two_values_is_refused() {
    let server = TestServer::start();
    let [dev, rita] = ["/developer/token", "/reporter/token"].map(|at| server.text(at).to_owned());
    let anonymous = server.anonymous();
    let bearer = |token: &str| format!("Bearer {token}");
    let user = "/api/v4/user";
    for answer in [
        anonymous.get(&format!("{user}?private_token={dev}&private_token={rita}")),
        anonymous.get(&format!("{user}?access_token={dev}&access_token={rita}")),
        anonymous
            .clone()
            .with("PRIVATE-TOKEN", &dev)
            .with("PRIVATE-TOKEN", &rita)
            .get(user),
        anonymous
            .clone()
            .with("Authorization", &bearer(&dev))
            .with("Authorization", &bearer(&rita))
            .get(user),
    ] {
        assert_eq!(answer.status, 400, "{}", answer.text());
    }
}

/// AUTH-02. A token must match exactly: neither a part of it nor an extension is valid.
#[test]
fn almost_the_token_is_not_the_token() {
    let server = TestServer::start();
    let token = server.text("/developer/token").to_owned();
    let shorter = token[..token.len() - 1].to_owned();
    for wrong in [shorter, format!("{token}x"), token.to_uppercase()] {
        let caller = TestCaller::new(server.base_url(), Some(&wrong));
        caller.get("/api/v4/user").assert_is(401, &unauthorized());
    }
}

/// AUTH-02.
#[test]
fn of_two_credentials_the_parameter_counts() {
    let server = TestServer::start();
    let dev = server.text("/developer/token");
    let answer = server
        .reporter()
        .get(&format!("/api/v4/user?private_token={dev}"));
    assert_eq!(username(&answer), "dev");
    let wrong = server.developer().get("/api/v4/user?private_token=wrong");
    wrong.assert_is(401, &unauthorized());
    let both = server
        .reporter()
        .with("Authorization", &format!("Bearer {dev}"));
    assert_eq!(username(&both.get("/api/v4/user")), "rita");
    let empty = server.developer().get("/api/v4/user?private_token=");
    assert_eq!(username(&empty), "dev");
    let other_name = format!("/api/v4/user?private_token=&access_token={dev}");
    assert_eq!(username(&server.anonymous().get(&other_name)), "dev");
    assert_eq!(username(&server.reporter().get(&other_name)), "rita");
}

/// AUTH-02. A client with an empty setting still sends the header; it is not a token.
#[test]
fn an_empty_header_is_no_token() {
    let server = TestServer::start();
    let dev = server.text("/developer/token").to_owned();
    for empty in ["", " "] {
        let caller = server.anonymous().with("PRIVATE-TOKEN", empty);
        caller.get("/api/v4/projects").assert_ok();
        caller.get("/api/v4/user").assert_is(401, &unauthorized());
        let bearer = caller
            .clone()
            .with("Authorization", &format!("Bearer {dev}"));
        assert_eq!(username(&bearer.get("/api/v4/user")), "dev");
        let by_query = format!("/api/v4/user?private_token={dev}");
        assert_eq!(username(&caller.get(&by_query)), "dev");
        let basic = caller.with("Authorization", "Basic ZGV2OnNlY3JldA==");
        basic.get("/api/v4/user").assert_is(401, &unauthorized());
    }
}

/// AUTH-02. If several tokens are sent, all must be valid, whichever of them is used: credentials of a client are never
/// ignored.
#[test]
fn a_bad_token_beside_valid_ones_is_refused() {
    let server = TestServer::start();
    let dev = server.text("/developer/token").to_owned();
    let good = TestCaller::new(server.base_url(), Some(&dev));
    for path in ["/api/v4/user", "/api/v4/projects"] {
        let bearer = good.clone().with("Authorization", "Bearer wrong");
        bearer.get(path).assert_is(401, &unauthorized());
        for name in ["private_token", "access_token"] {
            let wrong = good.get(&format!("{path}?{name}=wrong"));
            wrong.assert_is(401, &unauthorized());
            let header = server.anonymous().with("PRIVATE-TOKEN", "wrong");
            let wrong = header.get(&format!("{path}?{name}={dev}"));
            wrong.assert_is(401, &unauthorized());
        }
        good.get(path).assert_ok();
    }
}

/// AUTH-02. A user of a proxy in front of the server is not a user of the server.
#[test]
fn another_scheme_beside_a_token_is_not_for_this_server() {
    let server = TestServer::start();
    let dev = server.text("/developer/token").to_owned();
    let basic = server
        .anonymous()
        .with("Authorization", "Basic ZGV2OnNlY3JldA==");
    let header = basic.clone().with("PRIVATE-TOKEN", &dev);
    assert_eq!(username(&header.get("/api/v4/user")), "dev");
    let by_query = format!("/api/v4/user?private_token={dev}");
    assert_eq!(username(&basic.get(&by_query)), "dev");
}

/// AUTH-10, API-16.
#[test]
fn without_credentials_there_is_public_data_and_nothing_else() {
    let server = TestServer::start();
    let created = server.create_project("open/tools", "public", "dev");
    let anonymous = server.anonymous();
    let public = format!("/api/v4/projects/{}", created["id"]);
    for path in ["/api/v4/projects", &public, &format!("{public}/events")] {
        anonymous.get(path).assert_ok();
    }
    for path in [
        "/api/v4/user",
        "/api/v4/version",
        &format!("{public}/alert_management_alerts"),
        &format!("{public}/alert_management_alerts/1"),
        &format!("{public}/alert_receipts"),
    ] {
        anonymous.get(path).assert_is(401, &unauthorized());
    }
    let hidden = json!({ "message": "404 Project Not Found" });
    anonymous
        .get(&server.below_project(""))
        .assert_is(404, &hidden);
}

/// AUTH-09. The day of expiry is the first on which the token no longer works.
#[test]
fn an_expired_token_is_refused() {
    let server = TestServer::start();
    let token = server.token("dev", "api");
    let caller = TestCaller::new(server.base_url(), Some(&token));
    let expire = |shift: &str| {
        let today = "CAST(strftime('%s', 'now') AS INTEGER) / 86400";
        rows::change_and_revoke(
            &server,
            &format!(
                "UPDATE access_tokens SET expires_on = {today} {shift}
                 WHERE id = (SELECT max(id) FROM access_tokens)"
            ),
        );
    };
    expire("+ 2");
    caller.get("/api/v4/user").assert_ok();
    expire("");
    let refused = crate::support::eventually("the token has expired", || {
        let answer = caller.get("/api/v4/user");
        (answer.status != 200).then_some(answer)
    });
    refused.assert_is(401, &unauthorized());
    server.developer().get("/api/v4/user").assert_ok();
}

/// API-16.
#[test]
fn a_blocked_user_is_reported_so_and_refused_everywhere() {
    let server = TestServer::start();
    let dev = server.developer();
    dev.get("/api/v4/user").assert_ok();
    let block = "UPDATE users SET blocked_at = created_at WHERE username = 'dev'";
    rows::change_and_revoke(&server, block);
    crate::support::eventually("the user is blocked", || {
        (dev.get("/api/v4/user").status != 200).then_some(())
    });
    let text = "403 Forbidden - Your account has been blocked.";
    for path in ["/api/v4/user", "/api/v4/projects", &server.alerts()] {
        dev.get(path).assert_is(403, &json!({ "message": text }));
    }
    server.reporter().get("/api/v4/user").assert_ok();
}

//! Schemathesis, unmodified, tests every operation of the document that the server serves: with valid input, with
//! invalid input, without credentials, and with other methods. Every response must be documented.
//!
//! The provider's endpoints are tested as an application with its token. `/oauth/authorize` and `/oauth/end_session`
//! are not in the document: they are pages that redirect browsers, which [`crate::browser`] and the tests of the API
//! cover.

use std::fs;
use std::process::Command;

use serde_json::{Value, json};
use test_databases::TestDatabase;

use crate::support::browser::form;
use crate::support::{TestServer, outside, rows};

/// Test input of a run.
struct Cases {
    /// `all`, or `positive` for valid input alone.
    mode: &'static str,
    /// Number of random cases of an operation, beside those at the bounds of its schema. They are the same in each run.
    random: usize,
}

/// Result of a run.
struct SchemathesisRun {
    /// Final part of the output.
    text: String,
    is_success: bool,
}

/// Wrong secrets are part of the test input. Other tests cover their limits.
const CONFIGURATION: &str =
    "[sign_in]\nmax_failures = 1000000\nmax_failures_per_address = 1000000\n";

/// An application, and its token of a user.
struct FuzzApplication {
    id: String,
    secret: String,
    access_token: String,
}

impl FuzzApplication {
    fn of(server: &TestServer) -> Self {
        // Nothing is sent to this channel: its address is not public.
        let channels = server.below_project("/notification_channels");
        let channel = json!({ "kind": "webhook", "name": "Run", "url": "http://127.0.0.1:1/" });
        server.admin().post(&channels, &channel).expect(201);
        let schedule = json!({ "name": "Run", "time_zone": "UTC", "first_handoff": "2026-11-30", "handoff_time": "09:00",
            "participant_ids": [1] });
        let schedules = server.below_project("/on_call_schedules");
        server.admin().post(&schedules, &schedule).expect(201);
        let hook = json!({ "url": "http://127.0.0.1:1/" });
        let hook = server.admin().post(&server.below_project("/hooks"), &hook);
        assert_eq!(hook.expect(201)["id"], 2, "the configuration names it");
        let own = server
            .admin()
            .post("/api/v4/user/notification_channels", &channel);
        assert_eq!(own.expect(201)["id"], 3, "the configuration names it");
        let endpoints = server.below_project("/alert_management/integrations");
        let probe = json!({ "name": "Probe", "heartbeat_interval": 3600 });
        let endpoint = server.admin().post(&endpoints, &probe);
        assert_eq!(endpoint.expect(201)["id"], 3, "the configuration names it");
        let metadata = json!({
            "name": "Shop",
            "redirect_uri": "https://shop.example/cb",
            "scopes": "api openid profile email",
        });
        let created = server.admin().post("/api/v4/applications", &metadata);
        let created = created.expect(201);
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let (id, secret) = (text(&created["application_id"]), text(&created["secret"]));
        let fields = [
            ("grant_type", "password"),
            ("username", server.text("/admin/username")),
            ("password", server.text("/admin/password")),
            ("scope", "openid profile email"),
            ("client_id", &id),
            ("client_secret", &secret),
        ];
        let issued = server
            .anonymous()
            .with("Content-Type", "application/x-www-form-urlencoded")
            .post_bytes("/oauth/token", form(&fields).as_bytes());
        Self {
            access_token: text(&issued.expect(200)["access_token"]),
            id,
            secret,
        }
    }
}

/// Tests the operations of a server in a directory of its own, because the client leaves its reports there.
fn try_operations(server: &TestServer, cases: &Cases) -> Option<SchemathesisRun> {
    let python = outside::find("GATEHOUSE_TEST_PYTHON", &[])?;
    let application = FuzzApplication::of(server);
    let directory = tempfile::tempdir().unwrap();
    let configuration = directory.path().join("schemathesis.toml");
    fs::write(&configuration, filled_in(server, &application, cases)).unwrap();
    // The client's library reads the whole environment at each request, to find proxies.
    let output = Command::new(python)
        .env_clear()
        .current_dir(directory.path())
        .args(["-B", "-m", "schemathesis.cli", "--config-file"])
        .arg(configuration)
        .args(["run", "--no-color", "--mode", cases.mode])
        .arg(format!("{}/api/v4/openapi.json", server.base_url()))
        .output()
        .unwrap();
    let text = [output.stdout, output.stderr].concat();
    Some(SchemathesisRun {
        text: String::from_utf8_lossy(&text).into_owned(),
        is_success: output.status.success(),
    })
}

/// The configuration with the credentials of a server, which the client itself would not insert everywhere.
fn filled_in(server: &TestServer, application: &FuzzApplication, cases: &Cases) -> String {
    let template = fs::read_to_string(outside::script("schemathesis/schemathesis.toml")).unwrap();
    let hooks = outside::script("schemathesis/hooks.py");
    let admin_token = server.token("root", "api,sudo");
    let values = [
        ("${HOOKS}", hooks.to_str().unwrap()),
        ("${EXAMPLES}", &cases.random.to_string()),
        ("${ADMIN_TOKEN}", &admin_token),
        ("${ADMIN_NAME}", server.text("/admin/username")),
        ("${ADMIN_PASSWORD}", server.text("/admin/password")),
        ("${ALERT_KEY}", server.text("/alerts/key")),
        ("${CLIENT_ID}", &application.id),
        ("${CLIENT_SECRET}", &application.secret),
        ("${ACCESS_TOKEN}", &application.access_token),
        ("${CLIENT_KEY}", &client_key(server)),
    ];
    values
        .iter()
        .fold(template, |text, (name, value)| text.replace(name, value))
}

/// The public key in the DSN, which precedes the host.
fn client_key(server: &TestServer) -> String {
    let (_, rest) = server.text("/tracker/dsn").split_once("://").unwrap();
    rest.split_once('@').unwrap().0.to_owned()
}

/// Checks that nothing was found and that every documented operation was tested except four: those that would revoke or
/// rotate the token of the run, and streams. False if the client is not installed.
fn check(server: &TestServer, cases: &Cases) -> bool {
    for name in ["kept", "deleted"] {
        let label = json!({ "name": name, "color": "#336699" });
        server
            .admin()
            .post(&server.below_project("/labels"), &label)
            .expect(201);
    }
    for (path, body) in [
        ("/issues", json!({ "title": "Disk full" })),
        ("/issues/1/notes", json!({ "body": "Look here" })),
        ("/milestones", json!({ "title": "M1" })),
    ] {
        let path = server.below_project(path);
        server.admin().post(&path, &body).expect(201);
    }
    let tracker = server.tracker();
    let check_in = format!("{}/cron/job/{}/?status=ok", tracker.base, tracker.key);
    tracker.caller.get(&check_in).expect(202);
    let document = server.anonymous().get("/api/v4/openapi.json");
    let paths = document.expect(200)["paths"].clone();
    let paths = paths.as_object().unwrap().values();
    let documented: usize = paths
        .map(|path| path.as_object().map_or(0, serde_json::Map::len))
        .sum();
    let Some(run) = try_operations(server, cases) else {
        return false;
    };
    assert!(run.is_success, "{}", run.text);
    let tested = format!("Tested: {}", documented - 4);
    assert!(run.text.contains(&tested), "{}", run.text);
    // The token of the run still works, so the last operations were tested like the first ones.
    let user: Value = server.admin().get("/api/v4/user").expect(200).clone();
    assert_eq!(user["username"], server.text("/admin/username"));
    true
}

#[test]
fn every_operation_responds_as_documented() {
    let server = TestServer::start_configured(CONFIGURATION);
    let cases = Cases {
        mode: "all",
        random: 15,
    };
    if check(&server, &cases) {
        // The first pairs are the application's own tokens.
        let issued = rows::count(&server, "oauth_token_pairs");
        assert!(issued > 1, "no grant was ever right");
    }
}

#[test]
fn every_operation_responds_as_documented_on_postgresql() {
    // The other run shows that invalid input is refused, which happens before the database is read. So the valid input
    // remains: its bounds, and the first of the random cases.
    if let Some(database) = TestDatabase::empty() {
        let configuration = format!("{CONFIGURATION}[database]\nurl = \"{}\"\n", database.url());
        let cases = Cases {
            mode: "positive",
            random: 5,
        };
        check(&TestServer::start_configured(&configuration), &cases);
    }
}

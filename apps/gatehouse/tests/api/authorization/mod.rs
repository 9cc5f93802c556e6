//! Authorization: every operation with every kind of caller, as declared, against a real server (`AUTH-08` to
//! `AUTH-10`, `API-16`).
//!
//! The table is `docs/authorization.md`. It is generated from the declarations, so a change of permissions shows there
//! as a changed line; with `UPDATE_DOCS=1` the test writes it.

mod alert_endpoints;
mod audit;
mod audited;
mod audited_forms;
mod deletions;
mod errors;
mod expected;
mod forms;
mod notifications;
mod on_call;
mod parameters;
mod pipelines;
mod registry;
mod requests;
mod runners;
mod samples;
mod snippets;
mod table;
mod tested_callers;
mod tokens;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use gatehouse::areas::api_help::declarations;
use web_conventions::operations::{Access, Declaration, PageAudience};

use self::expected::{expected, expected_refusal};
use self::samples::{SampleRequest, sample};
use self::tested_callers::{AuthorizationFixture, CallerRights, TestedCaller, tested_callers};
use crate::support::archives::archive;
use crate::support::fake_registry::FakeRegistry;
use crate::support::rows::DatabaseReader;
use crate::support::{TestCaller, TestResponse, TestServer};

/// A number that changes with every write of an operation. The job that deletes a user later does not change it: the user
/// has the kind 5 until then, and the entry of the end in the audit log the number 69.
const WRITE_COUNT: &str = "(SELECT count(*) + coalesce(sum(updated_at), 0) FROM alerts) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM labels) \
     + (SELECT count(*) + coalesce(sum(private_profile), 0) FROM users WHERE kind < 5) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM milestones) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM snippets) \
     + (SELECT count(*) + coalesce(sum(unicode(hex(secret_digest)) * id), 0) FROM oauth_applications) \
     + (SELECT count(*) + coalesce(sum(access_level), 0) FROM namespace_members) \
     + (SELECT count(*) + coalesce(sum(access_level), 0) FROM project_members) \
     + (SELECT count(*) + coalesce(sum(status), 0) FROM errors) + (SELECT count(*) FROM error_keys) \
     + (SELECT count(*) + coalesce(sum(active), 0) FROM error_client_keys) \
     + (SELECT coalesce(sum(length(options) + coalesce(length(token), 0)), 0) FROM error_settings) \
     + (SELECT count(*) FROM error_links) + (SELECT count(*) FROM image_repositories) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM environments) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM deployments) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM pipelines) \
     + (SELECT count(*) + coalesce(sum(updated_at), 0) FROM ci_jobs) \
     + (SELECT count(*) FROM project_shares) + (SELECT count(*) FROM monitors) + (SELECT count(*) FROM audit_entries WHERE event_name <> 69) \
     + (SELECT count(*) FROM access_tokens WHERE revoked_at IS NOT NULL)";

/// Allows the operation that contacts another tracker, which is this server here. The release is the last one with
/// registration tokens of runners.
const LOOPBACK: &str = "[api]\nrelease = \"16.11\"\n[errors]\nallowed_networks = \"127.0.0.0/8\"\n";

/// A server that may contact itself, with a container registry.
fn start() -> TestServer {
    let registry = FakeRegistry::start();
    TestServer::start_configured(&format!("{LOOPBACK}{}", registry.configuration()))
}

/// The operations of the API.
fn operations() -> Vec<Arc<Declaration>> {
    let all = declarations().into_iter();
    all.filter(|declared| declared.access.needs().is_some())
        .collect()
}

/// AUTH-08, AUTH-10, AUTH-11, API-10, API-13, API-16. A refused request changes nothing, and gets the refusal in the
/// words of the API.
#[test]
fn every_operation_answers_every_caller_as_it_is_declared() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let tested_callers = tested_callers();
    let mut callers = Callers::new(&fixture);
    let mut writes = WriteCounter::of(&server);
    let mut wrong = Vec::new();
    for declared in operations() {
        let mut unused = None;
        for tested in &tested_callers {
            let Some(request) = unused.take().or_else(|| sample(&fixture, declared.id)) else {
                wrong.push(format!("{} has no sample request", declared.id));
                break;
            };
            let caller = callers.of(tested);
            let before = writes.count();
            let answer = send(&declared, &caller, &request);
            let (id, name, status) = (declared.id, tested.name, answer.status);
            let expected_status = expected(&declared, tested);
            if status != expected_status {
                wrong.push(format!(
                    "{id} by {name}: {status} instead of {expected_status}"
                ));
            } else if status >= 400
                && writes.count() != before
                && writes.change_with(|| drop(send(&declared, &caller, &request)))
            {
                wrong.push(format!(
                    "{id} by {name}: {status}, and yet something was written"
                ));
            }
            let expected_refusal = expected_refusal(&declared, tested, expected_status);
            if expected_refusal.is_some_and(|expected_refusal| !expected_refusal.is(&answer)) {
                wrong.push(format!("{id} by {name}: {status} {}", answer.text()));
            }
            // A refused request changed nothing, so the next caller can send it as well.
            if status >= 400 || declared.method == "GET" {
                unused = Some(request);
            } else {
                callers.expect_revocations();
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Sends a sample request of an operation.
fn send(declared: &Declaration, caller: &TestCaller, request: &SampleRequest) -> TestResponse {
    let SampleRequest { path, body } = request;
    if declared.id == "importProject" {
        // The body of its sample is the path of the project.
        return caller.post_form_data(path, &[("path", body)], Some(&archive(&[])));
    }
    let caller = caller.clone().with("Content-Type", "application/json");
    caller.send(declared.method.as_str(), path, body.as_bytes())
}

/// Reader of [`WRITE_COUNT`], which counts again only after a commit.
struct WriteCounter {
    rows: DatabaseReader,
    /// Number of the database's version, and the count at that version.
    known: Option<(i64, i64)>,
}

impl WriteCounter {
    fn of(server: &TestServer) -> Self {
        Self {
            rows: DatabaseReader::of(server),
            known: None,
        }
    }

    /// True if the count changes each time that the request is repeated. Once, a job may be the reason.
    fn change_with(&mut self, repeat: impl Fn()) -> bool {
        (0..3).all(|_| {
            let before = self.count();
            repeat();
            self.count() != before
        })
    }

    fn count(&mut self) -> i64 {
        let version = self.rows.version();
        match self.known {
            Some((known, count)) if known == version => count,
            _ => {
                let count = self.rows.number(WRITE_COUNT);
                self.known = Some((version, count));
                count
            }
        }
    }
}

/// API-16. Pages redirect anonymous visitors to the sign-in page, and refuse forms that are not ours.
#[test]
fn every_page_answers_every_visitor_as_it_is_declared() {
    let server = TestServer::start();
    let fixture = AuthorizationFixture::of(&server);
    let users = ["reporter", "admin"];
    let browsers = users.map(|person| server.signed_in(person));
    let browsers: BTreeMap<&str, _> = users.into_iter().zip(browsers).collect();
    for declared in declarations() {
        let Access::Page(audience) = declared.access else {
            continue;
        };
        let path = fixture.fill(declared.path);
        let anonymous = TestCaller::new(server.base_url(), None).with("Accept", "text/html");
        let answer = anonymous.send(declared.method.as_str(), &path, b"");
        if declared.method != "GET" {
            assert!(
                matches!(answer.status, 403 | 415 | 303),
                "{}: {}",
                declared.id,
                answer.status
            );
            continue;
        }
        let is_led = |status: u16, to: Option<&str>| {
            status == 303 && to.is_some_and(|to| to.starts_with("/users/sign_in?"))
        };
        let led = is_led(answer.status, answer.header("location"));
        // The project and the group of the fixture are private, so their pages redirect there, too.
        let is_hidden = ["{project}", "{group}"]
            .iter()
            .any(|place| declared.path.contains(place));
        assert_eq!(
            led,
            is_hidden || audience != PageAudience::Everybody,
            "{}",
            declared.id
        );
        for (person, browser) in &browsers {
            let answer = browser.clone().open(&path);
            let refused = answer.status == 403;
            let is_for_others = audience == PageAudience::Administrators && *person != "admin";
            assert_eq!(
                refused, is_for_others,
                "{} by {person}: {}",
                declared.id, answer.status
            );
        }
    }
}

/// The published table matches the declarations that were just tested.
#[test]
fn the_published_table_is_that_of_the_declarations() {
    let created = table::of(&declarations(), &tested_callers());
    // Cargo runs tests in the directory of their package.
    let path = "../../docs/authorization.md";
    #[expect(
        clippy::disallowed_methods,
        reason = "the table is written when somebody asks for it"
    )]
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(path, &created).unwrap();
    }
    let published = std::fs::read_to_string(path).unwrap_or_default();
    assert!(
        published == created,
        "docs/authorization.md is out of date: run this test with UPDATE_DOCS=1 and review the change"
    );
}

/// Callers for the subjects. An operation may revoke the credentials of the request; the next request then gets new
/// ones.
struct Callers<'f> {
    fixture: &'f AuthorizationFixture<'f>,
    created: BTreeMap<&'static str, TestCaller>,
    /// Names of the callers whose credentials were valid after the last write.
    verified: BTreeSet<&'static str>,
}

impl<'f> Callers<'f> {
    fn new(fixture: &'f AuthorizationFixture<'f>) -> Self {
        Self {
            fixture,
            created: BTreeMap::new(),
            verified: BTreeSet::new(),
        }
    }

    /// Verifies the credentials of all callers before they are used again.
    fn expect_revocations(&mut self) {
        self.verified.clear();
    }

    /// A caller with valid credentials of the subject.
    fn of(&mut self, tested: &TestedCaller) -> TestCaller {
        let is_to_hold = matches!(
            tested.rights,
            CallerRights::User(_) | CallerRights::Administrator
        );
        let is_verified = !is_to_hold || !self.verified.insert(tested.name);
        let created = self.created.get(tested.name);
        let created =
            created.filter(|caller| is_verified || caller.get("/api/v4/user").status != 401);
        if let Some(caller) = created {
            return caller.clone();
        }
        let caller = TestCaller::new(self.fixture.server.base_url(), None);
        let headers = (tested.headers)(self.fixture);
        let caller = headers
            .iter()
            .fold(caller, |caller, (name, value)| caller.with(name, value));
        self.created.insert(tested.name, caller.clone());
        caller
    }
}

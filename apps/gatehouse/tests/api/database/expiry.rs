//! Roles and shares that expire while requests run: a request is answered in full or refused, and after the expiry
//! every request is refused on every path (`AUTH-11`).

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, PgConnection};
use serde_json::{Value, json};
use test_databases::TestDatabase;

use super::{database, server_on};
use crate::support::browser::TestBrowser;
use crate::support::rows::{HeldRows, change};
use crate::support::{TestCaller, TestResponse, TestServer, eventually};

/// A word in the path, the name and the contents of the project under test.
const SECRET: &str = "hidden-thing";
const PROJECT: &str = "/api/v4/projects/vault%2Fhidden-thing";

/// Changes the database without the server: every expiry date becomes a past one.
const END: &str = "UPDATE project_members SET expires_on = 0 WHERE expires_on IS NOT NULL; \
    UPDATE namespace_members SET expires_on = 0 WHERE expires_on IS NOT NULL; \
    UPDATE project_shares SET expires_on = 0";

/// A server with a private project in a private group, on the embedded database by default.
struct ExpiryFixture<'d> {
    server: TestServer,
    database: Option<&'d TestDatabase>,
}

/// Source of a right that expires.
#[derive(Debug, Clone, Copy)]
enum RightSource {
    Project,
    Group,
    Share,
}

impl<'d> ExpiryFixture<'d> {
    fn set(database: Option<&'d TestDatabase>) -> Self {
        let server = database.map_or_else(TestServer::start, server_on);
        let admin = server.admin();
        let group = json!({ "name": "vault", "path": "vault", "visibility": "private" });
        let group = admin.post("/api/v4/groups", &group).expect(201);
        let project = json!({
            "name": SECRET, "path": SECRET, "namespace_id": group["id"], "visibility": "private",
        });
        admin.post("/api/v4/projects", &project).expect(201);
        for number in 0..30 {
            let issue = json!({ "title": format!("{SECRET} {number}"), "description": SECRET });
            admin.post(&format!("{PROJECT}/issues"), &issue).expect(201);
        }
        let note = json!({ "body": SECRET });
        admin
            .post(&format!("{PROJECT}/issues/1/notes"), &note)
            .expect(201);
        let milestone = json!({ "title": SECRET });
        admin
            .post(&format!("{PROJECT}/milestones"), &milestone)
            .expect(201);
        Self { server, database }
    }

    /// Creates a user with a right in the project until a distant day, and a browser of that user.
    fn person(&self, name: &str, source: RightSource) -> (TestCaller, TestBrowser) {
        let server = &self.server;
        let caller = server.stranger(name);
        let admin = server.admin();
        let until = "2999-01-01";
        let member = json!({ "username": name, "access_level": 30, "expires_at": until });
        match source {
            RightSource::Project => admin.post(&format!("{PROJECT}/members"), &member),
            RightSource::Group => admin.post("/api/v4/groups/vault/members", &member),
            RightSource::Share => {
                let club = json!({ "name": "club", "path": "club", "visibility": "private" });
                let club = caller.post("/api/v4/groups", &club).expect(201);
                let share =
                    json!({ "group_id": club["id"], "group_access": 30, "expires_at": until });
                admin.post(&format!("{PROJECT}/share"), &share)
            }
        }
        .expect(201);
        let created = server.command_json(&["user", "password", name, "--json"]);
        let mut browser = server.browser();
        browser.sign_in(name, created["password"].as_str().unwrap());
        (caller, browser)
    }

    /// Makes all rights expire.
    fn end(&self) {
        match self.database {
            None => change(&self.server, END),
            Some(database) => {
                let mut connection = PgConnection::establish(database.url()).unwrap();
                connection.batch_execute(END).unwrap();
            }
        }
    }
}

/// State shared by concurrent requests.
#[derive(Default)]
struct ExpiryProgress {
    /// Set once the expiry is committed.
    is_over: AtomicBool,
    /// Number of complete responses.
    complete: AtomicUsize,
}

/// Stops all requests when dropped, also after a panic.
struct StopOnDrop<'p>(&'p ExpiryProgress);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.is_over.store(true, Ordering::SeqCst);
    }
}

/// Repeats a request until several have started after the expiry. No response is partial.
fn repeat_request(caller: &TestCaller, path: &str, progress: &ExpiryProgress) {
    let complete = caller.get(path).expect(200);
    let mut after = 0;
    while after < 3 {
        let began_after = progress.is_over.load(Ordering::SeqCst);
        let answer = caller.get(path);
        let is_complete = answer.status == 200 && answer.json() == complete;
        let is_refused = reveals_nothing(&answer);
        assert!(is_complete || is_refused, "{path}: {answer:?}");
        if began_after {
            assert!(is_refused, "{path}: {answer:?}");
            after += 1;
        } else if is_complete {
            progress.complete.fetch_add(1, Ordering::SeqCst);
        }
    }
}

/// True if a response reveals nothing: not found, or an empty list.
fn reveals_nothing(answer: &TestResponse) -> bool {
    answer.status == 404 || answer.status == 200 && answer.json() == Value::Array(Vec::new())
}

/// Rights expire while their owners send requests; later responses reveal nothing.
fn rights_end_between_two_requests(fixture: &ExpiryFixture<'_>) {
    let sources = [RightSource::Project, RightSource::Group, RightSource::Share];
    let names = ["ann", "ben", "cora"];
    let mut people: Vec<(TestCaller, TestBrowser)> = names
        .into_iter()
        .zip(sources)
        .map(|(name, source)| fixture.person(name, source))
        .collect();
    let paths = [
        PROJECT.to_owned(),
        format!("{PROJECT}/issues?per_page=100"),
        format!("{PROJECT}/events?per_page=100"),
        format!("/api/v4/projects?search={SECRET}"),
    ];
    let progress = ExpiryProgress::default();
    thread::scope(|scope| {
        for (caller, _) in &people {
            for path in &paths {
                let progress = &progress;
                scope.spawn(move || repeat_request(caller, path, progress));
            }
        }
        let _stop = StopOnDrop(&progress);
        let enough = people.len() * paths.len() * 2;
        eventually("everybody was answered", || {
            (progress.complete.load(Ordering::SeqCst) >= enough).then_some(())
        });
        fixture.end();
    });
    for (caller, browser) in &mut people {
        assert_nothing_leaks(caller, browser);
    }
}

/// Checks that no response to the former member reveals the project.
fn assert_nothing_leaks(caller: &TestCaller, browser: &mut TestBrowser) {
    for path in [
        "/api/v4/projects?per_page=100",
        "/api/v4/projects?membership=true",
        "/api/v4/projects?min_access_level=10",
        "/api/v4/projects?order_by=id&pagination=keyset",
        "/api/v4/groups?per_page=100",
        "/api/v4/groups?all_available=true&search=vault",
        "/api/v4/namespaces?per_page=100",
        "/api/v4/issues?scope=all",
        "/api/v4/issues?scope=all&search=hidden",
        "/api/v4/user",
    ] {
        let answer = caller.get(path);
        assert_eq!(answer.status, 200, "{path}");
        assert_reveals_nothing(path, &answer);
    }
    for rest in [
        "",
        "/issues",
        "/issues/1",
        "/issues/1/notes",
        "/events",
        "/members/all",
        "/labels",
        "/milestones",
        "/milestones/1",
        "/alert_management_alerts",
    ] {
        let answer = caller.get(&format!("{PROJECT}{rest}"));
        assert_eq!(answer.status, 404, "{rest}");
    }
    for rest in ["", "/projects", "/members", "/issues", "/subgroups"] {
        let answer = caller.get(&format!("/api/v4/groups/vault{rest}"));
        assert_eq!(answer.status, 404, "{rest}");
    }
    let of_club = caller.get("/api/v4/groups/club/projects?with_shared=true");
    assert!(reveals_nothing(&of_club), "{of_club:?}");
    for path in ["/dashboard/projects", "/explore/projects"] {
        let page = browser.open(path);
        assert_eq!(page.status, 200, "{path}");
        assert_reveals_nothing(path, &page);
    }
    for rest in [
        "",
        "/-/activity",
        "/-/issues",
        "/-/issues/1",
        "/-/milestones/1",
    ] {
        let path = format!("/vault/{SECRET}{rest}");
        assert_eq!(browser.open(&path).status, 404, "{path}");
    }
}

#[track_caller]
fn assert_reveals_nothing(path: &str, answer: &TestResponse) {
    let text = answer.text();
    assert!(
        !text.contains(SECRET) && !text.contains("vault"),
        "{path}: {text}"
    );
}

#[test]
fn rights_end_between_two_requests_on_the_embedded_database() {
    rights_end_between_two_requests(&ExpiryFixture::set(None));
}

#[test]
fn rights_end_between_two_requests_on_postgresql() {
    let Some(database) = database() else { return };
    rights_end_between_two_requests(&ExpiryFixture::set(Some(&database)));
}

/// The request is paused after its caller was found to be a member, and resumes after the role has expired.
#[test]
fn a_request_that_began_before_the_end_is_answered_whole() {
    let Some(database) = database() else { return };
    let fixture = ExpiryFixture::set(Some(&database));
    let path = format!("{PROJECT}/issues?per_page=100");
    for (name, source) in [("ann", RightSource::Project), ("cora", RightSource::Share)] {
        let (caller, _) = fixture.person(name, source);
        let complete = caller.get(&path).expect(200);
        let mut held = HeldRows::of_table(database.url(), "issues");
        let answer = thread::scope(|scope| {
            let running = scope.spawn(|| caller.get(&path));
            held.wait_for(1);
            fixture.end();
            drop(held);
            running.join().unwrap()
        });
        assert_eq!(answer.expect(200), complete);
        assert_eq!(caller.get(&path).status, 404);
    }
}

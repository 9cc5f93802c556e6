//! All feeds against a slow filter that is easy to check, with random projects, members, settings and events.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::eventually;
use crate::support::feed_stream::FeedStream;
use crate::support::random::Random;
use crate::support::rows::{DatabaseReader, change};
use crate::support::{TestCaller, TestServer};

const SEEDS: [u64; 3] = [0x5eed, 0xfeed, 0xbeef];
const NAMES: [&str; 4] = ["ann", "bob", "cid", "dot"];
const GUEST: i64 = 10;
const REPORTER: i64 = 20;
const OWNER: i64 = 50;

/// Caller of the model; `None` for anonymous callers.
struct ModelUser {
    id: i64,
    is_admin: bool,
    caller: TestCaller,
}

struct FeedModelProject {
    visibility: &'static str,
    repository: &'static str,
    snippets: &'static str,
    owner: usize,
    /// Confidential issues, by iid.
    issues: BTreeMap<i64, bool>,
    /// Roles, by the id of the user.
    roles: BTreeMap<i64, i64>,
}

/// Subject of an event, as far as its visibility depends on it.
#[derive(Debug, Clone, Copy)]
enum EventSubject {
    Project,
    Issue(i64),
    InternalNote,
    Push,
    PublicSnippet,
    PrivateSnippet,
}

#[derive(Debug)]
struct ModelEvent {
    id: i64,
    project: i64,
    author: i64,
    subject: EventSubject,
}

struct FeedModel {
    random: Random,
    users: Vec<ModelUser>,
    projects: BTreeMap<i64, FeedModelProject>,
    events: Vec<ModelEvent>,
    private_profiles: Vec<i64>,
    rows: DatabaseReader,
}

impl FeedModel {
    /// Adds the events that were written since the last call.
    fn learn(&mut self, subject: EventSubject) {
        let last = self.events.last().map_or(0, |event| event.id);
        let query = format!(
            "SELECT id || ' ' || project_id || ' ' || author_id AS text FROM events WHERE id > {last} ORDER BY id"
        );
        for row in self.rows.texts(&query) {
            let mut numbers = row.split(' ').map(|number| number.parse().unwrap());
            let mut next = || numbers.next().unwrap();
            self.events.push(ModelEvent {
                id: next(),
                project: next(),
                author: next(),
                subject,
            });
        }
    }

    fn create_project(&mut self, name: &str) {
        let owner = self.random.below(NAMES.len());
        let visibility = self.random.choose(&["private", "internal", "public"]);
        let levels = ["enabled", "private", "disabled"];
        let [repository, snippets] = [self.random.choose(&levels), self.random.choose(&levels)];
        let caller = &self.users[owner].caller;
        let body = json!({ "name": name, "path": name, "visibility": visibility });
        let id = caller.post("/api/v4/projects", &body).expect(201)["id"]
            .as_i64()
            .unwrap();
        let settings =
            json!({ "repository_access_level": repository, "snippets_access_level": snippets });
        caller
            .put(&format!("/api/v4/projects/{id}"), &settings)
            .expect(200);
        let project = FeedModelProject {
            visibility,
            repository,
            snippets,
            owner,
            issues: BTreeMap::new(),
            roles: [(self.users[owner].id, OWNER)].into(),
        };
        self.projects.insert(id, project);
        self.learn(EventSubject::Project);
    }

    /// Lets the owner of a project do something.
    fn act(&mut self) {
        let ids: Vec<i64> = self.projects.keys().copied().collect();
        let id = self.random.choose(&ids);
        let (kind, flag) = (self.random.below(7), self.random.below(2) == 0);
        let member = self.random.below(NAMES.len());
        let level = self.random.choose(&[GUEST, REPORTER, 30]);
        let project = self.projects.get_mut(&id).unwrap();
        let caller = &self.users[project.owner].caller;
        let base = format!("/api/v4/projects/{id}");
        let issue = project.issues.keys().next_back().copied();
        let subject = match (kind, issue) {
            (0, Some(iid)) => {
                let body = json!({ "body": "A note", "internal": flag });
                caller
                    .post(&format!("{base}/issues/{iid}/notes"), &body)
                    .expect(201);
                if flag {
                    EventSubject::InternalNote
                } else {
                    EventSubject::Issue(iid)
                }
            }
            (1, Some(iid)) => {
                let body = json!({ "confidential": flag });
                caller
                    .put(&format!("{base}/issues/{iid}"), &body)
                    .expect(200);
                project.issues.insert(iid, flag);
                EventSubject::Issue(iid)
            }
            (2, _) => {
                let name = format!("refs/heads/{}", self.events.len());
                let change =
                    json!({ "ref": name, "before": "0".repeat(40), "after": "1".repeat(40) });
                let answer = caller.post(
                    &format!("{base}/events/push"),
                    &json!({ "changes": [change] }),
                );
                // Nobody pushes to a repository that is off.
                assert!(
                    answer.status == 201 || project.repository == "disabled",
                    "{}",
                    answer.text()
                );
                EventSubject::Push
            }
            (3, _) => {
                let visibility = if flag { "public" } else { "private" };
                let body = json!({
                    "title": "S", "file_name": "s", "content": "s", "visibility": visibility,
                });
                let answer = caller.post(&format!("{base}/snippets"), &body);
                let may_fail = project.snippets == "disabled" || project.visibility != "public";
                assert!(answer.status == 201 || may_fail, "{}", answer.text());
                if flag {
                    EventSubject::PublicSnippet
                } else {
                    EventSubject::PrivateSnippet
                }
            }
            (4 | 5, _) if member != project.owner => {
                let user = self.users[member].id;
                let one = format!("{base}/members/{user}");
                if project.roles.remove(&user).is_some() {
                    caller.delete(&one).expect(204);
                } else {
                    let body = json!({ "user_id": user, "access_level": level });
                    caller.post(&format!("{base}/members"), &body).expect(201);
                    project.roles.insert(user, level);
                }
                EventSubject::Project
            }
            _ => {
                let body = json!({ "title": "An issue", "confidential": flag });
                let created = caller.post(&format!("{base}/issues"), &body).expect(201);
                let iid = created["iid"].as_i64().unwrap();
                project.issues.insert(iid, flag);
                EventSubject::Issue(iid)
            }
        };
        self.learn(subject);
    }

    fn role(&self, user: Option<&ModelUser>, project: i64) -> Option<i64> {
        self.projects[&project].roles.get(&user?.id).copied()
    }

    fn sees_project(&self, user: Option<&ModelUser>, project: i64) -> bool {
        user.is_some_and(|user| user.is_admin)
            || self.role(user, project).is_some()
            || match self.projects[&project].visibility {
                "public" => true,
                "internal" => user.is_some(),
                _ => false,
            }
    }

    fn sees(&self, user: Option<&ModelUser>, event: &ModelEvent) -> bool {
        let project = &self.projects[&event.project];
        let is_admin = user.is_some_and(|user| user.is_admin);
        let role = self.role(user, event.project).unwrap_or(0);
        let has_role = |least: i64| is_admin || role >= least;
        let reads = |setting: &str| match setting {
            "enabled" => true,
            "private" => has_role(GUEST),
            _ => false,
        };
        self.sees_project(user, event.project)
            && match event.subject {
                EventSubject::Project => true,
                EventSubject::Issue(iid) => !project.issues[&iid] || has_role(REPORTER),
                EventSubject::InternalNote => has_role(REPORTER),
                // Guests have no access to code that is not open to everyone.
                EventSubject::Push => {
                    let is_open =
                        project.repository == "enabled" && project.visibility != "private";
                    project.repository != "disabled" && (is_open || has_role(REPORTER))
                }
                EventSubject::PublicSnippet => reads(project.snippets),
                EventSubject::PrivateSnippet => reads(project.snippets) && has_role(REPORTER),
            }
    }

    /// Ids of the visible events, newest first, of which a condition holds.
    fn ids(&self, user: Option<&ModelUser>, holds: impl Fn(&ModelEvent) -> bool) -> Vec<i64> {
        let visible = self.events.iter().rev();
        let visible = visible.filter(|event| self.sees(user, event) && holds(event));
        visible.map(|event| event.id).collect()
    }

    /// Compares all feeds of a caller with the model.
    fn check(&self, user: Option<&ModelUser>, caller: &TestCaller, name: &str) {
        if let Some(user) = user {
            let own = self.ids(Some(user), |event| event.author == user.id);
            let listed = pages(caller, "/api/v4/events?");
            assert_ids(self, &listed, &own, name);
            let all = pages(caller, "/api/v4/events?scope=all&");
            let expected = self.ids(Some(user), |event| {
                self.role(Some(user), event.project).is_some()
            });
            assert_ids(self, &all, &expected, &format!("all of {name}"));
            check_stream(caller, "/api/v4/events", all);
        }
        for author in &self.users {
            let own = user.is_some_and(|user| user.is_admin || user.id == author.id);
            let is_shown = own || !self.private_profiles.contains(&author.id);
            let expected = self.ids(user, |event| is_shown && event.author == author.id);
            let listed = pages(caller, &format!("/api/v4/users/{}/events?", author.id));
            assert_ids(
                self,
                &listed,
                &expected,
                &format!("{} by {name}", author.id),
            );
        }
        for id in self.projects.keys().copied() {
            let path = format!("/api/v4/projects/{id}/events");
            if self.sees_project(user, id) {
                let listed = pages(caller, &format!("{path}?"));
                let expected = self.ids(user, |event| event.project == id);
                assert_ids(self, &listed, &expected, &format!("{path} by {name}"));
                check_stream(caller, &path, listed);
            } else {
                assert_eq!(caller.get(&path).status, 404, "{path} by {name}");
                assert_eq!(
                    caller.get(&format!("{path}/stream")).status,
                    404,
                    "{path} by {name}"
                );
            }
        }
    }
}

/// All pages of a feed.
fn pages(caller: &TestCaller, path: &str) -> Vec<Value> {
    let (mut all, mut page) = (Vec::new(), "1".to_owned());
    while !page.is_empty() {
        let answer = caller.get(&format!("{path}per_page=9&page={page}"));
        let items = answer.expect(200).as_array().unwrap().clone();
        page = answer.header("x-next-page").unwrap().to_owned();
        assert!(
            page.is_empty() || items.len() == 9,
            "only the last page may be short"
        );
        all.extend(items);
    }
    all
}

/// Compares a list with the expected ids, and names what is missing or too much.
#[track_caller]
fn assert_ids(model: &FeedModel, listed: &[Value], expected: &[i64], name: &str) {
    let listed = ids(listed);
    let differs = |event: &&ModelEvent| listed.contains(&event.id) != expected.contains(&event.id);
    let wrong: Vec<_> = model.events.iter().filter(differs).collect();
    assert!(listed == expected, "{name}: {wrong:#?}");
}

fn ids(events: &[Value]) -> Vec<i64> {
    events
        .iter()
        .map(|event| event["id"].as_i64().unwrap())
        .collect()
}

/// Compares a stream from the beginning with the pages of its feed.
fn check_stream(caller: &TestCaller, path: &str, mut listed: Vec<Value>) {
    listed.reverse();
    let mut stream = FeedStream::open(caller, &format!("{path}/stream?last_event_id=0&duration=0"));
    assert_eq!(stream.remaining(), listed, "{path}");
}

/// EVT-01 to EVT-03. For every caller, the pages of each feed have exactly the events that the caller may see, and so
/// have the streams.
#[test]
fn every_feed_has_exactly_the_events_that_its_reader_may_see() {
    let server = TestServer::start();
    let strangers = NAMES.map(|name| server.stranger(name));
    let users = strangers.into_iter().chain([server.admin()]).map(|caller| {
        let user = caller.get("/api/v4/user").expect(200);
        ModelUser {
            id: user["id"].as_i64().unwrap(),
            is_admin: user["is_admin"] == true,
            caller,
        }
    });
    change(&server, "DELETE FROM events");
    let mut model = FeedModel {
        random: Random(0),
        users: users.collect(),
        projects: BTreeMap::new(),
        events: Vec::new(),
        private_profiles: Vec::new(),
        rows: DatabaseReader::of(&server),
    };
    for seed in SEEDS {
        println!("seed {seed:#x}");
        model.random = Random(seed);
        for number in 0..4 {
            model.create_project(&format!("p{seed}-{number}"));
        }
        for _ in 0..60 {
            model.act();
        }
        let hidden = model.random.below(NAMES.len());
        let id = model.users[hidden].id;
        let body = json!({ "private_profile": true });
        server
            .admin()
            .put(&format!("/api/v4/users/{id}"), &body)
            .expect(200);
        model.private_profiles.push(id);
        model.check(None, &server.anonymous(), "anonymous");
        for user in &model.users {
            model.check(Some(user), &user.caller, &format!("user {}", user.id));
        }
    }
    // The events of a blocked user stay, and the user reads none.
    server.block(NAMES[0]);
    eventually("the blocked user reads no feed", || {
        let status = model.users[0].caller.get("/api/v4/events").status;
        (status != 200).then(|| assert_eq!(status, 403))
    });
    model.check(Some(&model.users[1]), &model.users[1].caller, "bob");
}

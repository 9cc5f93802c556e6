//! A valid request for each operation. An operation without one fails the test.

use std::sync::atomic::{AtomicU32, Ordering};

use serde_json::{Value, json};

use super::tested_callers::AuthorizationFixture;
use crate::support::rows::change;

/// A request without credentials.
pub(super) struct SampleRequest {
    pub(super) path: String,
    pub(super) body: String,
}

pub(super) fn get(path: String) -> SampleRequest {
    SampleRequest {
        path,
        body: String::new(),
    }
}

/// A valid request for the operation; `None` if there is no sample.
pub(super) fn sample(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let server = fixture.server;
    let alert = format!("{}/{}", server.alerts(), fixture.alert);
    if let Some(sample) = of_alerts(fixture, operation, &alert) {
        return Some(sample);
    }
    Some(match operation {
        "showVersion" => get("/api/v4/version".to_owned()),
        "listDeprecations" => get("/api/v4/deprecations".to_owned()),
        "showDeprecations" => get("/api/v4/deprecations/16.0".to_owned()),
        "listOwnDeprecatedUses" => get("/api/v4/user/deprecations".to_owned()),
        "listDeprecatedUses" => get("/api/v4/admin/deprecations".to_owned()),
        "showMetadata" => get("/api/v4/metadata".to_owned()),
        "renderMarkdown" => SampleRequest {
            path: "/api/v4/markdown".to_owned(),
            body: json!({ "text": "*a*" }).to_string(),
        },
        "listProjects" => get("/api/v4/projects".to_owned()),
        "showProject" => get(server.below_project("")),
        "showOwnStatus" => get("/api/v4/user/status".to_owned()),
        "showUserStatus" => get("/api/v4/users/dev/status".to_owned()),
        "replaceOwnStatus" | "updateOwnStatus" => SampleRequest {
            path: "/api/v4/user/status".to_owned(),
            body: json!({ "message": "Lunch" }).to_string(),
        },
        "listEvents" => get("/api/v4/events".to_owned()),
        "listUserEvents" => get("/api/v4/users/dev/events".to_owned()),
        "listProjectEvents" => get(server.below_project("/events")),
        "streamEvents" => get("/api/v4/events/stream?duration=0".to_owned()),
        "streamProjectEvents" => get(server.below_project("/events/stream?duration=0")),
        "reportPush" => SampleRequest {
            path: server.below_project("/events/push"),
            body: json!({ "changes": [push_change()] }).to_string(),
        },
        "listApplications" => get("/api/v4/applications".to_owned()),
        "createApplication" => SampleRequest {
            path: "/api/v4/applications".to_owned(),
            body:
                json!({ "name": "Shop", "redirect_uri": "https://shop.example/", "scopes": "api" })
                    .to_string(),
        },
        "deleteApplication" => get(format!("/api/v4/applications/{}", application(fixture))),
        "renewApplicationSecret" => get(format!(
            "/api/v4/applications/{}/renew-secret",
            application(fixture)
        )),
        "listMilestones" => get(server.below_project("/milestones")),
        "createMilestone" => SampleRequest {
            path: server.below_project("/milestones"),
            body: json!({ "title": fresh_title(fixture) }).to_string(),
        },
        "showMilestone" | "deleteMilestone" => get(milestone(fixture)),
        "updateMilestone" => SampleRequest {
            path: milestone(fixture),
            body: json!({ "description": "What it is for" }).to_string(),
        },
        "listProjectIssues" => get(server.below_project("/issues")),
        "listMilestoneIssues" => get(format!("{}/issues", milestone(fixture))),
        "listGroupIssues" => get(format!("/api/v4/groups/{}/issues", fixture.group)),
        "listIssues" => get("/api/v4/issues".to_owned()),
        "countProjectIssues" => get(server.below_project("/issues_statistics")),
        "countGroupIssues" => get(format!(
            "/api/v4/groups/{}/issues_statistics",
            fixture.group
        )),
        "countIssues" => get("/api/v4/issues_statistics".to_owned()),
        "createIssue" => SampleRequest {
            path: server.below_project("/issues"),
            body: json!({ "title": "Disk full" }).to_string(),
        },
        "showIssue" | "deleteIssue" => get(issue(fixture, "iid")),
        "updateIssue" => SampleRequest {
            path: issue(fixture, "iid"),
            body: json!({ "title": "Disk nearly full" }).to_string(),
        },
        "listIssueNotes" => get(format!("{}/notes", issue(fixture, "iid"))),
        "listAlertNotes" => get(format!("{alert}/notes")),
        "createIssueNote" | "createAlertNote" => SampleRequest {
            path: format!("{}/notes", note_target(fixture, operation, &alert)),
            body: json!({ "body": "Look here" }).to_string(),
        },
        "showIssueNote" | "deleteIssueNote" | "showAlertNote" | "deleteAlertNote" => {
            get(note(fixture, operation, &alert))
        }
        "updateIssueNote" | "updateAlertNote" => SampleRequest {
            path: note(fixture, operation, &alert),
            body: json!({ "body": "Look there" }).to_string(),
        },
        "showIssueById" => {
            let path = issue(fixture, "id");
            let id = path.rsplit('/').next().unwrap_or_default();
            get(format!("/api/v4/issues/{id}"))
        }
        id => return others(fixture, id),
    })
}

/// A valid request for an operation on alerts and receipts.
fn of_alerts(
    fixture: &AuthorizationFixture<'_>,
    operation: &str,
    alert: &str,
) -> Option<SampleRequest> {
    let server = fixture.server;
    Some(match operation {
        "listAlerts" => get(server.alerts()),
        "listOpenAlerts" => get("/api/v4/alert_management_alerts".to_owned()),
        "showAlert" => get(alert.to_owned()),
        "showAlertStatusCounts" => get(format!("{}/status_counts", server.alerts())),
        "updateAlert" => SampleRequest {
            path: alert.to_owned(),
            body: json!({ "status": "acknowledged" }).to_string(),
        },
        "updateAlerts" => SampleRequest {
            path: server.alerts(),
            body: json!({ "iids": [fixture.alert], "status": "acknowledged" }).to_string(),
        },
        "listAlertReceipts" => get(server.below_project("/alert_receipts")),
        "showAlertReceipt" => get(server.below_project("/alert_receipts/1")),
        _ => return None,
    })
}

/// The requests for labels.
fn labels(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let server = fixture.server;
    Some(match operation {
        "listLabels" => get(server.below_project("/labels")),
        "showLabel" | "deleteLabel" => get(label(fixture)),
        "deleteNamedLabel" => get(format!(
            "{}?name={}",
            server.below_project("/labels"),
            label_name(fixture)
                .as_str()
                .unwrap_or_default()
                .replace(' ', "%20")
        )),
        "createLabel" => SampleRequest {
            path: server.below_project("/labels"),
            body: fresh_label(),
        },
        "updateLabel" => SampleRequest {
            path: label(fixture),
            body: json!({ "color": "#fff" }).to_string(),
        },
        "updateNamedLabel" => SampleRequest {
            path: server.below_project("/labels"),
            body: json!({ "name": label_name(fixture), "color": "#fff" }).to_string(),
        },
        _ => return None,
    })
}

/// The requests of the other areas.
fn others(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    labels(fixture, operation)
        .or_else(|| incidents(fixture, operation))
        .or_else(|| users(fixture, operation))
        .or_else(|| groups_and_projects(fixture, operation))
        .or_else(|| members(fixture, operation))
        .or_else(|| super::tokens::sample(fixture, operation))
        .or_else(|| super::audit::sample(fixture, operation))
        .or_else(|| super::errors::sample(fixture, operation))
        .or_else(|| super::pipelines::sample(fixture, operation))
        .or_else(|| super::runners::sample(fixture, operation))
        .or_else(|| super::registry::sample(fixture, operation))
        .or_else(|| super::snippets::sample(fixture, operation))
        .or_else(|| super::alert_endpoints::sample(fixture, operation))
        .or_else(|| super::notifications::sample(fixture, operation))
        .or_else(|| super::on_call::sample(fixture, operation))
}

/// The requests about users.
fn users(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    Some(match operation {
        "listUsers" => get("/api/v4/users?username=dev".to_owned()),
        "showUser" => get("/api/v4/users/1".to_owned()),
        "updateUser" => SampleRequest {
            path: format!("/api/v4/users/{}", fixture.spare),
            body: json!({ "private_profile": true }).to_string(),
        },
        "createUser" => SampleRequest {
            path: "/api/v4/users".to_owned(),
            body: new_user().to_string(),
        },
        "blockUser" | "banUser" | "deactivateUser" => {
            get(of_new_user(fixture, state_of(operation)))
        }
        "unblockUser" => get(after(fixture, "block", "unblock")),
        "unbanUser" => get(after(fixture, "ban", "unban")),
        "activateUser" => get(after(fixture, "deactivate", "activate")),
        "listUserMemberships" => get("/api/v4/users/2/memberships".to_owned()),
        "deleteUser" => get(of_new_user(fixture, "")),
        "showCurrentUser" => get("/api/v4/user".to_owned()),
        "listUserProjects" => get("/api/v4/users/dev/projects".to_owned()),
        _ => return None,
    })
}

/// The body of a user with a fresh name.
fn new_user() -> Value {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("new{}", NUMBER.fetch_add(1, Ordering::Relaxed));
    let email = format!("{name}@example.com");
    json!({ "username": name, "name": name, "email": email, "force_random_password": true })
}

/// The last segment of the path of an operation about the state of a user.
fn state_of(operation: &str) -> &str {
    operation.strip_suffix("User").unwrap()
}

/// A path below a fresh user.
fn of_new_user(fixture: &AuthorizationFixture<'_>, rest: &str) -> String {
    let admin = fixture.server.admin();
    let id = admin.post("/api/v4/users", &new_user()).expect(201)["id"].clone();
    format!("/api/v4/users/{id}/{rest}")
        .trim_end_matches('/')
        .to_owned()
}

/// The path that changes the state of a fresh user back.
fn after(fixture: &AuthorizationFixture<'_>, change: &str, back: &str) -> String {
    let path = of_new_user(fixture, change);
    fixture.server.admin().post(&path, &json!({})).expect(201);
    let (user, _) = path.rsplit_once('/').unwrap();
    format!("{user}/{back}")
}

/// A change of a ref in the report of a push.
fn push_change() -> Value {
    let [before, after] = ["0", "a"].map(|digit| digit.repeat(40));
    json!({ "ref": "refs/heads/main", "before": before, "after": after })
}

/// The number of a fresh application.
fn application(fixture: &AuthorizationFixture<'_>) -> String {
    fixture.server.relying_party("Shop").id
}

/// The body of a label with a fresh name.
fn fresh_label() -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    let name = format!("label {}", NUMBER.fetch_add(1, Ordering::Relaxed));
    json!({ "name": name, "color": "#abc" }).to_string()
}

/// The path of a fresh label.
fn label(fixture: &AuthorizationFixture<'_>) -> String {
    let labels = fixture.server.below_project("/labels");
    format!("{labels}/{}", create_label(fixture)["id"])
}

/// The name of a fresh label.
fn label_name(fixture: &AuthorizationFixture<'_>) -> Value {
    create_label(fixture)["name"].clone()
}

fn create_label(fixture: &AuthorizationFixture<'_>) -> Value {
    let labels = fixture.server.below_project("/labels");
    let admin = fixture.server.admin();
    admin
        .post_bytes(&labels, fresh_label().as_bytes())
        .expect(201)
}

/// The path of a fresh milestone.
fn milestone(fixture: &AuthorizationFixture<'_>) -> String {
    let path = fixture.server.below_project("/milestones");
    let title = json!({ "title": fresh_title(fixture) });
    let created = fixture.server.admin().post(&path, &title).expect(201);
    format!("{path}/{}", created["id"])
}

/// The path of a fresh issue, with its number or its id at the end.
fn issue(fixture: &AuthorizationFixture<'_>, field: &str) -> String {
    let path = fixture.server.below_project("/issues");
    let created = fixture
        .server
        .admin()
        .post(&path, &json!({ "title": "Disk full" }));
    format!("{path}/{}", created.expect(201)[field])
}

/// The requests about incidents of alerts.
fn incidents(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let server = fixture.server;
    Some(match operation {
        "listIncidentAlerts" => get(format!("{}/alerts", issue(fixture, "iid"))),
        "createAlertIncident" => SampleRequest {
            path: fresh_alert_incident(fixture),
            body: "{}".to_owned(),
        },
        "deleteAlertIncident" => {
            let path = fresh_alert_incident(fixture);
            server.admin().post(&path, &json!({})).expect(201);
            get(path)
        }
        "showIncidentSettings" => get(server.below_project("/incident_management_settings")),
        "updateIncidentSettings" => SampleRequest {
            path: server.below_project("/incident_management_settings"),
            body: json!({ "template": fresh_title(fixture) }).to_string(),
        },
        _ => return None,
    })
}

/// The path of the incident of a fresh alert.
fn fresh_alert_incident(fixture: &AuthorizationFixture<'_>) -> String {
    let server = fixture.server;
    let title = fresh_title(fixture);
    let alert = server.raise(&json!({ "title": title, "fingerprint": title }));
    format!("{}/{}/incident", server.alerts(), alert["iid"])
}

/// The path of the target of an operation on notes: a fresh issue, or the alert.
fn note_target(fixture: &AuthorizationFixture<'_>, operation: &str, alert: &str) -> String {
    if operation.contains("Issue") {
        issue(fixture, "iid")
    } else {
        alert.to_owned()
    }
}

/// The path of a fresh note.
fn note(fixture: &AuthorizationFixture<'_>, operation: &str, alert: &str) -> String {
    let path = format!("{}/notes", note_target(fixture, operation, alert));
    let created = fixture
        .server
        .admin()
        .post(&path, &json!({ "body": "Look" }));
    format!("{path}/{}", created.expect(201)["id"])
}

/// A fresh title of a milestone.
fn fresh_title(fixture: &AuthorizationFixture<'_>) -> String {
    format!("M{}", crate::support::rows::count(fixture.server, "events"))
}

/// The requests about groups, namespaces and projects themselves. Destructive operations get fresh resources in the
/// group.
fn groups_and_projects(
    fixture: &AuthorizationFixture<'_>,
    operation: &str,
) -> Option<SampleRequest> {
    let (server, admin) = (fixture.server, fixture.server.admin());
    let of_group = |rest: &str| format!("/api/v4/groups/{}{rest}", fixture.group);
    let subgroup = || {
        let body = json!({ "name": "Sub", "path": fresh("sub"), "parent_id": fixture.group });
        admin.post("/api/v4/groups", &body).expect(201)["id"].to_string()
    };
    let project = || {
        let body = json!({ "name": fresh("project"), "namespace_id": fixture.group });
        admin.post("/api/v4/projects", &body).expect(201)["id"].to_string()
    };
    let with = |path: String, body: Value| SampleRequest {
        path,
        body: body.to_string(),
    };
    let below = |kind: &str, id: String, rest: &str| format!("/api/v4/{kind}/{id}{rest}");
    let deleted = |path: String| {
        admin.delete(&path).expect(202);
        format!("{path}/restore")
    };
    Some(match operation {
        "listGroups" => get("/api/v4/groups".to_owned()),
        "listSubgroups" => get(of_group("/subgroups")),
        "listDescendantGroups" => get(of_group("/descendant_groups")),
        "listGroupProjects" => get(of_group("/projects")),
        "listOpenGroupAlerts" => get(of_group("/alert_management_alerts")),
        "createGroup" => with(
            "/api/v4/groups".to_owned(),
            json!({ "name": "Fresh", "path": fresh("group") }),
        ),
        "showGroup" => get(of_group("")),
        "updateGroup" => with(of_group(""), json!({ "description": "What it is for" })),
        "transferGroup" => get(below("groups", subgroup(), "/transfer")),
        "deleteGroup" => get(below("groups", subgroup(), "")),
        "restoreGroup" => get(deleted(below("groups", subgroup(), ""))),
        "listNamespaces" => get("/api/v4/namespaces".to_owned()),
        "namespaceExists" => get("/api/v4/namespaces/acme/exists".to_owned()),
        "transferProjectToGroup" => {
            let body = json!({ "name": fresh("project"), "namespace_id": subgroup().parse::<i64>().unwrap() });
            let created = admin.post("/api/v4/projects", &body).expect(201);
            get(of_group(&format!("/projects/{}", created["id"])))
        }
        "showNamespace" => get(format!("/api/v4/namespaces/{}", fixture.other_group)),
        "createProject" => with(
            "/api/v4/projects".to_owned(),
            json!({ "name": fresh("own") }),
        ),
        "importProject" => SampleRequest {
            path: "/api/v4/projects/import".to_owned(),
            body: fresh("imported"),
        },
        "showProjectImport" => get(server.below_project("/import")),
        "startProjectExport" | "showProjectExport" => get(server.below_project("/export")),
        "downloadProjectExport" => get(server.below_project("/export/download")),
        "updateProject" => with(
            server.below_project(""),
            json!({ "description": "What it is for" }),
        ),
        "archiveProject" => get(below("projects", project(), "/archive")),
        "unarchiveProject" => get(below("projects", project(), "/unarchive")),
        "transferProject" => with(
            below("projects", project(), "/transfer"),
            json!({ "namespace": subgroup() }),
        ),
        "deleteProject" => get(below("projects", project(), "")),
        "restoreProject" => get(deleted(below("projects", project(), ""))),
        _ => return None,
    })
}

/// A time in 2023, in microseconds, for rows that are written directly to the database.
const TIME_IN_2023: i64 = 1_700_000_000_000_000;

/// A fresh name.
pub(super) fn fresh(word: &str) -> String {
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("{word}-{}", NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// The requests about members and shares. Each begins without a role of the spare user, or with one.
fn members(fixture: &AuthorizationFixture<'_>, operation: &str) -> Option<SampleRequest> {
    let (server, user) = (fixture.server, fixture.spare);
    let of_group = operation.contains("Group");
    let base = if of_group {
        format!("/api/v4/groups/{}", fixture.group)
    } else {
        server.below_project("")
    };
    let (table, place) = if of_group {
        ("namespace_members", fixture.group.to_string())
    } else {
        ("project_members", server.project())
    };
    let member = |is_there: bool| {
        change(
            server,
            &format!("DELETE FROM {table} WHERE user_id = {user}"),
        );
        if is_there {
            change(
                server,
                &format!(
                    "INSERT INTO {table} VALUES ({place}, {user}, 10, NULL, {TIME_IN_2023}, NULL)"
                ),
            );
        }
        format!("{base}/members/{user}")
    };
    let share = |is_there: bool| {
        let group = fixture.other_group;
        change(server, "DELETE FROM project_shares");
        if is_there {
            let columns = "(project_id, group_id, access_level, created_at)";
            change(
                server,
                &format!(
                    "INSERT INTO project_shares {columns} VALUES ({place}, {group}, 10, {TIME_IN_2023})"
                ),
            );
        }
        format!("{base}/share/{group}")
    };
    Some(match operation {
        "listProjectMembers" | "listGroupMembers" => get(format!("{base}/members")),
        "listAllProjectMembers" | "listAllGroupMembers" => get(format!("{base}/members/all")),
        "listProjectUsers" => get(format!("{base}/users")),
        "showProjectMember" | "showGroupMember" | "removeProjectMember" | "removeGroupMember" => {
            get(member(true))
        }
        "showAnyProjectMember" | "showAnyGroupMember" => {
            member(true);
            get(format!("{base}/members/all/{user}"))
        }
        "addProjectMember" | "addGroupMember" => {
            member(false);
            SampleRequest {
                path: format!("{base}/members"),
                body: json!({ "user_id": user, "access_level": 20 }).to_string(),
            }
        }
        "updateProjectMember" | "updateGroupMember" => SampleRequest {
            path: member(true),
            body: json!({ "access_level": 20 }).to_string(),
        },
        "shareProject" => {
            share(false);
            SampleRequest {
                path: format!("{base}/share"),
                body: json!({ "group_id": fixture.other_group, "group_access": 20 }).to_string(),
            }
        }
        "unshareProject" => get(share(true)),
        _ => return None,
    })
}

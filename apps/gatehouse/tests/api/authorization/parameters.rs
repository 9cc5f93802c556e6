//! Undeclared parameters: an operation refuses those that would change something, and obeys or refuses the list filters
//! that the API knows.

use serde_json::{Map, Value, json};
use web_conventions::operations::{Declaration, Location, Needs, Pages, UnsupportedFilter};

use super::samples::sample;
use super::tested_callers::AuthorizationFixture;
use super::{operations, start};
use crate::support::archives::archive;
use crate::support::{TestCaller, TestResponse, TestServer};

fn error(text: &str) -> Value {
    json!({ "error": text })
}

fn send(caller: &TestCaller, declared: &Declaration, path: &str, body: &Value) -> TestResponse {
    let caller = caller.clone().with("Content-Type", "application/json");
    caller.send(declared.method.as_str(), path, body.to_string().as_bytes())
}

/// Operations that change something and take parameters, each with a valid request.
pub(super) fn changes<'f>(
    fixture: &'f AuthorizationFixture<'_>,
) -> impl Iterator<Item = (std::sync::Arc<Declaration>, String, Map<String, Value>)> + 'f {
    let changing = operations().into_iter().filter(|declared| {
        ["POST", "PUT", "PATCH"].contains(&declared.method.as_str())
            && declared.body.is_none()
            && declared.id != "importProject"
    });
    changing.map(|declared| {
        let sample = sample(fixture, declared.id).unwrap();
        let body = serde_json::from_str(&sample.body).unwrap_or_default();
        (declared, sample.path, body)
    })
}

/// API-02, API-11. In the body and in the query, and only after the caller is authorized to send the request.
#[test]
fn an_undeclared_parameter_of_a_change_is_refused_by_its_name() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let expected_refusal = error("unheard_of is not a parameter of this request: leave it out");
    let mut tried = 0;
    for (declared, path, body) in changes(&fixture) {
        let mut wrong = body.clone();
        wrong.insert("unheard_of".to_owned(), json!(1));
        let wrong = Value::Object(wrong);
        let answer = send(&server.admin(), &declared, &path, &wrong);
        assert_eq!(
            (answer.status, answer.json()),
            (400, expected_refusal.clone()),
            "{}",
            declared.id
        );
        let query = format!("{path}?unheard_of=1");
        let answer = send(&server.admin(), &declared, &query, &Value::Object(body));
        assert_eq!(
            (answer.status, answer.json()),
            (400, expected_refusal.clone()),
            "{}",
            declared.id
        );
        if !matches!(declared.access.needs(), Some(Needs::Nothing)) {
            let anonymous = TestCaller::new(server.base_url(), None);
            let answer = send(&anonymous, &declared, &path, &wrong);
            assert_eq!(answer.status, 401, "{}: {}", declared.id, answer.text());
        }
        tried += 1;
    }
    assert!(tried > 30, "{tried}");
    let file = archive(&[]);
    let fields = [("path", "imported"), ("override_params[archived]", "1")];
    let answer = server
        .admin()
        .post_form_data("/api/v4/projects/import", &fields, Some(&file));
    let text = "override_params[archived] is not a parameter of this request: leave it out";
    answer.assert_is(400, &error(text));
}

/// API-11. An update must change at least one field.
#[test]
fn an_update_of_nothing_is_refused() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let mut tried = 0;
    for (declared, path, _) in changes(&fixture) {
        let fields: Vec<_> = declared
            .parameters
            .iter()
            .filter(|parameter| parameter.location == Location::Body)
            .collect();
        if declared.method == "POST" || fields.is_empty() {
            continue;
        }
        let answer = send(&server.admin(), &declared, &path, &json!({}));
        assert_eq!(answer.status, 400, "{}: {}", declared.id, answer.text());
        if fields.iter().all(|field| !field.is_required) {
            let names: Vec<&str> = fields.iter().map(|field| field.name).collect();
            let text = "are missing, at least one parameter must be provided";
            let expected = error(&format!("{} {text}", names.join(", ")));
            assert_eq!(answer.json(), expected, "{}", declared.id);
        }
        tried += 1;
    }
    assert!(tried > 8, "{tried}");
}

/// Clients repeat parameters of the path in the body, and send `null` for fields that they do not set.
#[test]
fn redundant_path_parameters_and_nulls_in_the_body_are_accepted() {
    let server = TestServer::start();
    let project = server.project();
    let id: i64 = project.parse().unwrap();
    let path = format!("/api/v4/projects/{project}/labels");
    let label = |extra: Value| {
        let mut body = json!({ "color": "#fff" });
        let members = body.as_object_mut().unwrap();
        members.extend(extra.as_object().unwrap().clone());
        server.developer().post(&path, &body)
    };
    label(json!({ "name": "a", "id": id, "project_id": project, "milestone_id": null }))
        .expect(201);
    label(json!({ "name": "b", "id": id + 1 })).assert_is(
        400,
        &error("id is not a parameter of this request: leave it out"),
    );
}

/// python-gitlab sends each list and object that it has read back when it saves, without meaning a change.
#[test]
fn lists_and_objects_of_the_answer_may_come_back() {
    let server = TestServer::start();
    let fixture = AuthorizationFixture::of(&server);
    let issue = sample(&fixture, "updateIssue").unwrap().path;
    let read = server.admin().get(&issue).expect(200);
    let mut body = json!({ "title": "Saved" });
    let members = body.as_object_mut().unwrap();
    let compound = read.as_object().unwrap().iter();
    let compound = compound.filter(|(_, value)| value.is_array() || value.is_object());
    members.extend(compound.map(|(name, value)| (name.clone(), value.clone())));
    assert!(members.len() > 4, "{body}");
    let saved = server.admin().put(&issue, &body).expect(200);
    assert_eq!(saved["title"], "Saved");
    for (name, value) in [("web_url", json!("x")), ("unheard_of", json!([1]))] {
        let refused = server
            .admin()
            .put(&issue, &json!({ "title": "a", name: value }));
        refused.assert_is(
            400,
            &error(&format!(
                "{name} is not a parameter of this request: leave it out"
            )),
        );
    }
}

/// Filters of lists that v4 knows. A name with `=` is sent with that value.
const KNOWN: &[(&[&str], &str)] = &[
    (
        &["listProjects", "listUserProjects", "listGroupProjects"],
        "active archived id_after id_before imported=1 include_hidden=1 language last_activity_after last_activity_before \
         marked_for_deletion_on membership min_access_level owned repository_checksum_failed=1 repository_storage search \
         search_namespaces starred=1 topic topic_id updated_after updated_before visibility wiki_checksum_failed=1 \
         with_issues_enabled with_merge_requests_enabled with_programming_language with_security_reports=1",
    ),
    (&["listGroupProjects"], "include_subgroups with_shared"),
    (
        &["listGroups", "listSubgroups", "listDescendantGroups"],
        "active all_available archived=1 custom_attributes marked_for_deletion_on min_access_level owned repository_storage search \
         skip_groups top_level_only visibility",
    ),
    (&["listNamespaces"], "owned_only search top_level_only=1"),
    (
        &["listPersonalAccessTokens"],
        "created_after created_before last_used_after last_used_before revoked search sort state user_id",
    ),
    (
        &[
            "listImpersonationTokens",
            "listProjectAccessTokens",
            "listGroupAccessTokens",
        ],
        "state",
    ),
    (
        &[
            "listDeployTokens",
            "listProjectDeployTokens",
            "listGroupDeployTokens",
        ],
        "active",
    ),
    (
        &["listUsers"],
        "active admins auditors=1 blocked created_after created_before exclude_active=1 exclude_external exclude_humans=1 \
         exclude_internal extern_uid external humans id_after id_before provider saml_provider_id search skip_ldap=1 two_factor \
         username without_project_bots without_projects=1",
    ),
    (
        &[
            "listProjectMembers",
            "listAllProjectMembers",
            "listGroupMembers",
            "listAllGroupMembers",
        ],
        "query skip_users state user_ids",
    ),
    (
        &[
            "listAuditEvents",
            "listProjectAuditEvents",
            "listGroupAuditEvents",
        ],
        "created_after created_before",
    ),
    (&["listAuditEvents"], "entity_id entity_type"),
    (&["listUserMemberships"], "type"),
    (&["listProjectUsers"], "search skip_users"),
    (
        &["listIssues", "listProjectIssues", "listGroupIssues"],
        "assignee_id assignee_username author_id author_username closed_by_id confidential created_after created_before \
         crm_contact_id crm_organization_id due_date epic_id health_status iids in issue_type iteration_id iteration_title labels \
         milestone milestone_id my_reaction_emoji not[labels] scope search state updated_after updated_before weight",
    ),
    (&["listIssues", "listGroupIssues"], "non_archived=1"),
    (&["listIssueNotes"], "activity_filter"),
    (&["listLabels"], "search"),
    (
        &["listMilestones"],
        "containing_date iids search search_title state title updated_after updated_before",
    ),
    (
        &[
            "listSnippets",
            "listPublicSnippets",
            "listAllSnippets",
            "listProjectSnippets",
        ],
        "created_after created_before",
    ),
    (&["listAllSnippets"], "repository_storage"),
    (
        &["listPipelines"],
        "created_after created_before name ref scope sha source status updated_after updated_before username yaml_errors=1",
    ),
    (&["listJobs", "listPipelineJobs"], "scope"),
    (&["listCommitStatuses"], "name pipeline_id ref stage"),
    (
        &["listDeployments"],
        "environment finished_after finished_before status updated_after updated_before",
    ),
    (&["listEnvironments"], "name search states"),
    (
        &[
            "listOwnRunners",
            "listRunners",
            "listProjectRunners",
            "listGroupRunners",
        ],
        "scope type status paused tag_list",
    ),
    (&["listRunnerJobs"], "status order_by sort"),
    (
        &["listEvents", "listUserEvents", "listProjectEvents"],
        "action after before target_type",
    ),
];

/// Lists without filters in v4, or absent from it.
const OTHERS: &[&str] = &[
    "listAlertIntegrations",
    "listAlertNotes",
    "listAlertReceipts",
    "listAlerts",
    "listApplications",
    "listClientKeys",
    "listErrorComments",
    "listErrorEvents",
    "listErrors",
    "listGroupRegistryRepositories",
    "listIncidentAlerts",
    "listMilestoneIssues",
    "listPipelineVariables",
    "listRegistryRepositories",
    "listRegistryTags",
    "listNotificationChannels",
    "listOnCallOverrides",
    "listOnCallSchedules",
    "listProjectHooks",
    "listUserNotificationChannels",
];

/// API-05, API-11. A list is never longer than requested without notice.
#[test]
fn every_filter_that_the_api_knows_is_obeyed_or_refused() {
    let server = start();
    let fixture = AuthorizationFixture::of(&server);
    let mut wrong = Vec::new();
    let lists = operations();
    let lists = lists
        .iter()
        .filter(|it| it.pages != Pages::None && it.path.starts_with("/api/v4/"));
    for declared in lists {
        let id = declared.id;
        let rows: Vec<_> = KNOWN.iter().filter(|(ids, _)| ids.contains(&id)).collect();
        if rows.is_empty() && !OTHERS.contains(&id) {
            wrong.push(format!("{id} is in no row of the table"));
        }
        let path = sample(&fixture, id).unwrap().path;
        let path = path.split('?').next().unwrap();
        let ask = |query: &str| server.admin().get(&format!("{path}?{query}"));
        let known = rows
            .iter()
            .flat_map(|(_, filters)| filters.split_whitespace());
        for filter in known {
            let (name, value) = filter.split_once('=').unwrap_or((filter, "x"));
            let mut parameters = declared.parameters.iter();
            let is_declared = parameters.any(|parameter| parameter.name == name);
            let is_refused = declared
                .unsupported_filters
                .iter()
                .any(|unsupported| unsupported.name() == name);
            if is_declared == is_refused {
                wrong.push(format!(
                    "{id}: {name} is declared: {is_declared}, and refused: {is_refused}"
                ));
            }
            // An empty value is the same as no parameter, so an obeyed filter leaves the list unchanged.
            // The newest release takes these two only with an order, as the tests of releases check.
            if id == "listDeployments" && name.starts_with("updated_") {
                continue;
            }
            let sent = if is_refused { value } else { "" };
            let answer = ask(&format!("{name}={sent}"));
            let text =
                format!("{name} is a filter that this server does not support: leave it out");
            if is_refused && answer.json() != error(&text) || is_declared && answer.status != 200 {
                wrong.push(format!("{id}: {name} {}", answer.text()));
            }
        }
        for unsupported in &declared.unsupported_filters {
            let off = match unsupported {
                UnsupportedFilter::Flag(name) => format!("{name}=false"),
                UnsupportedFilter::Value(name) => format!("{name}="),
            };
            let answer = ask(&off);
            if answer.status != 200 {
                wrong.push(format!("{id}: {off} {}", answer.text()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

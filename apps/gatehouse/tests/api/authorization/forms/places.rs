//! Forms about projects and groups, their members, tokens and runners.

use accounts::AuditEventName as Event;
use serde_json::{Value, json};

use super::super::samples::fresh;
use super::{FormSenders, GROUP, GROUP_API, PROJECT, PROJECT_API, SampleForm};
use crate::support::pages::plain;

/// The page and the path in the API of the place that an operation is about.
fn place_of(operation: &str) -> (&'static str, &'static str) {
    if operation.contains("Group") {
        (GROUP, GROUP_API)
    } else {
        (PROJECT, PROJECT_API)
    }
}

impl FormSenders<'_> {
    /// Forms about members and shares.
    pub(super) fn of_members(&self, operation: &str) -> Option<SampleForm> {
        let (page, api) = place_of(operation);
        let admin = self.server.admin();
        let members = if page == GROUP {
            format!("{page}/-/group_members")
        } else {
            format!("{page}/-/project_members")
        };
        let links = format!("{page}/-/group_links");
        Some(match operation {
            "addProjectMemberForm" | "addGroupMemberForm" => {
                let name = plain(&self.create_user()["username"]);
                let fields = [("username", &*name), ("access_level", "20")];
                self.by_admin(Event::MemberAdded, &members, &fields)
            }
            "changeProjectMemberForm" | "changeGroupMemberForm" => {
                let user = self.create_user()["id"].clone();
                let role = json!({ "user_id": user, "access_level": 20 });
                admin.post(&format!("{api}/members"), &role).expect(201);
                let fields = [("_method", "put"), ("access_level", "30")];
                self.by_admin(Event::MemberUpdated, &format!("{members}/{user}"), &fields)
            }
            "shareProjectForm" => {
                let group = plain(&self.create_group()["full_path"]);
                let fields = [("group", &*group), ("group_access", "20")];
                self.by_admin(Event::ProjectShared, &links, &fields)
            }
            "unshareProjectForm" => {
                let group = self.create_group()["id"].clone();
                let share = json!({ "group_id": group, "group_access": 20 });
                admin.post(&format!("{api}/share"), &share).expect(201);
                let path = format!("{links}/{group}");
                self.by_admin(Event::ProjectUnshared, &path, &[("_method", "delete")])
            }
            _ => return None,
        })
    }

    /// Forms about access tokens and deploy tokens of a place.
    pub(super) fn of_tokens(&self, operation: &str) -> Option<SampleForm> {
        let (page, api) = place_of(operation);
        let access = format!("{page}/-/settings/access_tokens");
        let deploy = format!("{page}/-/settings/deploy_tokens");
        let one = |kind: &str, scope: &str| {
            let new = json!({ "name": "sample", "scopes": [scope] });
            let created = self.server.admin().post(&format!("{api}/{kind}"), &new);
            format!("{page}/-/settings/{kind}/{}", created.expect(201)["id"])
        };
        let one_access = || one("access_tokens", "read_api");
        let delete = [("_method", "delete")];
        Some(match operation {
            "createProjectAccessTokenForm" | "createGroupAccessTokenForm" => {
                let fields = [("token[name]", "Sample"), ("token[scopes][]", "read_api")];
                self.by_admin(Event::TokenCreated, &access, &fields)
            }
            "rotateProjectAccessTokenForm" | "rotateGroupAccessTokenForm" => {
                let path = format!("{}/rotate", one_access());
                self.by_admin(Event::TokenRotated, &path, &[])
            }
            "revokeProjectAccessTokenForm" | "revokeGroupAccessTokenForm" => {
                self.by_admin(Event::TokenRevoked, &one_access(), &delete)
            }
            "createProjectDeployTokenForm" | "createGroupDeployTokenForm" => {
                let fields = [
                    ("deploy_token[name]", "Sample"),
                    ("deploy_token[scopes][]", "read_repository"),
                ];
                self.by_admin(Event::DeployTokenCreated, &deploy, &fields)
            }
            "deleteProjectDeployTokenForm" | "deleteGroupDeployTokenForm" => {
                let path = one("deploy_tokens", "read_repository");
                self.by_admin(Event::DeployTokenDeleted, &path, &delete)
            }
            _ => return None,
        })
    }

    /// Forms about runners.
    pub(super) fn of_runners(&self, operation: &str) -> Option<SampleForm> {
        let (page, api) = place_of(operation);
        let runners = format!("{page}/-/settings/runners");
        let pause = [("action", "pause")];
        Some(match operation {
            "createProjectRunnerForm" | "createGroupRunnerForm" => {
                let fields = [("runner[description]", "Sample")];
                self.by_admin(Event::RunnerCreated, &runners, &fields)
            }
            "changeProjectRunnerForm" | "changeGroupRunnerForm" => {
                let path = format!("{runners}/{}", self.create_runner(api));
                self.by_admin(Event::RunnerUpdated, &path, &pause)
            }
            "changeRunnerForm" => {
                let path = format!("/admin/runners/{}", self.create_runner(api));
                self.by_admin(Event::RunnerUpdated, &path, &pause)
            }
            "resetProjectRegistrationTokenForm" | "resetGroupRegistrationTokenForm" => {
                let path = format!("{page}/-/settings/registration_token");
                self.by_admin(Event::RegistrationTokenReset, &path, &[])
            }
            "resetInstanceRegistrationTokenForm" => self.by_admin(
                Event::RegistrationTokenReset,
                "/admin/registration_token",
                &[],
            ),
            _ => return None,
        })
    }

    /// Forms about projects themselves.
    pub(super) fn of_projects(&self, operation: &str) -> Option<SampleForm> {
        let settings = |rest: &str| {
            let path = plain(&self.create_project()["path_with_namespace"]);
            format!("/{path}/-/settings{rest}")
        };
        Some(match operation {
            "createProjectForm" => {
                let name = fresh("project");
                self.by_admin(Event::ProjectCreated, "/projects", &[("name", &name)])
            }
            "changeProjectForm" => {
                let name = fresh("project");
                let fields = [("name", &*name), ("path", &name), ("visibility", "private")];
                self.by_admin(Event::ProjectPathChanged, &settings(""), &fields)
            }
            "archiveProjectForm" => {
                let fields = [("archived", "true")];
                self.by_admin(Event::ProjectArchived, &settings("/archive"), &fields)
            }
            "transferProjectForm" => {
                let group = self.create_group()["id"].to_string();
                let fields = [("namespace_id", &*group)];
                self.by_admin(Event::ProjectTransferred, &settings("/transfer"), &fields)
            }
            "deleteProjectForm" => {
                let path = plain(&self.create_project()["path_with_namespace"]);
                let to = format!("/{path}/-/settings/delete");
                self.by_admin(Event::ProjectDeletionScheduled, &to, &[("confirm", &path)])
            }
            "restoreProjectForm" => {
                let id = self.create_project()["id"].clone();
                let path = format!("/api/v4/projects/{id}");
                self.server.admin().delete(&path).expect(202);
                let path = format!("/projects/{id}/deletion");
                self.by_admin(Event::ProjectDeletionCancelled, &path, &[])
            }
            _ => return None,
        })
    }

    /// Forms about groups themselves.
    pub(super) fn of_groups(&self, operation: &str) -> Option<SampleForm> {
        let below = |rest: &str| {
            let path = plain(&self.create_group()["full_path"]);
            format!("/groups/{path}/-/{rest}")
        };
        let name = fresh("group");
        let new = [("name", &*name), ("path", &name), ("visibility", "private")];
        Some(match operation {
            "createGroupForm" => self.by_admin(Event::GroupCreated, "/dashboard/groups", &new),
            "createSubgroupForm" => self.by_admin(Event::GroupCreated, &below("subgroups"), &new),
            "changeGroupForm" => {
                let levels = [
                    ("project_creation_level", "maintainer"),
                    ("subgroup_creation_level", "owner"),
                ];
                let fields = [&new[..], &levels].concat();
                self.by_admin(Event::GroupPathChanged, &below("edit"), &fields)
            }
            "transferGroupForm" => {
                let to = plain(&self.create_group()["full_path"]);
                self.by_admin(Event::GroupTransferred, &below("transfer"), &[("to", &to)])
            }
            "deleteGroupForm" => {
                let path = plain(&self.create_group()["full_path"]);
                let to = format!("/groups/{path}/-/delete");
                self.by_admin(Event::GroupDeletionScheduled, &to, &[("confirm", &path)])
            }
            "restoreGroupForm" => {
                let id = self.create_group()["id"].clone();
                let path = format!("/api/v4/groups/{id}");
                self.server.admin().delete(&path).expect(202);
                let path = format!("/dashboard/groups/{id}/deletion");
                self.by_admin(Event::GroupDeletionCancelled, &path, &[])
            }
            _ => return None,
        })
    }

    /// Creates a project of the administrator, and returns the project as the API shows it.
    fn create_project(&self) -> Value {
        let new = json!({ "name": fresh("project") });
        let admin = self.server.admin();
        admin.post("/api/v4/projects", &new).expect(201)
    }

    /// Creates a group of the administrator, and returns the group as the API shows it.
    fn create_group(&self) -> Value {
        let path = fresh("group");
        let new = json!({ "name": path, "path": path });
        let admin = self.server.admin();
        admin.post("/api/v4/groups", &new).expect(201)
    }

    /// Creates a runner of the demo's project or group, and returns its id.
    fn create_runner(&self, api: &str) -> Value {
        let admin = self.server.admin();
        let place = admin.get(api).expect(200)["id"].clone();
        let new = if api == GROUP_API {
            json!({ "runner_type": "group_type", "group_id": place })
        } else {
            json!({ "runner_type": "project_type", "project_id": place })
        };
        let created = admin.post("/api/v4/user/runners", &new).expect(201);
        created["id"].clone()
    }
}

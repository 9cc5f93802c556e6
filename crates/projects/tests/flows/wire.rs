//! The JSON of a project.

use api_conventions::access::{AccessLevel, Visibility};
use projects::wire::{FullProject, SimpleProject};
use projects::{FullNames, Membership, NamespaceKind, NewNamespace, Viewer};
use serde_json::{Value, json};

use crate::support::{MAKER, OTHER, TestProjects, group, now, project};

fn response(value: impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap()
}

#[test]
fn public_fields_link_to_the_project_and_its_namespace() {
    let projects = TestProjects::default();
    let top = projects.group("Platform", None);
    let sub = projects.group("core", Some(&top));
    let made = projects
        .create(project(&sub, "gateway", Visibility::Public))
        .unwrap();
    let expected = json!({
        "id": 1, "description": null, "name": "The gateway", "name_with_namespace": "The Platform / The core / The gateway",
        "path": "gateway", "path_with_namespace": "Platform/core/gateway",
        "created_at": "2024-03-01T12:00:00.000Z", "last_activity_at": "2024-03-01T12:00:00.000Z",
        "web_url": "http://h/Platform/core/gateway", "avatar_url": null, "star_count": 0,
        "default_branch": null, "tag_list": [], "topics": [], "ssh_url_to_repo": "git@h:Platform/core/gateway.git",
        "http_url_to_repo": "http://h/Platform/core/gateway.git",
        "readme_url": null, "forks_count": 0,
        "namespace": {"id": 2, "name": "The core", "path": "core", "kind": "group",
            "full_path": "Platform/core", "parent_id": 1, "avatar_url": null,
            "web_url": "http://h/groups/Platform/core"},
    });
    let names = projects.full_names(&made);
    assert_eq!(
        response(SimpleProject::new(&made, &names, "http://h")),
        expected
    );
}

#[test]
fn the_address_of_a_repository_has_no_port_where_it_is_one_of_ssh() {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let made = projects
        .create(project(&top, "p", Visibility::Public))
        .unwrap();
    for (base_url, ssh) in [
        ("https://git.example:8443", "git@git.example:top/p.git"),
        ("https://git.example/gatehouse", "git@git.example:top/p.git"),
        ("http://[::1]:3000", "git@[::1]:top/p.git"),
        ("http://[::1]", "git@[::1]:top/p.git"),
    ] {
        let shown = response(SimpleProject::new(&made, &FullNames::default(), base_url));
        assert_eq!(shown["ssh_url_to_repo"], ssh);
        assert_eq!(shown["http_url_to_repo"], format!("{base_url}/top/p.git"));
    }
}

#[test]
fn a_users_namespace_links_to_the_user() {
    let projects = TestProjects::default();
    let ann = NewNamespace {
        kind: NamespaceKind::User,
        ..group("ann", None)
    };
    let ann = projects.namespace(ann).unwrap();
    let made = projects
        .create(project(&ann, "p", Visibility::Public))
        .unwrap();
    let namespace =
        response(SimpleProject::new(&made, &FullNames::default(), "http://h"))["namespace"].clone();
    assert_eq!(
        (&namespace["kind"], &namespace["web_url"]),
        (&json!("user"), &json!("http://h/ann"))
    );
}

#[test]
fn roles_from_a_user_namespace_are_reported_as_project_access() {
    let projects = TestProjects::default();
    let ann = NewNamespace {
        kind: NamespaceKind::User,
        ..group("ann", None)
    };
    let ann = projects.namespace(ann).unwrap();
    projects
        .create(project(&ann, "p", Visibility::Private))
        .unwrap();
    let (project, access) = projects.visible("1", Viewer::User(MAKER), now()).unwrap();
    let response = response(FullProject::new(
        &project,
        &FullNames::default(),
        access.membership(),
        "http://h",
    ));
    let owner = json!({"access_level": AccessLevel::Owner.number(), "notification_level": 3});
    let expected = json!({"project_access": owner, "group_access": null});
    assert_eq!(response["permissions"], expected);
}

#[test]
fn permissions_are_those_of_the_viewer() {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let made = projects
        .create(project(&top, "p", Visibility::Internal))
        .unwrap();
    let permissions = |viewer| {
        let (project, access) = projects.visible("1", viewer, now()).unwrap();
        response(FullProject::new(
            &project,
            &FullNames::default(),
            access.membership(),
            "http://h",
        ))["permissions"]
            .clone()
    };
    let owner = json!({"access_level": AccessLevel::Owner.number(), "notification_level": 3});
    let expected = json!({"project_access": null, "group_access": owner});
    assert_eq!(permissions(Viewer::User(MAKER)), expected);
    let nothing = json!({"project_access": null, "group_access": null});
    assert_eq!(permissions(Viewer::User(OTHER)), nothing);
    let listed = response(FullProject::new(
        &made,
        &FullNames::default(),
        Membership::default(),
        "http://h",
    ));
    assert_eq!(listed["permissions"], nothing);
    assert_eq!(listed.get("shared_with_groups"), None);
    assert_eq!(
        (&listed["visibility"], &listed["creator_id"]),
        (&json!("internal"), &json!(1))
    );
    let this = "http://h/api/v4/projects/1";
    let links = json!({
        "self": this, "issues": format!("{this}/issues"), "labels": format!("{this}/labels"),
        "events": format!("{this}/events"), "members": format!("{this}/members"),
    });
    assert_eq!(listed["_links"], links);
}

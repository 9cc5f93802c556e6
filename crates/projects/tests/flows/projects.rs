//! Creating projects: their attributes, and every error (`API-12`).

use api_conventions::access::Visibility;
use api_conventions::error::ApiError;
use api_conventions::ids::ProjectId;
use projects::flow::error::NamespaceError;
use projects::{FullNames, NewProject, ProjectRepository as _, Viewer};
use serde_json::{Value, json};
use storage::{Store as _, StoreError};

use crate::support::{MAKER, TestProjects, at, group, now, project};

/// Status and body of the error response to a modified request.
fn refusal(change: impl FnOnce(&mut NewProject)) -> (u16, Value) {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let mut request = project(&top, "p", Visibility::Public);
    change(&mut request);
    let refused = ApiError::from(projects.create(request).unwrap_err());
    assert!(
        projects.listed(Viewer::Anonymous, now()).is_empty(),
        "nothing is stored"
    );
    (refused.status(), refused.body()["message"].clone())
}

#[test]
fn a_created_project_has_the_requested_values() {
    let projects = TestProjects::default();
    let top = projects.group("Platform", None);
    let mut request = project(&top, "Gateway", Visibility::Internal);
    request.description = "what it is for".to_owned();
    let made = projects.create(request).unwrap();
    assert_eq!((made.id, &made.namespace), (ProjectId::new(1), &top));
    assert_eq!(
        (made.full_path.as_str(), made.path.as_str()),
        ("Platform/Gateway", "Gateway")
    );
    let names = FullNames::default();
    assert_eq!(names.of_project(&made), "The Platform / The Gateway");
    assert_eq!(
        (made.visibility, made.creator_id),
        (Visibility::Internal, MAKER)
    );
    assert_eq!(
        [made.created_at, made.updated_at, made.last_activity_at],
        [now(); 3]
    );
    for spelling in [
        "1",
        "platform%2Fgateway",
        "PLATFORM%2FGATEWAY",
        "Platform%2fGateway",
    ] {
        let found = projects.visible(spelling, Viewer::User(MAKER), now());
        assert_eq!(
            found.map(|(project, _)| project),
            Some(made.clone()),
            "{spelling}"
        );
    }
}

#[test]
fn paths_are_unique_across_projects_and_groups_ignoring_case() {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let other = projects.group("other", None);
    projects.group("Sub", Some(&top));
    projects
        .create(project(&top, "Gateway", Visibility::Private))
        .unwrap();
    for path in ["gateway", "GATEWAY", "Gateway", "sub"] {
        let refused = projects
            .create(project(&top, path, Visibility::Private))
            .unwrap_err();
        assert!(matches!(refused, NamespaceError::PathTaken), "{path}");
        let message = ApiError::from(refused);
        let expected = json!({"message": "409 Conflict: path has already been taken"});
        assert_eq!((message.status(), message.body()), (409, &expected));
    }
    assert!(
        projects
            .create(project(&other, "Gateway", Visibility::Private))
            .is_ok()
    );
}

#[test]
fn a_name_is_neither_blank_nor_longer_than_255_characters() {
    for blank in ["", " ", "\t\n"] {
        let message = refusal(|request| request.name = blank.to_owned());
        assert_eq!(message, (400, json!({"name": ["can't be blank"]})));
    }
    let message = refusal(|request| request.name = "😀".repeat(256));
    assert_eq!(
        message,
        (
            400,
            json!({"name": ["is too long (maximum is 255 characters)"]})
        )
    );
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let longest = NewProject {
        name: "😀".repeat(255),
        description: "é".repeat(2000),
        ..project(&top, "p", Visibility::Private)
    };
    assert!(projects.create(longest).is_ok());
}

#[test]
fn everything_that_is_wrong_is_reported_at_once() {
    let message = refusal(|request| {
        request.name = String::new();
        request.description = "é".repeat(2001);
        request.path = "a b".to_owned();
    });
    let path_rule = "can contain only letters, digits, '_', '-' and '.', cannot start with '-' or '.', \
                     and cannot end in '.', '.git' or '.atom'";
    let expected = json!({
        "name": ["can't be blank"],
        "description": ["is too long (maximum is 2000 characters)"],
        "path": [path_rule],
    });
    assert_eq!(message, (400, expected));
}

#[test]
fn a_path_that_is_no_slug_is_refused() {
    let too_long = "a".repeat(256);
    for path in [
        "", ".", "-a", ".a", "a.", "a.git", "a.ATOM", "a/b", "a%2Fb", "é", "a\0", &too_long,
    ] {
        let (status, message) = refusal(|request| request.path = path.to_owned());
        assert_eq!(
            (status, message["path"].as_array().map(Vec::len)),
            (400, Some(1)),
            "{path:?}"
        );
    }
}

#[test]
fn a_path_too_long_with_its_parents_is_refused() {
    let projects = TestProjects::default();
    let path = "a".repeat(255);
    let mut deepest = projects.group(&path, None);
    for _ in 1..20 {
        deepest = projects.namespace(group(&path, Some(&deepest))).unwrap();
    }
    let refused = projects
        .create(project(&deepest, "p", Visibility::Private))
        .unwrap_err();
    assert!(matches!(refused, NamespaceError::Invalid(_)));
}

#[test]
fn activity_is_noted_once_an_hour() {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let made = projects
        .create(project(&top, "p", Visibility::Public))
        .unwrap();
    let touch = |text: &'static str| {
        let done = projects.0.write(move |tx| {
            tx.touch_projects(&[(made.id, at(text)), (ProjectId::new(99), at(text))])
        });
        let done: Result<(), StoreError> = done.wait();
        done.unwrap();
        let (project, _) = projects.visible("1", Viewer::Anonymous, now()).unwrap();
        project.last_activity_at
    };
    assert_eq!(touch("2024-03-01T12:59:59.999999Z"), now());
    assert_eq!(touch("2024-03-01T13:00:00Z"), at("2024-03-01T13:00:00Z"));
    assert_eq!(
        touch("2024-03-01T12:30:00Z"),
        at("2024-03-01T13:00:00Z"),
        "never back"
    );
}

#[test]
fn a_path_that_is_part_of_an_address_below_another_project_is_refused() {
    for path in ["prometheus", "Prometheus"] {
        let (status, message) = refusal(|request| request.path = path.to_owned());
        assert_eq!(status, 400);
        assert_eq!(message["path"][0], format!("'{path}' is a reserved name"));
    }
}

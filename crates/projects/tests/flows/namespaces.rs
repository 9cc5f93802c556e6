//! Groups and the namespaces of users: paths, parents and owners.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::reference::FullPath;
use api_conventions::validation::SLUG_RULE;
use projects::flow::create_namespace::CreateNamespaceError;
use projects::{NamespaceKind, NewNamespace, ProjectQueries as _, Viewer};
use serde_json::json;
use storage::{Store as _, StoreError};

use crate::support::{MAKER, TestProjects, group, now, project};

#[test]
fn a_subgroup_has_the_path_of_its_parents() {
    let projects = TestProjects::default();
    let top = projects.group("Platform", None);
    let sub = projects.group("Core", Some(&top));
    assert_eq!((top.full_path.as_str(), top.parent_id), ("Platform", None));
    assert_eq!(
        (sub.full_path.as_str(), sub.parent_id),
        ("Platform/Core", Some(top.id))
    );
    assert_eq!((sub.path.as_str(), sub.name.as_str()), ("Core", "The Core"));
    for spelling in ["platform/core", "PLATFORM/CORE", "Platform/Core"] {
        let path = FullPath::parse(spelling).unwrap();
        let found = projects.0.read(move |tx| tx.find_namespace(&path));
        let found: Result<_, StoreError> = found.wait();
        assert_eq!(found.unwrap(), Some(sub.clone()), "{spelling}");
    }
}

#[test]
fn paths_are_unique_across_groups_users_and_projects_ignoring_case() {
    let projects = TestProjects::default();
    let top = projects.group("Platform", None);
    projects
        .create(project(&top, "Gateway", Visibility::Private))
        .unwrap();
    let user = NewNamespace {
        kind: NamespaceKind::User,
        ..group("PLATFORM", None)
    };
    for request in [group("platform", None), user, group("gateway", Some(&top))] {
        let path = request.full_path();
        let refused = projects.namespace(request).unwrap_err();
        assert!(
            matches!(refused, CreateNamespaceError::PathTaken),
            "{path:?}: {refused}"
        );
    }
    let sub = projects.group("platform", Some(&top));
    assert_eq!(
        sub.full_path.as_str(),
        "Platform/platform",
        "another parent, another path"
    );
}

#[test]
fn a_name_to_show_is_trimmed_and_refused_with_all_that_is_wrong() {
    let projects = TestProjects::default();
    let named = |path: &str, name: &str| NewNamespace {
        name: name.to_owned(),
        ..group(path, None)
    };
    let made = projects.namespace(named("shop", " The Shop \n")).unwrap();
    assert_eq!(made.name, "The Shop");
    let too_long = "é".repeat(256);
    for (path, name, expected) in [
        ("a", " ", json!({ "name": ["can't be blank"] })),
        (
            "a",
            "A\tB",
            json!({ "name": ["can't contain control characters"] }),
        ),
        (
            "-",
            &too_long,
            json!({
                "name": ["is too long (maximum is 255 characters)"], "path": [SLUG_RULE],
            }),
        ),
    ] {
        let refused = projects.namespace(named(path, name)).unwrap_err();
        let CreateNamespaceError::Invalid(failures) = refused else {
            panic!("{refused}");
        };
        let refusal = ApiError::validation(&failures);
        assert_eq!(refusal.body(), &json!({ "message": expected }));
    }
}

#[test]
fn a_path_that_is_no_slug_is_refused_with_the_rule() {
    let projects = TestProjects::default();
    let too_long = "a".repeat(256);
    for path in [
        "", ".", "-a", ".a", "a.", "a.git", "a.Atom", "a/b", "a b", "é", "a\0", &too_long,
    ] {
        let refused = projects.namespace(group(path, None)).unwrap_err();
        assert!(
            matches!(refused, CreateNamespaceError::Invalid(_)),
            "{path:?}"
        );
        assert!(
            refused
                .to_string()
                .contains("path can contain only letters"),
            "{refused}"
        );
    }
}

#[test]
fn twenty_nested_groups_with_the_longest_names_fit_and_one_more_does_not() {
    let projects = TestProjects::default();
    let path = "a".repeat(255);
    let mut deepest = projects.group(&path, None);
    for _ in 1..20 {
        deepest = projects.group(&path, Some(&deepest));
    }
    assert_eq!(deepest.full_path.as_str().split('/').count(), 20);
    let refused = projects.namespace(group("a", Some(&deepest))).unwrap_err();
    assert!(matches!(refused, CreateNamespaceError::Invalid(_)));
}

#[test]
fn the_creator_of_a_group_owns_projects_inside_it() {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let sub = projects.group("sub", Some(&top));
    projects
        .create(project(&sub, "p", Visibility::Private))
        .unwrap();
    let (_, access) = projects
        .visible("top%2Fsub%2Fp", Viewer::User(MAKER), now())
        .unwrap();
    assert_eq!(access.level(), Some(AccessLevel::Owner));
}

//! Visibility of projects, and permissions of viewers in them (`API-16`, `AUTH-10`, `AUTH-11`).

use api_conventions::access::{AccessLevel, Visibility};
use projects::{MemberSource, Namespace, Project, Viewer};

use crate::support::{MAKER, OTHER, TestProjects, at, now, project};

const VISIBILITIES: [Visibility; 3] = [
    Visibility::Private,
    Visibility::Internal,
    Visibility::Public,
];

/// A group with a subgroup that holds one project.
fn nested(visibility: Visibility) -> (TestProjects, Namespace, Namespace, Project) {
    let projects = TestProjects::default();
    let top = projects.group("top", None);
    let sub = projects.group("sub", Some(&top));
    let made = projects.create(project(&sub, "p", visibility)).unwrap();
    (projects, top, sub, made)
}

#[test]
fn every_visibility_for_every_reader_with_every_role() {
    let roles = AccessLevel::ALL.into_iter().map(Some).chain([None]);
    for role in roles {
        for visibility in VISIBILITIES {
            let (projects, _, _, made) = nested(visibility);
            if let Some(role) = role {
                projects.member(OTHER, MemberSource::Project(made.id), role, None);
            }
            let is_public = visibility == Visibility::Public;
            let cases = [
                (Viewer::Anonymous, is_public, None),
                (
                    Viewer::User(OTHER),
                    role.is_some() || visibility != Visibility::Private,
                    role,
                ),
                (Viewer::Administrator(OTHER), true, role),
            ];
            for (viewer, visible, level) in cases {
                let found = projects.visible("top%2Fsub%2Fp", viewer, now());
                assert_eq!(found.is_some(), visible, "{viewer:?} {role:?} {visibility}");
                let listed = projects.listed(viewer, now());
                assert_eq!(
                    listed.is_empty(),
                    !visible,
                    "lists agree: {viewer:?} {role:?} {visibility}"
                );
                if let Some((project, access)) = found {
                    assert_eq!((project.id, access.level()), (made.id, level));
                    for needed in AccessLevel::ALL {
                        let is_admin = matches!(viewer, Viewer::Administrator(_));
                        let allowed = is_admin || level.is_some_and(|level| level >= needed);
                        assert_eq!(
                            access.allows(needed),
                            allowed,
                            "{viewer:?} {role:?} {needed:?}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn a_role_counts_in_everything_below_and_nowhere_else() {
    let (projects, top, sub, made) = nested(Visibility::Private);
    let beside = projects.group("beside", Some(&top));
    projects
        .create(project(&beside, "q", Visibility::Private))
        .unwrap();
    let places = [
        (MemberSource::Namespace(top.id), true, true),
        (MemberSource::Namespace(sub.id), true, false),
        (MemberSource::Namespace(beside.id), false, true),
        (MemberSource::Project(made.id), true, false),
    ];
    for (number, (place, sees_p, sees_q)) in (10..).zip(places) {
        let user = api_conventions::ids::UserId::new(number);
        projects.member(user, place, AccessLevel::Guest, None);
        let sees = |path| projects.visible(path, Viewer::User(user), now()).is_some();
        assert_eq!(
            (sees("top%2Fsub%2Fp"), sees("top%2Fbeside%2Fq")),
            (sees_p, sees_q),
            "{place:?}"
        );
    }
}

#[test]
fn of_several_roles_the_highest_counts() {
    let (projects, top, sub, made) = nested(Visibility::Private);
    projects.member(
        OTHER,
        MemberSource::Namespace(top.id),
        AccessLevel::Reporter,
        None,
    );
    projects.member(
        OTHER,
        MemberSource::Namespace(sub.id),
        AccessLevel::Maintainer,
        None,
    );
    projects.member(
        OTHER,
        MemberSource::Project(made.id),
        AccessLevel::Guest,
        None,
    );
    let (_, access) = projects.visible("1", Viewer::User(OTHER), now()).unwrap();
    assert_eq!(access.level(), Some(AccessLevel::Maintainer));
}

#[test]
fn a_new_role_in_the_same_place_replaces_the_old_one() {
    let (projects, _, _, made) = nested(Visibility::Private);
    let place = MemberSource::Project(made.id);
    projects.member(OTHER, place, AccessLevel::Owner, None);
    projects.member(OTHER, place, AccessLevel::Guest, None);
    let (_, access) = projects.visible("1", Viewer::User(OTHER), now()).unwrap();
    assert_eq!(access.level(), Some(AccessLevel::Guest));
}

#[test]
fn a_membership_ends_with_the_first_instant_of_its_last_day() {
    let (projects, top, _, made) = nested(Visibility::Private);
    let (last, end) = (
        at("2024-04-30T23:59:59.999999Z"),
        at("2024-05-01T00:00:00Z"),
    );
    for (number, place) in (10..).zip([
        MemberSource::Project(made.id),
        MemberSource::Namespace(top.id),
    ]) {
        let user = Viewer::User(api_conventions::ids::UserId::new(number));
        projects.member(
            user.user_id().unwrap(),
            place,
            AccessLevel::Developer,
            Some("2024-05-01"),
        );
        assert!(projects.visible("1", user, last).is_some(), "{place:?}");
        assert!(projects.visible("1", user, end).is_none(), "{place:?}");
        assert_eq!(projects.listed(user, last).len(), 1);
        assert!(projects.listed(user, end).is_empty());
    }
}

#[test]
fn an_expired_role_leaves_a_lower_one_in_force() {
    let (projects, top, _, made) = nested(Visibility::Private);
    projects.member(
        OTHER,
        MemberSource::Namespace(top.id),
        AccessLevel::Reporter,
        None,
    );
    projects.member(
        OTHER,
        MemberSource::Project(made.id),
        AccessLevel::Owner,
        Some("2024-05-01"),
    );
    let level = |timestamp: &str| {
        let found = projects.visible("1", Viewer::User(OTHER), at(timestamp));
        found.and_then(|(_, access)| access.level())
    };
    assert_eq!(level("2024-04-30T12:00:00Z"), Some(AccessLevel::Owner));
    assert_eq!(level("2024-05-01T00:00:00Z"), Some(AccessLevel::Reporter));
}

#[test]
fn missing_and_hidden_projects_are_indistinguishable() {
    let (projects, ..) = nested(Visibility::Private);
    for reference in [
        "1",
        "top%2Fsub%2Fp",
        "2",
        "top%2Fsub%2Fq",
        "top%2Fsub",
        "top",
        "0",
    ] {
        assert!(
            projects
                .visible(reference, Viewer::User(OTHER), now())
                .is_none(),
            "{reference}"
        );
        assert!(
            projects
                .visible(reference, Viewer::Anonymous, now())
                .is_none(),
            "{reference}"
        );
    }
    assert!(projects.visible("1", Viewer::User(MAKER), now()).is_some());
}

//! Groups: permissions to create and transfer them, and every error (`AUTH-11`).

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::{NamespaceId, UserId};
use projects::flow::error::NamespaceError;
use projects::flow::groups::{CreateGroup, create_group, move_group, update_group};
use projects::{
    Group, GroupContent, GroupEdit, GroupQueries as _, MemberSource, SubgroupCreation, Viewer,
};
use storage::Store as _;

use crate::support::{MAKER, OTHER, TestProjects, now, project};

fn content(path: &str, visibility: Visibility) -> GroupContent {
    GroupContent {
        name: path.to_owned(),
        path: path.to_owned(),
        visibility,
        ..GroupContent::default()
    }
}

impl TestProjects {
    fn make(
        &self,
        user: UserId,
        content: GroupContent,
        parent: Option<NamespaceId>,
    ) -> Result<Group, NamespaceError> {
        let request = CreateGroup {
            content,
            parent,
            viewer: Viewer::User(user),
            owner: user,
            now: now(),
        };
        self.0.write(move |tx| create_group(tx, &request)).wait()
    }

    /// Creates a private group of [`MAKER`].
    fn made(&self, path: &str, parent: Option<&Group>) -> Group {
        let content = content(path, Visibility::Private);
        let parent = parent.map(|parent| parent.id);
        self.make(MAKER, content, parent).unwrap()
    }

    fn moved(
        &self,
        user: UserId,
        group: &Group,
        to: Option<&Group>,
    ) -> Result<(Group, Group), NamespaceError> {
        let (id, to) = (group.id, to.map(|to| to.id));
        self.0
            .write(move |tx| move_group(tx, id, to, Viewer::User(user), now()))
            .wait()
    }

    fn changed(&self, group: &Group, edit: GroupEdit) -> Result<(Group, Group), NamespaceError> {
        let id = group.id;
        self.0
            .write(move |tx| update_group(tx, id, &edit, now()))
            .wait()
    }
}

#[test]
fn subgroup_creation_requires_the_role_set_by_the_parent() {
    let projects = TestProjects::default();
    let top = projects.made("top", None);
    let sub = |path: &str| content(path, Visibility::Private);
    let refused = projects.make(OTHER, sub("a"), Some(top.id)).unwrap_err();
    assert!(
        matches!(refused, NamespaceError::Unknown("Group")),
        "{refused:?}"
    );
    let place = MemberSource::Namespace(top.id);
    for (level, is_permitted) in [
        (AccessLevel::Developer, false),
        (AccessLevel::Maintainer, true),
    ] {
        projects.member(OTHER, place, level, None);
        let made = projects.make(OTHER, sub("a"), Some(top.id));
        assert_eq!(made.is_ok(), is_permitted, "{level:?}");
    }
    let owners = GroupEdit {
        subgroup_creation_level: Some(SubgroupCreation::Owner),
        ..GroupEdit::default()
    };
    projects.changed(&top, owners).unwrap();
    let refused = projects.make(OTHER, sub("b"), Some(top.id)).unwrap_err();
    assert!(matches!(refused, NamespaceError::Forbidden), "{refused:?}");
}

#[test]
fn subgroups_and_projects_cannot_be_more_visible_than_their_group() {
    let projects = TestProjects::default();
    let top = projects
        .make(MAKER, content("top", Visibility::Internal), None)
        .unwrap();
    let wide = content("sub", Visibility::Public);
    let refused = projects.make(MAKER, wide, Some(top.id)).unwrap_err();
    let refused = ApiError::from(refused);
    assert_eq!(
        refused.body()["message"]["visibility"][0],
        "public is not allowed in an internal group"
    );
    projects
        .create(project(&top.namespace(), "p", Visibility::Internal))
        .unwrap();
    let narrow = GroupEdit {
        visibility: Some(Visibility::Private),
        ..GroupEdit::default()
    };
    let refused = ApiError::from(projects.changed(&top, narrow).unwrap_err());
    assert_eq!(
        refused.body()["message"]["visibility"][0],
        "private is not allowed, because there are internal projects or subgroups in the group"
    );
}

#[test]
fn groups_move_only_to_parents_that_permit_subgroup_creation() {
    let projects = TestProjects::default();
    let (top, sub) = (projects.made("top", None), projects.made("sub", None));
    let inner = projects.made("inner", Some(&sub));
    let foreign = content("foreign", Visibility::Public);
    let foreign = projects.make(OTHER, foreign, None).unwrap();
    let hidden = content("hidden", Visibility::Private);
    let hidden = projects.make(OTHER, hidden, None).unwrap();
    for (to, status) in [
        (Some(&hidden), 404),
        (Some(&foreign), 403),
        (Some(&sub), 400),
        (Some(&inner), 400),
        (None, 400),
    ] {
        let refused = ApiError::from(projects.moved(MAKER, &sub, to).unwrap_err());
        assert_eq!(refused.status(), status, "{to:?}");
    }
    let (before, after) = projects.moved(MAKER, &sub, Some(&top)).unwrap();
    let paths = [&before, &after].map(|one| one.full_path.as_str().to_owned());
    assert_eq!(paths, ["sub", "top/sub"]);
    let lineage = projects.0.read(move |tx| tx.list_lineage(inner.id)).wait();
    let lineage: Result<_, storage::StoreError> = lineage;
    let paths = lineage.unwrap();
    let last = paths.last().unwrap();
    assert_eq!((paths.len(), last.full_path.as_str()), (3, "top/sub/inner"));
}

#[test]
fn a_path_conflict_returns_409_and_changes_nothing() {
    let projects = TestProjects::default();
    let (one, _) = (projects.made("one", None), projects.made("two", None));
    let edit = GroupEdit {
        path: Some("TWO".to_owned()),
        ..GroupEdit::default()
    };
    let refused = ApiError::from(projects.changed(&one, edit).unwrap_err());
    assert_eq!(refused.status(), 409);
    let same = projects.changed(&one, GroupEdit::default()).unwrap();
    assert_eq!(same.1.full_path.as_str(), "one");
}

#[test]
fn groups_are_nested_up_to_a_bound() {
    let projects = TestProjects::default();
    let mut deepest = projects.made("g", None);
    for _ in 1..20 {
        deepest = projects.made("g", Some(&deepest));
    }
    let below = content("g", Visibility::Private);
    let refused = projects.make(MAKER, below, Some(deepest.id)).unwrap_err();
    assert!(matches!(refused, NamespaceError::Invalid(_)), "{refused:?}");
}

#[test]
fn a_move_that_nests_descendants_too_deeply_is_refused() {
    let projects = TestProjects::default();
    let top = projects.made("top", None);
    projects.made("inner", Some(&top));
    let mut deepest = projects.made("g", None);
    for _ in 1..19 {
        deepest = projects.made("g", Some(&deepest));
    }
    let refused = ApiError::from(projects.moved(MAKER, &top, Some(&deepest)).unwrap_err());
    assert_eq!(
        refused.body()["message"]["parent_id"][0],
        "nests the subgroups too deeply (maximum is 20 groups)"
    );
    assert_eq!(refused.status(), 400);
}

//! Users, groups, namespaces, projects and members.

use gitlab::api::common::{AccessLevel, NameOrId, VisibilityLevel};
use gitlab::api::{groups, namespaces, projects, users};
use serde_json::json;

use super::{Client, number, texts};

/// Users of the story.
pub(super) struct StoryUsers {
    olivia: u64,
    pub(super) ben: u64,
}

/// Groups and projects of the story.
pub(super) struct StoryPlaces {
    pub(super) group: u64,
    child: u64,
    other: u64,
    pub(super) project: u64,
}

/// Finds the users.
pub(super) fn people(client: &Client) -> StoryUsers {
    let me = client.ask(users::CurrentUser::builder().build().unwrap());
    // A single page, because the crate pages users by key, which the server supports only for projects and groups.
    let found = client.ask(users::Users::builder().username("ben").build().unwrap());
    let ben = number(&found[0], "id");
    let shown = client.ask(users::User::builder().user(ben).build().unwrap());
    assert_eq!(shown["state"], "active");
    client.refused(users::User::builder().user(999_999).build().unwrap(), 404);
    StoryUsers {
        olivia: number(&me, "id"),
        ben,
    }
}

fn group(client: &Client, path: &str, parent: Option<u64>) -> u64 {
    let mut endpoint = groups::CreateGroup::builder();
    endpoint
        .name(path)
        .path(path)
        .visibility(VisibilityLevel::Public);
    if let Some(parent) = parent {
        endpoint.parent_id(parent);
    }
    number(&client.ask(endpoint.build().unwrap()), "id")
}

/// Creates groups and projects, and changes them.
pub(super) fn create(client: &Client, people: &StoryUsers) -> StoryPlaces {
    let top = group(client, "nordic", None);
    let child = group(client, "tools", Some(top));
    let other = group(client, "baltic", None);
    let twice = groups::CreateGroup::builder()
        .name("x")
        .path("nordic")
        .build();
    client.refused(twice.unwrap(), 409);
    let edit = groups::EditGroup::builder()
        .group(top)
        .description("Ships")
        .build();
    client.tell(edit.unwrap());
    let shown = client.ask(groups::Group::builder().group("nordic").build().unwrap());
    assert_eq!(shown["description"], "Ships");
    let below = groups::subgroups::GroupSubgroups::builder()
        .group(top)
        .build();
    assert_eq!(
        texts(&client.all(below.unwrap()), "full_path"),
        ["nordic/tools"]
    );
    // Sorted by path, because the crate pages names by key, which the server supports only for callers without
    // credentials.
    let mut owned = groups::Groups::builder();
    owned.owned(true).top_level_only(true);
    owned.order_by(groups::GroupOrderBy::Path);
    let owned = client.all(owned.build().unwrap());
    assert_eq!(texts(&owned, "path"), ["baltic", "nordic"]);
    let space = client.ask(
        namespaces::Namespace::builder()
            .namespace("nordic")
            .build()
            .unwrap(),
    );
    assert_eq!(
        (&space["kind"], number(&space, "id")),
        (&json!("group"), top)
    );

    let expected = || {
        let mut endpoint = projects::CreateProject::builder();
        endpoint
            .name("Lighthouse")
            .path("lighthouse")
            .namespace_id(top);
        endpoint.build().unwrap()
    };
    let project = number(&client.ask(expected()), "id");
    client.refused(expected(), 409);
    // More rows than fit on a page of the crate, so that it requests the next one.
    for number in 0..101 {
        let mut endpoint = projects::CreateProject::builder();
        endpoint.name(format!("Buoy {number}")).namespace_id(top);
        client.tell(endpoint.build().unwrap());
    }
    let inside = groups::projects::GroupProjects::builder()
        .group(top)
        .build();
    assert_eq!(client.all(inside.unwrap()).len(), 102);
    for order in [
        projects::ProjectOrderBy::CreatedAt,
        projects::ProjectOrderBy::Id,
    ] {
        let mine = projects::Projects::builder()
            .owned(true)
            .order_by(order)
            .build();
        assert_eq!(client.all(mine.unwrap()).len(), 102);
    }
    let own = users::UserProjects::builder().user(people.olivia).build();
    assert!(client.all(own.unwrap()).is_empty());
    let places = StoryPlaces {
        group: top,
        child,
        other,
        project,
    };
    change(client, &places);
    places
}

fn change(client: &Client, places: &StoryPlaces) {
    let project = places.project;
    let show = |of: NameOrId<'static>| {
        client.ask(projects::Project::builder().project(of).build().unwrap())
    };
    let mut edit = projects::EditProject::builder();
    edit.project(project)
        .description("It shines")
        .visibility(VisibilityLevel::Public);
    client.tell(edit.build().unwrap());
    let shown = show("nordic/lighthouse".into());
    assert_eq!(
        (&shown["description"], &shown["visibility"]),
        (&json!("It shines"), &json!("public"))
    );
    client.tell(
        projects::ArchiveProject::builder()
            .project(project)
            .build()
            .unwrap(),
    );
    assert_eq!(show(project.into())["archived"], true);
    client.tell(
        projects::UnarchiveProject::builder()
            .project(project)
            .build()
            .unwrap(),
    );
    assert_eq!(show(project.into())["archived"], false);
    let share = || {
        let mut endpoint = projects::ShareProject::builder();
        endpoint
            .project(project)
            .group_id(places.other)
            .group_access(AccessLevel::Reporter);
        endpoint.build().unwrap()
    };
    client.tell(share());
    client.refused(share(), 409);
    assert_eq!(
        show(project.into())["shared_with_groups"][0]["group_id"],
        places.other
    );
    let unshare = projects::UnshareProject::builder()
        .project(project)
        .group_id(places.other)
        .build();
    client.tell(unshare.unwrap());
    assert_eq!(show(project.into())["shared_with_groups"], json!([]));
}

/// Adds members, changes them, lists them, and removes them from the group.
pub(super) fn members(client: &Client, places: &StoryPlaces, people: &StoryUsers) {
    use groups::members as of_group;
    use projects::members as of_project;
    let (group, project, ben) = (places.group, places.project, people.ben);
    let mut add = of_group::AddGroupMember::builder();
    add.group(group)
        .user(ben)
        .access_level(AccessLevel::Reporter);
    client.tell(add.build().unwrap());
    let mut edit = of_group::EditGroupMember::builder();
    edit.group(group)
        .user(ben)
        .access_level(AccessLevel::Developer);
    client.tell(edit.build().unwrap());
    let one = of_group::GroupMember::builder()
        .group(group)
        .user(ben)
        .build();
    assert_eq!(client.ask(one.unwrap())["access_level"], 30);
    let direct = of_group::GroupMembers::builder()
        .group(places.child)
        .query("ben")
        .build();
    assert!(client.all(direct.unwrap()).is_empty());
    let all = of_group::AllGroupMembers::builder()
        .group(places.child)
        .build();
    assert!(texts(&client.all(all.unwrap()), "username").contains(&"ben".to_owned()));
    let remove = of_group::RemoveGroupMember::builder()
        .group(group)
        .user(ben)
        .build();
    client.tell(remove.unwrap());

    let add = || {
        let mut add = of_project::AddProjectMember::builder();
        add.project(project)
            .user(ben)
            .access_level(AccessLevel::Guest);
        add.build().unwrap()
    };
    client.tell(add());
    client.refused(add(), 409);
    let mut edit = of_project::EditProjectMember::builder();
    edit.project(project)
        .user(ben)
        .access_level(AccessLevel::Developer);
    client.tell(edit.build().unwrap());
    let one = of_project::ProjectMember::builder()
        .project(project)
        .user(ben)
        .build();
    assert_eq!(client.ask(one.unwrap())["access_level"], 30);
    let direct = of_project::ProjectMembers::builder()
        .project(project)
        .build();
    assert!(texts(&client.all(direct.unwrap()), "username").contains(&"ben".to_owned()));
    let all = of_project::AllProjectMembers::builder()
        .project(project)
        .build();
    assert_eq!(
        texts(&client.all(all.unwrap()), "username"),
        ["ben", "olivia"]
    );
}

/// Removes the member, and deletes the project and the groups.
pub(super) fn end(client: &Client, places: &StoryPlaces, people: &StoryUsers) {
    let mut remove = projects::members::RemoveProjectMember::builder();
    client.tell(
        remove
            .project(places.project)
            .user(people.ben)
            .build()
            .unwrap(),
    );
    let show = projects::Project::builder()
        .project(places.project)
        .build()
        .unwrap();
    client.tell(
        projects::DeleteProject::builder()
            .project(places.project)
            .build()
            .unwrap(),
    );
    client.refused(show, 404);
    for group in [places.group, places.other] {
        client.tell(groups::DeleteGroup::builder().group(group).build().unwrap());
        client.refused(groups::Group::builder().group(group).build().unwrap(), 404);
    }
}

//! Labels, milestones, issues, notes and the feed.

use gitlab::api::common::SortOrder;
use gitlab::api::events::ProjectEvents;
use gitlab::api::issues::{GroupIssues, IssueMilestone, Issues, ProjectIssues};
use gitlab::api::projects::issues::{self, IssueScope, IssueState, IssueStateEvent, notes};
use gitlab::api::projects::{labels, milestones};
use serde_json::{Value, json};

use super::places::{StoryUsers, StoryPlaces};
use super::{Client, number, texts};

/// Creates labels, a milestone and issues, finds them by filters, and changes one, whose number is returned.
pub(super) fn file(client: &Client, places: &StoryPlaces, people: &StoryUsers) -> u64 {
    name_labels(client, places.project);
    let mut first = milestones::CreateProjectMilestone::builder();
    first.project(places.project).title("First light");
    let milestone = number(&client.ask(first.build().unwrap()), "id");

    let mut create = issues::CreateIssue::builder();
    create
        .project(places.project)
        .title("The lamp flickers")
        .milestone_id(milestone);
    create
        .labels(["pressing", "kind::1"])
        .assignee_id(people.ben);
    let issue = number(&client.ask(create.build().unwrap()), "iid");
    for wall in 0..101 {
        let mut create = issues::CreateIssue::builder();
        create
            .project(places.project)
            .title(format!("Paint wall {wall}"))
            .label("kind::2");
        client.tell(create.build().unwrap());
    }
    let mut create = issues::CreateIssue::builder();
    create
        .project(places.project)
        .title("A secret door")
        .confidential(true);
    client.tell(create.build().unwrap());
    let untitled = issues::CreateIssue::builder()
        .project(places.project)
        .title("")
        .build();
    client.refused(untitled.unwrap(), 400);
    find(client, places);
    change(client, places, people, issue);
    issue
}

fn name_labels(client: &Client, project: u64) {
    for name in ["urgent", "kind::1", "kind::2", "kind::3"] {
        let mut create = labels::CreateLabel::builder();
        create.project(project).name(name).color((0x33, 0x66, 0x99));
        client.tell(create.build().unwrap());
    }
    let mut again = labels::CreateLabel::builder();
    again.project(project).name("urgent").color((0, 0, 0));
    client.refused(again.build().unwrap(), 409);
    let mut edit = labels::EditLabel::builder();
    edit.project(project)
        .label("urgent")
        .new_name("pressing")
        .color((0, 255, 0));
    client.tell(edit.build().unwrap());
    let show = |name: &'static str| {
        labels::Label::builder()
            .project(project)
            .label(name)
            .build()
            .unwrap()
    };
    let shown = client.ask(show("pressing"));
    assert!(
        shown["color"]
            .as_str()
            .unwrap()
            .eq_ignore_ascii_case("#00ff00")
    );
    client.tell(
        labels::DeleteLabel::builder()
            .project(project)
            .label("kind::3")
            .build()
            .unwrap(),
    );
    client.refused(show("kind::3"), 404);
    let all = client.all(labels::Labels::builder().project(project).build().unwrap());
    assert_eq!(texts(&all, "name"), ["kind::1", "kind::2", "pressing"]);
}

fn find(client: &Client, places: &StoryPlaces) {
    let of_project = || {
        let mut list = ProjectIssues::builder();
        list.project(places.project);
        list
    };
    let count = |rows: Vec<Value>| rows.len();
    assert_eq!(count(client.all(of_project().build().unwrap())), 103);
    let urgent = client.all(of_project().label("pressing").build().unwrap());
    assert_eq!(texts(&urgent, "title"), ["The lamp flickers"]);
    let walls = of_project()
        .label("kind::2")
        .search("wall")
        .build()
        .unwrap();
    assert_eq!(count(client.all(walls)), 101);
    assert_eq!(
        count(client.all(of_project().assignee("ben").build().unwrap())),
        1
    );
    for milestone in [IssueMilestone::Any, IssueMilestone::named("First light")] {
        let due = of_project().milestone_id(milestone).build().unwrap();
        assert_eq!(count(client.all(due)), 1);
    }
    let secret = client.all(of_project().confidential(true).build().unwrap());
    assert_eq!(texts(&secret, "title"), ["A secret door"]);
    let of_group = GroupIssues::builder().group(places.group).build();
    assert_eq!(count(client.all(of_group.unwrap())), 103);
    let mine = Issues::builder().scope(IssueScope::CreatedByMe).build();
    assert_eq!(count(client.all(mine.unwrap())), 103);
}

fn change(client: &Client, places: &StoryPlaces, people: &StoryUsers, issue: u64) {
    let show = || {
        let mut one = issues::Issue::builder();
        client.ask(one.project(places.project).issue(issue).build().unwrap())
    };
    let edit = || {
        let mut edit = issues::EditIssue::builder();
        edit.project(places.project).issue(issue);
        edit
    };
    let shown = show();
    assert_eq!(shown["assignees"][0]["id"], people.ben);
    assert_eq!(shown["milestone"]["title"], "First light");
    client.tell(edit().state_event(IssueStateEvent::Close).build().unwrap());
    let mut closed = ProjectIssues::builder();
    closed.project(places.project).state(IssueState::Closed);
    assert_eq!(client.all(closed.build().unwrap()).len(), 1);
    let mut reopen = edit();
    reopen
        .state_event(IssueStateEvent::Reopen)
        .title("The lamp still flickers");
    reopen
        .remove_label("kind::1")
        .add_label("kind::2")
        .unassign();
    client.tell(reopen.build().unwrap());
    let shown = show();
    assert_eq!(
        (&shown["state"], &shown["assignees"]),
        (&json!("opened"), &json!([]))
    );
    assert_eq!(shown["labels"], json!(["kind::2", "pressing"]));
}

/// Writes notes, changes one, deletes one, and reads the feed.
pub(super) fn discuss(client: &Client, places: &StoryPlaces, issue: u64) {
    let project = places.project;
    let write = |number: u64| {
        let mut note = notes::CreateIssueNote::builder();
        note.project(project)
            .issue(issue)
            .body(format!("Seen {number}"));
        client.ask(note.build().unwrap())
    };
    let ids: Vec<u64> = (0..3).map(|seen| number(&write(seen), "id")).collect();
    let mut edit = notes::EditIssueNote::builder();
    edit.project(project)
        .issue(issue)
        .note(ids[0])
        .body("Seen at night");
    client.tell(edit.build().unwrap());
    let delete = || {
        let mut delete = notes::DeleteIssueNote::builder();
        delete
            .project(project)
            .issue(issue)
            .note(ids[1])
            .build()
            .unwrap()
    };
    client.tell(delete());
    client.refused(delete(), 404);
    let mut list = notes::IssueNotes::builder();
    list.project(project)
        .issue(issue)
        .sort(SortOrder::Ascending);
    let mut found = client.all(list.build().unwrap());
    found.retain(|note| note["system"] == false);
    assert_eq!(texts(&found, "body"), ["Seen 2", "Seen at night"]);

    let events = client.all(ProjectEvents::builder().project(project).build().unwrap());
    for expected in ["opened", "closed", "commented on"] {
        assert!(
            texts(&events, "action_name").contains(&expected.to_owned()),
            "{expected}"
        );
    }
}

/// Deletes the issue.
pub(super) fn end(client: &Client, places: &StoryPlaces, issue: u64) {
    let mut delete = issues::DeleteIssue::builder();
    client.tell(delete.project(places.project).issue(issue).build().unwrap());
    let show = issues::Issue::builder()
        .project(places.project)
        .issue(issue)
        .build();
    client.refused(show.unwrap(), 404);
}

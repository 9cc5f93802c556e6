"""A team's first week with python-gitlab: places, members, labels, milestones, issues, notes, and the end.

`python python_gitlab_story.py JSON`
"""

import json
import sys

import gitlab
from gitlab import exceptions
from gitlab.const import AccessLevel

setup = json.loads(sys.argv[1])
client = gitlab.Gitlab(setup["base_url"], private_token=setup["token"])
client.auth()


def refused(kind, status, words, call, *arguments, **named):
    """Asserts that a call fails with the library's own error."""
    try:
        call(*arguments, **named)
    except kind as error:
        assert error.response_code == status and words in str(error), error
    else:
        raise AssertionError(f"{call} was not refused")


def titles(found):
    return sorted(item.title for item in found)


def users():
    [ben] = client.users.list(username="ben", get_all=True)
    shown = client.users.get(ben.id)
    assert (shown.username, shown.state) == ("ben", "active"), shown
    assert client.users.list(username="nobody-here", get_all=True) == []
    refused(exceptions.GitlabGetError, 404, "User", client.users.get, 999_999)
    return shown


def groups(ben):
    top = client.groups.create({"name": "Nordic", "path": "nordic", "visibility": "public"})
    child = client.groups.create({"name": "Tools", "path": "tools", "parent_id": top.id})
    client.groups.create({"name": "Deep", "path": "deep", "parent_id": child.id})
    other = client.groups.create({"name": "Baltic", "path": "baltic", "visibility": "public"})
    assert client.groups.get("nordic/tools").id == child.id
    top.description = "Ships and lights"
    top.save()
    assert client.groups.get(top.id).description == "Ships and lights"
    assert [group.full_path for group in top.subgroups.list(get_all=True)] == ["nordic/tools"]
    descendants = top.descendant_groups.list(iterator=True, per_page=1)
    assert sorted(group.full_path for group in descendants) == ["nordic/tools", "nordic/tools/deep"]
    owned = client.groups.list(owned=True, top_level_only=True, get_all=True)
    assert sorted(group.path for group in owned) == ["baltic", "nordic"], owned
    child.transfer(other.id)
    assert client.groups.get("baltic/tools/deep").parent_id == child.id
    child.transfer(top.id)
    twice = {"name": "Again", "path": "nordic"}
    refused(exceptions.GitlabCreateError, 409, "taken", client.groups.create, twice)

    member = top.members.create({"user_id": ben.id, "access_level": AccessLevel.REPORTER})
    member.access_level = AccessLevel.DEVELOPER
    member.save()
    assert top.members.get(ben.id).access_level == AccessLevel.DEVELOPER
    assert child.members.list(get_all=True, query="ben") == []
    inherited = [member.username for member in child.members_all.list(get_all=True)]
    assert "ben" in inherited, inherited
    assert child.members_all.get(ben.id).username == "ben"
    member.delete()
    refused(exceptions.GitlabGetError, 404, "Not", top.members.get, ben.id)
    return top, other


def namespaces(top):
    kinds = {found.full_path: found.kind for found in client.namespaces.list(get_all=True)}
    assert kinds["nordic"] == "group" and kinds["olivia"] == "user", kinds
    assert client.namespaces.get("nordic").id == client.namespaces.get(top.id).id


def projects(top, other):
    wanted = {"name": "Lighthouse", "path": "lighthouse", "namespace_id": top.id}
    project = client.projects.create(wanted)
    refused(exceptions.GitlabCreateError, 409, "taken", client.projects.create, wanted)
    for number in range(5):
        client.projects.create({"name": f"Buoy {number}", "namespace_id": top.id})
    of_group = top.projects.list(iterator=True, per_page=2)
    assert len({project.id for project in of_group}) == 6
    mine = client.projects.list(owned=True, get_all=True, per_page=4)
    assert len({project.id for project in mine}) == len(mine) >= 6

    project.description = "It shines"
    project.visibility = "public"
    project.save()
    found = client.projects.get("nordic/lighthouse")
    assert (found.description, found.visibility) == ("It shines", "public")
    project.archive()
    assert client.projects.get(project.id).archived
    project.unarchive()
    assert not client.projects.get(project.id).archived
    project.share(other.id, AccessLevel.REPORTER)
    [share] = client.projects.get(project.id).shared_with_groups
    assert (share["group_id"], share["group_access_level"]) == (other.id, 20), share
    refused(exceptions.GitlabCreateError, 409, "", project.share, other.id, AccessLevel.GUEST)
    project.unshare(other.id)
    assert client.projects.get(project.id).shared_with_groups == []
    project.transfer(other.id)
    assert client.projects.get(project.id).path_with_namespace == "baltic/lighthouse"
    project.transfer("nordic")
    return client.projects.get(project.id)


def members(project, ben):
    member = project.members.create({"user_id": ben.id, "access_level": AccessLevel.GUEST})
    again = {"user_id": ben.id, "access_level": AccessLevel.GUEST}
    refused(exceptions.GitlabCreateError, 409, "", project.members.create, again)
    member.access_level = AccessLevel.DEVELOPER
    member.expires_at = "2099-12-31"
    member.save()
    shown = project.members.get(ben.id)
    assert (shown.access_level, shown.expires_at) == (30, "2099-12-31"), shown
    everybody = {member.username for member in project.members_all.list(iterator=True, per_page=1)}
    assert everybody == {"ben", "olivia"}, everybody
    assert {user.username for user in project.users.list(get_all=True)} == everybody


def labels(project):
    for number in range(4):
        project.labels.create({"name": f"kind::{number}", "color": "#336699"})
    label = project.labels.create({"name": "urgent", "color": "#ff0000", "description": "Now"})
    taken = {"name": "urgent", "color": "#000000"}
    refused(exceptions.GitlabCreateError, 409, "Label already exists", project.labels.create, taken)
    label.new_name = "pressing"
    label.color = "#00ff00"
    label.save()
    assert project.labels.get("pressing").color.lower() == "#00ff00"
    assert len({label.name for label in project.labels.list(iterator=True, per_page=2)}) == 5
    [found] = project.labels.list(search="press", get_all=True)
    assert found.name == "pressing", found
    project.labels.delete("kind::3")
    refused(exceptions.GitlabGetError, 404, "Label", project.labels.get, "kind::3")


def milestones(project):
    later = project.milestones.create({"title": "Later"})
    first = project.milestones.create({"title": "First light", "due_date": "2030-01-31"})
    assert titles(project.milestones.list(iterator=True, per_page=1)) == ["First light", "Later"]
    later.state_event = "close"
    later.save()
    assert titles(project.milestones.list(state="closed", get_all=True)) == ["Later"]
    assert project.milestones.get(first.id).due_date == "2030-01-31"
    later.delete()
    assert titles(project.milestones.list(get_all=True)) == ["First light"]
    return first


def issues(top, project, milestone, ben):
    made = project.issues.create(
        {
            "title": "The lamp flickers",
            "description": "It does, **often**.",
            "labels": ["pressing", "kind::1"],
            "assignee_ids": [ben.id],
            "milestone_id": milestone.id,
            "due_date": "2030-01-15",
        }
    )
    issue = project.issues.get(made.iid)
    assert sorted(issue.labels) == ["kind::1", "pressing"], issue.labels
    assert [user["username"] for user in issue.assignees] == ["ben"]
    assert issue.milestone["title"] == "First light" and issue.due_date == "2030-01-15"
    assert issue.author["username"] == "olivia"
    for number in range(4):
        project.issues.create({"title": f"Paint wall {number}", "labels": "kind::2"})
    project.issues.create({"title": "A secret door", "confidential": True})

    everything = project.issues.list(iterator=True, per_page=2)
    assert len({issue.iid for issue in everything}) == 6
    assert titles(project.issues.list(labels=["pressing"], get_all=True)) == ["The lamp flickers"]
    assert len(project.issues.list(labels=["kind::2"], search="wall", get_all=True)) == 4
    assert len(project.issues.list(assignee_id=ben.id, milestone="First light", get_all=True)) == 1
    assert titles(project.issues.list(confidential=True, get_all=True)) == ["A secret door"]
    assert len(top.issues.list(get_all=True)) == 6
    assert len(client.issues.list(scope="created_by_me", get_all=True)) == 6
    assert titles(milestone.issues()) == ["The lamp flickers"]

    issue.state_event = "close"
    issue.save()
    assert project.issues.get(issue.iid).state == "closed"
    assert titles(project.issues.list(state="closed", get_all=True)) == ["The lamp flickers"]
    counts = project.issues_statistics.get().statistics["counts"]
    assert counts == {"all": 6, "closed": 1, "opened": 5}, counts
    assert top.issues_statistics.get().statistics["counts"] == counts
    assert client.issues_statistics.get(scope="all").statistics["counts"]["all"] >= 6
    issue.state_event = "reopen"
    issue.title = "The lamp still flickers"
    issue.labels = ["kind::0"]
    issue.assignee_ids = []
    issue.save()
    issue = project.issues.get(issue.iid)
    assert (issue.state, issue.labels, issue.assignees) == ("opened", ["kind::0"], []), issue
    refused(exceptions.GitlabCreateError, 400, "title", project.issues.create, {"title": ""})
    return issue


def notes(issue):
    written = [issue.notes.create({"body": f"Seen {number}"}) for number in range(5)]
    written[0].body = "Seen at night"
    written[0].save()
    assert issue.notes.get(written[0].id).body == "Seen at night"
    written[1].delete()
    refused(exceptions.GitlabGetError, 404, "Not", issue.notes.get, written[1].id)
    listed = issue.notes.list(iterator=True, per_page=2, order_by="created_at", sort="asc")
    people = [note.body for note in listed if not note.system]
    assert people == ["Seen at night", "Seen 2", "Seen 3", "Seen 4"], people


def archives(project):
    export = project.exports.create()
    export.refresh()
    assert export.export_status == "finished", export
    packed = export.download()
    wanted = {"description": "It shines twice", "visibility": "private"}
    call = client.projects.import_project
    made = call(packed, "lighthouse-two", namespace="nordic", override_params=wanted)
    assert (made["import_status"], made["failed_relations"]) == ("finished", []), made
    copy = client.projects.get(made["id"])
    assert copy.imports.get().import_status == "finished"
    assert (copy.description, copy.visibility) == ("It shines twice", "private"), copy

    def inside(of):
        found = of.issues.list(iterator=True)
        return {(one.iid, one.title, one.created_at, one.user_notes_count) for one in found}

    assert inside(copy) == inside(project) and len(inside(copy)) == 6, inside(copy)
    names = [{label.name for label in of.labels.list(get_all=True)} for of in (copy, project)]
    assert names[0] == names[1] and "pressing" in names[0], names
    error = exceptions.GitlabImportError
    refused(error, 409, "path", call, packed, "lighthouse-two", namespace="nordic")
    refused(error, 400, "overwrite is not supported", call, packed, "other", overwrite=True)
    refused(error, 400, "gzip", call, b"no archive", "other")


def feed(project):
    events = list(project.events.list(iterator=True, per_page=3))
    assert len({event.id for event in events}) == len(events)
    seen = {(event.action_name, event.target_type) for event in events}
    assert {("opened", "Issue"), ("closed", "Issue"), ("commented on", "Note")} <= seen, seen
    html = client.markdown("**Ask** @ben, ~pressing", gfm=True, project="nordic/lighthouse")
    assert "<strong>" in html and "reference-user" in html and "label_name" in html, html


def the_end(top, project, issue, ben):
    issue.delete()
    refused(exceptions.GitlabGetError, 404, "Not", project.issues.get, issue.iid)
    project.members.delete(ben.id)
    refused(exceptions.GitlabGetError, 404, "Not", project.members.get, ben.id)
    project.delete()
    refused(exceptions.GitlabGetError, 404, "Project Not Found", client.projects.get, project.id)
    project.restore()
    assert client.projects.get(project.id).path_with_namespace == "nordic/lighthouse"
    top.delete()
    refused(exceptions.GitlabGetError, 404, "Group Not Found", client.groups.get, top.id)
    top.restore()
    assert client.groups.get("nordic").id == top.id
    client.groups.delete(top.id)
    refused(exceptions.GitlabGetError, 404, "Group Not Found", client.groups.get, "nordic")


ben = users()
top, other = groups(ben)
namespaces(top)
project = projects(top, other)
members(project, ben)
labels(project)
milestone = milestones(project)
issue = issues(top, project, milestone, ben)
notes(issue)
archives(project)
feed(project)
the_end(top, project, issue, ben)
print("groups, projects, members, issues and notes, made and gone")

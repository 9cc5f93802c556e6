// A team's first week with @gitbeaker/rest: places, members, labels, milestones, issues and notes, and the end of it all.
// `node gitbeaker_story.mjs PACKAGES JSON`

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [packages, json] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const { Gitlab, GitbeakerRequestError } = await import(pathToFileURL(require.resolve("@gitbeaker/rest")));
const setup = JSON.parse(json);
const api = new Gitlab({ host: setup.base_url, token: setup.token });

// Asserts that a call fails with the library's own error.
async function refused(status, words, call) {
  await assert.rejects(call, (error) => {
    assert(error instanceof GitbeakerRequestError, String(error));
    assert.equal(error.cause.response.status, status, error.cause.description);
    assert.match(error.cause.description, words);
    return true;
  });
}

const sorted = (items, name) => items.map((item) => item[name]).sort();

async function users() {
  const me = await api.Users.showCurrentUser();
  assert.equal(me.username, "olivia");
  const [ben] = await api.Users.all({ username: "ben" });
  assert.equal((await api.Users.show(ben.id)).state, "active");
  assert.deepEqual(await api.Users.all({ username: "nobody-here" }), []);
  await refused(404, /User/, () => api.Users.show(999_999));
  return { me, ben };
}

async function groups(ben) {
  const top = await api.Groups.create("Nordic", "nordic", { visibility: "public" });
  const child = await api.Groups.create("Tools", "tools", { parentId: top.id });
  await api.Groups.create("Deep", "deep", { parentId: child.id });
  const other = await api.Groups.create("Baltic", "baltic", { visibility: "public" });
  assert.equal((await api.Groups.show("nordic/tools")).id, child.id);
  await api.Groups.edit(top.id, { description: "Ships and lights" });
  assert.equal((await api.Groups.show(top.id)).description, "Ships and lights");
  assert.deepEqual(sorted(await api.Groups.allSubgroups(top.id), "full_path"), ["nordic/tools"]);
  const descendants = await api.Groups.allDescendantGroups(top.id, { perPage: 1 });
  assert.deepEqual(sorted(descendants, "full_path"), ["nordic/tools", "nordic/tools/deep"]);
  const owned = await api.Groups.all({ owned: true, topLevelOnly: true });
  assert.deepEqual(sorted(owned, "path"), ["baltic", "nordic"]);
  assert.deepEqual(sorted(await api.Groups.search("balt"), "path"), ["baltic"]);
  await api.Groups.transfer(child.id, { groupId: other.id });
  assert.equal((await api.Groups.show("baltic/tools/deep")).parent_id, child.id);
  await api.Groups.transfer(child.id, { groupId: top.id });
  await refused(409, /taken/, () => api.Groups.create("Again", "nordic"));

  await api.GroupMembers.add(top.id, 20, { userId: ben.id });
  await api.GroupMembers.edit(top.id, ben.id, 30);
  assert.equal((await api.GroupMembers.show(top.id, ben.id)).access_level, 30);
  assert.deepEqual(await api.GroupMembers.all(child.id, { query: "ben" }), []);
  const inherited = await api.GroupMembers.all(child.id, { includeInherited: true });
  assert(sorted(inherited, "username").includes("ben"));
  const shown = await api.GroupMembers.show(child.id, ben.id, { includeInherited: true });
  assert.equal(shown.username, "ben");
  await api.GroupMembers.remove(top.id, ben.id);
  await refused(404, /Not [Ff]ound/, () => api.GroupMembers.show(top.id, ben.id));
  return { top, other };
}

async function namespaces(top) {
  const all = await api.Namespaces.all();
  assert.equal(all.find((found) => found.full_path === "nordic").kind, "group");
  assert.equal(all.find((found) => found.full_path === "olivia").kind, "user");
  assert.equal((await api.Namespaces.show("nordic")).id, (await api.Namespaces.show(top.id)).id);
}

async function projects({ top, other }, me) {
  const wanted = { name: "Lighthouse", path: "lighthouse", namespaceId: top.id };
  const { id } = await api.Projects.create(wanted);
  await refused(409, /taken/, () => api.Projects.create(wanted));
  for (let number = 0; number < 5; number += 1) {
    await api.Projects.create({ name: `Buoy ${number}`, namespaceId: top.id });
  }
  const ofGroup = await api.Groups.allProjects(top.id, { perPage: 2 });
  assert.equal(new Set(sorted(ofGroup, "id")).size, 6);
  const byKeyset = await api.Projects.all({
    owned: true, pagination: "keyset", orderBy: "id", sort: "asc", perPage: 4,
  });
  assert.equal(new Set(sorted(byKeyset, "id")).size, 6);
  const { data, paginationInfo } = await api.Projects.all({
    owned: true, perPage: 4, page: 2, maxPages: 1, showExpanded: true,
  });
  assert.deepEqual([data.length, paginationInfo.total, paginationInfo.totalPages], [2, 6, 2]);
  const own = await api.Projects.create({ name: "Own things" });
  assert.deepEqual(sorted(await api.Users.allProjects(me.id), "path"), ["own-things"]);
  await api.Projects.remove(own.id);

  await api.Projects.edit(id, { description: "It shines", visibility: "public" });
  const edited = await api.Projects.show("nordic/lighthouse");
  assert.deepEqual([edited.description, edited.visibility], ["It shines", "public"]);
  assert.equal((await api.Projects.archive(id)).archived, true);
  assert.equal((await api.Projects.unarchive(id)).archived, false);
  await api.Projects.share(id, other.id, 20);
  const [share] = (await api.Projects.show(id)).shared_with_groups;
  assert.deepEqual([share.group_id, share.group_access_level], [other.id, 20]);
  await refused(409, /./, () => api.Projects.share(id, other.id, 10));
  await api.Projects.unshare(id, other.id);
  assert.deepEqual((await api.Projects.show(id)).shared_with_groups, []);
  await api.Projects.transfer(id, other.id);
  assert.equal((await api.Projects.show(id)).path_with_namespace, "baltic/lighthouse");
  await api.Projects.transfer(id, "nordic");
  return id;
}

async function members(project, ben) {
  await api.ProjectMembers.add(project, 10, { userId: ben.id });
  await refused(409, /./, () => api.ProjectMembers.add(project, 10, { userId: ben.id }));
  await api.ProjectMembers.edit(project, ben.id, 30, { expiresAt: "2099-12-31" });
  const shown = await api.ProjectMembers.show(project, ben.id);
  assert.deepEqual([shown.access_level, shown.expires_at], [30, "2099-12-31"]);
  const everybody = await api.ProjectMembers.all(project, { includeInherited: true, perPage: 1 });
  assert.deepEqual(sorted(everybody, "username"), ["ben", "olivia"]);
  assert.deepEqual(sorted(await api.Projects.allUsers(project), "username"), ["ben", "olivia"]);
}

async function labels(project) {
  for (let number = 0; number < 4; number += 1) {
    await api.ProjectLabels.create(project, `kind::${number}`, "#336699");
  }
  const made = await api.ProjectLabels.create(project, "urgent", "#ff0000", { description: "Now" });
  await refused(409, /already exists/, () => api.ProjectLabels.create(project, "urgent", "#000000"));
  await api.ProjectLabels.edit(project, made.id, { newName: "pressing", color: "#00ff00" });
  assert.equal((await api.ProjectLabels.show(project, "pressing")).id, made.id);
  assert.equal((await api.ProjectLabels.all(project, { perPage: 2 })).length, 5);
  await api.ProjectLabels.remove(project, "kind::3");
  await refused(404, /Label/, () => api.ProjectLabels.show(project, "kind::3"));
}

async function milestones(project) {
  const later = await api.ProjectMilestones.create(project, "Later");
  const first = await api.ProjectMilestones.create(project, "First light", { dueDate: "2030-01-31" });
  const both = await api.ProjectMilestones.all(project, { perPage: 1 });
  assert.deepEqual(sorted(both, "title"), ["First light", "Later"]);
  await api.ProjectMilestones.edit(project, later.id, { stateEvent: "close" });
  const closed = await api.ProjectMilestones.all(project, { state: "closed" });
  assert.deepEqual(sorted(closed, "title"), ["Later"]);
  assert.equal((await api.ProjectMilestones.show(project, first.id)).due_date, "2030-01-31");
  await api.ProjectMilestones.remove(project, later.id);
  assert.equal((await api.ProjectMilestones.all(project)).length, 1);
  return first;
}

async function issues(group, project, milestone, ben) {
  const made = await api.Issues.create(project, "The lamp flickers", {
    description: "It does, **often**.",
    labels: "pressing,kind::1",
    assigneeIds: [ben.id],
    milestoneId: milestone.id,
    dueDate: "2030-01-15",
  });
  const shown = await api.Issues.show(made.iid, { projectId: project });
  assert.deepEqual([...shown.labels].sort(), ["kind::1", "pressing"]);
  assert.deepEqual(sorted(shown.assignees, "username"), ["ben"]);
  assert.deepEqual([shown.milestone.title, shown.due_date], ["First light", "2030-01-15"]);
  for (let number = 0; number < 4; number += 1) {
    await api.Issues.create(project, `Paint wall ${number}`, { labels: "kind::2" });
  }
  await api.Issues.create(project, "A secret door", { confidential: true });

  const list = async (filter) => sorted(await api.Issues.all({ projectId: project, ...filter }), "title");
  assert.equal((await list({ perPage: 2 })).length, 6);
  assert.deepEqual(await list({ labels: "pressing" }), ["The lamp flickers"]);
  assert.equal((await list({ labels: "kind::2", search: "wall" })).length, 4);
  assert.equal((await list({ assigneeId: ben.id, milestone: "First light" })).length, 1);
  assert.equal((await list({ not: { labels: "kind::2" } })).length, 2);
  assert.deepEqual(await list({ confidential: true }), ["A secret door"]);
  assert.equal((await api.Issues.all({ groupId: group })).length, 6);
  assert.equal((await api.Issues.all({ scope: "created_by_me" })).length, 6);
  const due = await api.ProjectMilestones.allAssignedIssues(project, milestone.id);
  assert.deepEqual(sorted(due, "title"), ["The lamp flickers"]);

  await api.Issues.edit(project, made.iid, { stateEvent: "close" });
  assert.deepEqual(await list({ state: "closed" }), ["The lamp flickers"]);
  const expected = { all: 6, closed: 1, opened: 5 };
  for (const place of [{ projectId: project }, { groupId: group }, { scope: "created_by_me" }]) {
    const { statistics } = await api.IssuesStatistics.all(place);
    assert.deepEqual({ ...statistics.counts }, expected);
  }
  const edited = await api.Issues.edit(project, made.iid, {
    stateEvent: "reopen", title: "The lamp still flickers", addLabels: "kind::0", removeLabels: "kind::1", assigneeIds: [],
  });
  assert.deepEqual([edited.state, [...edited.labels].sort()], ["opened", ["kind::0", "pressing"]]);
  await refused(400, /title/, () => api.Issues.create(project, ""));
  return made.iid;
}

async function notes(project, issue) {
  const written = [];
  for (let number = 0; number < 5; number += 1) {
    written.push(await api.IssueNotes.create(project, issue, `Seen ${number}`));
  }
  await api.IssueNotes.edit(project, issue, written[0].id, { body: "Seen at night" });
  assert.equal((await api.IssueNotes.show(project, issue, written[0].id)).body, "Seen at night");
  await api.IssueNotes.remove(project, issue, written[1].id);
  await refused(404, /Not/, () => api.IssueNotes.show(project, issue, written[1].id));
  const all = await api.IssueNotes.all(project, issue, { perPage: 2, sort: "asc" });
  const people = all.filter((note) => !note.system).map((note) => note.body);
  assert.deepEqual(people, ["Seen at night", "Seen 2", "Seen 3", "Seen 4"]);
}

async function feed(project) {
  const events = await api.Events.all({ projectId: project, perPage: 3 });
  assert.equal(new Set(sorted(events, "id")).size, events.length);
  const seen = new Set(events.map((event) => `${event.action_name} ${event.target_type}`));
  for (const wanted of ["opened Issue", "closed Issue", "commented on Note"]) assert(seen.has(wanted), wanted);
  const text = "**Ask** @ben, ~pressing";
  const { html } = await api.Markdown.render(text, { gfm: true, project: "nordic/lighthouse" });
  for (const wanted of ["<strong>", "reference-user", "label_name"]) assert(html.includes(wanted), html);
}

async function theEnd(group, project, issue, ben) {
  await api.Issues.remove(project, issue);
  await refused(404, /Not/, () => api.Issues.show(issue, { projectId: project }));
  await api.ProjectMembers.remove(project, ben.id);
  await refused(404, /Not/, () => api.ProjectMembers.show(project, ben.id));
  await api.Projects.remove(project);
  await refused(404, /Project/, () => api.Projects.show(project));
  await api.Projects.restore(project);
  assert.equal((await api.Projects.show(project)).path_with_namespace, "nordic/lighthouse");
  await api.Groups.remove(group);
  await refused(404, /Group/, () => api.Groups.show(group));
  await api.Groups.restore(group);
  assert.equal((await api.Groups.show("nordic")).id, group);
  await api.Groups.remove(group);
  await refused(404, /Group/, () => api.Groups.show("nordic"));
}

const { me, ben } = await users();
const places = await groups(ben);
await namespaces(places.top);
const project = await projects(places, me);
await members(project, ben);
await labels(project);
const milestone = await milestones(project);
const issue = await issues(places.top.id, project, milestone, ben);
await notes(project, issue);
await feed(project);
await theEnd(places.top.id, project, issue, ben);
console.log("groups, projects, members, issues and notes, made and gone");

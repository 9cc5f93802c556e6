// What a team automates with @gitbeaker/rest: tokens of all kinds, images, snippets, runners, audit events and users.
// `node gitbeaker_new_story.mjs PACKAGES JSON`

import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

const [packages, json] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const { Gitlab, GitbeakerRequestError } = await import(pathToFileURL(require.resolve("@gitbeaker/rest")));
const setup = JSON.parse(json);
const client = (token) => new Gitlab({ host: setup.base_url, token });
const api = client(setup.token);
const admin = client(setup.admin_token);

// Asserts that a call fails with the library's own error.
async function refused(status, call) {
  await assert.rejects(call, (error) => {
    assert(error instanceof GitbeakerRequestError, String(error));
    assert.equal(error.cause.response.status, status, error.cause.description);
    return true;
  });
}

const sorted = (items, name) => items.map((item) => item[name]).sort();
const soon = new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10);

async function accessTokens(group, project) {
  const user = await api.Users.showCurrentUser();
  const created = await admin.PersonalAccessTokens.create(user.id, "deploy", ["api"], { expiresAt: soon });
  assert.equal((await api.PersonalAccessTokens.show({ tokenId: created.id })).name, "deploy");
  assert(sorted(await api.PersonalAccessTokens.all({ userId: user.id }), "name").includes("deploy"));
  const rotated = await client(created.token).PersonalAccessTokens.rotate("self", { expiresAt: soon });
  await refused(401, () => client(created.token).Users.showCurrentUser());
  await api.PersonalAccessTokens.remove({ tokenId: rotated.id });
  await refused(401, () => client(rotated.token).Users.showCurrentUser());

  for (const [tokens, place] of [[api.ProjectAccessTokens, project], [api.GroupAccessTokens, group]]) {
    const bot = await tokens.create(place.id, "bot", ["api"], soon, { accessLevel: 30 });
    assert.match((await client(bot.token).Users.showCurrentUser()).username, /bot/);
    assert.deepEqual(sorted(await tokens.all(place.id), "name"), ["bot"]);
    assert.equal((await tokens.show(place.id, bot.id)).access_level, 30);
    const next = await tokens.rotate(place.id, bot.id, { expiresAt: soon });
    await tokens.revoke(place.id, next.id);
    await refused(401, () => client(next.token).Users.showCurrentUser());
  }

  const deploy = await api.DeployTokens.create("pull", ["read_registry"], { projectId: project.id });
  assert.match(deploy.token, /./);
  await api.DeployTokens.create("all", ["read_registry"], { groupId: group.id });
  assert.equal((await api.DeployTokens.show(deploy.id, { projectId: project.id })).name, "pull");
  assert.deepEqual(sorted(await api.DeployTokens.all({ groupId: group.id }), "name"), ["all"]);
  assert.deepEqual(sorted(await admin.DeployTokens.all(), "name"), ["all", "pull"]);
  await api.DeployTokens.remove(deploy.id, { projectId: project.id });
  assert.deepEqual(await api.DeployTokens.all({ projectId: project.id }), []);
}

async function images(group, project) {
  const query = `service=container_registry&scope=repository:${project.path_with_namespace}:pull,push`;
  const credentials = Buffer.from(`olivia:${setup.token}`).toString("base64");
  const headers = { Authorization: `Basic ${credentials}` };
  assert.equal((await fetch(`${setup.base_url}/jwt/auth?${query}`, { headers })).status, 200);

  const registry = api.ContainerRegistry;
  const [found] = await registry.allRepositories({ projectId: project.id, tags: true });
  assert.deepEqual(sorted(found.tags, "name"), ["latest", "v1", "v2"]);
  assert.deepEqual(sorted(await registry.allRepositories({ groupId: group.id }), "id"), [found.id]);
  assert.equal((await registry.showRepository(found.id, { tagsCount: true })).tags_count, 3);
  assert.equal((await registry.showTag(project.id, found.id, "v1")).total_size, 12);
  await registry.removeTag(project.id, found.id, "v1");
  await registry.removeTags(project.id, found.id, "v.*", { keepN: 0, olderThan: "1h", nameRegexKeep: "v9" });
  await refused(400, () => registry.removeTags(project.id, found.id, ".*"));
  for (let tries = 0; (await registry.allTags(project.id, found.id)).length !== 1; tries += 1) {
    assert(tries < 1000, "the job deletes the tag");
  }
  await registry.removeRepository(project.id, found.id);
  assert.deepEqual(await registry.allRepositories({ projectId: project.id }), []);
}

async function snippets(project) {
  const own = await api.Snippets.create("Notes", { files: [{ filePath: "a.md", content: "*a*" }], visibility: "private" });
  assert.equal(await api.Snippets.showContent(own.id), "*a*");
  await api.Snippets.edit(own.id, { title: "More notes" });
  assert.equal((await api.Snippets.show(own.id)).title, "More notes");
  assert.deepEqual(sorted(await api.Snippets.all(), "title"), ["More notes"]);
  await api.Snippets.remove(own.id);
  await refused(404, () => api.Snippets.show(own.id));
  const files = [{ filePath: "b.txt", content: "b" }];
  const shared = await api.ProjectSnippets.create(project.id, "Code", { files, visibility: "private" });
  assert.equal(await api.ProjectSnippets.showRepositoryFileContent(project.id, shared.id, "main", "b.txt"), "b");
  await api.ProjectSnippets.edit(project.id, shared.id, { description: "old" });
  assert.deepEqual(sorted(await api.ProjectSnippets.all(project.id), "description"), ["old"]);
  await api.ProjectSnippets.remove(project.id, shared.id);
}

async function runners(group, project) {
  const runner = await api.Users.createCIRunner("project_type", { projectId: project.id, description: "big", tagList: ["a"] });
  assert.equal((await api.Runners.verify({ token: runner.token })).id ?? runner.id, runner.id);
  await api.Runners.edit(runner.id, { description: "bigger" });
  assert.equal((await api.Runners.show(runner.id)).description, "bigger");
  assert.deepEqual(sorted(await api.Runners.all({ projectId: project.id }), "id"), [runner.id]);
  assert.deepEqual(sorted(await api.Runners.all({ owned: true }), "id"), [runner.id]);
  assert.deepEqual(await api.Runners.all({ groupId: group.id }), []);
  assert.deepEqual(sorted(await admin.Runners.all(), "id"), [runner.id]);
  assert.deepEqual(await api.Runners.allJobs(runner.id), []);
  await refused(403, () => api.Runners.all());
  await api.Runners.remove({ runnerId: runner.id });
  await refused(404, () => api.Runners.show(runner.id));
}

async function people(group, project) {
  const carl = await admin.Users.create({
    username: "carl", name: "Carl", email: "carl@example.com", password: "a long pass phrase",
  });
  await admin.Users.edit(carl.id, { name: "Karl" });
  await admin.Users.block(carl.id);
  assert.equal((await admin.Users.show(carl.id)).state, "blocked");
  await admin.Users.unblock(carl.id);
  const lent = await admin.UserImpersonationTokens.create(carl.id, "support", ["api"], { expiresAt: soon });
  assert.equal((await client(lent.token).Users.showCurrentUser()).username, "carl");
  assert.deepEqual(sorted(await admin.UserImpersonationTokens.all(carl.id), "name"), ["support"]);
  await admin.UserImpersonationTokens.revoke(carl.id, lent.id);
  assert.equal((await admin.UserImpersonationTokens.show(carl.id, lent.id)).active, false);
  await api.ProjectMembers.add(project.id, 20, { userId: carl.id });
  assert.deepEqual(sorted(await admin.Users.allMemberships(carl.id), "source_name"), ["Web"]);
  await admin.Users.remove(carl.id, { hardDelete: true });

  for (const place of [{ projectId: project.id }, { groupId: group.id }]) {
    const entries = await api.AuditEvents.all(place);
    assert(entries.length > 0);
    assert.equal((await api.AuditEvents.show(entries[0].id, place)).id, entries[0].id);
  }
  assert((await admin.AuditEvents.all({ perPage: 5, maxPages: 1 })).length > 0);
  await refused(403, () => api.AuditEvents.all());
  await api.Issues.create(project.id, "An issue");
  assert((await api.Events.all({ scope: "all" })).some((event) => event.target_title === "An issue"));
  const me = await api.Users.showCurrentUser();
  assert((await api.Users.allEvents(me.id)).some((event) => event.target_title === "An issue"));
}

const group = await api.Groups.create("Node", "node");
const project = await api.Projects.create({ name: "Web", namespaceId: group.id, visibility: "private" });
await accessTokens(group, project);
await images(group, project);
await snippets(project);
await runners(group, project);
await people(group, project);
await api.Projects.remove(project.id);
await api.Groups.remove(group.id);
console.log("groups, projects, members, issues and notes, created and deleted");

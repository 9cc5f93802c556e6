// What Owners of groups see and do in a real browser. `node groups.mjs PACKAGES CHROMIUM JSON`

import assert from "node:assert/strict";

import { close, inspect, signIn, story, setup } from "./window.mjs";

await story("a group and a subgroup are made", async (page) => {
  await signIn(page);
  await page.locator("details.own > summary").click();
  await page.getByRole("link", { name: "Groups" }).click();
  await page.waitForURL(/\/dashboard\/groups$/);
  await inspect(page, "groups");
  await page.goto("/dashboard/groups?search=nothing");
  await inspect(page, "no group matches");
  await page.getByRole("link", { name: "Clear", exact: true }).click();
  await page.getByRole("link", { name: "New group" }).click();
  await inspect(page, "new group");
  await page.getByLabel("Name", { exact: true }).fill("Platform & tools");
  await page.getByLabel("Path", { exact: true }).fill("acme");
  await page.getByLabel("Description").fill("What **all** teams stand on:\n\n- build\n- run");
  await page.getByRole("button", { name: "Create the group" }).click();
  await page.getByText("The path has already been taken.").waitFor();
  await inspect(page, "group refused");
  await page.getByLabel("Path", { exact: true }).fill("platform");
  await page.getByRole("button", { name: "Create the group" }).click();
  await page.getByText("Group created.").waitFor();
  await inspect(page, "group without projects");
  await page.getByRole("link", { name: "New subgroup" }).click();
  await page.getByLabel("Name", { exact: true }).fill("x".repeat(255));
  await page.getByLabel("Path", { exact: true }).fill("night");
  await page.getByRole("button", { name: "Create the subgroup" }).click();
  await page.getByText("Group created.").waitFor();
  await inspect(page, "subgroup");
  const way = page.getByRole("navigation", { name: "Breadcrumb" });
  await way.getByRole("link", { name: "Platform & tools" }).click();
  await page.waitForURL(/\/groups\/platform$/);
  await inspect(page, "group with subgroups");
  await page.goto("/groups/acme");
  await inspect(page, "group with projects");
});

await story("members are added and changed, and a project is shared", async (page) => {
  await signIn(page);
  await page.goto("/acme/web-shop");
  await page.locator("nav.side").getByRole("link", { name: "Members" }).click();
  await inspect(page, "members of a project");
  await page.getByText("Add a member").click();
  await page.getByLabel("Username", { exact: true }).fill("rita");
  await page.getByRole("button", { name: "Add the member" }).click();
  await page.getByText("The role should be greater than or equal to Reporter").waitFor();
  await inspect(page, "member refused");
  await page.getByLabel("Role").first().selectOption("Maintainer");
  await page.getByLabel("Expires on").first().fill("2999-12-31");
  await page.getByRole("button", { name: "Add the member" }).click();
  await page.getByText("Member added.").waitFor();
  await page.getByText("Share the project with a group").click();
  await page.getByLabel("Full path of the group").fill("platform");
  await page.getByRole("button", { name: "Share the project" }).click();
  await page.getByText("Project shared with the group.").waitFor();
  await inspect(page, "members and shares");
  await page.getByRole("link", { name: "Edit the role of rita" }).click();
  await inspect(page, "member");
  await page.getByLabel("Role").selectOption("Developer");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Member saved.").waitFor();
  await page.getByRole("button", { name: "Remove the share with platform" }).click();
  await page.getByText("Share removed.").waitFor();
  await page.goto("/groups/acme/-/group_members");
  await inspect(page, "members of a group");
});

await story("a group gets an access token, which is shown once and revoked", async (page) => {
  await signIn(page);
  await page.goto("/groups/acme/-/group_members");
  await page.getByRole("link", { name: "Access tokens" }).click();
  await inspect(page, "tokens of a group");
  await page.getByLabel("Name").fill("Deploy");
  await page.getByLabel("Role").selectOption("20");
  await page.getByLabel("read_api", { exact: true }).check();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Token created.").waitFor();
  await inspect(page, "token of a group created");
  const token = await page.locator(".secret code").innerText();
  const user = () => fetch(`${setup.base_url}/api/v4/user`, { headers: { "private-token": token } });
  assert.equal((await (await user()).json()).name, "Deploy");
  await page.getByRole("button", { name: "Revoke Deploy" }).click();
  await page.getByText("Token revoked.").waitFor();
  assert.equal((await user()).status, 401);
});

await story("an administrator sees all runners, and resets a registration token", async (page) => {
  await signIn(page);
  await page.goto("/acme/web-shop/-/settings/runners");
  await page.getByLabel("Description").fill(`A machine with a ${"very ".repeat(30)}long name`);
  await page.getByLabel("Tags").fill("linux, big");
  await page.getByRole("button", { name: "Create runner" }).click();
  await page.getByText("Token of the new runner").waitFor();
  await page.goto("/admin/runners");
  await page.getByRole("button", { name: "Reset registration token" }).click();
  await page.getByText("New registration token").waitFor();
  await inspect(page, "all runners");
  await page.getByRole("button", { name: /^Pause / }).click();
  await page.getByText("Runner paused.").waitFor();
});

await story("a group is changed, deleted and restored", async (page) => {
  await signIn(page);
  await page.goto("/groups/platform");
  await page.locator("nav.side").getByRole("link", { name: "Settings" }).click();
  await page.getByText("Move the group", { exact: true }).first().click();
  await page.getByText("Delete the group", { exact: true }).first().click();
  await inspect(page, "group settings");
  await page.getByLabel("Full path of the group", { exact: true }).fill("acme");
  await page.getByRole("button", { name: "Delete the group" }).click();
  await page.getByText("The full path does not match").waitFor();
  await inspect(page, "group deletion refused");
  await page.getByLabel("Full path of the group", { exact: true }).fill("platform");
  await page.getByRole("button", { name: "Delete the group" }).click();
  await page.getByText("Group scheduled for deletion.").waitFor();
  await inspect(page, "group deletion");
  await page.getByRole("button", { name: "Restore the group" }).click();
  await page.getByText("Group restored").waitFor();
  assert.equal(new URL(page.url()).pathname, "/groups/platform");
});

await story("a user is looked at, and everything works without a script", async (page, context) => {
  await signIn(page);
  await page.goto("/dev");
  await inspect(page, "user");
  const still = await context.browser().newContext({ baseURL: setup.base_url, javaScriptEnabled: false });
  const quiet = await still.newPage();
  await signIn(quiet);
  await quiet.setViewportSize({ width: 390, height: 800 });
  await quiet.goto("/groups/acme");
  await quiet.locator("details.side-fold > summary").click();
  await quiet.locator("details.side-fold").getByRole("link", { name: "Members" }).click();
  await quiet.getByText("Add a member").click();
  await quiet.getByLabel("Username", { exact: true }).fill("nobody");
  await quiet.getByRole("button", { name: "Add the member" }).click();
  await quiet.getByText("The user does not exist").waitFor();
  await still.close();
});

await close();

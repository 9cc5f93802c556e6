// What people do with projects, alert endpoints and issues in a real browser.
// `node places.mjs PACKAGES CHROMIUM JSON`
//
// Every page is looked at light and dark, on a desk, on a tablet and on a phone; axe looks, too. The one who is signed in
// owns the demo's project.

import assert from "node:assert/strict";

import { close, inspect, signIn, story, setup } from "./window.mjs";

const PROJECT = "/acme/web-shop";

await story("a project is made, refused beside the field, and set up", async (page) => {
  await signIn(page);
  await inspect(page, "home");
  await page.getByRole("link", { name: "New project" }).click();
  await inspect(page, "new project");
  await page.getByLabel("Name", { exact: true }).fill("Checkout");
  await page.getByLabel("Namespace").selectOption({ label: "acme" });
  await page.getByLabel("Visibility").selectOption("public");
  await page.getByRole("button", { name: "Create the project" }).click();
  await page.getByText("The visibility public is not allowed in a private group.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.id), "visibility");
  await inspect(page, "new project refused");
  await page.getByLabel("Visibility").selectOption("private");
  await page.getByLabel("Topics").fill("payments, retail");
  await page.getByRole("button", { name: "Create the project" }).click();
  await page.getByText("Project created.").waitFor();
  await inspect(page, "new project overview");
  await page.locator("nav.side").getByRole("link", { name: "Settings" }).click();
  await inspect(page, "settings");
  await page.getByRole("button", { name: "Archive the project" }).click();
  await page.getByText("Project archived. Its issues, alerts and labels can no longer be changed.").waitFor();
  await inspect(page, "settings archived");
  await page.getByLabel("Full path of the project").fill("checkout");
  await page.getByRole("button", { name: "Delete the project" }).click();
  await page.getByText("The path does not match").waitFor();
  await inspect(page, "deletion refused");
  await page.getByLabel("Full path of the project").fill("acme/checkout");
  await page.getByRole("button", { name: "Delete the project" }).click();
  await page.getByRole("button", { name: "Restore the project" }).waitFor();
  await inspect(page, "project to be deleted");
  await page.getByRole("button", { name: "Restore the project" }).click();
  await page.getByText("Project restored.").waitFor();
  await inspect(page, "archived overview");
});

await story("an endpoint gets a key that is shown once, and a test comes in", async (page, context) => {
  await signIn(page);
  await page.goto(PROJECT);
  await inspect(page, "overview");
  await page.goto(`${PROJECT}/-/settings/alert_endpoints`);
  await inspect(page, "endpoints");
  await page.getByRole("link", { name: "HTTP endpoint" }).click();
  await page.getByText("Renew the key").first().click();
  await page.getByRole("button", { name: "Renew the key" }).click();
  await page.getByText("It is shown only once.").waitFor();
  await inspect(page, "new key");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the key" }).click();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^ghak_/);
  await page.reload();
  assert.equal(await page.getByText("ghak_").count(), 0);
  await inspect(page, "endpoint");
  await page.getByLabel("Payload").fill("{");
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByText("Test refused").waitFor();
  await inspect(page, "test refused");
  await page.goto(`${PROJECT}/-/alert_receipts`);
  await inspect(page, "receipts");
  await page.getByRole("link", { name: /^400: / }).first().click();
  await page.getByText("Nothing from the delivery was stored.").waitFor();
  await inspect(page, "receipt of a refusal");
  await page.goto(`${PROJECT}/-/settings/alert_endpoints/legacy`);
  await page.getByLabel("Payload").fill('{"title":"Probe"}');
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByText("Test received.").waitFor();
  await inspect(page, "alert of a test");
  await page.goto(`${PROJECT}/-/settings/alert_endpoints/metrics`);
  await page.getByRole("button", { name: "Turn off" }).click();
  await page.getByText("Endpoint turned off. It refuses all requests.").waitFor();
  await inspect(page, "endpoint off");
});

await story("an incident is made, locked, changed and deleted", async (page) => {
  await signIn(page);
  await page.goto(`${PROJECT}/-/issues`);
  await inspect(page, "no issues");
  await page.goto(`${PROJECT}/-/issues/new`);
  await inspect(page, "new issue");
  await page.getByLabel("Title").fill("Shop is down");
  await page.getByLabel("Description").fill("**Nothing** works:\n\n- [ ] cart\n- [x] search\n\n`GET /` answers 500");
  await page.getByLabel("Type").selectOption("incident");
  await page.getByLabel("Severity").selectOption("critical");
  await page.getByLabel("Labels").fill("bug, two words");
  await page.getByLabel("Locked").check();
  await page.getByRole("button", { name: "Create the issue" }).click();
  await page.getByText("Issue created.").waitFor();
  await page.getByLabel("Comment", { exact: true }).fill("I look into it.");
  await page.getByRole("button", { name: "Comment", exact: true }).click();
  await page.getByText("Comment added.").waitFor();
  await inspect(page, "issue");
  await page.getByRole("link", { name: "Edit", exact: true }).click();
  assert.equal(await page.getByLabel("Severity").inputValue(), "critical");
  await inspect(page, "edit issue");
  await page.goto(`${PROJECT}/-/issues`);
  await inspect(page, "issues");
  await page.getByRole("link", { name: "Shop is down" }).click();
  await page.locator("summary", { hasText: "Delete the issue" }).click();
  await page.getByLabel("Issue number").fill("1");
  await page.getByRole("button", { name: "Delete the issue" }).click();
  await page.getByText("The number does not match").waitFor();
  await inspect(page, "issue deletion refused");
  await page.getByLabel("Issue number").fill("#1");
  await page.getByRole("button", { name: "Delete the issue" }).click();
  await page.getByText("Issue deleted.").waitFor();
});

await story("keys and forms need no script", async (_, context) => {
  const still = await context.browser().newContext({ baseURL: setup.base_url, javaScriptEnabled: false });
  const page = await still.newPage();
  await signIn(page);
  await page.goto(`${PROJECT}/-/settings/alert_endpoints/legacy`);
  await page.locator("summary", { hasText: "Renew the key" }).click();
  await page.getByRole("button", { name: "Renew the key" }).click();
  assert.match(await page.locator(".copy code").first().innerText(), /^ghak_/);
  assert.equal(await page.getByRole("button", { name: "Copy the key" }).count(), 0);
  await page.getByRole("button", { name: "Send the test" }).click();
  await page.getByText("Test received.").waitFor();
  await still.close();
});

await close();

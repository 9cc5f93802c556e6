// What people see of what will go, in a real browser. `node deprecations.mjs PACKAGES CHROMIUM JSON`

import assert from "node:assert/strict";

import { close, inspect, signIn, story } from "./window.mjs";

await story("anybody finds what a release removes", async (page) => {
  await page.goto("/help/api");
  await page.getByRole("link", { name: "Deprecations", exact: true }).click();
  await inspect(page, "deprecations");
  await page.getByRole("searchbox", { name: "Search records" }).fill("deployments updated_at");
  await page.getByRole("button", { name: "Apply" }).click();
  assert.equal(await page.locator("tbody tr").count(), 1);
  await page.getByRole("link", { name: "Clear", exact: true }).click();
  await page.getByLabel("Breaking only").check();
  await page.getByRole("button", { name: "Apply" }).click();
  assert.equal(await page.locator('tbody tr[data-breaking="false"]').count(), 0);
  await page.getByRole("link", { name: "REST API" }).click();
  await inspect(page, "breaking changes of the REST API");
  await page.getByRole("link", { name: "16.0, 22 May 2023" }).click();
  await page.getByRole("heading", { name: "Release 16.0" }).waitFor();
  await inspect(page, "deprecations of a release");
  await page.getByRole("link", { name: /Environments: a search/ }).click();
  await page.getByRole("heading", { name: "Affected parts" }).waitFor();
  await inspect(page, "deprecation");
  await page.goto("/-/deprecations?search=nothinghasthis");
  await inspect(page, "no record matches");
});

await story("an administrator finds who uses what", async (page) => {
  await signIn(page);
  await page.goto("/-/deprecations");
  await page.getByRole("link", { name: "Your usage" }).click();
  await page.getByRole("heading", { name: "No deprecated features in use" }).waitFor();
  await inspect(page, "what you use");
  await page.goto("/-/deprecations");
  await page.getByRole("link", { name: "Usage by all users" }).click();
  await inspect(page, "what everybody uses");
});

await close();

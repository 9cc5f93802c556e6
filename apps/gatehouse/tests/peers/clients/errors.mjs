// What people do with errors in a real browser. `node errors.mjs PACKAGES CHROMIUM JSON`
//
// The one who is signed in owns the demo's project, to which three programs have reported.

import assert from "node:assert/strict";

import { close, inspect, signIn, story } from "./window.mjs";

const ERRORS = "/acme/web-shop/-/error_tracking";

await story("an error is found, read and resolved", async (page) => {
  await signIn(page);
  await page.goto(ERRORS);
  await inspect(page, "errors");
  await page.getByRole("link", { name: "PaymentError: order 8814 has no amount" }).click();
  await inspect(page, "error");
  for (const summary of await page.locator("main summary").all()) {
    if (await summary.isVisible()) await summary.click();
  }
  await inspect(page, "error unfolded");
  await page.getByRole("link", { name: "Oldest" }).click();
  await page.getByRole("link", { name: "Next" }).click();
  await page.getByRole("button", { name: "Mark as resolved" }).click();
  await page.getByText("Error resolved.").waitFor();
  await page.getByRole("link", { name: "All errors" }).click();
  assert.equal(await page.getByRole("link", { name: "PaymentError" }).count(), 0);
  await page.getByLabel("Search title or culprit").fill("nothing of the kind");
  await page.getByRole("button", { name: "Apply" }).click();
  await inspect(page, "no error matches");
});

await story("errors are chosen in the list and ignored", async (page) => {
  await signIn(page);
  await page.goto(ERRORS);
  await page.getByLabel("Select error 1").check();
  await page.getByRole("button", { name: "Ignore" }).click();
  await page.getByText("Errors updated.").waitFor();
  await page.getByRole("link", { name: /^Ignored/ }).click();
  await page.getByRole("link", { name: "stock of SKU-204 is below 5" }).waitFor();
  await page.goto(`${ERRORS}/statistics`);
  await inspect(page, "releases and usage");
});

await story("a key is made, and its lines are copied", async (page, context) => {
  await signIn(page);
  await page.goto("/acme/web-shop/-/settings/error_tracking");
  await inspect(page, "settings");
  await page.getByRole("button", { name: "Create another key" }).click();
  await page.getByText("Key created. It works immediately.").waitFor();
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the snippet for Python" }).click();
  await page.getByText("Copied").first().waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /^import sentry_sdk/);
  await page.getByLabel("Retention of events, in days").fill("0");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByText("It must be between 1 and 3650.").waitFor();
  await inspect(page, "settings refused");
});

await close();

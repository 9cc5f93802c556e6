// What people see of what is held as spam, in a real browser. `node spam.mjs PACKAGES CHROMIUM JSON`

import assert from "node:assert/strict";

import { close, fillIn, inspect, setup, signIn, story } from "./window.mjs";

await story("a form that looks like spam goes through with a solved CAPTCHA", async (page) => {
  await page.goto("/users/sign_in");
  await fillIn(page, setup.stranger, setup.stranger_password);
  await page.waitForURL(`${setup.base_url}/`);
  await page.goto("/open/tools/-/issues/new");
  await page.getByLabel("Title").fill("See https://spam.example");
  await page.getByLabel("Description").fill("What I wrote is kept.");
  await page.getByRole("button", { name: "Create the issue" }).click();
  await page.getByRole("alert").getByText("looks like spam").waitFor();
  await page.frameLocator("iframe").getByText("I am a person").waitFor();
  await inspect(page, "held as spam");
  assert.equal(await page.getByLabel("Description").inputValue(), "What I wrote is kept.");
  await page.getByRole("button", { name: "Create the issue" }).click();
  await page.getByRole("heading", { name: "See https://spam.example" }).waitFor();
});

await story("an administrator sees what was held", async (page) => {
  await signIn(page);
  await page.goto("/admin/applications");
  await inspect(page, "administration");
  await page.getByRole("link", { name: "Held as spam" }).click();
  await page.getByRole("heading", { name: "Held as spam" }).waitFor();
  await page.locator("summary", { hasText: "spam.example" }).click();
  await page.getByText("What I wrote is kept.").waitFor();
  await page.getByText("solved").waitFor();
  await inspect(page, "log of spam");
});

await close();

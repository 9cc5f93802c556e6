// What a user sees and does in a real browser. `node browser.mjs PACKAGES CHROMIUM JSON`
//
// Every page is looked at light and dark, wide and narrow. Whatever the console
// says counts as a failure, and with it every breach of the content security policy.

import assert from "node:assert/strict";

import { authenticatorCode, nativeApplication, popupApplication } from "./native.mjs";
import { close, fillIn, inspect, look, signIn, signOut, story, tabTo, setup } from "./window.mjs";

await story("a wrong password is refused", async (page) => {
  await page.goto("/");
  await page.waitForURL(/\/users\/sign_in/);
  await look(page, "sign-in");
  await fillIn(page, setup.login, "wrong");
  await page.getByRole("alert").waitFor();
  await look(page, "sign-in refused");
  assert.equal(await page.locator('[name="user[login]"]').inputValue(), setup.login);
  assert.equal(await page.locator('[name="user[password]"]').inputValue(), "");
});

await story("signing in and out", async (page, context) => {
  await signIn(page);
  await look(page, "home");
  await page.goto("/profile");
  await look(page, "profile");
  const [cookie] = (await context.cookies()).filter(({ name }) => name.endsWith("_session"));
  assert.deepEqual([cookie.httpOnly, cookie.sameSite], [true, "Lax"]);
  await signOut(page);
  await page.goto("/profile");
  await page.waitForURL(/\/users\/sign_in/);
  // A thief who kept the cookie has nothing of it.
  await context.addCookies([cookie]);
  await page.goto("/profile");
  await page.waitForURL(/\/users\/sign_in/);
});

await story("alerts are found and worked on, with and without the mouse", async (page, context) => {
  await signIn(page);
  await page.goto("/dashboard/projects");
  await look(page, "projects");
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/acme\/web-shop$/);
  await look(page, "project");
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.getByRole("button", { name: "Copy the path" }).click();
  assert.equal(await page.evaluate(() => navigator.clipboard.readText()), "acme/web-shop");
  await page.locator("nav.side").getByRole("link", { name: "Alerts" }).click();
  await look(page, "alerts");
  await page.keyboard.press("/");
  await page.keyboard.type("disk jj");
  assert.equal(await page.locator("#search").inputValue(), "disk jj", "a key of the list is taken while typing");
  await page.locator("#search").fill("disk");
  await page.keyboard.press("Enter");
  await page.waitForURL(/alert_management\?search=disk$/);
  await page.getByRole("link", { name: "Disk almost full" }).click();
  await look(page, "alert");
  await page.getByRole("button", { name: "Acknowledge" }).click();
  await page.getByText("Alert acknowledged.").waitFor();
  assert.equal(await page.evaluate(() => document.activeElement.className), "notice");
  await page.goto("/acme/web-shop/-/activity");
  await look(page, "activity");
});

await story("keys help, and can be switched off", async (page) => {
  await signIn(page);
  await page.goto("/acme/web-shop/-/alert_management");
  await page.keyboard.press("?");
  await page.getByRole("dialog").waitFor();
  await page.getByLabel("Use single-key shortcuts").uncheck();
  await page.keyboard.press("Escape");
  await page.reload();
  await page.keyboard.press("/");
  assert.equal(await page.evaluate(() => document.activeElement === document.body), true);
  await page.getByRole("button", { name: "Keyboard shortcuts" }).click();
  await page.getByRole("dialog").waitFor();
});

await story("milestones and labels are made, and refused beside the field", async (page) => {
  await signIn(page);
  await page.goto("/acme/web-shop/-/milestones");
  await look(page, "no milestones");
  await page.getByRole("link", { name: "New milestone" }).click();
  await page.getByLabel("Title").fill("Release 1");
  await page.getByLabel("Start date").fill("2026-03-02");
  await page.getByLabel("Due date").fill("2026-03-01");
  await page.getByRole("button", { name: "Create the milestone" }).click();
  await page.getByText("The due date must be greater than start date.").waitFor();
  await look(page, "milestone refused");
  assert.equal(await page.evaluate(() => document.activeElement.id), "due_date");
  await page.getByLabel("Due date").fill("2026-03-31");
  await page.getByRole("button", { name: "Create the milestone" }).click();
  await page.getByText("Milestone created.").waitFor();
  await look(page, "milestone");
  await page.goto("/acme/web-shop/-/labels/new");
  await page.getByLabel("Name").fill("<b>bug</b>");
  await page.getByRole("button", { name: "Create the label" }).click();
  await page.getByText("Label created.").waitFor();
  await look(page, "labels");
});

await story("pages of projects work without a script", async (_, context) => {
  const still = await context.browser().newContext({ baseURL: setup.base_url, javaScriptEnabled: false });
  const page = await still.newPage();
  await signIn(page);
  await page.setViewportSize({ width: 360, height: 800 });
  await page.goto("/acme/web-shop");
  await page.locator("details.side-fold > summary").click();
  await page.locator("details.side-fold").getByRole("link", { name: "Alerts" }).click();
  await page.getByLabel("Severity").selectOption("high");
  await page.getByRole("button", { name: "Apply" }).click();
  await page.getByText("1 alert", { exact: true }).waitFor();
  await signOut(page);
  await still.close();
});

await story("consent brings a code to a native application", async (page) => {
  const application = await nativeApplication(setup);
  await page.goto(application.url);
  await page.waitForURL(/\/users\/sign_in/);
  await fillIn(page, setup.login, setup.password);
  await page.locator('[name="handle"]').first().waitFor({ state: "attached" });
  await look(page, "consent");
  await page.getByRole("button", { name: /authorize/i }).click();
  const code = (await application.finished()).get("code");
  await page.getByText("You may close this window.").waitFor();
  const token = await application.exchange(code);
  assert.equal(token.scope, "read_user");

  const options = { headers: { authorization: `Bearer ${token.access_token}` } };
  assert.equal((await fetch(`${setup.base_url}/api/v4/user`, options)).status, 200);
  await page.goto(`${setup.base_url}/profile/applications`);
  await look(page, "applications");
  await page.getByRole("button", { name: "Revoke the authorization of Public client" }).click();
  await page.getByText("You have not authorized any application.").waitFor();
  assert.equal((await fetch(`${setup.base_url}/api/v4/user`, options)).status, 401);
});

await story("an application is registered, and its secret is shown once", async (page) => {
  await signIn(page);
  await page.goto("/profile/applications");
  await page.getByRole("link", { name: "New application" }).click();
  await page.getByLabel("Name").fill("<b>Tom & Jerry's</b>");
  await page.getByLabel("Redirect URIs", { exact: true }).fill("javascript:alert(1)");
  await page.getByLabel("read_user", { exact: true }).check();
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("alert").first().waitFor();
  await look(page, "application refused");
  await page.getByLabel("Redirect URIs", { exact: true }).fill("https://app.example.com/callback");
  await page.getByRole("button", { name: "Register" }).click();
  await page.getByRole("heading", { name: "<b>Tom & Jerry's</b>" }).waitFor();
  await look(page, "application");
  assert.match(await page.locator(".secret code").innerText(), /^[\w-]{32,}$/);
  await page.reload();
  await page.getByRole("heading", { name: "<b>Tom & Jerry's</b>" }).waitFor();
  assert.equal(await page.locator(".secret").count(), 0, "a reload shows the secret again");
  await page.goto("/profile/applications");
  // A reload registered nothing again, or there would be two.
  await page.getByRole("link", { name: "<b>Tom & Jerry's</b>" }).click();
  await page.getByRole("heading", { name: "<b>Tom & Jerry's</b>" }).waitFor();
  assert.equal(await page.locator(".secret").count(), 0);
});

await story("a personal access token is created, shown once, rotated and revoked", async (page) => {
  await signIn(page);
  await page.goto("/profile/personal_access_tokens");
  await inspect(page, "tokens");
  await page.getByLabel("Name").fill("<b>Tom & Jerry's</b>");
  await page.getByLabel("read_user", { exact: true }).check();
  await page.getByRole("button", { name: "Create token" }).click();
  await page.getByText("Token created.").waitFor();
  await inspect(page, "token created");
  const first = await page.locator(".secret code").innerText();
  const user = (token) => fetch(`${setup.base_url}/api/v4/user`, { headers: { "private-token": token } });
  assert.equal((await user(first)).status, 200);
  await page.getByRole("button", { name: "Rotate <b>Tom & Jerry's</b>" }).click();
  await page.getByText("Token rotated.").waitFor();
  const token = await page.locator(".secret code").innerText();
  assert.equal((await user(first)).status, 401);
  assert.equal((await user(token)).status, 200);
  await page.reload();
  await page.getByRole("button", { name: "Revoke <b>Tom & Jerry's</b>" }).waitFor();
  assert.equal(await page.locator(".secret").count(), 0, "a reload shows the token again");
  await page.getByRole("button", { name: "Revoke <b>Tom & Jerry's</b>" }).click();
  await page.getByText("Token revoked.").waitFor();
  assert.equal((await user(token)).status, 401);
  await page.getByRole("link", { name: "Show revoked and expired tokens" }).click();
  await page.getByRole("rowheader", { name: "<b>Tom & Jerry's</b>" }).first().waitFor();
});

// Signs in and consents in a popup of an application, which gets its answer in the end.
async function signInByPopup(page, fill) {
  const application = await popupApplication(setup);
  await page.goto(application.url);
  const opened = page.waitForEvent("popup");
  await page.getByRole("button", { name: "Sign in" }).click();
  const popup = await opened;
  await fill(popup);
  await popup.locator('[name="handle"]').first().waitFor({ state: "attached" });
  assert.ok(await popup.evaluate(() => window.opener !== null), "the popup has lost its opener");
  const closed = popup.waitForEvent("close");
  await popup.getByRole("button", { name: /authorize/i }).click();
  await page.locator("output", { hasText: "code=" }).waitFor();
  await closed;
  application.close();
}

await story("a popup tells the application that opened it", async (page) => {
  await signInByPopup(page, async (popup) => {
    await fillIn(popup, setup.login, "wrong");
    await popup.getByRole("alert").waitFor();
    await fillIn(popup, setup.login, setup.password);
  });
});

await story("a denial is brought too", async (page) => {
  await signIn(page);
  const application = await nativeApplication(setup);
  await page.goto(application.url);
  await page.getByRole("button", { name: /deny/i }).click();
  const query = await application.finished();
  assert.deepEqual([query.get("error"), query.get("code")], ["access_denied", null]);
});

await story("an address that was not registered goes nowhere", async (page) => {
  await signIn(page);
  const url = new URL("/oauth/authorize?response_type=code&scope=read_user", setup.base_url);
  url.searchParams.set("client_id", setup.public.id);
  url.searchParams.set("redirect_uri", "https://127.0.0.1.example.com/callback");
  const answer = await page.goto(url.href);
  assert.equal(answer.status(), 400);
  await look(page, "authorization error");
});

await story("the keyboard is enough", async (page) => {
  const application = await nativeApplication(setup);
  await page.goto(application.url);
  await tabTo(page, '[name="user[login]"]');
  await page.keyboard.type(setup.login);
  await tabTo(page, '[name="user[password]"]');
  await page.keyboard.type(setup.password);
  await page.keyboard.press("Enter");
  await page.locator('[name="handle"]').first().waitFor({ state: "attached" });
  await tabTo(page, "form:not(:has([name=_method])):has([name=handle]) button");
  await page.keyboard.press("Enter");
  assert.ok((await application.finished()).get("code"));
});

await story("a second factor is set up, asked for and switched off", async (page) => {
  const code = page.locator('[name="user[otp_attempt]"]');
  const alert = page.getByRole("alert");
  await signIn(page);
  await page.goto("/profile/two_factor");
  await page.locator("main summary").first().click();
  await look(page, "second factor set-up");
  const secret = await page.locator(".secret code").innerText();
  await code.fill(authenticatorCode(secret));
  await page.locator('[name="user[current_password]"]').fill(setup.password);
  await code.press("Enter");
  await page.locator(".codes code").first().waitFor();
  await look(page, "recovery codes");
  const [recoveryCode, another] = await page.locator(".codes code").allInnerTexts();
  await signOut(page);

  await fillIn(page, setup.login, setup.password);
  await look(page, "second factor");
  await code.fill("000000");
  await code.press("Enter");
  await alert.waitFor();
  await look(page, "second factor refused");
  // The step that confirmed the set-up is spent, and the next one counts already.
  await code.fill(authenticatorCode(secret, 1));
  await code.press("Enter");
  await page.waitForURL(`${setup.base_url}/`);
  await signOut(page);

  await fillIn(page, setup.login, setup.password);
  await code.fill(recoveryCode);
  await code.press("Enter");
  await page.waitForURL(`${setup.base_url}/`);
  await signOut(page);

  await signInByPopup(page, async (popup) => {
    await fillIn(popup, setup.login, setup.password);
    await popup.getByText("to continue to Public client").waitFor();
    await popup.locator('[name="user[otp_attempt]"]').fill(another);
    await popup.locator('[name="user[otp_attempt]"]').press("Enter");
  });
  await page.goto("/profile/two_factor");
  await look(page, "second factor on");
  await page.locator("summary", { hasText: /off/i }).click();
  await page.locator("#password-off").fill(setup.password);
  await page.locator("#password-off").press("Enter");
  await page.waitForURL(/\/profile/);
  await signOut(page);
  await signIn(page);
});

await close();

// An application in the browser itself, with oidc-client-ts: it signs its user in, and ends the session of the server.
// `node single_page.mjs PACKAGES CHROMIUM JSON`

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";

import { close, fillIn, story, setup } from "./window.mjs";

const library = await readFile(
  join(process.argv[2], "node_modules/oidc-client-ts/dist/browser/oidc-client-ts.min.js"),
);

// Every page of the application is the same; the library reads what its address says.
const PAGE = "<!doctype html><html lang=en><title>Shop</title><link rel=icon href=data:,><script src=/library.js></script><main>Shop</main>";

const application = createServer((request, answer) => {
  const isLibrary = request.url === "/library.js";
  answer.setHeader("content-type", isLibrary ? "text/javascript" : "text/html");
  answer.end(isLibrary ? library : PAGE);
});
await new Promise((resolve) => application.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${application.address().port}`;

const registered = await fetch(`${setup.base_url}/api/v4/applications`, {
  method: "POST",
  headers: { "content-type": "application/json", "private-token": setup.admin_token },
  body: JSON.stringify({
    name: "Shop",
    redirect_uri: `${origin}/back`,
    post_logout_redirect_uris: [`${origin}/bye`],
    scopes: "openid profile groups",
    confidential: false,
  }),
});
assert.equal(registered.status, 201);
const { application_id: client_id } = await registered.json();

const settings = {
  authority: setup.base_url,
  client_id,
  redirect_uri: `${origin}/back`,
  post_logout_redirect_uri: `${origin}/bye`,
  scope: "openid profile groups offline_access",
  loadUserInfo: true,
};

// Runs a method of the library's manager on the page of the application, and gives what it gives.
function manager(page, method, argument) {
  return page.evaluate(
    async ([settings, method, argument]) => {
      const value = await new window.oidc.UserManager(settings)[method](argument);
      return value && JSON.parse(JSON.stringify(value));
    },
    [settings, method, argument],
  );
}

// Starts a method that leaves the page.
async function leave(page, method, argument) {
  await page.evaluate(
    ([settings, method, argument]) => {
      void new window.oidc.UserManager(settings)[method](argument);
    },
    [settings, method, argument],
  );
}

async function signIn(page) {
  await page.goto(origin);
  await leave(page, "signinRedirect");
  await page.waitForURL(/\/users\/sign_in/);
  await fillIn(page, setup.login, setup.password);
  await page.locator("form:not(:has([name=_method])):has([name=handle]) button").click();
  await page.waitForURL(/\/back\?/);
  const user = await manager(page, "signinCallback");
  assert.equal(user.profile.preferred_username, setup.login);
  assert.ok(Array.isArray(user.profile.groups));
  return user;
}

async function isSignedOut(page) {
  await page.goto(`${setup.base_url}/profile`);
  return new URL(page.url()).pathname === "/users/sign_in";
}

await story("signing out in the application ends the session of the server", async (page) => {
  await signIn(page);
  assert.equal(await isSignedOut(page), false);
  await page.goto(origin);
  await leave(page, "signoutRedirect", { state: "kept" });
  await page.waitForURL(/\/bye\?state=/);
  const answer = await manager(page, "signoutCallback");
  assert.equal(answer.error, null);
  assert.equal(answer.userState, "kept");
  assert.equal(await isSignedOut(page), true);
});

await story("without the id token the user is asked", async (page) => {
  await signIn(page);
  await page.goto(origin);
  await manager(page, "removeUser");
  await leave(page, "signoutRedirect");
  await page.waitForURL(/\/oauth\/end_session\?/);
  await page.getByText("Shop").waitFor();
  await page.locator("form:has([name=post_logout_redirect_uri]) button").click();
  await page.waitForURL(/\/bye$/);
  assert.equal(await isSignedOut(page), true);
});

await close();
application.close();

// Responses to applications that send their users on to other origins, as a real browser follows them, and the sizes of
// what people press. `node hops.mjs PACKAGES CHROMIUM JSON`

import assert from "node:assert/strict";
import { createServer } from "node:http";

import { authenticatorCode } from "./native.mjs";
import { close, fillIn, setup, signIn, signOut, story } from "./window.mjs";

const PAGE = "<!doctype html><html lang=en><link rel=icon href=data:,><title>Shop</title><main>Welcome to the shop.</main>";

async function listen(answer) {
  const server = createServer(answer);
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

// An application of three origins: the callback, one that it sends the browser on to, and the one where it ends.
async function shop(trusted = false) {
  const last = await listen((_, response) => {
    response.setHeader("content-type", "text/html");
    response.end(PAGE);
  });
  const second = await listen((request, response) => {
    response.writeHead(302, { location: `${last.origin}/home${new URL(request.url, last.origin).search}` }).end();
  });
  const seen = [];
  const first = await listen((request, response) => {
    const chunks = [];
    request.on("data", (chunk) => chunks.push(chunk));
    request.on("end", () => {
      const { searchParams } = new URL(request.url, "http://127.0.0.1");
      const sent = request.method === "POST" ? new URLSearchParams(Buffer.concat(chunks).toString()) : searchParams;
      seen.push({ method: request.method, sent });
      response.writeHead(303, { location: `${second.origin}/hop?code=${sent.get("code") ?? sent.get("error")}` }).end();
    });
  });
  const registered = await fetch(`${setup.base_url}/api/v4/applications`, {
    method: "POST",
    headers: { "content-type": "application/json", "private-token": setup.admin_token },
    body: JSON.stringify({
      name: "Shop",
      redirect_uri: `${first.origin}/callback`,
      post_logout_redirect_uris: [`${first.origin}/bye`],
      scopes: "openid read_user",
      trusted,
    }),
  });
  assert.equal(registered.status, 201, await registered.clone().text());
  const { application_id: id } = await registered.json();
  const authorization = (more = {}) => {
    const url = new URL("/oauth/authorize", setup.base_url);
    url.search = new URLSearchParams({
      client_id: id,
      redirect_uri: `${first.origin}/callback`,
      response_type: "code",
      scope: "read_user",
      state: "a state & <more>",
      ...more,
    });
    return url.href;
  };
  const signOutAddress = `${setup.base_url}/oauth/end_session?${new URLSearchParams({
    client_id: id,
    post_logout_redirect_uri: `${first.origin}/bye`,
  })}`;
  // The browser is where the chain ends, and the callback was asked once.
  const arrived = async (page, method = "GET") => {
    await page.getByText("Welcome to the shop.").waitFor();
    assert.equal(new URL(page.url()).origin, last.origin);
    const { method: how, sent } = seen.pop();
    assert.deepEqual([how, seen.length], [method, 0]);
    return sent;
  };
  const end = () => [first, second, last].forEach((server) => server.close());
  return { authorization, signOutAddress, arrived, end };
}

// Buttons are pressed by fingers and look like buttons: neither lines nor boxes.
async function measure(page) {
  for (const width of [1280, 360]) {
    await page.setViewportSize({ width, height: 800 });
    const sizes = await page.evaluate(() =>
      [...document.querySelectorAll("main button, main a.button, main input[type=submit]")]
        .filter((element) => element.offsetParent !== null && !element.classList.contains("plain"))
        .map((element) => [element.textContent.trim(), element.getBoundingClientRect().height]),
    );
    for (const [name, height] of sizes) {
      assert.ok(height >= 24 && height <= 56, `${page.url()}, ${width} px: "${name}" is ${height} px high`);
    }
  }
  await page.setViewportSize({ width: 1280, height: 800 });
}

const secondFactor = '[name="user[otp_attempt]"]';

await story("consent and denial end where the callback leads", async (page) => {
  const { authorization, arrived, end } = await shop();
  await page.goto(authorization());
  await fillIn(page, setup.login, setup.password);
  await page.getByRole("button", { name: /deny/i }).click();
  assert.equal((await arrived(page)).get("error"), "access_denied");
  await page.goto(authorization());
  await page.getByRole("button", { name: /authorize/i }).click();
  const sent = await arrived(page);
  assert.ok(sent.get("code"));
  assert.deepEqual([sent.get("state"), sent.get("iss")], ["a state & <more>", setup.base_url]);
  end();
});

await story("signing in ends there too when the user agreed before", async (page, context) => {
  const { authorization, signOutAddress, arrived, end } = await shop();
  const code = async () => {
    const sent = await arrived(page);
    assert.ok(sent.get("code"), sent.toString());
  };
  await page.goto(authorization());
  await fillIn(page, setup.login, setup.password);
  await page.getByRole("button", { name: /authorize/i }).click();
  await code();
  await context.clearCookies();
  // Consent lasts once its code is redeemed or not: an application that is asked again is a page more, and no dead end.
  await page.goto(authorization());
  await fillIn(page, setup.login, setup.password);
  const button = page.getByRole("button", { name: /authorize/i });
  await Promise.race([button.waitFor(), page.getByText("Welcome to the shop.").waitFor()]);
  if (await button.count()) await button.click();
  await code();
  // Signing out leads over the same origins.
  await page.goto(signOutAddress);
  await page.getByRole("button", { name: "Sign out" }).first().click();
  await arrived(page);
  end();
});

await story("a trusted application is reached right after the password, and after the second factor", async (page, context) => {
  const { authorization, arrived, end } = await shop(true);
  const [login, password] = [setup.stranger, setup.stranger_password];
  await page.goto(authorization());
  await fillIn(page, login, password);
  assert.ok((await arrived(page)).get("code"));
  await page.goto(`${setup.base_url}/profile/two_factor`);
  await page.locator("main summary").first().click();
  const secret = await page.locator(".secret code").innerText();
  await page.locator(secondFactor).fill(authenticatorCode(secret));
  await page.locator('[name="user[current_password]"]').fill(password);
  await page.locator(secondFactor).press("Enter");
  await page.locator(".codes code").first().waitFor();
  const [recoveryCode] = await page.locator(".codes code").allInnerTexts();
  await context.clearCookies();
  await page.goto(authorization());
  await fillIn(page, login, password);
  await page.locator(secondFactor).waitFor();
  await measure(page);
  await page.locator(secondFactor).fill(recoveryCode);
  await page.locator(secondFactor).press("Enter");
  assert.ok((await arrived(page)).get("code"));
  end();
});

await story("a form posts the response by itself, and by its button without scripts", async (page, context) => {
  const { authorization, arrived, end } = await shop();
  const form = authorization({ response_mode: "form_post" });
  await page.goto(form);
  await fillIn(page, setup.login, setup.password);
  await page.getByRole("button", { name: /authorize/i }).click();
  const sent = await arrived(page, "POST");
  assert.ok(sent.get("code"));
  assert.deepEqual([sent.get("state"), sent.get("iss")], ["a state & <more>", setup.base_url]);
  const still = await context.browser().newContext({ baseURL: setup.base_url, javaScriptEnabled: false });
  const plain = await still.newPage();
  await plain.goto(form);
  await fillIn(plain, setup.login, setup.password);
  await plain.getByRole("button", { name: /authorize/i }).click();
  await plain.getByRole("button", { name: "Continue" }).click();
  assert.ok((await arrived(plain, "POST")).get("code"));
  await still.close();
  end();
});

await story("buttons have the height of buttons on every page", async (page) => {
  await page.goto("/users/sign_in");
  await measure(page);
  await signIn(page);
  // Every page that is reached from the first ones, each kind once.
  const seen = new Set();
  const waiting = ["/", "/profile", "/profile/applications", "/oauth/applications/new", "/profile/two_factor", "/acme/web-shop"];
  const kind = (path) => path.split("?")[0].replace(/\d+/g, "1");
  while (waiting.length && seen.size < 80) {
    const path = waiting.shift();
    if (seen.has(kind(path))) continue;
    seen.add(kind(path));
    await page.goto(path);
    await measure(page);
    const links = await page.evaluate((origin) =>
      [...document.querySelectorAll("a[href]")]
        .map((link) => new URL(link.href))
        .filter((url) => url.origin === origin && !/\.(txt|json|csv|svg|gz|atom|ics)$|\/api\/|sign_out|\/-\/raw/.test(url.pathname))
        .map((url) => url.pathname + url.search), setup.base_url);
    waiting.push(...links.filter((link) => !seen.has(kind(link))));
  }
  assert.ok(seen.size > 20, `${seen.size} pages`);
  await page.goto("/profile");
  await signOut(page);
});

await close();

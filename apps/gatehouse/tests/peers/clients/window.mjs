// Windows of a real browser, and what is checked in each of them.

import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { join } from "node:path";

const [packages, executablePath, json] = process.argv.slice(2);
// Where pictures of all pages are wanted: they take half of the time.
const directory = process.env.GATEHOUSE_TEST_PICTURES;
const require = createRequire(`${packages}/package.json`);
const { chromium } = require("playwright-core");

// The server, its user, and the applications.
export const setup = JSON.parse(json);

const browser = await chromium.launch({
  executablePath,
  headless: true,
  // In a container root is the only user, and the sandbox does not work there.
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update"],
});
const done = [];
const seen = new Set();

// The tool that finds what hinders people with disabilities.
const axe = require("axe-core").source;

// Closes the browser, and tells how many stories it has seen, and how many pages in all their forms.
export async function close() {
  await browser.close();
  console.log(`${done.length} stories, ${seen.size} views`);
}

// Counts a view of a page, and takes a picture of it where pictures are wanted.
async function view(page, name) {
  seen.add(name);
  if (directory) await page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
}

// Takes a picture of what the window shows, for a document: small enough for a page that many people load.
export async function snap(page, name) {
  seen.add(name);
  const path = directory && join(directory, `${name}.png`);
  const picture = await page.screenshot({ path: path || undefined });
  assert.ok(picture.length < 150_000, `${name} has ${picture.length} bytes`);
}

// A window of its own for each story, with what went wrong in it.
export async function story(name, act) {
  const context = await browser.newContext({ baseURL: setup.base_url });
  context.setDefaultTimeout(20_000);
  const page = await context.newPage();
  const faults = [];
  page.on("console", (message) => {
    // The browser itself reports each answer of 4xx. Some stories are about such pages; the rest is seen to below.
    const isStatus = message.text().startsWith("Failed to load resource: the server responded with a status of 4");
    if (["error", "warning"].includes(message.type()) && !isStatus) faults.push(message.text());
  });
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("response", (response) => {
    const isPage = response.request().resourceType() === "document";
    if (!isPage && response.status() >= 400) faults.push(`${response.status()} for ${response.url()}`);
  });
  page.on("request", (request) => {
    const { origin } = new URL(request.url());
    const isData = origin === "null" && request.url().startsWith("data:");
    if (!isData && !new URL(origin).hostname.startsWith("127.0.0.1")) faults.push(`asks ${request.url()}`);
  });
  try {
    await act(page, context);
    assert.deepEqual(faults, []);
  } catch (error) {
    await view(page, `failed ${name}`).catch(() => {});
    throw new Error(`${name}, at ${page.url()}: ${await page.locator("main").innerText().catch(() => "")}`, { cause: error });
  }
  await context.close();
  done.push(name);
}

// Looks at a page in its six forms, and checks what holds for every page.
export async function look(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 768, 360]) {
      await page.emulateMedia({ colorScheme });
      await page.setViewportSize({ width, height: 800 });
      const found = await page.evaluate(() => ({
        wider: document.documentElement.scrollWidth - document.documentElement.clientWidth,
        background: [document.body, document.documentElement]
          .map((element) => getComputedStyle(element).backgroundColor)
          .find((colour) => colour !== "rgba(0, 0, 0, 0)"),
        language: document.documentElement.lang,
        headings: document.querySelectorAll("h1").length,
        unlabelled: [...document.querySelectorAll("input:not([type=hidden])")]
          .filter((input) => !input.labels.length && !input.getAttribute("aria-label"))
          .map((input) => input.name),
      }));
      assert.equal(found.wider, 0, `${name} is ${found.wider} px wider than ${width} px`);
      const [red] = (found.background ?? "0").match(/\d+/g).map(Number);
      assert.equal(red > 127, colorScheme === "light", `${name} is ${found.background} when ${colorScheme}`);
      assert.deepEqual([found.language, found.headings, found.unlabelled], ["en", 1, []], name);
      await view(page, `${name} ${colorScheme} ${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

// Rules of axe that depend on colours. The others find in a dark page what they found in the light one of the same width.
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

// Looks at a page in its six forms, and holds that axe finds nothing in any of them and that nothing is wider than the page.
export async function inspect(page, name) {
  for (const colorScheme of ["light", "dark"]) {
    for (const width of [1280, 768, 390]) {
      // A colour that is still on its way to another one says nothing of either.
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      await page.setViewportSize({ width, height: 800 });
      const where = `${name}, ${colorScheme}, ${width} px`;
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.equal(wider, 0, `${where}: ${wider} px too wide`);
      // The content security policy lets no script of a page in, so it comes by the way of the driver.
      if (await page.evaluate(() => !window.axe)) await page.evaluate(axe);
      // What stands in a frame is its own server's.
      const { violations } = await page.evaluate((options) => window.axe.run(document, options), {
        resultTypes: ["violations"],
        iframes: false,
        ...(colorScheme === "dark" && { runOnly: COLOUR_RULES }),
      });
      const found = violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html}: ${failureSummary}`));
      assert.deepEqual(found, [], where);
      await view(page, `${name} ${colorScheme} ${width}`);
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 1280, height: 800 });
}

export async function fillIn(page, login, password) {
  await page.locator('[name="user[login]"]').fill(login);
  await page.locator('[name="user[password]"]').fill(password);
  await page.locator('form:has([name="user[password]"]) button[type=submit]').click();
}

export async function signIn(page) {
  await page.goto("/users/sign_in");
  await fillIn(page, setup.login, setup.password);
  await page.waitForURL(`${setup.base_url}/`);
}

export async function signOut(page) {
  await page.locator("details.own > summary").click();
  await page.locator('form[action="/users/sign_out"] button').click();
  await page.waitForURL(/\/users\/sign_in/);
}

// Moves the focus with the keyboard alone.
export async function tabTo(page, selector) {
  for (let presses = 0; presses < 25; presses += 1) {
    const found = await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector);
    if (found) {
      const ring = await page.evaluate(() => {
        const style = getComputedStyle(document.activeElement);
        return style.outlineStyle !== "none" || style.boxShadow !== "none";
      });
      assert.ok(ring, `${selector} shows no focus`);
      return;
    }
    await page.keyboard.press("Tab");
  }
  assert.fail(`the keyboard does not reach ${selector}`);
}

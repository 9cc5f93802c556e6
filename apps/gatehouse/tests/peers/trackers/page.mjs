// Reports to the tracker as a page with @sentry/browser does: `node page.mjs PACKAGES CHROMIUM PART DSN`. The last line says what
// was attempted.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { extname, join, normalize } from "node:path";

const [packages, executablePath, part, dsn] = process.argv.slice(2);
const { chromium } = createRequire(`${packages}/package.json`)("playwright-core");

// Where the modules of the SDK are, which the browser loads as they are published.
const imports = {
  "@sentry/browser": "browser/build/npm/esm/prod/index.js",
  "@sentry/browser-utils": "browser-utils/build/esm/index.js",
  "@sentry/conventions/attributes": "conventions/dist/attributes.mjs",
  "@sentry/core": "core/build/esm/index.js",
  "@sentry/core/browser": "core/build/esm/browser.js",
  "@sentry/feedback": "feedback/build/npm/esm/index.js",
  "@sentry/replay": "replay/build/npm/esm/index.js",
  "@sentry/replay-canvas": "replay-canvas/build/npm/esm/index.js",
};
for (const name of Object.keys(imports)) imports[name] = `/sdk/${imports[name]}`;

const PAGE = `<!doctype html><html lang=en><title>Shop</title><link rel=icon href=data:,>
<button id=order>Order</button><button id=crash>Crash</button>
<script type=importmap>${JSON.stringify({ imports })}</script><script type=module src=/shop.js></script>`;

const SHOP = `
import * as Sentry from "@sentry/browser";

class CardDeclined extends Error {
  name = "CardDeclined";
}

class CheckoutFailed extends Error {
  name = "CheckoutFailed";
}

// An error with the same cause as the one before would not be sent.
function charge(number) {
  throw new CardDeclined(\`the bank said no to order \${number}\`);
}

function checkOut(number) {
  try {
    charge(number);
  } catch (cause) {
    throw new CheckoutFailed(\`order \${number} was not paid\`, { cause });
  }
}

let orders = 0;

function order() {
  orders += 1;
  try {
    checkOut(orders);
  } catch (error) {
    Sentry.captureException(error);
  }
}

Sentry.init({ dsn: ${JSON.stringify(dsn)}, release: "shop@1.2.3", environment: "staging" });
document.querySelector("#order").addEventListener("click", order);
document.querySelector("#crash").addEventListener("click", () => checkOut(9));
window.Sentry = Sentry;
`;

// The shop has an origin of its own, so that its reports need the leave of the server.
const shop = createServer(async (request, answer) => {
  const { pathname } = new URL(request.url, "http://shop.example");
  if (pathname.startsWith("/sdk/")) {
    const file = join(packages, "node_modules/@sentry", normalize(pathname.slice(4)));
    assert.match(extname(file), /^\.m?js$/);
    answer.setHeader("content-type", "text/javascript");
    answer.end(await readFile(file));
    return;
  }
  answer.setHeader("content-type", pathname === "/shop.js" ? "text/javascript" : "text/html");
  answer.end(pathname === "/shop.js" ? SHOP : PAGE);
});
await new Promise((resolve) => shop.listen(0, "127.0.0.1", resolve));

const browser = await chromium.launch({
  executablePath,
  headless: true,
  // In a container root is the only user, and the sandbox does not work there.
  args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-component-update"],
});

// Opens the shop in a window, and waits until the SDK is there.
async function visit() {
  const page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${shop.address().port}/books?page=2`);
  await page.waitForFunction(() => window.Sentry);
  return page;
}

// Orders what cannot be paid, and waits until the server has answered to that. It is the same error each time.
async function order(page) {
  await page.locator("#order").click();
  return page.evaluate(() => window.Sentry.flush(20_000));
}

const parts = {
  // The same error twice, with all that the SDK knows of it, and a message.
  async errors() {
    const page = await visit();
    await page.evaluate(() => {
      window.Sentry.setTag("area", "checkout");
      window.Sentry.setUser({ id: "7", username: "ann", email: "ann@example.com" });
      window.Sentry.setContext("order", { books: 3 });
      window.Sentry.addBreadcrumb({ category: "cart", message: "a book was added", level: "info" });
    });
    assert.deepEqual([await order(page), await order(page)], [true, true]);
    await page.evaluate(() => window.Sentry.captureMessage("stock is low", "warning"));
    assert.ok(await page.evaluate(() => window.Sentry.flush(20_000)));
    console.log("two errors, one message");
  },

  // Windows in which the shop is visited, in one of which nobody catches an error. The SDK counts them by itself.
  async sessions() {
    for (const number of [1, 2, 3, 4]) {
      const page = await visit();
      // The SDK reports a visit when the browser is idle, which may be after the page could be closed.
      await page.evaluate(() => new Promise((resolve) => requestIdleCallback(resolve)));
      if (number === 3) await Promise.all([page.waitForEvent("pageerror"), page.locator("#crash").click()]);
      assert.ok(await page.evaluate(() => window.Sentry.flush(20_000)));
      await page.close();
    }
    console.log("four sessions, one crash");
  },

  // More than is taken, one after the other, so that the SDK hears the answer to each before it sends the next one.
  async limits() {
    const page = await visit();
    for (let number = 0; number < 5; number += 1) await order(page);
    // A page that nobody looks at any more says what was not sent. A browser without windows never hides one by itself.
    const isSent = await page.evaluate(() => {
      Object.defineProperty(document, "visibilityState", { value: "hidden" });
      document.dispatchEvent(new Event("visibilitychange"));
      return window.Sentry.flush(20_000);
    });
    assert.ok(isSent);
    console.log("five errors");
  },
};

await parts[part]();
await browser.close();
shop.close();

// Reports to the tracker as a program with @sentry/node does: `node report.mjs PACKAGES PART DSN`. The last line says what was
// attempted.

import assert from "node:assert/strict";
import { createRequire } from "node:module";

const [packages, part, dsn] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const Sentry = require("@sentry/node");

class CardDeclined extends Error {
  name = "CardDeclined";
}

class CheckoutFailed extends Error {
  name = "CheckoutFailed";
}

function charge(number) {
  throw new CardDeclined(`the bank said no to order ${number}`);
}

function checkOut(number) {
  try {
    charge(number);
  } catch (cause) {
    throw new CheckoutFailed(`order ${number} was not paid`, { cause });
  }
}

// Reports an order that fails. It is the same error each time.
async function report(number) {
  try {
    checkOut(number);
  } catch (error) {
    assert.ok(Sentry.captureException(error));
  }
  // Whether all of it was taken is for the server to say.
  await Sentry.flush(20_000);
}

const parts = {
  // The same error twice, with all that the SDK knows of it, and a message.
  async errors() {
    Sentry.setTag("area", "checkout");
    Sentry.setUser({ id: "7", username: "ann", email: "ann@example.com" });
    Sentry.setContext("order", { books: 3 });
    Sentry.addBreadcrumb({ category: "cart", message: "a book was added", level: "info" });
    for (const number of [1, 2]) await report(number);
    Sentry.captureMessage("stock is low", "warning");
    assert.ok(await Sentry.flush(20_000));
    console.log("two errors, one message");
  },

  // A program that ends well. The SDK counts it by itself.
  async visit() {
    console.log("one session");
  },

  // A program that ends with an error that nobody catches.
  async crash() {
    setImmediate(() => checkOut(9));
  },

  // More than is taken, one after the other, so that the SDK hears the answer to each before it sends the next one.
  async limits() {
    for (const number of [1, 2, 3, 4, 5]) await report(number);
    console.log("five errors");
  },
};

Sentry.init({ dsn, release: "shop@1.2.3", environment: "staging", shutdownTimeout: 20_000 });
await parts[part]();

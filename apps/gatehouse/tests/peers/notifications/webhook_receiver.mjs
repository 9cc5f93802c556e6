// Receives webhooks and verifies them with standardwebhooks: `node webhook_receiver.mjs PACKAGES`. Prints its port, reads the
// signing secret from the standard input, and then prints a line of JSON for each request. The first request of each id gets
// 500, and every later one 200.

import { createServer } from "node:http";
import { createRequire } from "node:module";
import { createInterface } from "node:readline";

const [packages] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const { Webhook, WebhookVerificationError } = require("standardwebhooks");

let setSecret;
const signed = new Promise((resolve) => {
  setSecret = (secret) => resolve(new Webhook(secret));
});
const seen = new Set();

/** True if the library does not accept a request. */
function isRefused(webhook, body, headers) {
  try {
    webhook.verify(body, headers);
    return false;
  } catch (error) {
    if (error instanceof WebhookVerificationError) {
      return true;
    }
    throw error;
  }
}

/** The changes to a request that the library refuses. */
function refusedChanges(webhook, body, headers) {
  const other = new Webhook(`whsec_${Buffer.alloc(32).toString("base64")}`);
  const at = (seconds) => ({
    ...headers,
    "webhook-timestamp": String(Number(headers["webhook-timestamp"]) + seconds),
  });
  const changes = {
    body: [webhook, `${body} `, headers],
    id: [webhook, body, { ...headers, "webhook-id": "msg_other" }],
    old: [webhook, body, at(-3600)],
    secret: [other, body, headers],
    timestamp: [webhook, body, at(1)],
  };
  return Object.keys(changes).filter((name) => isRefused(...changes[name]));
}

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) {
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks).toString();
  const { headers } = request;
  const webhook = await signed;
  const id = headers["webhook-id"];
  const status = seen.has(id) ? 200 : 500;
  seen.add(id);
  const line = {
    id,
    timestamp: headers["webhook-timestamp"],
    media_type: headers["content-type"],
    verified: !isRefused(webhook, body, headers),
    refused: refusedChanges(webhook, body, headers),
    event: JSON.parse(body),
    status,
  };
  console.log(JSON.stringify(line));
  response.writeHead(status).end();
});

createInterface({ input: process.stdin }).once("line", setSecret);
server.listen(0, "127.0.0.1", () => console.log(JSON.stringify({ port: server.address().port })));

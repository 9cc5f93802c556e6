// What stands in for applications of the user: one that listens on a port of its own, one that signs in with a popup, and
// an authenticator.

import assert from "node:assert/strict";
import { createHash, createHmac } from "node:crypto";
import { createServer } from "node:http";

const verifier = "v".repeat(64);
const state = "a state with spaces & signs";

// Where the public application asks for authorization.
function authorization(setup, redirectUri) {
  const url = new URL("/oauth/authorize", setup.base_url);
  url.search = new URLSearchParams({
    client_id: setup.public.id,
    redirect_uri: redirectUri,
    response_type: "code",
    scope: "read_user",
    state,
    code_challenge: createHash("sha256").update(verifier).digest("base64url"),
    code_challenge_method: "S256",
  });
  return url;
}

// An application in a page of another origin: its button opens the popup, and the page of the redirect tells its opener
// what arrived, as the libraries for this do, and closes itself.
export async function popupApplication(setup) {
  const page = (body) => `<!doctype html><html lang=en><link rel=icon href=data:,><title>Shop</title>${body}`;
  const server = createServer((request, response) => {
    const redirectUri = `http://${request.headers.host}/callback`;
    const script = request.url.startsWith("/callback")
      ? `window.opener.postMessage(location.search, location.origin); window.close();`
      : `document.querySelector("button").onclick = () => {
           const popup = window.open(${JSON.stringify(authorization(setup, redirectUri).href)}, "login", "popup");
           document.querySelector("button").textContent = popup ? "Waiting" : "Refused";
         };
         window.onmessage = ({ data, origin }) => {
           if (origin === location.origin) document.querySelector("output").textContent = data;
         };`;
    response.setHeader("content-type", "text/html");
    response.end(page(`<button>Sign in</button><output></output><script>${script}</script>`));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${server.address().port}/`, close: () => server.close() };
}

// A native application: it listens on a port of its own, and waits for the one request of the redirect.
export async function nativeApplication(setup) {
  let arrive;
  const arrived = new Promise((resolve) => (arrive = resolve));
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://127.0.0.1");
    response.setHeader("content-type", "text/html");
    response.end("<!doctype html><html lang=en><link rel=icon href=data:,><title>Done</title><main>You may close this window.</main>");
    if (url.pathname === "/callback") arrive({ query: url.searchParams, headers: request.headers });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const redirectUri = `http://127.0.0.1:${server.address().port}/callback`;
  const url = authorization(setup, redirectUri);
  const finished = async () => {
    const { query, headers } = await arrived;
    server.close();
    assert.equal(query.get("state"), state);
    assert.equal(query.get("iss"), setup.base_url);
    assert.equal(headers.referer, undefined, "the address of the consent page leaked");
    return query;
  };
  const exchange = async (code) => {
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: setup.public.id,
      redirect_uri: redirectUri,
      code_verifier: verifier,
      code,
    });
    const answer = await fetch(new URL("/oauth/token", setup.base_url), { method: "POST", body });
    assert.equal(answer.status, 200, await answer.clone().text());
    return answer.json();
  };
  return { url: url.href, finished, exchange };
}

// The code of an authenticator (RFC 6238) at the present step and `later` steps on.
export function authenticatorCode(secret, later = 0) {
  const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
  const bits = [...secret.replace(/[\s=-]/g, "").toUpperCase()]
    .map((letter) => alphabet.indexOf(letter).toString(2).padStart(5, "0"))
    .join("");
  const key = Buffer.from(bits.match(/.{8}/g).map((byte) => parseInt(byte, 2)));
  const step = Buffer.alloc(8);
  step.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + later));
  const mac = createHmac("sha1", key).update(step).digest();
  const at = mac[mac.length - 1] & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, "0");
}

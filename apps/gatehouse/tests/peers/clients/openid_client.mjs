// Signing in with openid-client, certified by the OpenID Foundation: discovery, proof keys, id token, refresh,
// claims, introspection and revocation. `node openid_client.mjs PACKAGES JSON`

import { webcrypto } from "node:crypto";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";
import assert from "node:assert/strict";

import { User } from "./pages.mjs";

// Before version 20, Node does not offer this by itself.
globalThis.crypto ??= webcrypto;

const [packages, json] = process.argv.slice(2);
const require = createRequire(`${packages}/package.json`);
const openid = await import(pathToFileURL(require.resolve("openid-client")));
const setup = JSON.parse(json);
const user = new User(setup);

async function dance(config, redirectUri, scope) {
  const verifier = openid.randomPKCECodeVerifier();
  const [state, nonce] = [openid.randomState(), openid.randomNonce()];
  const url = openid.buildAuthorizationUrl(config, {
    redirect_uri: redirectUri,
    scope,
    code_challenge: await openid.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
    max_age: "3600",
  });
  const location = await user.decide(url.href);
  // This checks state, issuer, nonce, age of the sign-in, and the signature and every claim of the id token.
  return openid.authorizationCodeGrant(config, new URL(location), {
    pkceCodeVerifier: verifier,
    expectedState: state,
    expectedNonce: nonce,
    maxAge: 3600,
    idTokenExpected: true,
  });
}

async function discovered(client, authentication) {
  const options = { execute: [openid.allowInsecureRequests, openid.enableNonRepudiationChecks] };
  return openid.discovery(new URL(setup.base_url), client.id, {}, authentication, options);
}

const methods = [openid.ClientSecretBasic, openid.ClientSecretPost];
for (const method of methods) {
  const config = await discovered(setup.confidential, method(setup.confidential.secret));
  const tokens = await dance(config, setup.redirect_uri, "openid profile email read_user");
  const claims = tokens.claims();
  assert.equal(claims.aud, setup.confidential.id);
  const profile = await openid.fetchUserInfo(config, tokens.access_token, claims.sub);
  assert.equal(profile.preferred_username, setup.login);

  const seen = await openid.tokenIntrospection(config, tokens.access_token);
  assert.equal(seen.active, true);

  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token);
  assert.notEqual(refreshed.access_token, tokens.access_token);
  await assert.rejects(openid.fetchUserInfo(config, tokens.access_token, claims.sub), { status: 401 });

  await openid.tokenRevocation(config, refreshed.access_token);
  const ended = await openid.tokenIntrospection(config, refreshed.access_token);
  assert.deepEqual(ended.active, false);
  await assert.rejects(openid.refreshTokenGrant(config, refreshed.refresh_token), { error: "invalid_grant" });
}

const wrong = await discovered(setup.confidential, openid.ClientSecretBasic("wrong"));
await assert.rejects(dance(wrong, setup.redirect_uri, "openid"), (error) => {
  const challenge = error.cause?.[0] ?? error;
  return error.status === 401 && JSON.stringify(challenge).toLowerCase().includes("basic");
});

const config = await discovered(setup.public, openid.None());
const tokens = await dance(config, "http://127.0.0.1:43210/callback", "openid read_user");
const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token);
assert.notEqual(refreshed.refresh_token, tokens.refresh_token);

console.log("three dances, one refusal");

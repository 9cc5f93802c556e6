"""Signing in with Authlib: discovery, proof keys, an id token that it validates, refresh, claims and revocation."""

import secrets

import requests
from authlib.integrations.base_client.errors import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.oidc.core import CodeIDToken, UserInfo
from joserfc import jwk, jwt
from pages import User, answered, given

setup = given()
base_url = setup["base_url"]
user = User(base_url, setup["login"], setup["password"])

metadata = requests.get(f"{base_url}/.well-known/openid-configuration").json()
assert metadata["issuer"] == base_url, metadata
keys = jwk.KeySet.import_key_set(requests.get(metadata["jwks_uri"]).json())


def dance(client, redirect_uri, approves=True):
    """From the authorization URL to the tokens."""
    verifier, nonce = secrets.token_urlsafe(48), secrets.token_urlsafe(16)
    url, state = client.create_authorization_url(
        metadata["authorization_endpoint"], code_verifier=verifier, nonce=nonce
    )
    location = user.decide(url, approves)
    assert location.startswith(redirect_uri + "?"), location
    assert answered(location)["iss"] == base_url, location
    if not approves:
        return answered(location)
    token = client.fetch_token(
        metadata["token_endpoint"],
        authorization_response=location,
        state=state,
        code_verifier=verifier,
    )
    return token, nonce


def validated(token, client_id, nonce):
    """The claims of the id token, by the rules of OpenID Connect."""
    algorithms = metadata["id_token_signing_alg_values_supported"]
    decoded = jwt.decode(token["id_token"], keys, algorithms=algorithms)
    claims = CodeIDToken(
        decoded.claims,
        decoded.header,
        options={
            "iss": {"essential": True, "value": base_url},
            "aud": {"essential": True, "value": client_id},
            "nonce": {"essential": True, "value": nonce},
        },
        params={"nonce": nonce, "client_id": client_id, "access_token": token["access_token"]},
    )
    claims.validate()
    return claims


def errors_of(call, *arguments, **named):
    """The code of the error that a call fails with."""
    try:
        call(*arguments, **named)
    except OAuthError as error:
        return error.error
    raise AssertionError("it did not fail")


confidential = setup["confidential"]
for method in ("client_secret_basic", "client_secret_post"):
    client = OAuth2Session(
        confidential["id"],
        confidential["secret"],
        scope="openid profile email read_user",
        redirect_uri=setup["redirect_uri"],
        code_challenge_method="S256",
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
        introspection_endpoint_auth_method=method,
    )
    token, nonce = dance(client, setup["redirect_uri"])
    assert token["token_type"].lower() == "bearer" and token["expires_in"] == 7200, token
    claims = validated(token, confidential["id"], nonce)

    profile = UserInfo(client.get(metadata["userinfo_endpoint"]).json())
    assert profile.sub == claims["sub"], (profile, claims)
    assert profile["preferred_username"] == setup["login"], profile
    assert "@" in profile["email"] and profile["email_verified"] in (True, False), profile
    assert client.get(f"{base_url}/api/v4/user").json()["username"] == setup["login"]

    introspected = client.introspect_token(
        metadata["introspection_endpoint"], token=token["access_token"]
    ).json()
    assert introspected["active"] and introspected["client_id"] == confidential["id"], introspected

    refreshed = client.refresh_token(metadata["token_endpoint"], token["refresh_token"])
    assert refreshed["access_token"] != token["access_token"]
    old = {"Authorization": f"Bearer {token['access_token']}"}
    assert requests.get(metadata["userinfo_endpoint"], headers=old).status_code == 401
    assert client.get(metadata["userinfo_endpoint"]).json()["sub"] == claims["sub"]

    revoked = client.revoke_token(
        metadata["revocation_endpoint"], token=refreshed["refresh_token"], token_type_hint="refresh_token"
    )
    assert revoked.status_code == 200 and revoked.json() == {}, revoked.text
    assert client.get(metadata["userinfo_endpoint"]).status_code == 401
    code = errors_of(client.refresh_token, metadata["token_endpoint"], refreshed["refresh_token"])
    assert code == "invalid_grant", code

# A public client has no secret; its redirect leads to a port that it chose itself.
native_uri = "http://127.0.0.1:43210/callback"
client = OAuth2Session(
    setup["public"]["id"],
    scope="openid read_user",
    redirect_uri=native_uri,
    code_challenge_method="S256",
    token_endpoint_auth_method="none",
    revocation_endpoint_auth_method="none",
)
token, nonce = dance(client, native_uri)
validated(token, setup["public"]["id"], nonce)
refreshed = client.refresh_token(metadata["token_endpoint"], token["refresh_token"])
assert refreshed["refresh_token"] != token["refresh_token"]

denied = dance(client, native_uri, approves=False)
assert denied["error"] == "access_denied", denied

print("three dances, one denial")

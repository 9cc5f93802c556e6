"""Signing in with Requests-OAuthlib: the whole dance, refreshing by itself, and the errors that it raises."""

import os

from oauthlib.oauth2 import InvalidClientError, InvalidGrantError, LegacyApplicationClient
from pages import User, answered, given
from requests.auth import HTTPBasicAuth
from requests_oauthlib import OAuth2Session

# The library speaks to the loopback interface without TLS only when it is configured so.
os.environ["OAUTHLIB_INSECURE_TRANSPORT"] = "1"

setup = given()
base_url, confidential = setup["base_url"], setup["confidential"]
user = User(base_url, setup["login"], setup["password"])
token_url = f"{base_url}/oauth/token"


def session(**more):
    """A client of the confidential application."""
    return OAuth2Session(
        confidential["id"],
        scope=["read_user", "openid"],
        redirect_uri=setup["redirect_uri"],
        pkce="S256",
        **more,
    )


client = session()
url, state = client.authorization_url(f"{base_url}/oauth/authorize")
location = user.decide(url)
assert answered(location)["state"] == state, location
# The library raises a warning, which is an error here, when the scope of the answer is another one.
token = client.fetch_token(token_url, authorization_response=location, client_secret=confidential["secret"])
assert sorted(token["scope"]) == ["openid", "read_user"], token
assert client.get(f"{base_url}/api/v4/user").json()["username"] == setup["login"]
info = client.get(f"{base_url}/oauth/token/info").json()
assert info["application"]["uid"] == confidential["id"], info

# The same code again is refused.
again = session()
again._code_verifier = client._code_verifier
try:
    again.fetch_token(
        token_url, code=answered(location)["code"], client_secret=confidential["secret"], include_client_id=True
    )
except InvalidGrantError as error:
    assert error.status_code == 400, error
else:
    raise AssertionError("a code was taken twice")
# It was stolen or lost, so what it had bought ends with it.
assert client.get(f"{base_url}/oauth/token/info").status_code == 401

# An expired token is refreshed without the program's doing.
location = user.decide(client.authorization_url(f"{base_url}/oauth/authorize")[0])
first = client.fetch_token(token_url, authorization_response=location, client_secret=confidential["secret"])
saved = []
refreshing = session(
    token=dict(first, expires_in=-30, expires_at=1.0),
    auto_refresh_url=token_url,
    auto_refresh_kwargs={"client_id": confidential["id"], "client_secret": confidential["secret"]},
    token_updater=saved.append,
)
assert refreshing.get(f"{base_url}/api/v4/user").json()["username"] == setup["login"]
assert saved and saved[0]["access_token"] != first["access_token"], saved

revoked = refreshing.post(
    f"{base_url}/oauth/revoke",
    data={"token": saved[0]["access_token"]},
    auth=HTTPBasicAuth(confidential["id"], confidential["secret"]),
    withhold_token=True,
)
assert revoked.status_code == 200 and revoked.json() == {}, revoked.text

# A username and a password, with the credentials of the application and with wrong ones.
legacy = OAuth2Session(client=LegacyApplicationClient(confidential["id"], scope=["read_user"]))
named = {"username": setup["login"], "password": setup["password"]}
token = legacy.fetch_token(token_url, auth=HTTPBasicAuth(confidential["id"], confidential["secret"]), **named)
assert "refresh_token" not in token, token
for error, auth, password in (
    (InvalidClientError, HTTPBasicAuth(confidential["id"], "wrong"), setup["password"]),
    (InvalidGrantError, HTTPBasicAuth(confidential["id"], confidential["secret"]), "wrong"),
):
    try:
        legacy.fetch_token(token_url, auth=auth, username=setup["login"], password=password)
    except error:
        continue
    raise AssertionError(f"no {error}")

print("a code, a refresh, a password")

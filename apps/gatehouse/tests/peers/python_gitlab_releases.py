"""What a user of python-gitlab does, as one release of the API; records what was sent as a HAR file."""

import json
import sys

import gitlab

base_url, token, path, release, recording = sys.argv[1:6]

client = gitlab.Gitlab(base_url, private_token=token)
client.headers["Gatehouse-Release"] = release
entries = []


def record(response, *_args, **_kwargs):
    request = response.request
    body = request.body.decode() if isinstance(request.body, bytes) else request.body
    entry = {
        "startedDateTime": "2023-01-01T00:00:00Z",
        "request": {
            "method": request.method,
            "url": request.url,
            "headers": [{"name": name, "value": value} for name, value in request.headers.items()],
        },
        "response": {
            "status": response.status_code,
            "content": {"mimeType": response.headers.get("Content-Type", ""), "text": response.text},
        },
    }
    if body:
        entry["request"]["postData"] = {"mimeType": request.headers.get("Content-Type", ""), "text": body}
    entries.append(entry)


client.session.hooks["response"].append(record)
client.auth()
project = client.projects.get(path)
commit = "4a1f3c0e5b6d7a8990c1b2d3e4f5a6b7c8d9e0f1"
outcomes = {}


def attempt(name, call):
    try:
        call()
        outcomes[name] = 200
    except gitlab.exceptions.GitlabError as error:
        outcomes[name] = error.response_code


def status(name, **fields):
    data = {"state": "success", "name": name, **fields}
    client.http_post(f"/projects/{project.id}/statuses/{commit}", post_data=data)


since = "2023-01-01T00:00:00Z"
attempt("environment", lambda: project.environments.create({"name": f"production-{release.replace('.', '-')}"}))
attempt("environments", lambda: project.environments.list(get_all=True))
attempt("short search", lambda: project.environments.list(search="pr", get_all=True))
attempt("search", lambda: project.environments.list(search="pro", get_all=True))
attempt(
    "deployment",
    lambda: project.deployments.create(
        {"environment": "production", "sha": commit, "ref": "main", "tag": False, "status": "success"}
    ),
)
attempt("deployments since", lambda: project.deployments.list(updated_after=since, get_all=True))
attempt(
    "deployments since, in order",
    lambda: project.deployments.list(updated_after=since, order_by="updated_at", get_all=True),
)
attempt("status", lambda: status("build"))
attempt("long description", lambda: status("lint", description="d" * 300))
attempt("jobs by key", lambda: project.jobs.list(pagination="keyset", order_by="id", sort="desc", get_all=True))
attempt("null profile", lambda: client.http_put(f"/users/{client.user.id}", post_data={"private_profile": None}))
attempt("profile", lambda: client.http_put(f"/users/{client.user.id}", post_data={"private_profile": False}))
attempt("client keys", lambda: client.http_get(f"/projects/{project.id}/error_tracking/client_keys"))
outcomes["operations_access_level"] = hasattr(project, "operations_access_level")

with open(recording, "w", encoding="utf-8") as file:
    json.dump({"log": {"version": "1.2", "entries": entries}}, file)
print(json.dumps(outcomes))

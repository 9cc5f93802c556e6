"""What a user of python-gitlab does in the first five minutes."""

import sys

import gitlab

base_url, token, path, key, admin_token = sys.argv[1:6]

client = gitlab.Gitlab(base_url, private_token=token)
client.auth()
assert client.user.username == "dev", client.user
assert client.user.web_url.startswith(base_url), client.user.web_url
assert client.version()[0].count(".") == 2, client.version()

# Offset paging, page by page, without asking for a size.
projects = list(client.projects.list(iterator=True))
paths = [project.path_with_namespace for project in projects]
assert len(set(paths)) == len(paths), "a page repeated a project"

# The same by keyset, and in small pages.
by_keyset = client.projects.list(iterator=True, pagination="keyset", order_by="id", per_page=7)
assert sorted(project.path_with_namespace for project in by_keyset) == sorted(paths)
small_pages = client.projects.list(iterator=True, per_page=7, order_by="name", sort="asc")
names = [project.name.lower() for project in small_pages]
assert names == sorted(names) and len(names) == len(paths), names

first = client.projects.list(per_page=10, page=2, get_all=False)
assert len(first) == 10

project = client.projects.get(path)
assert project.path_with_namespace == path
assert client.projects.get(project.id).path_with_namespace == path

events = project.events.list(iterator=True)
labels = {event.action_name for event in events}
assert "created" in labels, labels
created = project.events.list(action="created", target_type="alert", get_all=True)
assert all(event.target_type == "Alert" for event in created), created

bearer = gitlab.Gitlab(base_url, oauth_token=token)
bearer.auth()
assert bearer.user.id == client.user.id

try:
    gitlab.Gitlab(base_url, private_token="wrong").auth()
except gitlab.exceptions.GitlabAuthenticationError as error:
    assert error.response_code == 401, error
else:
    raise AssertionError("a wrong token was accepted")

try:
    client.projects.get("acme/none")
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404 and "Project Not Found" in str(error), error
else:
    raise AssertionError("a project that does not exist was found")

# An administrator makes a token for the user, who finds, uses and revokes it.
admin = gitlab.Gitlab(base_url, private_token=admin_token)
made = admin.users.get(client.user.id).personal_access_tokens.create({"name": "deploy", "scopes": ["read_api"]})
assert made.token and made.user_id == client.user.id and made.active, made
deploy = gitlab.Gitlab(base_url, private_token=made.token)
assert deploy.personal_access_tokens.get("self").id == made.id
assert [found.id for found in client.personal_access_tokens.list(search="deploy", get_all=True)] == [made.id]
assert made.id in [found.id for found in admin.personal_access_tokens.list(user_id=client.user.id, iterator=True)]
client.personal_access_tokens.delete(made.id)
assert client.personal_access_tokens.get(made.id).revoked
try:
    deploy.auth()
except gitlab.exceptions.GitlabAuthenticationError as error:
    assert error.response_code == 401, error
else:
    raise AssertionError("a revoked token was accepted")

print(f"user {client.user.username}, {len(paths)} projects, {project.path_with_namespace}, its feed")

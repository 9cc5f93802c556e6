"""What a user of python-gitlab does in the first five minutes."""

import datetime
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
everywhere = {event.id for event in client.events.list(scope="all", iterator=True)}
assert created and {event.id for event in created} <= everywhere, created

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
created = admin.users.get(client.user.id).personal_access_tokens.create({"name": "deploy", "scopes": ["read_api"]})
assert created.token and created.user_id == client.user.id and created.active, created
deploy = gitlab.Gitlab(base_url, private_token=created.token)
assert deploy.personal_access_tokens.get("self").id == created.id
assert [found.id for found in client.personal_access_tokens.list(search="deploy", get_all=True)] == [created.id]
assert created.id in [found.id for found in admin.personal_access_tokens.list(user_id=client.user.id, iterator=True)]
client.personal_access_tokens.delete(created.id)
assert client.personal_access_tokens.get(created.id).revoked
try:
    deploy.auth()
except gitlab.exceptions.GitlabAuthenticationError as error:
    assert error.response_code == 401, error
else:
    raise AssertionError("a revoked token was accepted")

# A rotated token has a successor. The user rotates the token by its id, and the token rotates itself.
kept = admin.users.get(client.user.id).personal_access_tokens.create({"name": "rotated", "scopes": ["api"]})
token = client.personal_access_tokens.get(kept.id)
token.rotate(expires_at=str(datetime.date.today() + datetime.timedelta(days=30)))
assert token.id != kept.id and token.token != kept.token and token.active, token
own = gitlab.Gitlab(base_url, private_token=token.token)
successor = gitlab.Gitlab(base_url, private_token=own.personal_access_tokens.rotate("self")["token"])
assert successor.personal_access_tokens.get("self").name == "rotated"

# An administrator creates, changes, blocks and deletes a user.
robin = admin.users.create({"email": "robin@example.com", "name": "Robin", "username": "robin", "password": "correct horse"})
try:
    admin.users.create({"email": "robin@example.com", "name": "Other", "username": "other", "reset_password": True})
except gitlab.exceptions.GitlabCreateError as error:
    assert error.response_code == 409 and "Email has already been taken" in str(error), error
else:
    raise AssertionError("an address was given twice")
robin.name = "Robin Moreno"
robin.save()
assert robin.memberships.list(get_all=True) == [], robin.memberships.list(get_all=True)
robin.block()
assert admin.users.get(robin.id).state == "blocked"
robin.unblock()
robin.ban()
assert admin.users.get(robin.id).state == "banned"
robin.unban()
robin.deactivate()
robin.activate()
assert admin.users.get(robin.id).name == "Robin Moreno"
robin.delete(hard_delete=True)
try:
    admin.users.get(robin.id)
except gitlab.exceptions.GitlabGetError as error:
    assert error.response_code == 404, error
else:
    raise AssertionError("a deleted user was found")

# An administrator acts as the user with an impersonation token.
lent = admin.users.get(client.user.id).impersonationtokens.create({"name": "support", "scopes": ["read_user"]})
acting = gitlab.Gitlab(base_url, private_token=lent.token)
acting.auth()
assert acting.user.id == client.user.id and lent.impersonation, lent
tokens = admin.users.get(client.user.id, lazy=True).impersonationtokens
assert [found.name for found in tokens.list(state="active", get_all=True)] == ["support"]
assert tokens.get(lent.id).active
tokens.delete(lent.id)
assert not tokens.get(lent.id).active

# Tokens of a project and of a group act as bots.
for place in (admin.projects.get("acme/web-shop"), admin.groups.get("acme")):
    new = place.access_tokens.create({"name": "deploy", "scopes": ["read_api"], "access_level": 20})
    bot = gitlab.Gitlab(base_url, private_token=new.token)
    bot.auth()
    assert bot.user.id == new.user_id and bot.user.bot, bot.user
    assert place.members.get(new.user_id).access_level == new.access_level == 20
    assert [found.id for found in place.access_tokens.list(get_all=True)] == [new.id]
    rotated = place.access_tokens.rotate(new.id)
    assert place.access_tokens.get(rotated["id"]).active and not place.access_tokens.get(new.id).active
    place.access_tokens.delete(rotated["id"])
    assert not place.access_tokens.get(rotated["id"]).active

# Deploy tokens never open the API.
for place in (admin.projects.get("acme/web-shop"), admin.groups.get("acme")):
    new = place.deploytokens.create({"name": "host", "scopes": ["read_repository"], "username": "", "expires_at": ""})
    assert new.username == f"deploy-token-{new.id}" and new.expires_at is None, new
    assert [found.id for found in place.deploytokens.list(get_all=True)] == [new.id]
    assert new.id in [found.id for found in admin.deploytokens.list(iterator=True)]
    assert place.deploytokens.get(new.id).scopes == ["read_repository"]
    try:
        gitlab.Gitlab(base_url, private_token=new.token).auth()
    except gitlab.exceptions.GitlabAuthenticationError as error:
        assert error.response_code == 401, error
    else:
        raise AssertionError("a deploy token opened the API")
    place.deploytokens.delete(new.id)
    assert place.deploytokens.list(get_all=True) == []
    # The audit log has both, newest first.
    logged = place.audit_events.list(per_page=2, get_all=False)
    assert [event.details["event_name"] for event in logged] == ["deploy_token_deleted", "deploy_token_created"], logged
    assert place.audit_events.get(logged[0].id).details["author_name"] == admin.users.get(logged[0].author_id).name

# Runners are created, listed, changed, assigned to projects and deleted. Nothing is executed.
admin.auth()
shop, other = admin.projects.get("acme/web-shop"), admin.projects.create({"name": "runners-only"})
new = admin.user.runners.create({"runner_type": "project_type", "project_id": shop.id, "tag_list": ["linux"], "description": "py"})
assert new.token.startswith("ghrt_"), new
assert new.id in [found.id for found in admin.runners_all.list(iterator=True)]
assert new.id in [found.id for found in shop.runners.list(get_all=True, tag_list="linux", paused=False)]
runner = admin.runners.get(new.id)
assert runner.status == "not_connected" and runner.tag_list == ["linux"] and not runner.paused, runner
runner.paused = True
runner.tag_list = ["linux", "big"]
runner.save()
assert admin.runners.get(new.id).tag_list == ["linux", "big"] and admin.runners.get(new.id).paused
other.runners.create({"runner_id": new.id})
assert {project["id"] for project in admin.runners.get(new.id).projects} == {shop.id, other.id}
admin.runners.verify(new.token)
assert admin.runners.get(new.id).status == "paused" and admin.runners.get(new.id).online
assert runner.jobs.list(get_all=True) == []
other.runners.delete(new.id)
assert [project["id"] for project in admin.runners.get(new.id).projects] == [shop.id]
runner.delete()
assert new.id not in [found.id for found in admin.runners_all.list(iterator=True)]

# Hooks of a project are created, listed, changed, tested and deleted.
place = admin.projects.get("acme/web-shop")
hook = place.hooks.create({"url": "https://bot.example.com/hook", "issues_events": 1, "token": "secret", "push_events": False})
assert hook.issues_events and not hook.push_events and hook.alert_status == "executable", hook
assert "token" not in hook.attributes, hook
hook.note_events = True
hook.save()
assert place.hooks.get(hook.id).note_events and hook.id in [found.id for found in place.hooks.list(iterator=True)]
try:
    place.hooks.create({"url": "https://bot.example.com/hook", "push_events": 1})
except gitlab.exceptions.GitlabCreateError as refused:
    assert refused.response_code == 400 and "push_events must be false" in refused.error_message, refused
else:
    raise AssertionError("pushes are not reported")
hook.delete()
assert hook.id not in [found.id for found in place.hooks.list(get_all=True)]

# Snippets of a user and of a project.
snippet = client.snippets.create({"title": "Script", "file_name": "a.sh", "content": "echo", "visibility": "public"})
assert snippet.content() == b"echo" and snippet.author["username"] == "dev", snippet
assert snippet.id in [found.id for found in client.snippets.list(get_all=True)]
assert snippet.id in [found.id for found in admin.snippets.public(get_all=True)]
snippet.title = "Renamed"
snippet.save()
assert client.snippets.get(snippet.id).title == "Renamed"
snippet.delete()
assert snippet.id not in [found.id for found in client.snippets.list(get_all=True)]
place = client.projects.get("acme/web-shop")
shared = place.snippets.create(
    {
        "title": "Two files",
        "files": [{"file_path": "a.txt", "content": "one"}, {"file_path": "dir/b.txt", "content": "two"}],
        "visibility": "private",
    }
)
assert shared.content() == b"one" and [file["path"] for file in shared.files] == ["a.txt", "dir/b.txt"], shared
client.http_put(
    f"/projects/{place.id}/snippets/{shared.id}",
    post_data={"files": [{"action": "move", "previous_path": "a.txt", "file_path": "c.txt", "content": "three"}]},
)
again = place.snippets.get(shared.id)
assert again.file_name == "c.txt" and again.content() == b"three" and again.project_id == place.id, again
again.description = "Changed"
again.save()
assert [found.description for found in place.snippets.list(get_all=True)] == ["Changed"]
again.delete()
assert place.snippets.list(get_all=True) == []

print(f"user {client.user.username}, {len(paths)} projects, {project.path_with_namespace}, its feed")

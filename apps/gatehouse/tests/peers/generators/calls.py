"""The client that openapi-python-client generates from the document makes five calls."""

import json
import sys

sys.path.insert(0, sys.argv[1])

from gatehouse_client import AuthenticatedClient  # noqa: E402
from gatehouse_client.api.labels import create_label, delete_label, list_labels  # noqa: E402
from gatehouse_client.api.projects import show_project  # noqa: E402
from gatehouse_client.api.users import show_current_user  # noqa: E402
from gatehouse_client.models import CreateLabelJsonBody, CurrentUser, Label, WholeProject  # noqa: E402

facts = json.loads(sys.argv[2])
client = AuthenticatedClient(base_url=facts["base_url"], token=facts["token"], raise_on_unexpected_status=True)
path = facts["project"]

user = show_current_user.sync(client=client)
assert isinstance(user, CurrentUser) and user.username == facts["username"], user
assert user.avatar_url.startswith(facts["base_url"]), user.avatar_url

project = show_project.sync(path, client=client)
assert isinstance(project, WholeProject) and project.path_with_namespace == path, project
assert project.http_url_to_repo == f"{facts['base_url']}/{path}.git", project.http_url_to_repo

body = CreateLabelJsonBody(name="generated/label", color="#336699", description="Made by a program")
made = create_label.sync(path, client=client, body=body)
assert isinstance(made, Label) and made.name == "generated/label", made

names = [label.name for label in list_labels.sync(path, client=client)]
assert names == ["generated/label"], names

gone = delete_label.sync_detailed(path, made.name, client=client)
assert gone.status_code == 204, gone

print("user, project, label made, listed and gone")

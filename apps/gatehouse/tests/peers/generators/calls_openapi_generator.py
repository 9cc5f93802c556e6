"""The client that openapi-generator generates from the document makes five calls."""

import json
import sys

sys.path.insert(0, sys.argv[1])

from gatehouse_client import ApiClient, Configuration  # noqa: E402
from gatehouse_client.api import LabelsApi, ProjectsApi, UsersApi  # noqa: E402
from gatehouse_client.exceptions import BadRequestException, NotFoundException  # noqa: E402
from gatehouse_client.models import CreateLabelRequest, CreateProjectRequest, CurrentUser, Label, WholeProject  # noqa: E402

facts = json.loads(sys.argv[2])
client = ApiClient(Configuration(host=facts["base_url"], access_token=facts["token"]))
path = facts["project"]

user = UsersApi(client).show_current_user()
assert isinstance(user, CurrentUser) and user.username == facts["username"], user
assert user.avatar_url.startswith(facts["base_url"]), user.avatar_url

project = ProjectsApi(client).show_project(path).actual_instance
assert isinstance(project, WholeProject) and project.path_with_namespace == path, project
assert project.http_url_to_repo == f"{facts['base_url']}/{path}.git", project.http_url_to_repo

try:
    ProjectsApi(client).show_project("no/such")
    raise SystemExit("a project that does not exist was shown")
except NotFoundException as refusal:
    assert refusal.data.message.actual_instance == "404 Project Not Found", refusal
try:
    ProjectsApi(client).create_project(create_project_request=CreateProjectRequest(name="x", path="-bad-"))
    raise SystemExit("a project with a wrong path was created")
except BadRequestException as refusal:
    assert list(refusal.data.message.actual_instance) == ["path"], refusal

labels = LabelsApi(client)
body = CreateLabelRequest(name="generated/label", color="#336699", description="Made by a program")
made = labels.create_label(path, body)
assert isinstance(made, Label) and made.name == "generated/label", made

names = [label.name for label in labels.list_labels(path)]
assert names == ["generated/label"], names

gone = labels.delete_label_with_http_info(path, made.name)
assert gone.status_code == 204, gone

print("user, project, label made, listed and gone")

"""What a CI system reports by python-gitlab, and what is read of it."""

import sys

import gitlab

base_url, token, path, _key = sys.argv[1:5]
sha = "0123456789abcdef0123456789abcdef01234567"

client = gitlab.Gitlab(base_url, private_token=token)
project = client.projects.get(path)

# Statuses of a commit make a pipeline with jobs.
commit = project.commits.get(sha, lazy=True)
for state in ["pending", "running", "success"]:
    status = commit.statuses.create({"state": state, "name": "build", "ref": "main", "target_url": "https://ci.example/1"})
    assert status.status == state, status
assert [status.name for status in commit.statuses.list(get_all=True)] == ["build"]

pipeline = project.pipelines.list(sha=sha, get_all=True)[0]
assert (pipeline.status, pipeline.source, pipeline.ref) == ("success", "external", "main"), pipeline
assert [job.name for job in pipeline.jobs.list(get_all=True)] == ["build"]
assert project.jobs.get(status.id).pipeline["id"] == pipeline.id
jobs = project.jobs.list(iterator=True, pagination="keyset", order_by="id", sort="desc", per_page=1)
assert [job.id for job in jobs] == [status.id]

made = project.pipelines.create({"ref": "main", "variables": [{"key": "COLOR", "value": "red"}]})
assert made.status == "created"
assert [variable.value for variable in made.variables.list(get_all=True)] == ["red"]

# Environments and deployments.
environment = project.environments.create({"name": "review/one", "external_url": "https://one.example"})
environment.external_url = "https://two.example"
environment.save()
environment = project.environments.get(environment.id)
assert environment.external_url == "https://two.example", environment

deployment = project.deployments.create(
    {"environment": "review/one", "sha": sha, "ref": "main", "tag": False, "status": "running"}
)
deployment.status = "success"
deployment.save()
deployment = project.deployments.get(deployment.id)
assert deployment.environment["id"] == environment.id and deployment.finished_at, deployment
listed = project.deployments.list(environment="review/one", updated_after="2020-01-01T00:00:00Z", order_by="updated_at", sort="desc", get_all=True)
assert [one.id for one in listed] == [deployment.id]

environment.stop()
assert project.environments.list(states="stopped", get_all=True)[0].id == environment.id
try:
    project.environments.list(name="a", search="b", get_all=True)
    raise AssertionError("two filters that exclude each other were taken")
except gitlab.exceptions.GitlabListError as error:
    assert error.response_code == 400, error

print(f"pipeline {pipeline.iid} {pipeline.status}, {environment.slug[:11]} {listed[0].status}")

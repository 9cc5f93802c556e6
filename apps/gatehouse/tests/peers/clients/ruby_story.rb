# frozen_string_literal: true

# The life of groups, projects, members, issues, notes, snippets and runners with the gem gitlab for Ruby.
# The argument is a JSON object with base_url, token (a user's) and admin_token.
require 'gitlab'
require 'json'
require 'net/http'

FACTS = JSON.parse(ARGV[0])

def client(token, **options)
  Gitlab.client(endpoint: "#{FACTS['base_url']}/api/v4", private_token: token, **options)
end

def is(found, expected, what)
  raise "#{what}: #{found.inspect} instead of #{expected.inspect}" if found != expected
end

# Runs a call that the server must refuse with this error.
def refused(error, what)
  yield
rescue error
  nil
else
  raise "#{what} was not refused"
end

def names(list, field)
  list.map { |one| one.send(field) }.sort.join(' ')
end

api = client(FACTS['token'])
admin = client(FACTS['admin_token'])

is(api.user.username, 'olivia', 'current user')
ben = api.users(username: 'ben').first
is(api.user(ben.id).username, 'ben', 'user')
is(names(api.user_search('ben'), :username), 'ben', 'search of users')
refused(Gitlab::Error::NotFound, 'an unknown user') { api.user(999_999) }

# A group with a subgroup and members.
group = api.create_group('Ruby', 'ruby')
inner = api.create_group('Inner', 'inner', parent_id: group.id)
is(names(api.group_subgroups('ruby'), :full_path), 'ruby/inner', 'subgroups')
is(api.edit_group('ruby', description: 'Written in Ruby').description, 'Written in Ruby', 'edited group')
is(names(api.group_search('ruby'), :full_path), 'ruby', 'search of groups')
api.add_group_member('ruby', ben.id, 30)
is(api.edit_group_member('ruby', ben.id, 40).access_level, 40, 'edited member')
is(names(api.group_members('ruby'), :username), 'ben olivia', 'members')
api.remove_group_member('ruby', ben.id)
refused(Gitlab::Error::NotFound, 'a former member') { api.group_member('ruby', ben.id) }
api.delete_group(inner.id)
is(names(api.namespaces(search: 'ruby'), :full_path), 'ruby', 'namespaces')

# A project in it.
project = api.create_project('Thing', namespace_id: group.id, visibility: 'private')
id = project.id
is(api.project('ruby/thing').id, id, 'project by path')
is(api.edit_project(id, description: 'A thing').description, 'A thing', 'edited project')
is(names(api.group_projects('ruby'), :path), 'thing', 'projects of the group')
is(names(api.project_search('thing'), :path), 'thing', 'search of projects')
is(names(api.projects(membership: true, search: 'thing'), :path), 'thing', 'own projects')
api.add_team_member(id, ben.id, 20)
is(api.edit_team_member(id, ben.id, 30).access_level, 30, 'member of the project')
is(api.team_member(id, ben.id).username, 'ben', 'member')
is(names(api.all_members(id), :username), 'ben olivia', 'all members')
is(api.archive_project(id).archived, true, 'archived project')
is(api.unarchive_project(id).archived, false, 'unarchived project')
other = api.create_group('Other', 'other-ruby')
api.share_project_with_group(id, other.id, 30)
is(api.project(id).shared_with_groups.map { |one| one['group_name'] }, ['Other'], 'shares')
api.unshare_project_with_group(id, other.id)
is(api.transfer_project(id, other.id).path_with_namespace, 'other-ruby/thing', 'transferred project')
api.transfer_project(id, group.id)

# Labels, a milestone, issues and notes.
api.create_label(id, 'bug', '#FF0000')
is(api.edit_label(id, 'bug', new_name: 'fault').name, 'fault', 'edited label')
milestone = api.create_milestone(id, 'First')
is(api.edit_milestone(id, milestone.id, state_event: 'close').state, 'closed', 'milestone')
issue = api.create_issue(id, 'It is broken', labels: 'fault', milestone_id: milestone.id, assignee_ids: [ben.id])
is(names(api.issues(id, labels: 'fault'), :title), 'It is broken', 'issues')
is(names(api.group_issues('ruby'), :title), 'It is broken', 'issues of the group')
is(names(api.issues, :title), 'It is broken', 'own issues')
is(names(api.milestone_issues(id, milestone.id), :title), 'It is broken', 'issues of the milestone')
is(api.close_issue(id, issue.iid).state, 'closed', 'closed issue')
is(api.reopen_issue(id, issue.iid).state, 'opened', 'reopened issue')
note = api.create_issue_note(id, issue.iid, 'Indeed')
is(api.edit_issue_note(id, issue.iid, note.id, 'Indeed!').body, 'Indeed!', 'edited note')
is(api.issue_note(id, issue.iid, note.id).author.username, 'olivia', 'author of the note')
api.delete_issue_note(id, issue.iid, note.id)
refused(Gitlab::Error::NotFound, 'a deleted note') { api.issue_note(id, issue.iid, note.id) }

# All pages of a list, which the library follows by the header Link.
4.times { |number| api.create_issue(id, "Issue #{number}") }
first = api.issues(id, per_page: 2)
is([first.length, first.has_next_page?, first.auto_paginate.length], [2, true, 5], 'pages')
api.delete_issue(id, issue.iid)
refused(Gitlab::Error::NotFound, 'a deleted issue') { api.issue(id, issue.iid) }
api.delete_label(id, 'fault')
is(api.labels(id).length, 0, 'labels')
api.delete_milestone(id, milestone.id)

# Snippets of the user and of the project.
snippet = api.create_user_snippet(title: 'Notes', file_name: 'a.txt', content: 'one', visibility: 'private')
is(api.edit_user_snippet(snippet.id, title: 'More', visibility: 'public').title, 'More', 'snippet')
is(names(api.user_snippets, :title), 'More', 'snippets')
is(names(api.public_snippets, :title), 'More', 'public snippets')
is(api.user_snippet_raw(snippet.id), 'one', 'content of a snippet of the user')
api.delete_user_snippet(snippet.id)
snippet = api.create_snippet(id, title: 'Code', file_name: 'a.rb', content: '1', visibility: 'private')
is(names(api.snippets(id), :title), 'Code', 'snippets of the project')
is(api.snippet_content(id, snippet.id), '1', 'content of a snippet')
api.delete_snippet(id, snippet.id)

# Environments, commit statuses and pipelines.
environment = api.create_environment(id, 'production')
is(api.edit_environment(id, environment.id, external_url: 'https://example.com').external_url, 'https://example.com', 'environment')
is(api.stop_environment(id, environment.id).state, 'stopped', 'stopped environment')
api.delete_environment(id, environment.id)
sha = 'a' * 40
is(api.update_commit_status(id, sha, 'success', name: 'tests').status, 'success', 'status')
is(names(api.commit_status(id, sha), :name), 'tests', 'statuses')
is(api.pipelines(id).first.sha, sha, 'pipeline')

deployed = { environment: 'staging', sha: sha, ref: 'main', tag: false, status: 'success' }
api.post("/projects/#{id}/deployments", body: deployed)
is(names(api.deployments(id), :ref), 'main', 'deployments')

# Runners of projects. The library cannot create one.
new_runner = { runner_type: 'project_type', project_id: id, description: 'builder' }
runner = api.post('/user/runners', body: new_runner).id
is(api.update_runner(runner, paused: true, tag_list: 'linux').paused, true, 'edited runner')
is(api.runner_jobs(runner).length, 0, 'jobs of the runner, of which there are none')
is(names(api.project_runners(id), :description), 'builder', 'runners of the project')
second = api.create_project('Second').id
is(names(api.user_projects('olivia'), :path), 'second', 'projects of the user')
is(api.project_enable_runner(second, runner).id, runner, 'runner of a second project')
is(names(api.project_runners(second), :description), 'builder', 'runners of the second project')
api.project_disable_runner(second, runner)
is(api.project_runners(second).length, 0, 'runners that the second project no longer has')
is(names(admin.all_runners, :description), 'builder', 'all runners')
api.delete_runner(runner)
refused(Gitlab::Error::NotFound, 'a deleted runner') { api.runner(runner) }
api.delete_project(second)

# A runner that registers itself and leaves. Registration tokens exist until release 17.0, which this header selects.
older = client(FACTS['token'], httparty: { headers: { 'Gatehouse-Release' => '16.11' } })
registration = older.post("/groups/#{group.id}/runners/reset_registration_token").token
registered = older.register_runner(registration, description: 'registered', tag_list: 'linux')
is(names(api.group_runners('ruby'), :description), 'registered', 'runners of the group')
is(api.verify_auth_registered_runner(registered.token).id, registered.id, 'verified runner')
api.delete_registered_runner(registered.token)
refused(Gitlab::Error::NotFound, 'a runner that left') { api.runner(registered.id) }

# Events and Markdown.
raise 'no events of the project' if api.project_events(id).empty?
raise 'no events of all projects' if api.events(scope: 'all').empty?
raise 'no events of the user' if api.user_events('olivia').empty?
raise 'no Markdown' unless api.markdown('*x*').html.include?('<em>x</em>')

# A client of the registry may push, and the library lists and deletes images.
auth = URI("#{FACTS['base_url']}/jwt/auth?service=container_registry&scope=repository:ruby/thing:pull,push")
request = Net::HTTP::Get.new(auth)
request.basic_auth('olivia', FACTS['token'])
is(Net::HTTP.start(auth.host, auth.port) { |http| http.request(request) }.code, '200', 'token of the registry')
images = api.registry_repositories(id).first
is(images.path, 'ruby/thing', 'image repository')
is(api.registry_repository_tag(id, images.id, 'v1').total_size, 12, 'tag')
api.delete_registry_repository_tag(id, images.id, 'v1')
is(names(api.registry_repository_tags(id, images.id), :name), 'latest v2', 'tags')
api.bulk_delete_registry_repository_tags(id, images.id, name_regex_delete: 'v.*')
refused(Gitlab::Error::BadRequest, 'a second deletion by a rule') do
  api.bulk_delete_registry_repository_tags(id, images.id, name_regex_delete: 'v.*')
end
api.delete_registry_repository(id, images.id)
is(api.registry_repositories(id).length, 0, 'image repositories')

# Administration: users and runners.
carl = admin.create_user('carl-ruby@example.com', 'a long pass phrase', 'carl-ruby', name: 'Carl')
is(admin.edit_user(carl.id, name: 'Karl').name, 'Karl', 'edited user')
admin.block_user(carl.id)
is(admin.user(carl.id).state, 'blocked', 'blocked user')
admin.unblock_user(carl.id)
admin.delete_user(carl.id)
is(admin.all_runners.length, 0, 'runners')
is(api.project_runners(id).length, 0, 'runners of the project')
is(api.group_runners('ruby').length, 0, 'runners of the group')
refused(Gitlab::Error::Forbidden, 'listing all runners') { api.all_runners }
refused(Gitlab::Error::BadRequest, 'an issue without a title') { api.create_issue(id, '') }
refused(Gitlab::Error::Conflict, 'a path that is taken') { api.create_group('Ruby', 'ruby') }
refused(Gitlab::Error::Unauthorized, 'a wrong token') { client('ghat_wrong-and-long-enough').projects }

api.delete_project(id)
refused(Gitlab::Error::NotFound, 'a deleted project') { api.project(id) }
[group, other].each { |one| api.delete_group(one.id) }
refused(Gitlab::Error::NotFound, 'a deleted group') { api.group('ruby') }
puts 'groups, projects, members, issues and notes, created and deleted'

# The life of groups, projects, members, issues, notes, snippets, tokens and runners with GitLab::API::v4 for Perl.
# The argument is a JSON object with base_url, token (a user's) and admin_token.
use strict;
use warnings;
use GitLab::API::v4;
use HTTP::Tiny;
use JSON qw(decode_json);

my $facts = decode_json($ARGV[0]);
my $url = "$facts->{base_url}/api/v4";
my $api = GitLab::API::v4->new(url => $url, private_token => $facts->{token});
my $admin = GitLab::API::v4->new(url => $url, private_token => $facts->{admin_token});

sub is {
    my ($found, $expected, $what) = @_;
    $found = 'undef' if !defined $found;
    die "$what: $found instead of $expected\n" if "$found" ne "$expected";
}

# Runs a call that the server must refuse with a status.
sub refused {
    my ($status, $what, $call) = @_;
    my $done = eval { $call->(); 1 };
    die "$what was not refused\n" if $done;
    die "$what: $@" if $@ !~ /HTTP \Q$status\E/;
}

# Sends a form to a path for which the library has no call.
sub post {
    my ($path, $fields) = @_;
    my $headers = { 'private-token' => $facts->{token} };
    my $sent = HTTP::Tiny->new->post_form("$url/$path", $fields, { headers => $headers });
    die "$path: $sent->{status} $sent->{content}\n" if !$sent->{success};
    return decode_json($sent->{content});
}

sub names { return join ' ', sort map { $_->{$_[0]} } @{ $_[1] } }

is($api->version->{version} =~ /^\d/ ? 1 : 0, 1, 'version');
my $me = $api->current_user;
is($me->{username}, 'olivia', 'current user');
my $ben = $api->users({ username => 'ben' })->[0];
is($api->user($ben->{id})->{username}, 'ben', 'user');
is($api->user('ben')->{id}, $ben->{id}, 'user by name');
is($api->user(999_999), 'undef', 'an unknown user is undefined');

# A group with a subgroup and members.
$api->create_group({ name => 'Perl', path => 'perl' });
my $group = $api->group('perl');
$api->create_group({ name => 'Inner', path => 'inner', parent_id => $group->{id} });
is(names('full_path', $api->group_subgroups('perl')), 'perl/inner', 'subgroups');
is($api->edit_group('perl', { description => 'Written in Perl' })->{description}, 'Written in Perl', 'edited group');
$api->add_group_member('perl', { user_id => $ben->{id}, access_level => 30 });
$api->update_group_member('perl', $ben->{id}, { access_level => 40 });
is($api->group_member('perl', $ben->{id})->{access_level}, 40, 'member of the group');
is(names('username', $api->group_members('perl')), 'ben olivia', 'members of the group');
$api->remove_group_member('perl', $ben->{id});
is($api->group_member('perl', $ben->{id}), 'undef', 'former member');
is(names('full_path', $api->namespaces({ search => 'perl' })), 'perl', 'namespaces');

# A project in it.
my $project = $api->create_project({ name => 'Thing', namespace_id => $group->{id}, visibility => 'private' });
my $id = $project->{id};
is($project->{path_with_namespace}, 'perl/thing', 'project');
is($api->project('perl/thing')->{id}, $id, 'project by path');
$api->edit_project($id, { description => 'A thing' });
is($api->project($id)->{description}, 'A thing', 'edited project');
is(names('path', $api->group_projects('perl')), 'thing', 'projects of the group');
is(names('path', $api->projects({ membership => 'true', search => 'thing' })), 'thing', 'projects');
$api->add_project_member($id, { user_id => $ben->{id}, access_level => 20 });
$api->update_project_member($id, $ben->{id}, { access_level => 30 });
is($api->project_member($id, $ben->{id})->{access_level}, 30, 'member of the project');
is(names('username', $api->all_project_members($id)), 'ben olivia', 'all members of the project');
is($api->archive_project($id)->{archived} ? 1 : 0, 1, 'archived project');
is($api->unarchive_project($id)->{archived} ? 1 : 0, 0, 'unarchived project');

# Labels, a milestone, issues and notes.
is($api->create_label($id, { name => 'bug', color => '#FF0000' })->{name}, 'bug', 'label');
is($api->edit_label($id, { name => 'bug', new_name => 'fault' })->{name}, 'fault', 'edited label');
my $milestone = $api->create_project_milestone($id, { title => 'First' });
is($api->edit_project_milestone($id, $milestone->{id}, { state_event => 'close' })->{state}, 'closed', 'milestone');
my $issue = $api->create_issue($id, {
    title => 'It is broken', labels => 'fault', milestone_id => $milestone->{id}, assignee_ids => [ $ben->{id} ],
});
is($issue->{assignees}[0]{username}, 'ben', 'assignee');
is(names('title', $api->issues($id, { labels => 'fault' })), 'It is broken', 'issues');
is(names('title', $api->group_issues('perl')), 'It is broken', 'issues of the group');
is(names('title', $api->global_issues({ scope => 'created_by_me' })), 'It is broken', 'own issues');
is(names('title', $api->project_milestone_issues($id, $milestone->{id})), 'It is broken', 'issues of the milestone');
is($api->edit_issue($id, $issue->{iid}, { state_event => 'close' })->{state}, 'closed', 'closed issue');
my $note = $api->create_issue_note($id, $issue->{iid}, { body => 'Indeed' });
$api->edit_issue_note($id, $issue->{iid}, $note->{id}, { body => 'Indeed!' });
is($api->issue_note($id, $issue->{iid}, $note->{id})->{body}, 'Indeed!', 'note');
$api->delete_issue_note($id, $issue->{iid}, $note->{id});
is($api->issue_note($id, $issue->{iid}, $note->{id}), 'undef', 'deleted note');

# All pages of a list, through the paginator of the library.
$api->create_issue($id, { title => "Issue $_" }) for 1 .. 4;
my $all = $api->paginator('issues', $id, { per_page => 2 })->all;
is(scalar @$all, 5, 'all issues');
$api->delete_issue($id, $issue->{iid});
is($api->issue($id, $issue->{iid}), 'undef', 'deleted issue');
$api->delete_label($id, { name => 'fault' });
is(scalar @{ $api->labels($id) }, 0, 'labels');

# Snippets of the user and of the project.
my $snippet = $api->create_snippet({ title => 'Notes', file_name => 'a.txt', content => 'one', visibility => 'private' });
is($api->edit_snippet($snippet->{id}, { title => 'More notes' })->{title}, 'More notes', 'snippet');
is(names('title', $api->snippets), 'More notes', 'snippets');
$api->delete_snippet($snippet->{id});
$api->create_project_snippet($id, { title => 'Code', file_name => 'a.pl', content => '"1"', visibility => 'private' });
is(names('title', $api->project_snippets($id)), 'Code', 'snippets of the project');
$snippet = $api->project_snippets($id)->[0];
is($api->project_snippet_content($id, $snippet->{id}), 1, 'content of a snippet that is JSON');
$api->delete_project_snippet($id, $snippet->{id});

# Environments, commit statuses and pipelines.
my $environment = $api->create_environment($id, { name => 'production' });
$api->edit_environment($id, $environment->{id}, { external_url => 'https://example.com' });
is($api->environments($id)->[0]{external_url}, 'https://example.com', 'environment');
$api->stop_environment($id, $environment->{id});
$api->delete_environment($id, $environment->{id});
my $sha = 'a' x 40;
is($api->create_commit_status($id, $sha, { state => 'success', name => 'tests' })->{status}, 'success', 'status');
is(names('name', $api->commit_statuses($id, $sha)), 'tests', 'statuses');
my $pipeline = $api->pipelines($id)->[0];
is($api->pipeline($id, $pipeline->{id})->{sha}, $sha, 'pipeline');

my $deployed = { environment => 'staging', sha => $sha, ref => 'main', tag => 'false', status => 'success' };
post("projects/$id/deployments", $deployed);
is(names('ref', $api->deployments($id)), 'main', 'deployments');

# Runners of projects. The library cannot create one.
my $new_runner = { runner_type => 'project_type', project_id => $id, description => 'builder' };
my $runner_id = post('user/runners', $new_runner)->{id};
is($api->runner($runner_id)->{description}, 'builder', 'runner');
is($api->update_runner($runner_id, { tag_list => ['linux'] })->{tag_list}[0], 'linux', 'edited runner');
is(scalar @{ $api->runner_jobs($runner_id) }, 0, 'jobs of the runner, of which there are none');
is(names('description', $api->project_runners($id)), 'builder', 'runners of the project');
my $second = $api->create_project({ name => 'Second' })->{id};
$api->enable_project_runner($second, { runner_id => $runner_id });
is(names('description', $api->project_runners($second)), 'builder', 'runners of the second project');
$api->disable_project_runner($second, $runner_id);
is(scalar @{ $api->project_runners($second) }, 0, 'runners that the second project no longer has');
is(names('description', $admin->all_runners), 'builder', 'all runners');
$api->delete_runner($runner_id);
is($api->runner($runner_id), 'undef', 'deleted runner');
$api->delete_project($second);

# Events and Markdown.
is((grep { $_->{action_name} eq 'created' } @{ $api->project_events($id) }) > 0 ? 1 : 0, 1, 'events');
is(scalar @{ $api->all_events({ scope => 'all' }) } > 0 ? 1 : 0, 1, 'events of all projects');
is($api->markdown({ text => '*x*' })->{html} =~ m{<em>x</em>} ? 1 : 0, 1, 'Markdown');

# A client of the registry may push, and the library lists and deletes images.
my $auth = "$facts->{base_url}/jwt/auth?service=container_registry&scope=repository:perl/thing:pull,push";
$auth =~ s{//}{//olivia:$facts->{token}\@};
is(HTTP::Tiny->new->get($auth)->{status}, 200, 'token of the registry');
my $images = $api->registry_repositories_in_project($id, { tags => 'true' })->[0];
is(names('name', $images->{tags}), 'latest v1 v2', 'image repository with its tags');
is(names('path', $api->registry_repositories_in_group('perl')), 'perl/thing', 'image repositories of the group');
is($api->registry_repository_tag($id, $images->{id}, 'v1')->{total_size}, 12, 'tag');
$api->delete_registry_repository_tag($id, $images->{id}, 'v1');
is(names('name', $api->registry_repository_tags($id, $images->{id})), 'latest v2', 'tags');
$api->bulk_delete_registry_repository_tags($id, $images->{id}, { name_regex_delete => 'v.*' });
refused(400, 'a second deletion by a rule', sub {
    $api->bulk_delete_registry_repository_tags($id, $images->{id}, { name_regex_delete => 'v.*' });
});
$api->delete_registry_repository($id, $images->{id});
is(scalar @{ $api->registry_repositories_in_project($id) }, 0, 'image repositories');

# Administration: users, impersonation tokens and runners.
$admin->create_user({ username => 'carl', name => 'Carl', email => 'carl@example.com', reset_password => 'true' });
my $carl = $admin->users({ username => "carl" })->[0];
$admin->edit_user($carl->{id}, { name => 'Karl' });
is($admin->user($carl->{id})->{name}, 'Karl', 'edited user');
$admin->block_user($carl->{id});
is($admin->user($carl->{id})->{state}, 'blocked', 'blocked user');
$admin->unblock_user($carl->{id});
my $token = $admin->create_user_impersonation_token($carl->{id}, { name => 'test', scopes => ['api'] });
is(GitLab::API::v4->new(url => $url, private_token => $token->{token})->current_user->{username}, 'carl', 'impersonation');
$admin->delete_user_impersonation_token($carl->{id}, $token->{id});
is($admin->user_impersonation_token($carl->{id}, $token->{id})->{active} ? 1 : 0, 0, 'revoked token');
my $as_carl = $admin->sudo('carl');
is($as_carl->current_user->{username}, 'carl', 'sudo');
$admin->delete_user($carl->{id}, { hard_delete => 'true' });
is(scalar @{ $admin->all_runners }, 0, 'runners');
refused(403, 'listing all runners', sub { $api->all_runners });
refused(403, 'creating a user', sub { $api->create_user({ username => 'x', name => 'x', email => 'x@example.com' }) });
refused(400, 'an issue without a title', sub { $api->create_issue($id, {}) });
refused(409, 'a group with a path that is taken', sub { $api->create_group({ name => 'Perl', path => 'perl' }) });
my $stranger = GitLab::API::v4->new(url => $url, private_token => 'ghat_wrong');
refused(401, 'a wrong token', sub { $stranger->projects });

$api->delete_project($id);
is($api->project($id), 'undef', 'deleted project');
$api->delete_group('perl');
is($api->group('perl'), 'undef', 'deleted group');
print "groups, projects, members, issues and notes, created and deleted\n";

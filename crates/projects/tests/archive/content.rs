//! Reading of archives that other servers wrote.

use api_conventions::access::Visibility;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::archive::{ArchiveError, Author, MAX_ISSUE_NUMBER, Origin, read};
use projects::{IssueKind, IssueSeverity, IssueState, MilestoneState};

use crate::{archive, gzip, read_issues, refusal, tar};

const LABELS: &str = r##"{"id":2,"title":"bug","color":"#d9534f","description":"","type":"ProjectLabel","template":false,"created_at":"2016-07-22T08:55:44.161Z","updated_at":"2016-07-23T08:55:44.161Z","priorities":[{"id":1,"priority":3}]}

{"id":3,"title":"ops","color":"#428bca","description":"Of the house","priorities":null}
"##;

const MILESTONES: &str = r#"{"id":20,"title":"2.0","iid":5,"state":"closed","due_date":"2024-02-29","start_date":"2024-02-01","description":"The second","events":[]}
{"id":1,"title":"1.0","iid":1,"state":"active","due_date":null}
"#;

const ISSUES: &str = r##"{"id":40,"iid":10,"title":"Late","author_id":22,"state":"closed","closed_at":"2022-08-17 13:06:53 UTC","created_at":"2016-06-14T15:02:08.340Z","updated_at":"2016-06-14T17:02:47.967+02:00","description":"","confidential":true,"discussion_locked":null,"due_date":"2024-02-29","issue_type":"incident","issuable_severity":{"severity":"HIGH"},"milestone":{"title":"1.0","iid":1},"label_links":[{"id":2,"label":{"title":"bug","color":"#000000"}},{"label":{"title":"group's","color":"#123456","type":"GroupLabel","group_id":8}},{"label":null}],"issue_assignees":[{"user_id":1}],"award_emoji":[{"name":"clapper"}],"notes":[{"id":352,"note":"second","author_id":25,"created_at":"2016-06-14T15:02:47.795Z","author":{"name":"User 3"},"system":false},{"id":351,"note":"first","confidential":true,"author_id":16,"created_at":"2016-06-14T15:02:46Z","author":{"name":""}},{"id":353,"note":"closed","system":true,"author":{"name":"User 3"}}]}
{"iid":2,"title":"Early","state":"opened","closed_at":"2022-08-17T13:06:53Z","author_id":16,"work_item_type":{"base_type":"incident"},"milestone":{"title":"of the group","iid":7,"state":"active"},"label_links":null,"notes":null,"labels":["not","links"]}
{"iid":3,"title":"Other","state_id":2,"issue_type":"invalid_type","issuable_severity":{"severity":"high"}}
"##;

const MEMBERS: &str = r#"{"id":36,"access_level":40,"user_id":16,"user":{"id":16,"public_email":"b@example.com","username":"bernard"}}
{"id":37,"invite_email":"c@example.com","user":null}
"#;

fn time(text: &str) -> Timestamp {
    Timestamp::parse_rfc3339(text).unwrap()
}

#[test]
fn the_archive_of_another_server_is_read() {
    let project = br#"{"description":"What it is","visibility_level":10,"archived":false,"hooks":[],"topics":["a",{"id":1,"name":"b"}]}"#;
    let files: [(&str, &[u8]); 8] = [
        ("./VERSION", b"0.2.4"),
        ("./GITLAB_VERSION", b"16.0"),
        ("./project.bundle", b"\0\xff"),
        ("./tree/project/issues.ndjson", ISSUES.as_bytes()),
        ("./tree/project/project_members.ndjson", MEMBERS.as_bytes()),
        ("./tree/project/labels.ndjson", LABELS.as_bytes()),
        ("tree/project/milestones.ndjson", MILESTONES.as_bytes()),
        ("./tree/project.json", project),
    ];
    let found = read(&gzip(&tar(&files))).unwrap();
    assert_eq!(found.project.description, "What it is");
    assert_eq!(found.project.visibility, Some(Visibility::Internal));
    assert_eq!(found.project.topics, ["a", "b"]);
    let labels: Vec<_> = found
        .labels
        .iter()
        .map(|one| (one.content.title.as_str(), one.content.color.as_str()))
        .collect();
    // The label of the group appears only in an issue.
    assert_eq!(
        labels,
        [
            ("group's", "#123456"),
            ("bug", "#d9534f"),
            ("ops", "#428bca")
        ]
    );
    let bug = &found.labels[1];
    assert_eq!(
        (bug.content.priority, &bug.content.description),
        (Some(3), &None)
    );
    assert_eq!(bug.times.updated_at, Some(time("2016-07-23T08:55:44.161Z")));
    assert_eq!(found.labels[2].origin.line, 3);
    let milestones: Vec<_> = found
        .milestones
        .iter()
        .map(|one| {
            (
                one.content.title.as_str(),
                one.content.state,
                one.content.due_date,
            )
        })
        .collect();
    assert_eq!(
        milestones,
        [
            ("1.0", MilestoneState::Active, None),
            (
                "2.0",
                MilestoneState::Closed,
                CalendarDate::parse("2024-02-29")
            ),
            ("of the group", MilestoneState::Active, None),
        ]
    );
}

#[test]
fn settings_are_read_as_other_servers_archive_them() {
    let project = r#"{"wiki_access_level":10,"public_builds":true,"merge_requests_rebase_enabled":true,"merge_requests_ff_only_enabled":true,"build_timeout":600,"lfs_enabled":null,"ci_config_path":"","squash_option":"sometimes","suggestion_commit_message":7,"jobs_enabled":true,"has_external_wiki":true}"#;
    let files: [(&str, &[u8]); 4] = [
        ("tree/project.json", project.as_bytes()),
        (
            "tree/project/project_feature.ndjson",
            br#"{"id":2,"pages_access_level":30,"builds_access_level":10,"snippets_access_level":25,"releases_access_level":30,"forking_access_level":20}"#,
        ),
        (
            "tree/project/ci_cd_settings.ndjson",
            br#"{"group_runners_enabled":true,"default_git_depth":50,"separated_caches":false,"keep_latest_artifact":"yes"}"#,
        ),
        (
            "tree/project/auto_devops.ndjson",
            br#"{"enabled":true,"deploy_strategy":"manual"}"#,
        ),
    ];
    let found = read(&gzip(&tar(&files))).unwrap().project.settings;
    let wanted = r#"{"auto_devops_deploy_strategy":"manual","auto_devops_enabled":true,"build_timeout":600,"builds_access_level":"private","ci_default_git_depth":50,"ci_separated_caches":false,"forking_access_level":"enabled","group_runners_enabled":true,"merge_method":"ff","pages_access_level":"public","public_jobs":true,"wiki_access_level":"private"}"#;
    assert_eq!(found.to_json(), wanted);
    let refused = archive(&[("tree/project/auto_devops.ndjson", "{\"enabled\":")]);
    let text = refusal(&refused);
    let place = "line 1 of tree/project/auto_devops.ndjson cannot be read";
    assert!(text.starts_with(place), "{text}");
}

#[test]
fn issues_are_read_with_their_labels_milestone_and_notes() {
    let files = [
        ("tree/project/issues.ndjson", ISSUES),
        ("tree/project/project_members.ndjson", MEMBERS),
    ];
    let found = read(&archive(&files)).unwrap().issues;
    let numbers: Vec<i64> = found.iter().map(|issue| issue.iid.get()).collect();
    assert_eq!(numbers, [2, 3, 10]);
    let [early, other, late] = found.try_into().unwrap();
    assert_eq!(early.content.kind, IssueKind::Incident);
    assert_eq!((early.state, early.closed_at), (IssueState::Opened, None));
    assert_eq!(early.milestone.as_deref(), Some("of the group"));
    let bernard = Author {
        name: None,
        username: Some("bernard".to_owned()),
    };
    assert_eq!(early.author, Some(bernard.clone()));
    assert_eq!(other.content.kind, IssueKind::Issue);
    assert_eq!(other.content.severity, IssueSeverity::Unknown);
    assert_eq!((other.state, other.closed_at), (IssueState::Closed, None));
    assert_eq!(late.content.severity, IssueSeverity::High);
    assert!(late.content.confidential && !late.content.discussion_locked);
    assert_eq!(late.content.description, None);
    assert_eq!(late.content.due_date, CalendarDate::parse("2024-02-29"));
    assert_eq!(late.closed_at, Some(time("2022-08-17T13:06:53Z")));
    assert_eq!(
        late.times.updated_at,
        Some(time("2016-06-14T15:02:47.967Z"))
    );
    assert_eq!(late.labels, ["bug", "group's"].map(str::to_owned).into());
    // No member has the number 22.
    assert_eq!(late.author, None);
    let notes: Vec<_> = late
        .notes
        .iter()
        .map(|note| (note.body.as_str(), note.internal))
        .collect();
    assert_eq!(notes, [("first", true), ("second", false)]);
    assert_eq!(late.notes[0].author, Some(bernard));
}

#[test]
fn invalid_content_is_reported_with_its_file_and_line() {
    for (lines, wanted) in [
        (
            "{\"iid\":1,\"title\":\"a\"}\n\n{\"iid\":2",
            "line 3 of tree/project/issues.ndjson cannot be read: ",
        ),
        (
            "no JSON",
            "line 1 of tree/project/issues.ndjson cannot be read: ",
        ),
        (
            "[1]",
            "line 1 of tree/project/issues.ndjson cannot be read: ",
        ),
        (
            "{\"iid\":1,\"title\":[]}",
            "line 1 of tree/project/issues.ndjson cannot be read: invalid type: sequence, expected a string at column 17",
        ),
        (
            "{\"iid\":1,\"title\":\"a\\u0000\"}",
            "line 1 of tree/project/issues.ndjson cannot be read: ",
        ),
        (
            "{\"iid\":1,\"due_date\":\"soon\"}",
            "line 1 of tree/project/issues.ndjson cannot be read: \"soon\" is not a valid date",
        ),
        (
            "{\"iid\":1,\"created_at\":\"soon\"}",
            "line 1 of tree/project/issues.ndjson cannot be read: \"soon\" is not a valid time",
        ),
    ] {
        let text = read_issues(lines).unwrap_err().to_string();
        assert!(text.starts_with(wanted), "{lines}: {text}");
    }
    let labels = archive(&[(
        "tree/project/labels.ndjson",
        "{\"title\":\"a\"}\n{\"title\":\"a\"}",
    )]);
    assert_eq!(
        refusal(&labels),
        "line 2 of tree/project/labels.ndjson repeats an earlier title"
    );
}

#[test]
fn numbers_of_issues_are_positive_and_there_once() {
    let origin = |line| Origin {
        file: "tree/project/issues.ndjson",
        line,
    };
    for number in ["0", "-1", "null", "2147483648"] {
        let lines = format!("{{\"iid\":{number},\"title\":\"a\"}}");
        let found = read_issues(&lines).unwrap_err();
        assert_eq!(found, ArchiveError::NoNumber(origin(1)), "{number}");
    }
    let twice = "{\"iid\":7}\n{\"iid\":8}\n{\"iid\":7}";
    let found = read_issues(twice).unwrap_err();
    assert_eq!(found, ArchiveError::SameNumber(origin(3), 7));
    let greatest = format!("{{\"iid\":{MAX_ISSUE_NUMBER},\"title\":\"a\"}}");
    assert!(read_issues(&greatest).is_ok());
}

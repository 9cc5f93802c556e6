//! Round trips of archives, within the limits of reading.

use std::collections::{BTreeMap, BTreeSet};

use api_conventions::access::Visibility;
use api_conventions::ids::IssueIid;
use api_conventions::time::{CalendarDate, Timestamp};
use projects::archive::{
    Archive, ArchiveError, ArchivedIssue, ArchivedLabel, ArchivedMilestone, ArchivedNote,
    ArchivedProject, Author, MAX_LINE_BYTES, MAX_RECORDS, Origin, Times, read, write,
};
use projects::model::{ProjectSettingTable, SettingKind, SettingTable as _};
use projects::{
    IssueContent, IssueKind, IssueSeverity, IssueState, LabelContent, MilestoneContent,
    MilestoneState, ProjectSettings,
};
use proptest::option;
use proptest::prelude::*;

fn text() -> impl Strategy<Value = String> {
    "[^\\x00]{1,20}"
}

fn time() -> impl Strategy<Value = Timestamp> {
    let year = 365 * 86_400_000_i64;
    (-1900 * year..7900 * year).prop_map(|millis| Timestamp::from_micros(millis * 1000).unwrap())
}

fn times() -> impl Strategy<Value = Times> {
    (option::of(time()), option::of(time())).prop_map(|(created_at, updated_at)| Times {
        created_at,
        updated_at,
    })
}

fn day() -> impl Strategy<Value = Option<CalendarDate>> {
    option::of((0..40_000).prop_map(|days| CalendarDate::from_days(days).unwrap()))
}

fn author() -> impl Strategy<Value = Option<Author>> {
    let name = || option::of("[a-z]{1,8}");
    (name(), name()).prop_map(|(name, username)| {
        let author = Author { name, username };
        (author != Author::default()).then_some(author)
    })
}

fn origin(file: &'static str, index: usize) -> Origin {
    Origin {
        file,
        line: index + 1,
    }
}

fn labels() -> impl Strategy<Value = Vec<ArchivedLabel>> {
    let label = (
        option::of(text()),
        "#[0-9a-f]{6}",
        option::of(0..9_i64),
        times(),
    );
    prop::collection::btree_map(text(), label, 0..4).prop_map(|all| {
        let all = all.into_iter().enumerate();
        all.map(
            |(index, (title, (description, color, priority, times)))| ArchivedLabel {
                content: LabelContent {
                    title,
                    description,
                    color,
                    priority,
                },
                times,
                origin: origin("tree/project/labels.ndjson", index),
            },
        )
        .collect()
    })
}

fn milestones() -> impl Strategy<Value = Vec<ArchivedMilestone>> {
    let one = (option::of(text()), any::<bool>(), day(), day(), times());
    prop::collection::btree_map(text(), one, 0..4).prop_map(|all| {
        let all = all.into_iter().enumerate();
        all.map(
            |(index, (title, (description, is_over, start_date, due_date, times)))| {
                ArchivedMilestone {
                    iid: Some(i64::try_from(index).unwrap() + 1),
                    content: MilestoneContent {
                        title,
                        description,
                        state: if is_over {
                            MilestoneState::Closed
                        } else {
                            MilestoneState::Active
                        },
                        start_date,
                        due_date,
                    },
                    times,
                    origin: origin("tree/project/milestones.ndjson", index),
                }
            },
        )
        .collect()
    })
}

fn content() -> impl Strategy<Value = IssueContent> {
    let severity = prop::sample::select(vec![IssueSeverity::Unknown, IssueSeverity::Critical]);
    let flags = any::<(bool, bool, bool)>();
    (text(), option::of(text()), flags, severity, day()).prop_map(
        |(
            title,
            description,
            (confidential, discussion_locked, is_incident),
            severity,
            due_date,
        )| {
            let kind = if is_incident {
                IssueKind::Incident
            } else {
                IssueKind::Issue
            };
            IssueContent {
                title,
                description,
                kind,
                severity: if is_incident {
                    severity
                } else {
                    IssueSeverity::Unknown
                },
                confidential,
                discussion_locked,
                due_date,
            }
        },
    )
}

fn notes() -> impl Strategy<Value = Vec<ArchivedNote>> {
    let note = (text(), any::<bool>(), author(), times());
    prop::collection::vec(note, 0..3).prop_map(|notes| {
        let notes = notes.into_iter();
        let mut notes: Vec<_> = notes
            .map(|(body, internal, author, times)| ArchivedNote {
                body,
                internal,
                author,
                times,
            })
            .collect();
        notes.sort_by_key(|note| note.times.created_at);
        notes
    })
}

/// Generated parts of an issue: content, time of closing, notes, author and times.
type GeneratedIssue = (
    IssueContent,
    Option<Timestamp>,
    Vec<ArchivedNote>,
    Option<Author>,
    Times,
);

/// Issues by number.
/// They have all labels and the last milestone.
fn issues() -> impl Strategy<Value = BTreeMap<i64, GeneratedIssue>> {
    let issue = (content(), option::of(time()), notes(), author(), times());
    prop::collection::btree_map(1..1000_i64, issue, 0..4)
}

/// Settings of which some are set.
fn settings() -> impl Strategy<Value = ProjectSettings> {
    let values = prop::collection::vec(option::of(any::<bool>()), ProjectSettingTable::ALL.len());
    values.prop_map(|set| {
        let all = ProjectSettingTable::ALL.iter().zip(set);
        let values = all.filter_map(|(setting, set)| {
            let is_last = set?;
            let value = match setting.kind {
                SettingKind::Flag => is_last.into(),
                SettingKind::Word(words) if is_last => (*words.last()?).into(),
                SettingKind::Word(words) => (*words.first()?).into(),
                SettingKind::Number(numbers) => (*numbers.last()?).into(),
                SettingKind::Within(min, max) => if is_last { max } else { min }.into(),
                SettingKind::Text(max) => "ä".repeat(max).into(),
            };
            Some((setting.name.to_owned(), value))
        });
        ProjectSettings::from_values(&values.collect()).normalized()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn written_archives_read_back_unchanged(
        description in "[^\\x00]{0,20}",
        topics in prop::collection::vec(text(), 0..3),
        settings in settings(),
        (labels, milestones, issues) in (labels(), milestones(), issues()),
    ) {
        let titles: BTreeSet<String> = labels.iter().map(|one| one.content.title.clone()).collect();
        let last = milestones.last().map(|one| one.content.title.clone());
        let issues = issues.into_iter().enumerate();
        let issues = issues.map(|(index, (number, (content, closed_at, notes, author, times)))| ArchivedIssue {
            iid: IssueIid::new(number),
            content,
            state: if closed_at.is_some() { IssueState::Closed } else { IssueState::Opened },
            closed_at,
            milestone: last.clone(),
            labels: titles.clone(),
            notes,
            author,
            times,
            origin: origin("tree/project/issues.ndjson", index),
        });
        let archive = Archive {
            project: ArchivedProject { description, visibility: Some(Visibility::Public), topics, settings },
            issues: issues.collect(),
            labels,
            milestones,
        };
        let packed = write(&archive, Timestamp::MAX).unwrap();
        prop_assert_eq!(read(&packed).unwrap(), archive);
    }
}

fn issue_of(description: String) -> ArchivedIssue {
    ArchivedIssue {
        iid: IssueIid::new(1),
        content: IssueContent {
            title: "a".to_owned(),
            description: Some(description),
            ..IssueContent::default()
        },
        state: IssueState::Opened,
        closed_at: None,
        milestone: None,
        labels: BTreeSet::new(),
        notes: Vec::new(),
        author: None,
        times: Times::default(),
        origin: origin("tree/project/issues.ndjson", 0),
    }
}

#[test]
fn content_beyond_the_read_limits_is_not_written() {
    let many = ArchivedNote {
        body: "a".to_owned(),
        internal: false,
        author: None,
        times: Times::default(),
    };
    let mut issue = issue_of(String::new());
    issue.notes = vec![many; MAX_RECORDS];
    let archive = Archive {
        issues: vec![issue],
        ..Archive::default()
    };
    let found = write(&archive, Timestamp::MIN);
    assert_eq!(found, Err(ArchiveError::TooManyRecords));
    let long = "x".repeat(usize::try_from(MAX_LINE_BYTES).unwrap());
    let archive = Archive {
        issues: vec![issue_of(long)],
        ..Archive::default()
    };
    let found = write(&archive, Timestamp::MIN).unwrap_err();
    assert_eq!(
        found.to_string(),
        "line 1 of tree/project/issues.ndjson has more than 2097152 bytes"
    );
    let issues = (1..=60).map(|number| ArchivedIssue {
        iid: IssueIid::new(number),
        ..issue_of("x".repeat(1_200_000))
    });
    let archive = Archive {
        issues: issues.collect(),
        ..Archive::default()
    };
    assert_eq!(write(&archive, Timestamp::MIN), Err(ArchiveError::TooLarge));
}

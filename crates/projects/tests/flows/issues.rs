//! Issues and notes: visibility, permissions, and every error (`AUTH-11`).

use std::collections::BTreeSet;

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::error::ApiError;
use api_conventions::ids::{IssueIid, MilestoneId, NoteId, UserId};
use api_conventions::time::Timestamp;
use projects::flow::issues::{
    IssueActor, IssueEdit, IssueError, LabelsEdit, create_issue, delete_issue, find_issue,
    update_issue,
};
use projects::flow::notes::{NoteError, create_note, delete_note, find_note, update_note};
use projects::rules::system_notes::{Names, system_notes};
use projects::{
    Issue, IssueContentEdit, IssueState, MemberSource, NewNote, NoteRepository as _, Noteable,
    NoteableKind, Project, ResourceNote, Viewer,
};
use serde_json::json;
use storage::Store as _;

use crate::support::{MAKER, OTHER, TestProjects, at, now, project};

/// A Guest, a Reporter and a Maintainer.
const GUEST: UserId = UserId::new(3);
const REPORTER: UserId = UserId::new(4);
const MAINTAINER: UserId = UserId::new(5);

/// A public project of [`MAKER`], in which some users have roles and [`OTHER`] has none.
struct IssueFixture {
    projects: TestProjects,
    project: Project,
}

impl IssueFixture {
    fn set() -> Self {
        let projects = TestProjects::default();
        let mut top = projects.group("top", None);
        top.visibility = Visibility::Public;
        let made = project(&top, "thing", Visibility::Public);
        let project = projects.create(made).unwrap();
        let place = MemberSource::Project(project.id);
        for (user, level) in [
            (GUEST, AccessLevel::Guest),
            (REPORTER, AccessLevel::Reporter),
            (MAINTAINER, AccessLevel::Maintainer),
        ] {
            projects.member(user, place, level, None);
        }
        Self { projects, project }
    }

    /// A user who acts at a time.
    fn actor(&self, user: UserId, now: Timestamp) -> IssueActor {
        let viewer = Viewer::User(user);
        let (_, access) = self.projects.visible("1", viewer, now).unwrap();
        IssueActor {
            viewer,
            user,
            access,
            now,
        }
    }

    fn create(&self, user: UserId, edit: IssueEdit) -> Result<Issue, IssueError> {
        let (project, by) = (self.project.id, self.actor(user, now()));
        let stated = Some(at("2020-01-01T00:00:00Z"));
        let work = self.projects.0.write(move |tx| {
            let created = create_issue(tx, project, edit.clone(), stated, by)?;
            created.record(|before, _| {
                assert_eq!(before, None);
                Ok(())
            })
        });
        work.wait()
    }

    fn update(
        &self,
        user: UserId,
        iid: IssueIid,
        edit: IssueEdit,
    ) -> Result<(Issue, Issue), IssueError> {
        let later = at("2024-03-02T12:00:00Z");
        let (project, by) = (self.project.id, self.actor(user, later));
        let work = self.projects.0.write(move |tx| {
            let mut before = None;
            let after = update_issue(tx, project, iid, edit.clone(), by)?.record(|issue, _| {
                before = issue.cloned();
                Ok::<_, IssueError>(())
            })?;
            Ok((before.unwrap(), after))
        });
        work.wait()
    }

    fn delete(
        &self,
        user: UserId,
        iid: IssueIid,
        since: Option<Timestamp>,
    ) -> Result<Issue, IssueError> {
        let (project, by) = (self.project.id, self.actor(user, now()));
        let work = self
            .projects
            .0
            .write(move |tx| delete_issue(tx, project, iid, since, by));
        work.wait()
    }

    fn sees(&self, user: UserId, iid: IssueIid) -> bool {
        let (project, by) = (self.project.id, self.actor(user, now()));
        let found = self
            .projects
            .0
            .read(move |tx| find_issue(tx, project, iid, by.viewer, by.access));
        found.wait().is_ok()
    }

    /// Runs an operation on notes.
    fn notes<T: Send + 'static>(
        &self,
        user: UserId,
        work: impl Fn(&mut storage_diesel::SqliteWriteTx<'_>, IssueActor) -> Result<T, NoteError>
        + Send
        + 'static,
    ) -> Result<T, NoteError> {
        let by = self.actor(user, now());
        self.projects.0.write(move |tx| work(tx, by)).wait()
    }
}

/// Edit of the title.
fn titled(title: &str) -> IssueEdit {
    let mut edit = IssueEdit::default();
    edit.content.title = Some(title.to_owned());
    edit
}

/// Edit of many attributes at once.
fn everything(title: &str) -> IssueEdit {
    IssueEdit {
        labels: LabelsEdit {
            set: Some(vec!["bug".to_owned(), "new".to_owned()]),
            ..LabelsEdit::default()
        },
        assignees: Some(BTreeSet::from([OTHER])),
        content: IssueContentEdit {
            confidential: Some(true),
            discussion_locked: Some(true),
            ..titled(title).content
        },
        ..IssueEdit::default()
    }
}

#[test]
fn reporters_can_set_fields_that_guests_cannot() {
    let stage = IssueFixture::set();
    let own = stage.create(GUEST, everything("by a guest")).unwrap();
    assert_eq!((own.iid.get(), own.author_id), (1, GUEST));
    assert!(own.body.labels.is_empty() && own.body.assignees.is_empty());
    assert!(own.body.content.confidential && !own.body.content.discussion_locked);
    let full = stage.create(REPORTER, everything("by a reporter")).unwrap();
    assert_eq!((full.iid.get(), full.body.labels.len()), (2, 2));
    assert_eq!(full.body.assignees, BTreeSet::from([OTHER]));
    assert!(full.body.content.discussion_locked);
    // Only an Owner can set the time of creation.
    assert_eq!([own.created_at, full.created_at], [now(); 2]);
    let stated = stage.create(MAKER, titled("old")).unwrap();
    assert_eq!(stated.created_at, at("2020-01-01T00:00:00Z"));
}

#[test]
fn a_confidential_issue_is_for_those_whom_it_concerns() {
    let stage = IssueFixture::set();
    let issue = stage.create(GUEST, everything("quiet")).unwrap();
    let sees = |user| stage.sees(user, issue.iid);
    assert_eq!(
        [GUEST, REPORTER, MAKER, OTHER].map(sees),
        [true, true, true, false]
    );
    let refused = stage.update(OTHER, issue.iid, titled("x")).unwrap_err();
    assert!(matches!(refused, IssueError::Unknown), "{refused:?}");
    let refused = stage.delete(OTHER, issue.iid, None).unwrap_err();
    assert!(matches!(refused, IssueError::Unknown), "{refused:?}");
    // An assignee sees the issue, and no longer sees it once unassigned.
    for (assignees, seen) in [(BTreeSet::from([OTHER]), true), (BTreeSet::new(), false)] {
        let edit = IssueEdit {
            assignees: Some(assignees),
            ..IssueEdit::default()
        };
        stage.update(REPORTER, issue.iid, edit).unwrap();
        assert_eq!(sees(OTHER), seen);
    }
}

#[test]
fn an_author_changes_the_words_and_the_state_and_others_nothing() {
    let stage = IssueFixture::set();
    let issue = stage.create(OTHER, titled("first")).unwrap();
    let edit = IssueEdit {
        state: Some(IssueState::Closed),
        ..everything("second")
    };
    let (before, after) = stage.update(OTHER, issue.iid, edit).unwrap();
    assert_eq!(before, issue);
    let closing = after.body.closing.unwrap();
    assert_eq!((closing.by, closing.at), (OTHER, after.updated_at));
    assert_eq!(after.body.content.title, "second");
    assert!(!after.body.content.confidential && after.body.labels.is_empty());
    let notes = system_notes(&before.body, &after.body, &Names::default());
    assert!(notes.iter().any(|note| note == "closed"), "{notes:?}");
    let refused = stage.update(GUEST, issue.iid, titled("x")).unwrap_err();
    assert_eq!(ApiError::from(refused).status(), 403);
    // Closing it again changes nothing, including the user who closed it.
    let close = IssueEdit {
        state: Some(IssueState::Closed),
        ..IssueEdit::default()
    };
    let (before, same) = stage.update(REPORTER, issue.iid, close).unwrap();
    assert_eq!((&before, &same), (&after, &after));
    let open = IssueEdit {
        state: Some(IssueState::Opened),
        ..IssueEdit::default()
    };
    let (_, open) = stage.update(REPORTER, issue.iid, open).unwrap();
    assert_eq!(
        (open.body.closing, open.state()),
        (None, IssueState::Opened)
    );
}

#[test]
fn everything_that_is_wrong_with_an_issue_is_reported_at_once() {
    let stage = IssueFixture::set();
    let edit = IssueEdit {
        milestone: Some(Some(MilestoneId::new(99))),
        labels: LabelsEdit {
            add: (0..501).map(|number| number.to_string()).collect(),
            ..LabelsEdit::default()
        },
        assignees: Some((1..=201).map(UserId::new).collect()),
        ..titled(" ")
    };
    let refused = ApiError::from(stage.create(REPORTER, edit).unwrap_err());
    let wanted = json!({ "message": {
        "title": ["can't be blank"],
        "milestone_id": ["is invalid"],
        "assignees": ["total must be less than or equal to 200"],
        "labels": ["total must be less than or equal to 500"],
    } });
    assert_eq!((refused.status(), refused.body()), (400, &wanted));
    // A rejected issue uses no number.
    assert_eq!(stage.create(REPORTER, titled("x")).unwrap().iid.get(), 1);
}

#[test]
fn an_owner_deletes_an_issue_that_nobody_changed_meanwhile() {
    let stage = IssueFixture::set();
    let issue = stage.create(REPORTER, titled("x")).unwrap();
    let refused = stage.delete(MAINTAINER, issue.iid, None).unwrap_err();
    assert!(matches!(refused, IssueError::Forbidden), "{refused:?}");
    let earlier = Some(at("2024-03-01T11:59:59Z"));
    let refused = stage.delete(MAKER, issue.iid, earlier).unwrap_err();
    assert_eq!(ApiError::from(refused).status(), 412);
    assert_eq!(stage.delete(MAKER, issue.iid, Some(now())).unwrap(), issue);
    let refused = stage.delete(MAKER, issue.iid, None).unwrap_err();
    assert!(matches!(refused, IssueError::Unknown), "{refused:?}");
    // Its number is not reused.
    assert_eq!(stage.create(REPORTER, titled("y")).unwrap().iid.get(), 2);
}

fn on(issue: &Issue) -> Noteable {
    Noteable {
        project_id: issue.project_id,
        kind: NoteableKind::Issue,
        id: issue.id.get(),
        iid: issue.iid.get(),
    }
}

fn note(on: Noteable, author_id: UserId, body: &str, internal: bool) -> NewNote {
    NewNote {
        on,
        author_id,
        body: body.to_owned(),
        system: false,
        internal,
        created_at: now(),
    }
}

#[test]
fn an_internal_note_is_for_reporters() {
    let stage = IssueFixture::set();
    let on = on(&stage.create(GUEST, titled("x")).unwrap());
    let write = |user| {
        let new = note(on, user, "quiet", true);
        stage.notes(user, move |tx, by| create_note(tx, new.clone(), by))
    };
    let refused = write(GUEST).unwrap_err();
    assert!(matches!(refused, NoteError::Forbidden), "{refused:?}");
    let id = write(REPORTER).unwrap().id;
    for (sees, found) in [(true, true), (false, false)] {
        let read = stage.notes(GUEST, move |tx, _| find_note(tx, on, id, sees));
        assert_eq!(read.is_ok(), found);
    }
    // A user who does not see the note cannot change it, and does not learn that it exists.
    let changed = stage.notes(GUEST, move |tx, by| {
        update_note(tx, on, id, "x".to_owned(), by)
    });
    assert!(matches!(changed.unwrap_err(), NoteError::Unknown));
}

#[test]
fn a_note_is_changed_by_its_author_and_maintainers_and_a_system_note_by_nobody() {
    let stage = IssueFixture::set();
    let on = on(&stage.create(GUEST, titled("x")).unwrap());
    let new = note(on, GUEST, "first", false);
    let made = stage.notes(GUEST, move |tx, by| create_note(tx, new.clone(), by));
    let id = made.unwrap().id;
    let change = |user, id: NoteId, body: &'static str| -> Result<ResourceNote, NoteError> {
        stage.notes(user, move |tx, by| {
            update_note(tx, on, id, body.to_owned(), by)
        })
    };
    assert!(matches!(
        change(REPORTER, id, "x").unwrap_err(),
        NoteError::Forbidden
    ));
    assert_eq!(change(GUEST, id, "second").unwrap().body, "second");
    assert_eq!(change(MAINTAINER, id, "third").unwrap().author_id, GUEST);
    let blank = ApiError::from(change(GUEST, id, " ").unwrap_err());
    assert_eq!(
        (blank.status(), blank.body()),
        (400, &json!({ "message": { "body": ["can't be blank"] } }))
    );
    let system = NewNote {
        system: true,
        ..note(on, MAKER, "closed", false)
    };
    let made = stage.notes(MAKER, move |tx, _| {
        Ok(tx.insert_notes(std::slice::from_ref(&system))?)
    });
    let system = made.unwrap().first().unwrap().id;
    for user in [MAKER, MAINTAINER] {
        let refused = change(user, system, "x").unwrap_err();
        assert!(matches!(refused, NoteError::Forbidden), "{refused:?}");
    }
}

#[test]
fn a_note_is_deleted_once_and_only_as_it_was_read() {
    let stage = IssueFixture::set();
    let on = on(&stage.create(GUEST, titled("x")).unwrap());
    let new = note(on, GUEST, "first", false);
    let made = stage.notes(GUEST, move |tx, by| create_note(tx, new.clone(), by));
    let id = made.unwrap().id;
    let delete = |user, since| stage.notes(user, move |tx, by| delete_note(tx, on, id, since, by));
    assert!(matches!(
        delete(OTHER, None).unwrap_err(),
        NoteError::Forbidden
    ));
    let earlier = Some(at("2024-03-01T11:59:59Z"));
    let refused = ApiError::from(delete(GUEST, earlier).unwrap_err());
    assert_eq!(refused.status(), 412);
    delete(GUEST, Some(now())).unwrap();
    assert!(matches!(
        delete(GUEST, None).unwrap_err(),
        NoteError::Unknown
    ));
}

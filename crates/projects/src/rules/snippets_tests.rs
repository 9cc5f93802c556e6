//! Tests of the rules of snippets.

use api_conventions::ids::{ProjectId, SnippetId, UserId};
use api_conventions::time::Timestamp;

use super::*;
use crate::model::{Membership, NewSnippet};

const AUTHOR: UserId = UserId::new(1);
const PROJECT: ProjectId = ProjectId::new(5);
const VISIBILITIES: [Visibility; 3] = [
    Visibility::Private,
    Visibility::Internal,
    Visibility::Public,
];

fn file(path: &str, content: &str) -> SnippetFile {
    SnippetFile {
        path: path.to_owned(),
        content: content.to_owned(),
    }
}

fn draft(visibility: Visibility) -> SnippetDraft {
    SnippetDraft {
        content: SnippetContent {
            title: "a".to_owned(),
            description: None,
            visibility,
        },
        files: vec![file("a.txt", "1")],
    }
}

fn snippet(place: SnippetPlace, visibility: Visibility) -> Snippet {
    let new = NewSnippet {
        place,
        author_id: AUTHOR,
        draft: draft(visibility),
        created_at: Timestamp::MIN,
    };
    new.stored(SnippetId::new(3))
}

fn home(viewer: Viewer, level: Option<AccessLevel>) -> SnippetHome {
    let membership = Membership {
        own: level,
        ..Membership::default()
    };
    SnippetHome {
        place: SnippetPlace::Project(PROJECT),
        access: ProjectAccess::decide(viewer, membership, Visibility::Public),
    }
}

fn letters(rights: [SnippetRights; 3]) -> String {
    let letter = |rights| match rights {
        SnippetRights::None => '-',
        SnippetRights::Read => 'r',
        SnippetRights::All => 'a',
    };
    rights.map(letter).into_iter().collect()
}

#[test]
fn visibility_and_the_viewer_decide_on_personal_snippets() {
    let (other, author) = (Viewer::User(UserId::new(2)), Viewer::User(AUTHOR));
    let administrator = Viewer::Administrator(UserId::new(3));
    for (viewer, expected) in [
        (Viewer::Anonymous, "--r"),
        (other, "-rr"),
        (author, "aaa"),
        (administrator, "aaa"),
    ] {
        let rights = VISIBILITIES.map(|visibility| {
            let one = snippet(SnippetPlace::Personal, visibility);
            snippet_rights(&one, SnippetHome::PERSONAL, viewer)
        });
        assert_eq!(letters(rights), expected, "{viewer:?}");
    }
}

#[test]
fn visibility_and_the_role_decide_on_snippets_of_a_project() {
    let (other, author) = (Viewer::User(UserId::new(2)), Viewer::User(AUTHOR));
    let administrator = Viewer::Administrator(UserId::new(3));
    let [guest, developer, maintainer] = [
        AccessLevel::Guest,
        AccessLevel::Developer,
        AccessLevel::Maintainer,
    ]
    .map(Some);
    for (viewer, level, expected, creates) in [
        (Viewer::Anonymous, None, "--r", false),
        (other, None, "-rr", false),
        (other, guest, "rrr", false),
        (other, Some(AccessLevel::Reporter), "rrr", true),
        (other, developer, "rrr", true),
        (other, maintainer, "aaa", true),
        (author, None, "-aa", false),
        (author, guest, "aaa", false),
        (administrator, None, "aaa", true),
    ] {
        let home = home(viewer, level);
        let rights = VISIBILITIES.map(|visibility| {
            let one = snippet(SnippetPlace::Project(PROJECT), visibility);
            snippet_rights(&one, home, viewer)
        });
        assert_eq!(letters(rights), expected, "{viewer:?} {level:?}");
        assert_eq!(home.allows_creation(), creates, "{viewer:?} {level:?}");
    }
}

#[test]
fn a_snippet_does_not_exist_in_another_home() {
    let administrator = Viewer::Administrator(AUTHOR);
    let home = home(administrator, None);
    for (place, home) in [
        (SnippetPlace::Personal, home),
        (SnippetPlace::Project(PROJECT), SnippetHome::PERSONAL),
        (SnippetPlace::Project(ProjectId::new(6)), home),
    ] {
        let one = snippet(place, Visibility::Public);
        let rights = snippet_rights(&one, home, administrator);
        assert_eq!(rights, SnippetRights::None, "{place:?}");
    }
}

fn applied(changes: Vec<FileChange>) -> Result<Vec<(String, String)>, String> {
    let mut before = draft(Visibility::Private);
    before.files.push(file("b.txt", "2"));
    let edit = SnippetEdit {
        files: changes,
        ..SnippetEdit::default()
    };
    let after = apply_edit(Some(&before), edit).map_err(|failures| failures.to_string())?;
    let files = after.files.into_iter();
    Ok(files.map(|file| (file.path, file.content)).collect())
}

fn moved(from: &str, to: &str, content: Option<&str>) -> FileChange {
    FileChange::Move {
        from: from.to_owned(),
        to: to.to_owned(),
        content: content.map(str::to_owned),
    }
}

fn deleted(path: &str) -> FileChange {
    FileChange::Delete {
        path: path.to_owned(),
    }
}

#[test]
fn files_are_created_updated_deleted_and_moved_in_order() {
    let create = |path: &str| FileChange::Create(file(path, "new"));
    for (changes, expected) in [
        (vec![], "a.txt=1 b.txt=2"),
        (vec![create("c")], "a.txt=1 b.txt=2 c=new"),
        (
            vec![FileChange::Update(file("b.txt", "9"))],
            "a.txt=1 b.txt=9",
        ),
        (vec![deleted("a.txt")], "b.txt=2"),
        (vec![moved("a.txt", "c", None)], "c=1 b.txt=2"),
        (vec![moved("a.txt", "c", Some("7"))], "c=7 b.txt=2"),
        (vec![deleted("a.txt"), create("a.txt")], "b.txt=2 a.txt=new"),
        (
            vec![
                moved("a.txt", "x", None),
                moved("b.txt", "a.txt", None),
                moved("x", "b.txt", None),
            ],
            "b.txt=1 a.txt=2",
        ),
    ] {
        let found = applied(changes.clone()).unwrap();
        let texts: Vec<String> = found.iter().map(|(p, c)| format!("{p}={c}")).collect();
        assert_eq!(texts.join(" "), expected, "{changes:?}");
    }
}

#[test]
fn invalid_changes_of_files_are_refused_with_the_reason() {
    let create = |path: &str, content: &str| FileChange::Create(file(path, content));
    let many: Vec<FileChange> = (0..9).map(|n| create(&n.to_string(), "x")).collect();
    let only = FileChange::Only {
        path: None,
        content: Some("x".to_owned()),
    };
    for (changes, expected) in [
        (vec![create("a.txt", "x")], "more than once"),
        (vec![moved("a.txt", "b.txt", None)], "more than once"),
        (vec![deleted("c")], "does not exist"),
        (vec![moved("c", "d", None)], "does not exist"),
        (vec![FileChange::Update(file("c", "x"))], "does not exist"),
        (vec![deleted("a.txt"), deleted("b.txt")], "at least one"),
        (many, "too many (maximum is 10)"),
        (vec![create("c", "")], "can't be blank"),
        (vec![create("../c", "x")], "relative path"),
        (
            vec![create("c", &"x".repeat(MAX_SNIPPET_BYTES - 1))],
            "too large",
        ),
        (vec![only], "more than one"),
    ] {
        let problem = applied(changes.clone()).unwrap_err();
        assert!(problem.contains(expected), "{problem}");
    }
}

#[test]
fn the_largest_snippet_is_accepted() {
    let fits = "x".repeat(MAX_SNIPPET_BYTES - 2);
    let changes = vec![FileChange::Create(file("c", &fits))];
    assert_eq!(applied(changes).unwrap().len(), 3);
}

#[test]
fn the_only_file_is_changed_without_its_path() {
    let before = draft(Visibility::Private);
    let only = |path: Option<&str>, content: Option<&str>| SnippetEdit {
        files: vec![FileChange::Only {
            path: path.map(str::to_owned),
            content: content.map(str::to_owned),
        }],
        ..SnippetEdit::default()
    };
    for (path, content, expected) in [
        (Some("b"), None, file("b", "1")),
        (None, Some("2"), file("a.txt", "2")),
        (Some("b"), Some("2"), file("b", "2")),
    ] {
        let after = apply_edit(Some(&before), only(path, content)).unwrap();
        assert_eq!(after.files, [expected]);
    }
}

#[test]
fn a_new_snippet_needs_a_title_and_a_file_and_is_private_by_default() {
    let problem = apply_edit(None, SnippetEdit::default()).unwrap_err();
    let problem = problem.to_string();
    assert!(problem.contains("title can't be blank"), "{problem}");
    assert!(problem.contains("at least one file"), "{problem}");
    let edit = SnippetEdit {
        title: Some("a".to_owned()),
        description: Some(Some(String::new())),
        files: vec![FileChange::Create(file("a.txt", "1"))],
        ..SnippetEdit::default()
    };
    assert_eq!(apply_edit(None, edit), Ok(draft(Visibility::Private)));
}

#[test]
fn only_changed_public_text_of_others_is_checked_for_spam() {
    let [private, internal, public] = VISIBILITIES.map(draft);
    let mut longer = public.clone();
    longer.content.description = Some("d".to_owned());
    let user = Viewer::User(AUTHOR);
    let personal = SnippetHome::PERSONAL;
    for (before, after, home, viewer, expected) in [
        (None, &public, personal, user, true),
        (None, &private, personal, user, false),
        (None, &internal, personal, user, false),
        (Some(&private), &public, personal, user, true),
        (Some(&public), &longer, personal, user, true),
        (Some(&public), &public, personal, user, false),
        (Some(&public), &private, personal, user, false),
        (
            None,
            &public,
            personal,
            Viewer::Administrator(AUTHOR),
            false,
        ),
        (
            Some(&public),
            &longer,
            home(user, Some(AccessLevel::Reporter)),
            user,
            false,
        ),
        (
            Some(&public),
            &longer,
            home(user, Some(AccessLevel::Guest)),
            user,
            true,
        ),
    ] {
        let text = published_text(before, after, home, viewer);
        assert_eq!(text.is_some(), expected, "{before:?} {after:?}");
    }
    let text = published_text(None, &longer, personal, user);
    assert_eq!(text.as_deref(), Some("d\na.txt\n1"));
}

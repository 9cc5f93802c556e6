//! The forms about milestones and labels, with the refusals of the API beside the fields.

use super::{assert_redirected, below, label, milestone, submit, text};
use crate::support::TestServer;

#[test]
fn a_milestone_is_created_updated_closed_reopened_and_deleted() {
    let server = TestServer::start();
    let mut reporter = server.signed_in("reporter");
    let fields = [
        ("title", "Release 1"),
        ("description", "a\r\nb"),
        ("start_date", "2026-03-01"),
        ("due_date", "2026-03-31"),
    ];
    let answer = submit(&mut reporter, "/-/milestones/new", "/-/milestones", &fields);
    assert_redirected(
        &mut reporter,
        &answer,
        "/-/milestones/1",
        "Milestone created.",
    );
    let page = text(&mut reporter, &below("/-/milestones/1"));
    assert!(
        page.contains("a\nb") && page.contains("1 Mar 2026 – 31 Mar 2026"),
        "{page}"
    );
    let edit = text(&mut reporter, &below("/-/milestones/1/edit"));
    assert!(
        edit.contains("value=\"2026-03-31\"") && edit.contains("value=\"Release 1\""),
        "{edit}"
    );

    let one = "/-/milestones/1";
    let fields = [
        ("_method", "put"),
        ("title", "Release 1.0"),
        ("description", ""),
        ("due_date", ""),
    ];
    let answer = submit(&mut reporter, "/-/milestones/1/edit", one, &fields);
    assert_redirected(&mut reporter, &answer, one, "Milestone saved.");
    let page = text(&mut reporter, &below(one));
    assert!(
        page.contains("Release 1.0") && page.contains("No description."),
        "{page}"
    );
    for (event, notice) in [
        ("close", "Milestone closed."),
        ("activate", "Milestone reopened."),
    ] {
        let fields = [("_method", "put"), ("state_event", event)];
        let answer = submit(&mut reporter, one, one, &fields);
        assert_redirected(&mut reporter, &answer, one, notice);
    }
    let refused = submit(
        &mut reporter,
        one,
        one,
        &[("_method", "delete"), ("confirm", "Release")],
    );
    assert_eq!(refused.status, 422);
    assert!(
        refused.text().contains("The title does not match"),
        "{}",
        refused.text()
    );
    let fields = [("_method", "delete"), ("confirm", "Release 1.0")];
    let answer = submit(&mut reporter, one, one, &fields);
    assert_redirected(
        &mut reporter,
        &answer,
        "/-/milestones",
        "Milestone deleted.",
    );
    let feed = text(&mut reporter, &below("/-/activity"));
    for done in ["created", "closed", "reopened", "deleted"] {
        assert!(
            feed.contains(&format!("{done} the milestone")),
            "{done}: {feed}"
        );
    }
}

#[test]
fn the_description_of_a_milestone_is_markdown() {
    let server = TestServer::start();
    let issues = server.below_project("/issues");
    let issue = serde_json::json!({ "title": "Disk full" });
    server.admin().post(&issues, &issue).expect(201);
    let mut reporter = server.signed_in("reporter");
    let fields = [
        ("title", "Release 1"),
        ("description", "**Needs** #1 <script>x</script>"),
    ];
    let answer = submit(&mut reporter, "/-/milestones/new", "/-/milestones", &fields);
    assert_eq!(answer.status, 303);
    let page = text(&mut reporter, &below("/-/milestones/1"));
    assert!(page.contains("<strong>Needs</strong>"), "{page}");
    assert!(page.contains("/acme/web-shop/-/issues/1\""), "{page}");
    assert!(!page.contains("<script>x"), "{page}");
}

#[test]
fn invalid_milestones_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    milestone(&server, "Taken");
    let mut reporter = server.signed_in("reporter");
    let long = "x".repeat(256);
    for (title, start, due, message) in [
        ("", "", "", "The title can&#39;t be blank."),
        (
            &*long,
            "",
            "",
            "The title is too long (maximum is 255 characters).",
        ),
        (
            "Taken",
            "",
            "",
            "The title already being used for another group or project milestone.",
        ),
        (
            "New",
            "2026-03-02",
            "2026-03-01",
            "The due date must be greater than start date.",
        ),
        ("New", "2026-02-30", "", "The start date is invalid."),
    ] {
        let fields = [
            ("title", title),
            ("description", "<kept> & all"),
            ("start_date", start),
            ("due_date", due),
        ];
        let answer = submit(&mut reporter, "/-/milestones/new", "/-/milestones", &fields);
        let page = answer.text();
        assert_eq!(answer.status, 422, "{title}: {page}");
        assert!(
            page.contains(message) && page.contains("aria-invalid=\"true\""),
            "{message}: {page}"
        );
        assert!(page.contains("&#60;kept&#62; &#38; all"), "{page}");
        assert!(page.contains(&format!("value=\"{start}\"")), "{page}");
    }
    let list = server
        .developer()
        .get(&server.below_project("/milestones"))
        .list();
    assert_eq!(list.len(), 1);
    let mut anybody = server.signed_in("reporter");
    let nothing = submit(
        &mut anybody,
        "/-/milestones/1",
        "/-/milestones/1",
        &[("_method", "x")],
    );
    assert_eq!(nothing.status, 400);
}

#[test]
fn a_label_is_created_updated_and_deleted() {
    let server = TestServer::start();
    let mut reporter = server.signed_in("reporter");
    let fields = [
        ("name", "bug"),
        ("color", "#d73a4a"),
        ("description", "It fails"),
        ("priority", "1"),
    ];
    let answer = submit(&mut reporter, "/-/labels/new", "/-/labels", &fields);
    assert_redirected(&mut reporter, &answer, "/-/labels", "Label created.");
    let page = text(&mut reporter, &below("/-/labels?search=fails"));
    assert!(
        page.contains("fill=\"#d73a4a\"") && page.contains("1 label<"),
        "{page}"
    );
    let labels = server
        .developer()
        .get(&server.below_project("/labels"))
        .list();
    let one = format!("/-/labels/{}", labels[0]["id"]);
    let edit = format!("{one}/edit");
    let fields = [
        ("_method", "put"),
        ("name", "defect"),
        ("color", "#d73a4a"),
        ("description", ""),
        ("priority", ""),
    ];
    let answer = submit(&mut reporter, &edit, &one, &fields);
    assert_redirected(&mut reporter, &answer, "/-/labels", "Label saved.");
    let labels = server
        .developer()
        .get(&server.below_project("/labels"))
        .list();
    assert_eq!(
        (&labels[0]["name"], labels[0]["priority"].is_null()),
        (&"defect".into(), true)
    );
    let refused = submit(
        &mut reporter,
        &edit,
        &one,
        &[("_method", "delete"), ("confirm", "x")],
    );
    assert_eq!(refused.status, 422);
    let fields = [("_method", "delete"), ("confirm", "defect")];
    let answer = submit(&mut reporter, &edit, &one, &fields);
    assert_redirected(&mut reporter, &answer, "/-/labels", "Label deleted.");
}

#[test]
fn invalid_labels_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    label(&server, "taken");
    let mut reporter = server.signed_in("reporter");
    for (name, color, priority, message) in [
        ("", "#fff", "", "The name can&#39;t be blank."),
        ("taken", "#fff", "", "Label already exists"),
        ("new", "red", "", "The color must be a valid color code."),
        (
            "new",
            "#fff",
            "-1",
            "The priority must be greater than or equal to 0.",
        ),
        ("new", "#fff", "first", "The priority is invalid."),
    ] {
        let fields = [
            ("name", name),
            ("color", color),
            ("description", "kept"),
            ("priority", priority),
        ];
        let answer = submit(&mut reporter, "/-/labels/new", "/-/labels", &fields);
        let page = answer.text();
        assert_eq!(answer.status, 422, "{name}: {page}");
        assert!(
            page.contains(message) && page.contains(">\nkept</textarea>"),
            "{message}: {page}"
        );
    }
}

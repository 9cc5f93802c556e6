//! The members of projects and groups.

use super::{assert_redirected, assert_refused, group, stranger, text, user};
use crate::support::TestServer;
use crate::support::rows::change;

const LIST: &str = "/acme/web-shop/-/project_members";
const OF_GROUP: &str = "/groups/acme/-/group_members";

/// PATH-04, AUTH-11.
#[test]
fn a_member_is_added_changed_and_removed() {
    let server = TestServer::start();
    stranger(&server);
    let mut admin = server.signed_in("admin");
    let fields = [
        ("username", "@Zoe"),
        ("access_level", "20"),
        ("expires_at", "2999-12-31"),
    ];
    let added = admin.submit(LIST, LIST, &fields);
    let page = assert_redirected(&mut admin, &added, LIST, "Member added.");
    for shown in [
        "@zoe",
        "Reporter",
        "31 Dec 2999",
        "Inherited from <a href=\"/groups/acme\">",
    ] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    let one = format!("{LIST}/{}", user(&server, "zoe"));
    let edit = format!("{one}/edit");
    let form = text(&mut admin, &edit);
    assert!(
        form.contains("value=\"20\" selected") && form.contains("value=\"2999-12-31\""),
        "{form}"
    );
    let fields = [
        ("_method", "put"),
        ("access_level", "30"),
        ("expires_at", ""),
    ];
    let saved = admin.submit(&edit, &one, &fields);
    assert_redirected(&mut admin, &saved, LIST, "Member saved.");
    let direct = text(&mut admin, &format!("{LIST}?view=direct&search=ZO"));
    assert!(
        direct.contains("Developer") && !direct.contains("2999"),
        "{direct}"
    );
    assert!(!direct.contains("@dev"), "{direct}");
    let removed = admin.submit(&edit, &one, &[("_method", "delete")]);
    let page = assert_redirected(&mut admin, &removed, LIST, "Member removed.");
    assert!(!page.contains("@zoe"), "{page}");
    assert_eq!(admin.open(&edit).status, 404);
    let odd = admin.submit(LIST, &one, &[("_method", "patch")]);
    assert_eq!(odd.status, 400);
}

/// PATH-04, AUTH-11, API-11.
#[test]
fn invalid_members_are_rejected_with_field_errors_and_input_is_kept() {
    let server = TestServer::start();
    stranger(&server);
    let mut admin = server.signed_in("admin");
    for (username, level, day, words) in [
        (
            "nobody",
            "10",
            "",
            "The user does not exist, or you cannot see it.",
        ),
        (
            "",
            "10",
            "",
            "The user does not exist, or you cannot see it.",
        ),
        (
            "dev",
            "20",
            "",
            "The role should be greater than or equal to Developer inherited membership from group acme.",
        ),
        (
            "zoe",
            "10",
            "2000-01-01",
            "The expiry date must be a date after today.",
        ),
        ("zoe", "10", "soon", "The expiry date is invalid."),
        ("zoe", "35", "", "The role does not have a valid value."),
    ] {
        let fields = [
            ("username", username),
            ("access_level", level),
            ("expires_at", day),
        ];
        let page = assert_refused(&admin.submit(LIST, LIST, &fields), words);
        assert!(
            page.contains(&format!("name=\"username\" value=\"{username}\"")),
            "{page}"
        );
    }
    let fields = [
        ("username", "rita"),
        ("access_level", "30"),
        ("expires_at", ""),
    ];
    let added = admin.submit(OF_GROUP, OF_GROUP, &fields);
    assert_refused(&added, "The user is already a member.");
    let one = format!("{OF_GROUP}/{}", user(&server, "rita"));
    let fields = [
        ("_method", "put"),
        ("access_level", "20"),
        ("expires_at", "2000-01-01"),
    ];
    let saved = admin.submit(&format!("{one}/edit"), &one, &fields);
    assert_refused(&saved, "The expiry date must be a date after today.");
}

/// AUTH-11. Users cannot manage roles above their own, and the page offers no such action.
#[test]
fn a_maintainer_manages_those_whom_the_role_reaches() {
    let server = TestServer::start();
    let set = "UPDATE namespace_members SET access_level = 40 \
               WHERE user_id = (SELECT id FROM users WHERE username = 'dev'); \
               INSERT INTO project_members (project_id, user_id, access_level, created_at) \
               SELECT 1, id, CASE username WHEN 'root' THEN 50 ELSE 30 END, 0 \
               FROM users WHERE username IN ('root', 'rita')";
    change(&server, set);
    let [root, rita] = ["root", "rita"].map(|name| user(&server, name));
    let mut maintainer = server.signed_in("developer");
    let list = text(&mut maintainer, LIST);
    assert!(list.contains(&format!("{LIST}/{rita}/edit")), "{list}");
    assert!(!list.contains(&format!("{LIST}/{root}/edit")), "{list}");
    assert!(
        list.contains("value=\"40\"") && !list.contains("value=\"50\""),
        "{list}"
    );
    assert_eq!(maintainer.open(&format!("{LIST}/{root}/edit")).status, 403);
    for fields in [
        [("_method", "put"), ("access_level", "10")],
        [("_method", "delete"), ("access_level", "")],
    ] {
        let answer = maintainer.submit(LIST, &format!("{LIST}/{root}"), &fields);
        assert_eq!(answer.status, 403, "{}", answer.text());
    }
    let fields = [("_method", "put"), ("access_level", "50")];
    let answer = maintainer.submit(LIST, &format!("{LIST}/{rita}"), &fields);
    assert_eq!(answer.status, 403);
    // In a group, only Owners manage members.
    let list = text(&mut maintainer, OF_GROUP);
    assert!(
        !list.contains("Add a member") && !list.contains("/edit\""),
        "{list}"
    );
}

/// AUTH-11.
#[test]
fn a_group_keeps_its_last_owner() {
    let server = TestServer::start();
    let own = user(&server, "root");
    let mut admin = server.signed_in("admin");
    let list = text(&mut admin, OF_GROUP);
    assert!(!list.contains("Leave the group"), "{list}");
    let one = format!("{OF_GROUP}/{own}");
    let edit = format!("{one}/edit");
    let form = text(&mut admin, &edit);
    assert!(
        form.contains("This role cannot be lowered or removed"),
        "{form}"
    );
    assert!(!form.contains("value=\"delete\""), "{form}");
    let fields = [
        ("_method", "put"),
        ("access_level", "40"),
        ("expires_at", ""),
    ];
    let words = "cannot be changed: the group needs an Owner whose role does not expire.";
    assert_refused(&admin.submit(&edit, &one, &fields), words);
    let fields = [("_method", "delete")];
    assert_eq!(admin.submit(&edit, &one, &fields).status, 403);
}

/// AUTH-11.
#[test]
fn members_can_leave_where_their_membership_is_direct() {
    let server = TestServer::start();
    let mut developer = server.signed_in("developer");
    let list = text(&mut developer, OF_GROUP);
    assert!(
        list.contains("Leave the group") && list.contains(">You</span>"),
        "{list}"
    );
    // The role in the project comes from the group.
    assert!(!text(&mut developer, LIST).contains("Leave the project"));
    let one = format!("{OF_GROUP}/{}", user(&server, "dev"));
    let departure = developer.submit(OF_GROUP, &one, &[("_method", "delete")]);
    assert_redirected(
        &mut developer,
        &departure,
        "/",
        "You left, and no longer have a role there.",
    );
    assert_eq!(developer.open(OF_GROUP).status, 404);
    assert_eq!(developer.open(LIST).status, 404);
}

/// PATH-04. Roles in subgroups and projects are removed with the role in the group, unless the form says otherwise.
#[test]
fn the_roles_below_a_group_may_stay() {
    let server = TestServer::start();
    let mut admin = server.signed_in("admin");
    let one = format!("{OF_GROUP}/{}", user(&server, "rita"));
    let fields = [
        ("username", "rita"),
        ("access_level", "30"),
        ("expires_at", ""),
    ];
    let added = admin.submit(LIST, LIST, &fields);
    assert_redirected(&mut admin, &added, LIST, "Member added.");
    let fields = [("_method", "delete"), ("skip_subresources", "true")];
    let removed = admin.submit(&format!("{one}/edit"), &one, &fields);
    assert_redirected(&mut admin, &removed, OF_GROUP, "Member removed.");
    let direct = text(&mut admin, &format!("{LIST}?view=direct"));
    assert!(direct.contains("@rita"), "{direct}");
    let back = [
        ("username", "rita"),
        ("access_level", "10"),
        ("expires_at", ""),
    ];
    admin.submit(OF_GROUP, OF_GROUP, &back);
    let fields = [("_method", "delete")];
    admin.submit(&format!("{one}/edit"), &one, &fields);
    let direct = text(&mut admin, &format!("{LIST}?view=direct"));
    assert!(!direct.contains("@rita"), "{direct}");
}

#[test]
fn a_subgroup_shows_from_where_its_members_are() {
    let server = TestServer::start();
    let outer = group(&server, "outer", None, "public");
    group(&server, "inner", Some(&outer), "public");
    let page = text(&mut server.browser(), "/groups/outer/inner/-/group_members");
    assert!(
        page.contains("@root") && page.contains(">Direct<"),
        "{page}"
    );
    let set = "DELETE FROM namespace_members WHERE namespace_id = \
               (SELECT id FROM namespaces WHERE full_path = 'outer/inner')";
    change(&server, set);
    let page = text(&mut server.browser(), "/groups/outer/inner/-/group_members");
    assert!(
        page.contains("Inherited from <a href=\"/groups/outer\">"),
        "{page}"
    );
    let none = text(
        &mut server.browser(),
        "/groups/outer/inner/-/group_members?view=direct",
    );
    assert!(none.contains("No direct members"), "{none}");
}

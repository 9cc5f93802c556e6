//! Lists of projects.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::UserId;
use api_conventions::page::{SortOrder, Total};
use api_conventions::time::CalendarDate;
use projects::{
    MemberSource, NamespaceKind, NewMember, NewNamespace, NewProject, ProjectFilter, ProjectOrder,
    Viewer,
};
use storage::StoreExt as _;

use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{page, timestamp};

/// Lists the matching projects by the last segments of their paths.
fn list(store: &Projects, filter: &ProjectFilter) -> Vec<String> {
    list_on(store, filter, timestamp(0).date())
}

fn list_on(store: &Projects, filter: &ProjectFilter, today: CalendarDate) -> Vec<String> {
    let filter = filter.clone();
    let listed = store.query(move |tx| tx.list_projects(&filter, today, page(1, 100)));
    let listed = listed.wait().unwrap();
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(
        (listed.total, listed.has_next),
        (Total::Exact(count), false)
    );
    listed
        .items
        .into_iter()
        .map(|project| project.path)
        .collect()
}

fn by_id(viewer: Viewer) -> ProjectFilter {
    ProjectFilter {
        order_by: ProjectOrder::Id,
        sort: SortOrder::Ascending,
        ..ProjectFilter::new(viewer)
    }
}

/// Writes one project of each visibility in Ann's group, and one in Ben's own namespace; Cora is a Reporter in the
/// private one, until the first of March 2030.
fn populate(store: &Projects, [ann, ben, cora]: [UserId; 3]) {
    let populated = store.change(move |tx| {
        let top = insert_namespace(tx, &group("group", ann))?;
        for (path, visibility) in [
            ("private", Visibility::Private),
            ("internal", Visibility::Internal),
            ("public", Visibility::Public),
        ] {
            let new = NewProject {
                visibility,
                ..project(&top, path, ann)
            };
            let created = insert_project(tx, &new)?;
            if visibility == Visibility::Private {
                let reporter = NewMember {
                    user_id: cora,
                    level: AccessLevel::Reporter,
                    expires_on: CalendarDate::parse("2030-03-01"),
                    created_by: None,
                    created_at: timestamp(0),
                };
                give(tx, MemberSource::Project(created.id), &reporter)?;
            }
        }
        let own = NewNamespace {
            kind: NamespaceKind::User,
            ..group("ben", ben)
        };
        let own = insert_namespace(tx, &own)?;
        let new = NewProject {
            visibility: Visibility::Private,
            ..project(&own, "own", ben)
        };
        insert_project(tx, &new)?;
        Ok(())
    });
    populated.wait().unwrap();
}

pub(super) fn p20_a_viewer_lists_exactly_the_visible_projects(harness: &mut AreaHarness<Projects>) {
    let people @ [ann, ben, cora] = harness.people();
    let store = harness.store();
    populate(store, people);
    let stranger = UserId::new(i64::MAX);
    for (viewer, expected) in [
        (Viewer::Anonymous, &["public"][..]),
        (Viewer::User(stranger), &["internal", "public"]),
        (Viewer::User(ann), &["private", "internal", "public"]),
        (Viewer::User(ben), &["internal", "public", "own"]),
        (Viewer::User(cora), &["private", "internal", "public"]),
        (
            Viewer::Administrator(stranger),
            &["private", "internal", "public", "own"],
        ),
    ] {
        assert_eq!(list(store, &by_id(viewer)), expected, "{viewer:?}");
    }
}

pub(super) fn p21_each_filter_holds(harness: &mut AreaHarness<Projects>) {
    let people @ [ann, ben, cora] = harness.people();
    let store = harness.store();
    populate(store, people);
    let all = Viewer::Administrator(ann);
    let visible = |visibility| ProjectFilter {
        visibility: Some(visibility),
        ..by_id(all)
    };
    assert_eq!(
        list(store, &visible(Visibility::Private)),
        ["private", "own"]
    );
    assert_eq!(list(store, &visible(Visibility::Internal)), ["internal"]);
    let of = |viewer, owner| ProjectFilter {
        owner: Some(owner),
        ..by_id(viewer)
    };
    assert_eq!(list(store, &of(Viewer::User(ben), ben)), ["own"]);
    assert_eq!(
        list(store, &of(Viewer::User(ann), ann)),
        [""; 0],
        "a group is not the user's own namespace"
    );
    assert_eq!(list(store, &of(Viewer::Administrator(ann), ben)), ["own"]);
    for (viewer, owner) in [
        (Viewer::User(ann), ben),
        (Viewer::Anonymous, ben),
        (Viewer::User(ann), ann),
    ] {
        assert_eq!(list(store, &of(viewer, owner)), [""; 0]);
    }
    let at_least = |viewer, level| ProjectFilter {
        min_access_level: Some(level),
        ..by_id(viewer)
    };
    for (level, expected) in [
        (AccessLevel::Guest, &["private"][..]),
        (AccessLevel::Reporter, &["private"]),
        (AccessLevel::Developer, &[]),
    ] {
        assert_eq!(list(store, &at_least(Viewer::User(cora), level)), expected);
    }
    let inherited = at_least(Viewer::Administrator(ann), AccessLevel::Owner);
    assert_eq!(list(store, &inherited), ["private", "internal", "public"]);
    let ids = store.query(move |tx| {
        let listed = tx.list_projects(&by_id(all), timestamp(0).date(), page(1, 100))?;
        Ok(listed
            .items
            .iter()
            .map(|project| project.id)
            .collect::<Vec<_>>())
    });
    let ids = ids.wait().unwrap();
    let between = ProjectFilter {
        id_after: Some(ids[0]),
        id_before: Some(ids[3]),
        ..by_id(all)
    };
    assert_eq!(list(store, &between), ["internal", "public"]);
    let later = timestamp(7_200);
    let busy = ids[1];
    let touched = store.change(move |tx| tx.touch_projects(&[(busy, later)]));
    touched.wait().unwrap();
    let active = |after, before| ProjectFilter {
        active_after: after,
        active_before: before,
        ..by_id(all)
    };
    let active = |after, before| list(store, &active(after, before));
    assert_eq!(active(Some(timestamp(7_199)), None), ["internal"]);
    assert_eq!(
        active(Some(later), None),
        [""; 0],
        "the timestamp itself is not after it"
    );
    assert_eq!(active(None, Some(later)), ["private", "public", "own"]);
    assert_eq!(
        active(Some(timestamp(0)), Some(timestamp(7_201))),
        ["internal"]
    );
}

pub(super) fn p22_search_is_for_text_in_any_case_and_has_no_wildcards(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let populated = store.change(move |tx| {
        let top = insert_namespace(tx, &group("group", ann))?;
        for (path, name, description) in [
            ("one", "Straße 100%", ""),
            ("two", "Other", "what ÄRGER brings"),
            ("thr_ee", "Back\\slash", "nothing"),
        ] {
            let new = NewProject {
                name: name.to_owned(),
                description: description.to_owned(),
                ..project(&top, path, ann)
            };
            insert_project(tx, &new)?;
        }
        Ok(())
    });
    populated.wait().unwrap();
    for (search, expected) in [
        ("STRASSE", &[][..]),
        ("straße", &["one"]),
        ("ärger", &["two"]),
        ("100%", &["one"]),
        ("%", &["one"]),
        ("_", &["thr_ee"]),
        ("\\", &["thr_ee"]),
        ("ThR_E", &["thr_ee"]),
        ("group", &[]),
        ("o", &["one", "two", "thr_ee"]),
    ] {
        let filter = ProjectFilter {
            search: Some(search.to_owned()),
            ..by_id(Viewer::Anonymous)
        };
        assert_eq!(list(store, &filter), expected, "{search}");
    }
}

pub(super) fn p23_every_order_breaks_ties_by_id(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let populated = store.change(move |tx| {
        let top = insert_namespace(tx, &group("group", ann))?;
        // Letters beyond ASCII sort after all others, whatever the order of a language.
        for (path, name, seconds) in [
            ("b", "x", 5),
            ("C", "X", 5),
            ("a", "y", 9),
            ("d", "w", 1),
            ("E-1", "ÄB", 20),
            ("e", "äa", 30),
        ] {
            let new = NewProject {
                name: name.to_owned(),
                created_at: timestamp(seconds),
                ..project(&top, path, ann)
            };
            let created = insert_project(tx, &new)?;
            if path == "d" {
                tx.touch_projects(&[(created.id, timestamp(90_000))])?;
            }
        }
        Ok(())
    });
    populated.wait().unwrap();
    for (order_by, expected) in [
        (ProjectOrder::Id, ["b", "C", "a", "d", "E-1", "e"]),
        (ProjectOrder::Name, ["d", "b", "C", "a", "e", "E-1"]),
        (ProjectOrder::Path, ["a", "b", "C", "d", "e", "E-1"]),
        (ProjectOrder::CreatedAt, ["d", "b", "C", "a", "E-1", "e"]),
        (ProjectOrder::UpdatedAt, ["d", "b", "C", "a", "E-1", "e"]),
        (
            ProjectOrder::LastActivityAt,
            ["b", "C", "a", "E-1", "e", "d"],
        ),
    ] {
        let mut filter = ProjectFilter {
            order_by,
            ..by_id(Viewer::Anonymous)
        };
        assert_eq!(list(store, &filter), expected, "{order_by:?}");
        filter.sort = SortOrder::Descending;
        let mut backwards = list(store, &filter);
        backwards.reverse();
        assert_eq!(backwards, expected, "{order_by:?} descending");
    }
}

pub(super) fn p25_a_role_that_expired_hides_the_project(harness: &mut AreaHarness<Projects>) {
    let people @ [_, _, cora] = harness.people();
    let store = harness.store();
    populate(store, people);
    let filter = by_id(Viewer::User(cora));
    let day = |text| CalendarDate::parse(text).unwrap();
    let before = list_on(store, &filter, day("2030-02-28"));
    assert_eq!(before, ["private", "internal", "public"]);
    let on = list_on(store, &filter, day("2030-03-01"));
    assert_eq!(on, ["internal", "public"]);
}

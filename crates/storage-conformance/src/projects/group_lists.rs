//! Lists of groups, and visibility through their contents.

use api_conventions::access::{AccessLevel, Visibility};
use api_conventions::ids::{NamespaceId, UserId};
use api_conventions::page::{KeysetPage, SortOrder, Total};
use api_conventions::time::CalendarDate;
use projects::{
    GroupFilter, GroupMembership, GroupOrder, GroupsWithin, MemberSource, NamespaceFilter,
    NamespaceKind, NewMember, NewNamespace, NewProject, Viewer,
};
use storage::{StoreError, StoreExt as _};

use super::groups::{below, find_group};
use super::{give, group, insert_namespace, insert_project, project};
use crate::areas::{AreaHarness, Projects};
use crate::samples::{page, timestamp};

/// A member with a role.
fn member(user_id: UserId, level: AccessLevel, expires_on: Option<CalendarDate>) -> NewMember {
    NewMember {
        user_id,
        level,
        expires_on,
        created_by: None,
        created_at: timestamp(0),
    }
}

/// Writes a private, an internal and a public group, a private one with a private project, and a private one below the
/// public one.
fn populate(store: &Projects, [ann, ben, cora]: [UserId; 3]) {
    let populated = store.change(move |tx| {
        let created = |path: &str, visibility| NewNamespace {
            visibility,
            ..group(path, ann)
        };
        let private = insert_namespace(tx, &created("private", Visibility::Private))?;
        insert_namespace(tx, &created("internal", Visibility::Internal))?;
        let public = insert_namespace(tx, &created("public", Visibility::Public))?;
        let holder = insert_namespace(tx, &created("holder", Visibility::Private))?;
        let inner = below(&public, "inner", Visibility::Private, ann);
        let inner = insert_namespace(tx, &inner)?;
        let hidden = NewProject {
            visibility: Visibility::Private,
            ..project(&holder, "hidden", ann)
        };
        let hidden = insert_project(tx, &hidden)?;
        let guest = member(cora, AccessLevel::Guest, None);
        give(tx, MemberSource::Project(hidden.id), &guest)?;
        let developer = member(ben, AccessLevel::Developer, None);
        give(tx, MemberSource::Namespace(inner.id), &developer)?;
        let expired = member(cora, AccessLevel::Owner, Some(timestamp(0).date()));
        give(tx, MemberSource::Namespace(private.id), &expired)?;
        let own = NewNamespace {
            kind: NamespaceKind::User,
            ..group("cora", cora)
        };
        insert_namespace(tx, &own).map(drop)
    });
    populated.wait().unwrap();
}

/// Lists the matching groups by the last segments of their paths.
fn list(store: &Projects, filter: &GroupFilter) -> Vec<String> {
    let filter = filter.clone();
    let today = timestamp(0).date();
    let listed = store.query(move |tx| tx.list_groups(&filter, today, page(1, 100)));
    let listed = listed.wait().unwrap();
    let count = u64::try_from(listed.items.len()).unwrap();
    assert_eq!(
        (listed.total, listed.has_next),
        (Total::Exact(count), false)
    );
    let groups = listed.items.into_iter();
    groups.map(|one| one.content.path).collect()
}

pub(super) fn p74_a_reader_lists_the_groups_that_it_may_see(harness: &mut AreaHarness<Projects>) {
    let people = harness.people();
    let [_, ben, cora] = people;
    let store = harness.store();
    populate(store, people);
    let all: &[&str] = &["holder", "inner", "internal", "private", "public"];
    for (viewer, visible) in [
        (Viewer::Anonymous, &["public"][..]),
        (Viewer::User(ben), &["inner", "internal", "public"]),
        // A role in a project is enough to see its group; an expired role is not.
        (Viewer::User(cora), &["holder", "internal", "public"]),
        (Viewer::Administrator(cora), all),
    ] {
        assert_eq!(
            list(store, &GroupFilter::new(viewer)),
            visible,
            "{viewer:?}"
        );
    }
    let today = timestamp(0).date();
    let memberships = store.query(move |tx| {
        let group = |tx: &mut dyn projects::ProjectReadTx, path_of| {
            Ok::<_, StoreError>(find_group(tx, path_of)?.unwrap().id)
        };
        let (public, holder) = (group(tx, "public")?, group(tx, "holder")?);
        Ok([
            tx.find_group_membership(ben, public, today)?,
            tx.find_group_membership(cora, holder, today)?,
            tx.find_group_membership(ben, holder, today)?,
        ])
    });
    let below = |is_below| GroupMembership {
        role: None,
        is_below,
    };
    let expected = [below(true), below(true), below(false)];
    assert_eq!(memberships.wait().unwrap(), expected);
}

pub(super) fn p75_each_filter_of_groups_holds(harness: &mut AreaHarness<Projects>) {
    let people = harness.people();
    let [ann, ben, _] = people;
    let store = harness.store();
    populate(store, people);
    let ids = store.query(|tx| {
        let public = find_group(tx, "public")?.unwrap().id;
        Ok((public, find_group(tx, "holder")?.unwrap().id))
    });
    let (public, holder) = ids.wait().unwrap();
    let all = GroupFilter::new(Viewer::Administrator(ben));
    let cases: [(GroupFilter, &[&str]); 11] = [
        (
            GroupFilter {
                within: GroupsWithin::TopLevel,
                ..all.clone()
            },
            &["holder", "internal", "private", "public"],
        ),
        (
            GroupFilter {
                within: GroupsWithin::ChildrenOf(public),
                ..all.clone()
            },
            &["inner"],
        ),
        (
            GroupFilter {
                within: GroupsWithin::Below(public),
                ..all.clone()
            },
            &["inner"],
        ),
        (
            GroupFilter {
                search: Some("PRIV".to_owned()),
                ..all.clone()
            },
            &["private"],
        ),
        (
            GroupFilter {
                search: Some("%".to_owned()),
                ..all.clone()
            },
            &[],
        ),
        (
            GroupFilter {
                visibility: Some(Visibility::Private),
                ..all.clone()
            },
            &["holder", "inner", "private"],
        ),
        (
            GroupFilter {
                min_access_level: Some(AccessLevel::Developer),
                ..all.clone()
            },
            &["inner"],
        ),
        (
            GroupFilter {
                min_access_level: Some(AccessLevel::Maintainer),
                ..all.clone()
            },
            &[],
        ),
        (
            GroupFilter {
                is_member: true,
                ..all.clone()
            },
            &["inner", "public"],
        ),
        (
            GroupFilter {
                skip: vec![public, holder],
                sort: SortOrder::Descending,
                ..all.clone()
            },
            &["private", "internal", "inner"],
        ),
        (
            GroupFilter {
                order_by: GroupOrder::Id,
                ..GroupFilter::new(Viewer::User(ann))
            },
            &["private", "internal", "public", "holder", "inner"],
        ),
    ];
    for (filter, expected) in cases {
        assert_eq!(list(store, &filter), expected, "{filter:?}");
    }
}

pub(super) fn p76_a_walk_by_name_holds_every_group_once(harness: &mut AreaHarness<Projects>) {
    let [ann, ..] = harness.people();
    let store = harness.store();
    let created = store.change(move |tx| {
        for (path, name) in [
            ("a", "same"),
            ("b", "Same"),
            ("c", "zeta"),
            ("d", "Alpha"),
            ("e", "same"),
        ] {
            let new = NewNamespace {
                name: name.to_owned(),
                ..group(path, ann)
            };
            insert_namespace(tx, &new)?;
        }
        Ok(())
    });
    created.wait().unwrap();
    for per_page in [1, 2, 5, 100] {
        let (mut walked, mut last) = (Vec::new(), None::<(String, NamespaceId)>);
        loop {
            let after = last.clone();
            let slice = store.query(move |tx| {
                let after = after.as_ref().map(|(name, id)| (name.as_str(), *id));
                let keyset = KeysetPage::new(per_page, SortOrder::Ascending);
                let filter = GroupFilter::new(Viewer::Anonymous);
                tx.list_groups_by_name(&filter, after, timestamp(0).date(), keyset)
            });
            let slice = slice.wait().unwrap();
            let names = slice.items.iter();
            walked.extend(names.map(|one| one.content.path.clone()));
            last = slice
                .items
                .last()
                .map(|one| (one.content.name.clone(), one.id));
            // Stops a walk that loops.
            if !slice.has_next || walked.len() > 5 {
                break;
            }
        }
        assert_eq!(walked, ["d", "a", "b", "e", "c"], "{per_page}");
    }
}

pub(super) fn p77_the_namespaces_of_a_user_are_its_own_and_those_with_a_role(
    harness: &mut AreaHarness<Projects>,
) {
    let people = harness.people();
    let [ann, ben, cora] = people;
    let store = harness.store();
    populate(store, people);
    let list = |filter: NamespaceFilter| {
        let listed =
            store.query(move |tx| tx.list_namespaces(&filter, timestamp(0).date(), page(1, 100)));
        let listed = listed.wait().unwrap().items.into_iter();
        listed.map(|one| one.path).collect::<Vec<_>>()
    };
    let of = |user| NamespaceFilter {
        user: Some(user),
        min_access_level: None,
        search: None,
    };
    assert_eq!(
        list(of(ann)),
        ["private", "internal", "public", "holder", "inner"]
    );
    assert_eq!(list(of(ben)), ["inner"]);
    assert_eq!(list(of(cora)), ["cora"]);
    let owned = NamespaceFilter {
        min_access_level: Some(AccessLevel::Owner),
        ..of(ben)
    };
    assert!(list(owned).is_empty());
    let everybodys = NamespaceFilter {
        user: None,
        search: Some("COR".to_owned()),
        ..of(ann)
    };
    assert_eq!(list(everybodys), ["cora"]);
}

pub(super) fn p78_the_widest_visibility_below_a_group_is_known(
    harness: &mut AreaHarness<Projects>,
) {
    let [ann, ..] = harness.people();
    let widest = harness.store().change(move |tx| {
        let top = insert_namespace(tx, &group("top", ann))?;
        let mut seen = vec![tx.find_widest_below(top.id)?];
        let sub = insert_namespace(tx, &below(&top, "sub", Visibility::Private, ann))?;
        seen.push(tx.find_widest_below(top.id)?);
        let inside = NewProject {
            visibility: Visibility::Internal,
            ..project(&sub, "inside", ann)
        };
        insert_project(tx, &inside)?;
        seen.push(tx.find_widest_below(top.id)?);
        insert_namespace(tx, &below(&sub, "deep", Visibility::Public, ann))?;
        seen.push(tx.find_widest_below(top.id)?);
        Ok(seen)
    });
    let [private, internal, public] = [
        Visibility::Private,
        Visibility::Internal,
        Visibility::Public,
    ]
    .map(Some);
    assert_eq!(widest.wait().unwrap(), [None, private, internal, public]);
}

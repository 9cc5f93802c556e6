//! Invitations, and statuses of users.

use accounts::{
    AccountWriteTx, Availability, Invitation, InvitedRole, NewInvitation, TokenPlace, UserStatus,
};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{InvitationId, NamespaceId, ProjectId, UserId};
use api_conventions::page::Total;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use storage::{StoreError, StoreExt as _};

use super::{insert, user};
use crate::areas::{Accounts, AreaHarness};
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, page, race, timestamp};

/// An invitation that expires at second 50, whose secret is its suggested username.
fn invitation(creator_id: UserId, name: &str) -> NewInvitation {
    NewInvitation {
        creator_id: Some(creator_id),
        email: None,
        username: Some(name.to_owned()),
        role: None,
        digest: SecretDigest::of(name),
        created_at: timestamp(0),
        expires_at: timestamp(50),
    }
}

const fn to(place: TokenPlace, level: AccessLevel) -> InvitedRole {
    InvitedRole { place, level }
}

/// Invitations at the limits of the columns.
fn edges(creator_id: UserId) -> Vec<NewInvitation> {
    let of_command = NewInvitation {
        creator_id: None,
        email: Some(HOSTILE.to_owned()),
        role: Some(to(
            TokenPlace::Group(NamespaceId::new(i64::MAX)),
            AccessLevel::Owner,
        )),
        created_at: Timestamp::MIN,
        ..invitation(creator_id, HOSTILE)
    };
    let late = NewInvitation {
        role: Some(to(
            TokenPlace::Project(ProjectId::new(1)),
            AccessLevel::Guest,
        )),
        created_at: Timestamp::MAX,
        expires_at: Timestamp::MAX,
        ..invitation(creator_id, "")
    };
    vec![of_command, late]
}

entity! {
    /// An invitation. It is looked up by its id and by its digest, here the digest of the suggested username.
    StoredInvitation in Accounts, of UserId: NewInvitation => Invitation;
    owners: |harness| {
        let created = harness
            .store()
            .change(|tx| Ok([insert(tx, &user("owner"))?, insert(tx, &user("other"))?]));
        created.wait().unwrap()
    };
    key: |invitation| -> (InvitationId, String) {
            (invitation.id, invitation.username.clone().unwrap_or_default())
        },
        unknown: (InvitationId::new(i64::MAX), "unknown".to_owned());
    sample: |user, number| invitation(user, &format!("invitation {number}"));
    edges: |user| edges(user);
    insert: |tx, new| {
        Ok((tx.insert_invitation(new)?, new.username.clone().unwrap_or_default()))
    };
    find: |tx, _, (id, name)| {
        let by_digest = tx.find_invitation_by_digest(&SecretDigest::of(name))?;
        assert_eq!(tx.find_invitation(*id)?, by_digest);
        Ok(by_digest)
    }, by owner: false;
    expected: |new, found| Invitation {
        id: found.id,
        creator_id: new.creator_id,
        email: new.email.clone(),
        username: new.username.clone(),
        role: new.role,
        created_at: new.created_at,
        expires_at: new.expires_at,
    };
    try_insert: |tx, new| Self::insert(tx, new).map(Some), per owner: false;
    clashing: |user, number| NewInvitation {
        username: Some("another".to_owned()),
        ..Self::sample(user, number)
    };
}

/// Runs a write closure, and returns its result.
fn write<T: Send + 'static>(
    store: &Accounts,
    work: impl Fn(&mut dyn AccountWriteTx) -> Result<T, StoreError> + Send + 'static,
) -> T {
    store.change(move |tx| work(tx)).wait().unwrap()
}

pub(super) fn a51_one_of_many_racing_uses_gets_an_invitation(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    write(store, |tx| {
        let ann = insert(tx, &user("ann"))?;
        tx.insert_invitation(&invitation(ann, "one"))?;
        tx.insert_invitation(&invitation(ann, "two"))
    });
    // An expired one is not used up, and the expiry is exclusive.
    let late = write(store, |tx| {
        tx.take_invitation(&SecretDigest::of("one"), timestamp(50))
    });
    assert_eq!(late, None);
    let taken = race(6, |_| {
        let take = store.change(|tx| tx.take_invitation(&SecretDigest::of("one"), timestamp(49)));
        take.wait().unwrap()
    });
    let taken: Vec<Invitation> = taken.into_iter().flatten().collect();
    assert_eq!(taken.len(), 1, "{taken:?}");
    assert_eq!(taken[0].username.as_deref(), Some("one"));
    let left = write(store, |tx| tx.list_invitations(page(1, 100)));
    assert_eq!(left.total, Total::Exact(1));
    assert_eq!(left.items[0].username.as_deref(), Some("two"));
}

pub(super) fn a52_invitations_are_listed_newest_first_and_deleted_one_by_one_or_by_place(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let project = TokenPlace::Project(ProjectId::new(7));
    let group = TokenPlace::Group(NamespaceId::new(7));
    let first = write(store, move |tx| {
        let ann = insert(tx, &user("ann"))?;
        let first = tx.insert_invitation(&invitation(ann, "first"))?;
        for (name, place) in [("project", project), ("group", group)] {
            tx.insert_invitation(&NewInvitation {
                role: Some(to(place, AccessLevel::Developer)),
                ..invitation(ann, name)
            })?;
        }
        Ok(first)
    });
    let names = |number, size| {
        let listed = write(store, move |tx| tx.list_invitations(page(number, size)));
        let names = listed.items.into_iter();
        names
            .filter_map(|item| item.username)
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(1, 100), "group project first");
    assert_eq!(
        (names(1, 2), names(2, 2)),
        ("group project".to_owned(), "first".to_owned())
    );
    let deleted = write(store, move |tx| {
        let unknown = tx.delete_invitation(InvitationId::new(i64::MAX))?;
        let deleted = tx.delete_invitation(first)?;
        Ok((unknown, deleted, tx.delete_invitation(first)?))
    });
    assert_eq!(deleted, (false, true, false));
    let deleted = write(store, move |tx| {
        Ok((
            tx.delete_invitations_to(project)?,
            tx.delete_invitations_to(project)?,
        ))
    });
    assert_eq!(deleted, (1, 0));
    assert_eq!(names(1, 100), "group");
}

pub(super) fn a53_expired_invitations_are_deleted_in_steps(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    write(store, |tx| {
        let ann = insert(tx, &user("ann"))?;
        for (name, at) in [("a", 50), ("b", 51), ("c", 60)] {
            tx.insert_invitation(&NewInvitation {
                expires_at: timestamp(at),
                ..invitation(ann, name)
            })?;
        }
        Ok(())
    });
    for expected in [1, 1, 0] {
        let deleted = write(store, |tx| tx.delete_expired_invitations(timestamp(60), 1));
        assert_eq!(deleted, expected);
    }
    let left = write(store, |tx| tx.list_invitations(page(1, 100)));
    assert_eq!(left.items[0].username.as_deref(), Some("c"));
    assert_eq!(left.items.len(), 1);
}

fn status(message: &str, clear_at: Option<Timestamp>) -> UserStatus {
    UserStatus {
        emoji: "coffee".to_owned(),
        message: message.to_owned(),
        availability: Availability::Busy,
        clear_at,
    }
}

pub(super) fn a54_a_status_is_replaced_and_cleared_after_its_time(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| write(store, move |tx| insert(tx, &user(name))));
    let find = |id| write(store, move |tx| tx.find_user_status(id));
    let put = |id, status: UserStatus| write(store, move |tx| tx.put_user_status(id, &status));
    assert_eq!(find(ann), None);
    let hostile = UserStatus {
        availability: Availability::NotSet,
        ..status(HOSTILE, Some(Timestamp::MAX))
    };
    put(ann, hostile.clone());
    assert_eq!(find(ann), Some(hostile));
    put(ann, status("", None));
    put(ben, status("away", Some(timestamp(5))));
    assert_eq!(find(ann), Some(status("", None)));
    for (before, expected) in [(5, 0), (6, 1), (6, 0)] {
        let cleared = write(store, move |tx| {
            tx.delete_cleared_statuses(timestamp(before), 9)
        });
        assert_eq!(cleared, expected, "{before}");
    }
    assert_eq!(find(ben), None);
    for expected in [true, false] {
        assert_eq!(write(store, move |tx| tx.delete_user_status(ann)), expected);
    }
    assert_eq!(find(ann), None);
}

pub(super) fn a55_cleared_statuses_are_deleted_in_steps(harness: &mut AreaHarness<Accounts>) {
    let store = harness.store();
    write(store, |tx| {
        for name in ["ann", "ben", "eve"] {
            let id = insert(tx, &user(name))?;
            tx.put_user_status(id, &status(name, Some(timestamp(5))))?;
        }
        Ok(())
    });
    for expected in [2, 1, 0] {
        let deleted = write(store, |tx| tx.delete_cleared_statuses(timestamp(6), 2));
        assert_eq!(deleted, expected);
    }
}

pub(super) fn u13_the_status_and_the_invitations_of_a_deleted_user_are_deleted(
    harness: &mut AreaHarness<Accounts>,
) {
    let store = harness.store();
    let [ann, ben] = ["ann", "ben"].map(|name| write(store, move |tx| insert(tx, &user(name))));
    let token = write(store, move |tx| {
        for (id, name) in [(ann, "ann"), (ben, "ben")] {
            tx.put_user_status(id, &status(name, None))?;
            tx.insert_invitation(&invitation(id, name))?;
        }
        tx.insert_token(&accounts::NewToken {
            creator_id: Some(ann),
            ..super::tokens::token(ben, "lent")
        })
    });
    // A status, an invitation, and a token of another user whose creator is no longer known.
    for expected in [2, 1, 0] {
        let count = write(store, move |tx| tx.delete_access_of_user(ann, ben, 2));
        assert_eq!(count, expected);
    }
    let (has_status, impersonation, open) = write(store, move |tx| {
        Ok((
            [ann, ben].map(|id| tx.find_user_status(id).unwrap().is_some()),
            tx.find_token(token)?.unwrap(),
            tx.list_invitations(page(1, 9))?.items,
        ))
    });
    assert_eq!(has_status, [false, true]);
    assert_eq!(impersonation.creator_id, None);
    assert_eq!(open.len(), 1);
    assert_eq!(open[0].creator_id, Some(ben));
}

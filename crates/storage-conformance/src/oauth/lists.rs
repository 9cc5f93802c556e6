//! Lists of applications.

use api_conventions::ids::ApplicationId;
use api_conventions::page::Total;
use oauth_provider::{Application, ApplicationOwner, NewApplication};

use super::samples::{application, read, write};
use crate::Harness;
use crate::samples::{moment, page, walk};
use crate::store_traits::Oauth;

pub(super) fn o07_applications_are_listed_by_owner_the_oldest_first<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let [ann, ben, cora] = harness.people();
    let store = harness.store();
    let rows = [
        ("late", Some(ann), 9),
        ("of-the-instance", None, 3),
        ("early", Some(ann), 1),
        ("tie-1", Some(ann), 5),
        ("foreign", Some(ben), 2),
        ("tie-2", Some(ann), 5),
        ("instance-too", None, 2),
    ];
    for (uid, owner_id, seconds) in rows {
        let new = NewApplication {
            created_at: moment(seconds),
            ..application(uid, owner_id)
        };
        write(store, move |tx| tx.insert_application(&new));
    }
    let listed = |owner| {
        let listed = read(store, move |tx| tx.list_applications(owner, page(1, 20)));
        assert_eq!(listed.total, Total::Exact(listed.items.len() as u64));
        let uids = listed.items.into_iter().map(|one| one.uid.to_string());
        uids.collect::<Vec<_>>()
    };
    let anns = ["early", "tie-1", "tie-2", "late"];
    assert_eq!(listed(ApplicationOwner::User(ann)), anns);
    assert_eq!(listed(ApplicationOwner::User(ben)), ["foreign"]);
    assert_eq!(listed(ApplicationOwner::User(cora)), [""; 0]);
    let of_instance = ["instance-too", "of-the-instance"];
    assert_eq!(listed(ApplicationOwner::Instance), of_instance);
}

pub(super) fn o08_pages_hold_every_row_once<H: Harness>(harness: &mut H)
where
    H::Store: Oauth,
{
    let [ann, ..] = harness.people();
    let store = harness.store();
    let ids: Vec<ApplicationId> = write(store, move |tx| {
        let new = (0..25).map(|number| application(&format!("app-{number}"), Some(ann)));
        let mut ids = Vec::new();
        for new in new {
            ids.push(tx.insert_application(&new)?);
        }
        Ok(ids)
    });
    write(store, |tx| {
        tx.insert_application(&application("of-the-instance", None))
    });
    let owner = ApplicationOwner::User(ann);
    for size in [1, 4, 5, 25, 100] {
        let list = |page| read(store, move |tx| tx.list_applications(owner, page));
        let (walked, total) = walk(size, list, |one: &Application| one.id);
        assert_eq!(
            (walked, total),
            (ids.clone(), Total::Exact(25)),
            "size {size}"
        );
    }
    let beyond = read(store, move |tx| tx.list_applications(owner, page(3, 25)));
    assert!(beyond.items.is_empty() && !beyond.has_next);
    assert_eq!(beyond.total, Total::Exact(25));
}

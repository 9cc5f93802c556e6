//! Applications.

use api_conventions::ids::{ApplicationId, GrantId, SessionId, SigningKeyId, UserId};
use api_conventions::page::Total;
use api_conventions::time::Timestamp;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOptions, ApplicationOwner, ApplicationUid,
    ClientType, NewApplication, Redemption, Rotation, TokenSubject,
};
use storage::{StoreErrorKind, StoreExt as _};

use super::application::uris;
use super::samples::{
    Fixture, application, digest, find_pair, insert_grant, pair, read, request, scopes, seed, write,
};
use crate::areas::{AreaHarness, Oauth};
use crate::samples::{page, timestamp};

fn uid(text: &str) -> ApplicationUid {
    ApplicationUid::parse(text).unwrap()
}

fn insert(store: &Oauth, new: NewApplication) -> ApplicationId {
    write(store, move |tx| tx.insert_application(&new))
}

/// Returns the application with this id, which must exist.
fn find_application(store: &Oauth, id: ApplicationId) -> Application {
    read(store, move |tx| tx.find_application(id)).expect("the application exists")
}

pub(super) fn o02_absence_is_none_and_changes_nothing(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let (app, user) = (ApplicationId::new(i64::MAX), UserId::new(i64::MAX));
    let (id, nothing) = (GrantId::new(i64::MAX), digest("nothing"));
    read(store, move |tx| {
        assert_eq!(tx.find_application(app)?, None);
        assert_eq!(tx.find_application_by_uid(&uid("nobody"))?, None);
        let listed = tx.list_applications(ApplicationOwner::Instance, page(1, 20))?;
        assert_eq!((listed.items.len(), listed.total), (0, Total::Exact(0)));
        assert_eq!(tx.list_authorized_applications(user, timestamp(0))?, []);
        assert_eq!(tx.find_grant(id)?, None);
        assert_eq!(tx.find_grant_by_code(&nothing)?, None);
        assert!(!tx.has_consented(user, app, &scopes("api"), timestamp(0))?);
        assert_eq!(tx.find_pair_by_access(&nothing)?, None);
        assert_eq!(tx.find_pair_by_refresh(&nothing)?, None);
        assert_eq!(tx.find_authorization_request(&nothing)?, None);
        assert_eq!(tx.list_signing_keys()?, []);
        Ok(())
    });
    write(store, move |tx| {
        let everything = ApplicationChange {
            name: "x".to_owned(),
            redirect_uris: uris(&["https://a.example/"]),
            post_logout_redirect_uris: Vec::new(),
            scopes: scopes("api"),
            client_type: ClientType::Public,
            trusted: true,
            options: ApplicationOptions::of(ClientType::Public),
        };
        assert!(!tx.update_application(app, &everything)?);
        assert!(!tx.replace_secret(app, &nothing)?);
        assert!(!tx.delete_application(app)?);
        let session = SessionId::new(i64::MAX);
        let taken = tx.take_authorization_request(&nothing, session, timestamp(0))?;
        assert_eq!(taken, None);
        let new = pair(id, TokenSubject::user(user, app), "none");
        let redeemed = tx.redeem_code(&nothing, &new, timestamp(0))?;
        assert_eq!(redeemed, Redemption::Unknown);
        let rotated = tx.rotate_pair(&nothing, seed(1), &new, timestamp(0))?;
        assert_eq!(rotated, Rotation::Unknown);
        assert_eq!(tx.find_pair_by_access(&new.access)?, None);
        assert!(!tx.revoke_grant(id, timestamp(0))?);
        assert_eq!(tx.revoke_grants_of_user(user, None, timestamp(0))?, 0);
        assert_eq!(tx.revoke_unredeemed(session, timestamp(0))?, 0);
        assert_eq!(tx.delete_spent_grants(Timestamp::MAX, 100)?, 0);
        tx.delete_signing_keys(&[SigningKeyId::new(i64::MAX)])
    });
}

pub(super) fn o03_a_uid_is_unique_and_its_case_matters(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let lower = insert(store, application("client", None));
    let upper = insert(store, application("CLIENT", None));
    let again = store.change(|tx| tx.insert_application(&application("client", None)));
    let error = again.wait().unwrap_err();
    assert_eq!(error.kind(), StoreErrorKind::Conflict, "{error}");
    for (text, id) in [
        ("client", Some(lower)),
        ("CLIENT", Some(upper)),
        ("Client", None),
    ] {
        let found = read(store, move |tx| tx.find_application_by_uid(&uid(text)));
        assert_eq!(found.map(|one| one.id), id, "{text}");
    }
}

pub(super) fn o05_a_secret_is_replaced(harness: &mut AreaHarness<Oauth>) {
    let store = harness.store();
    let id = insert(store, application("client", None));
    let other = insert(store, application("other", None));
    let (before, untouched) = (find_application(store, id), find_application(store, other));
    let secret = digest("another");
    assert!(write(store, move |tx| tx.replace_secret(id, &secret)));
    assert_eq!(
        find_application(store, id),
        Application { secret, ..before }
    );
    assert_eq!(find_application(store, other), untouched);
}

pub(super) fn o06_an_application_takes_everything_with_it(harness: &mut AreaHarness<Oauth>) {
    let fixture = Fixture::of(harness);
    let store = harness.store();
    fixture.redeemed(store, "mine");
    let waiting = insert_grant(store, fixture.grant("code"));
    let kept = Fixture {
        app: fixture.other_app,
        ..fixture
    };
    let kept_grant = kept.redeemed(store, "kept");
    write(store, move |tx| {
        let kept = request(fixture.other_app, fixture.ann, fixture.session);
        tx.insert_authorization_request(&digest("kept"), &kept)?;
        tx.insert_authorization_request(&digest("mine"), &fixture.request())
    });
    assert!(write(store, move |tx| tx.delete_application(fixture.app)));
    assert!(!write(store, move |tx| tx.delete_application(fixture.app)));
    read(store, move |tx| {
        assert_eq!(tx.find_application(fixture.app)?, None);
        assert_eq!(tx.find_application_by_uid(&uid("app"))?, None);
        assert_eq!(tx.find_authorization_request(&digest("mine"))?, None);
        assert_eq!(tx.find_grant_by_code(&digest("mine"))?, None);
        assert_eq!(tx.find_grant(waiting)?, None);
        assert!(tx.find_authorization_request(&digest("kept"))?.is_some());
        assert!(tx.find_grant(kept_grant)?.is_some());
        Ok(())
    });
    assert_eq!(find_pair(store, "mine"), None);
    assert!(find_pair(store, "kept").is_some());
    // The application can be registered again, and no old grant comes back.
    let again = insert(store, application("app", None));
    let authorized = read(store, move |tx| {
        tx.list_authorized_applications(fixture.ann, timestamp(2))
    });
    assert!(authorized.iter().all(|one| one.application.id != again));
}

pub(super) fn o09_application_names_are_listed_once_per_id_and_unknown_ids_are_left_out(
    harness: &mut AreaHarness<Oauth>,
) {
    let store = harness.store();
    let [first, _, third] = ["first", "second", "third"].map(|name| {
        let new = NewApplication {
            name: name.to_owned(),
            ..application(name, None)
        };
        insert(store, new)
    });
    let list = |ids: Vec<ApplicationId>| {
        let mut listed = read(store, move |tx| tx.list_application_names(&ids));
        listed.sort();
        listed
    };
    let unknown = ApplicationId::new(i64::MAX);
    let expected = [(first, "first".to_owned()), (third, "third".to_owned())];
    assert_eq!(list(vec![third, first, unknown, third]), expected);
    assert_eq!(list(vec![unknown]), []);
    assert_eq!(list(Vec::new()), []);
}

//! The application as an entity.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::time::Timestamp;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOptions, ApplicationOwner, ClientType,
    NewApplication,
};

use super::samples::{application, scopes};
use crate::areas::Oauth;
use crate::entity::Entity as _;
use crate::entity::declare::entity;
use crate::samples::{HOSTILE, timestamp};

/// Redirect URIs as registered.
pub(super) fn uris(texts: &[&str]) -> Vec<RedirectUri> {
    let texts = texts.iter().map(|text| (*text).to_owned());
    texts.map(RedirectUri::from_stored).collect()
}

/// The change with this number.
fn change(number: u32) -> ApplicationChange {
    ApplicationChange {
        name: HOSTILE.repeat(number as usize),
        redirect_uris: uris(&["https://b.example/", "https://a.example/"]),
        post_logout_redirect_uris: uris(&["https://c.example/", "https://a.example/"]),
        scopes: scopes("openid email"),
        client_type: ClientType::Public,
        trusted: number % 2 == 1,
        options: ApplicationOptions {
            issuer_in_response: number.is_multiple_of(2),
            reduce_scopes: number % 2 == 1,
            groups_claim: number.is_multiple_of(2),
            id_token_seconds: Some(number),
            access_token_seconds: None,
        },
    }
}

/// Applications at the limits of the columns.
fn application_edges(owner: Option<UserId>) -> Vec<NewApplication> {
    let odd = NewApplication {
        name: HOSTILE.to_owned(),
        redirect_uris: uris(&[
            "https://z.example/?a=\"b\"&c='d'\\,;%20#e",
            "http://127.0.0.1/",
            "com.example.app:/back",
            "urn:ietf:wg:oauth:2.0:oob",
            "https://a.example/",
        ]),
        post_logout_redirect_uris: uris(&[
            "https://z.example/bye?a=\"b\"&c='d'\\,;%20#e",
            "com.example.app:/bye",
            "https://a.example/",
        ]),
        scopes: scopes(
            "api read_api read_user read_repository write_repository sudo openid profile email groups",
        ),
        client_type: ClientType::Public,
        trusted: true,
        options: ApplicationOptions {
            issuer_in_response: false,
            reduce_scopes: true,
            groups_claim: true,
            id_token_seconds: Some(0),
            access_token_seconds: Some(u32::MAX),
        },
        created_at: Timestamp::MAX,
        ..application(&"f".repeat(64), None)
    };
    let old = NewApplication {
        created_at: Timestamp::MIN,
        scopes: scopes("openid"),
        ..application("a", None)
    };
    vec![application("plain.Name_1-", owner), odd, old]
}

entity! {
    /// An application of a user, or of the instance. The uids of the samples include their owners.
    StoredApplication in Oauth, of Option<UserId>: NewApplication => Application;
    owners: |harness| [Some(harness.people()[0]), None];
    key: |application| -> ApplicationId { application.id }, unknown: ApplicationId::new(i64::MAX);
    sample: |owner, number| {
        let whose = owner.map_or_else(|| "instance".to_owned(), |user| user.to_string());
        application(&format!("app-{number}-of-{whose}"), owner)
    };
    edges: |owner| application_edges(owner);
    insert: |tx, new| tx.insert_application(new);
    // Looked up by the id and by the uid, which must give the same row.
    find: |tx, _, id| match tx.find_application(*id)? {
        Some(found) => tx.find_application_by_uid(&found.uid),
        None => Ok(None),
    }, by owner: false;
    expected: |new, found| Application {
        id: found.id,
        uid: new.uid.clone(),
        secret: new.secret,
        name: new.name.clone(),
        redirect_uris: new.redirect_uris.clone(),
        post_logout_redirect_uris: new.post_logout_redirect_uris.clone(),
        scopes: new.scopes.clone(),
        client_type: new.client_type,
        trusted: new.trusted,
        options: new.options,
        owner_id: new.owner_id,
        created_at: new.created_at,
    };
    list Ascending: |tx, owner, page| {
        let owner = owner.map_or(ApplicationOwner::Instance, ApplicationOwner::User);
        tx.list_applications(owner, page)
    };
    ranked: |owner, number, rank| NewApplication {
        created_at: timestamp(i64::from(rank)),
        ..Self::sample(owner, number)
    };
    change: |tx, _, id, number| tx.update_application(*id, &change(number));
    // The uid, the secret and the owner stay.
    changed: |application, number| {
        let change = change(number);
        Application {
            name: change.name,
            redirect_uris: change.redirect_uris,
            post_logout_redirect_uris: change.post_logout_redirect_uris,
            scopes: change.scopes,
            client_type: change.client_type,
            trusted: change.trusted,
            options: change.options,
            ..application.clone()
        }
    };
    delete: |tx, _, id| tx.delete_application(*id);
    try_insert: |tx, new| tx.insert_application(new).map(Some), per owner: true;
    clashing: |owner, number| NewApplication {
        name: "Another".to_owned(),
        ..Self::sample(owner, number)
    };
}

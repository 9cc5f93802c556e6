//! The application as an entity.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::time::Timestamp;
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ClientType, NewApplication,
};
use storage::StoreError;

use super::samples::{application, scopes};
use crate::Harness;
use crate::entity::{Changed, Deleted, Entity, Listed, Serves, Unique};
use crate::samples::{HOSTILE, moment};
use crate::store_traits::{OauthArea, OauthQueries, OauthRepositories};

/// An application of a user, or of the instance.
#[derive(Debug)]
pub struct StoredApplication;

/// Addresses, as they were registered.
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
    }
}

impl Entity for StoredApplication {
    type Area = OauthArea;
    type Owner = Option<UserId>;
    type New = NewApplication;
    type Row = Application;
    type Key = ApplicationId;

    const IS_FOUND_BY_OWNER: bool = false;

    fn owners<H: Harness>(harness: &H) -> [Option<UserId>; 2]
    where
        H::Store: Serves<OauthArea>,
    {
        let [ann, ..] = harness.people();
        [Some(ann), None]
    }

    fn sample(owner: Option<UserId>, number: u32) -> NewApplication {
        let whose = owner.map_or_else(|| "instance".to_owned(), |user| user.to_string());
        application(&format!("app-{number}-of-{whose}"), owner)
    }

    fn edges(owner: Option<UserId>) -> Vec<NewApplication> {
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

    fn insert(
        tx: &mut (dyn OauthRepositories + '_),
        new: &NewApplication,
    ) -> Result<ApplicationId, StoreError> {
        tx.insert_application(new)
    }

    /// By its id, and by its uid, which must find the same.
    fn find(
        tx: &mut (dyn OauthQueries + '_),
        _: Option<UserId>,
        id: &ApplicationId,
    ) -> Result<Option<Application>, StoreError> {
        let Some(found) = tx.find_application(*id)? else {
            return Ok(None);
        };
        tx.find_application_by_uid(&found.uid)
    }

    fn expected(new: &NewApplication, found: &Application) -> Application {
        Application {
            id: found.id,
            uid: new.uid.clone(),
            secret: new.secret,
            name: new.name.clone(),
            redirect_uris: new.redirect_uris.clone(),
            post_logout_redirect_uris: new.post_logout_redirect_uris.clone(),
            scopes: new.scopes,
            client_type: new.client_type,
            trusted: new.trusted,
            owner_id: new.owner_id,
            created_at: new.created_at,
        }
    }

    fn key(application: &Application) -> ApplicationId {
        application.id
    }

    fn unknown() -> ApplicationId {
        ApplicationId::new(i64::MAX)
    }
}

impl Listed for StoredApplication {
    const SORT: SortOrder = SortOrder::Ascending;
    const IS_RANKED: bool = true;

    fn ranked(owner: Option<UserId>, number: u32, rank: u32) -> NewApplication {
        NewApplication {
            created_at: moment(i64::from(rank)),
            ..Self::sample(owner, number)
        }
    }

    fn list(
        tx: &mut (dyn OauthQueries + '_),
        owner: Option<UserId>,
        asked: OffsetPage,
    ) -> Result<Page<Application>, StoreError> {
        let owner = owner.map_or(ApplicationOwner::Instance, ApplicationOwner::User);
        tx.list_applications(owner, asked)
    }
}

impl Changed for StoredApplication {
    fn change(
        tx: &mut (dyn OauthRepositories + '_),
        _: Option<UserId>,
        id: &ApplicationId,
        number: u32,
    ) -> Result<bool, StoreError> {
        tx.update_application(*id, &change(number))
    }

    /// It keeps its uid, its secret and its owner.
    fn changed(application: &Application, number: u32) -> Application {
        let change = change(number);
        Application {
            name: change.name,
            redirect_uris: change.redirect_uris,
            post_logout_redirect_uris: change.post_logout_redirect_uris,
            scopes: change.scopes,
            client_type: change.client_type,
            trusted: change.trusted,
            ..application.clone()
        }
    }
}

impl Deleted for StoredApplication {
    fn delete(
        tx: &mut (dyn OauthRepositories + '_),
        _: Option<UserId>,
        id: &ApplicationId,
    ) -> Result<bool, StoreError> {
        tx.delete_application(*id)
    }
}

impl Unique for StoredApplication {
    /// The uids of the samples have their owners in them.
    const IS_PER_OWNER: bool = true;

    fn clashing(owner: Option<UserId>, number: u32) -> NewApplication {
        NewApplication {
            name: "Another".to_owned(),
            owner_id: None,
            ..Self::sample(owner, number)
        }
    }

    fn try_insert(
        tx: &mut (dyn OauthRepositories + '_),
        new: &NewApplication,
    ) -> Result<Option<ApplicationId>, StoreError> {
        tx.insert_application(new).map(Some)
    }
}

//! Saboteurs of applications and of what users permitted them.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationUid, AuthorizedApplication,
    NewApplication,
};
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

pub(crate) struct TurnsAddresses;

impl Saboteur for TurnsAddresses {
    fn insert_application(
        &self,
        at: &mut Writing<'_>,
        new: &NewApplication,
    ) -> Result<ApplicationId, StoreError> {
        let redirect_uris = new.redirect_uris.iter().rev().cloned().collect();
        at.tx.insert_application(&NewApplication {
            redirect_uris,
            ..new.clone()
        })
    }
}

pub(crate) struct LosesAddressesAfterSignOut;

impl Saboteur for LosesAddressesAfterSignOut {
    fn insert_application(
        &self,
        at: &mut Writing<'_>,
        new: &NewApplication,
    ) -> Result<ApplicationId, StoreError> {
        at.tx.insert_application(&NewApplication {
            post_logout_redirect_uris: Vec::new(),
            ..new.clone()
        })
    }

    fn update_application(
        &self,
        at: &mut Writing<'_>,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError> {
        let lossy = ApplicationChange {
            post_logout_redirect_uris: Vec::new(),
            ..change.clone()
        };
        at.tx.update_application(id, &lossy)
    }
}

pub(crate) struct ChangesNothing;

impl Saboteur for ChangesNothing {
    fn update_application(
        &self,
        at: &mut Writing<'_>,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError> {
        at.tx.update_application(id, change).map(|_| true)
    }
}

pub(crate) struct FindsInAnyCase;

impl Saboteur for FindsInAnyCase {
    fn find_application_by_uid(
        &self,
        at: &mut Reading<'_>,
        uid: &ApplicationUid,
    ) -> Result<Option<Application>, StoreError> {
        let lower = uid.as_str().to_lowercase();
        let lower = ApplicationUid::parse(&lower).unwrap();
        let found = at.tx.find_application_by_uid(&lower)?;
        Ok(found.or(at.tx.find_application_by_uid(uid)?))
    }
}

pub(crate) struct SharesUids;

impl Saboteur for SharesUids {
    fn insert_application(
        &self,
        at: &mut Writing<'_>,
        new: &NewApplication,
    ) -> Result<ApplicationId, StoreError> {
        match at.tx.find_application_by_uid(&new.uid)? {
            Some(other) => Ok(other.id),
            None => at.tx.insert_application(new),
        }
    }
}

pub(crate) struct RenewsTheSecretToo;

impl Saboteur for RenewsTheSecretToo {
    fn update_application(
        &self,
        at: &mut Writing<'_>,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError> {
        at.tx.replace_secret(id, &SecretDigest::of(&change.name))?;
        at.tx.update_application(id, change)
    }
}

pub(crate) struct KeepsTheSecret;

impl Saboteur for KeepsTheSecret {
    fn replace_secret(
        &self,
        at: &mut Writing<'_>,
        id: ApplicationId,
        _: &SecretDigest,
    ) -> Result<bool, StoreError> {
        Ok(at.tx.find_application(id)?.is_some())
    }
}

pub(crate) struct TakesTooMuch;

impl Saboteur for TakesTooMuch {
    fn delete_application(
        &self,
        at: &mut Writing<'_>,
        id: ApplicationId,
    ) -> Result<bool, StoreError> {
        at.tx.delete_spent_grants(Timestamp::MAX, usize::MAX)?;
        at.tx.delete_application(id)
    }
}

pub(crate) struct ForgetsTheOwner;

impl Saboteur for ForgetsTheOwner {
    fn insert_application(
        &self,
        at: &mut Writing<'_>,
        new: &NewApplication,
    ) -> Result<ApplicationId, StoreError> {
        at.tx.insert_application(&NewApplication {
            owner_id: None,
            ..new.clone()
        })
    }
}

pub(crate) struct ListsByAge;

impl Saboteur for ListsByAge {
    fn list_applications(
        &self,
        at: &mut Reading<'_>,
        owner: ApplicationOwner,
        page: OffsetPage,
    ) -> Result<Page<Application>, StoreError> {
        let mut listed = at.tx.list_applications(owner, page)?;
        // Ties go the wrong way.
        let key = |one: &Application| (one.created_at, std::cmp::Reverse(one.id));
        listed.items.sort_by_key(key);
        Ok(listed)
    }
}

pub(crate) struct EndsEarly;

impl Saboteur for EndsEarly {
    fn list_applications(
        &self,
        at: &mut Reading<'_>,
        owner: ApplicationOwner,
        page: OffsetPage,
    ) -> Result<Page<Application>, StoreError> {
        let listed = at.tx.list_applications(owner, page)?;
        Ok(Page {
            has_next: listed.has_next && page.page() < 5,
            ..listed
        })
    }
}

pub(crate) struct AuthorizesForGood;

impl Saboteur for AuthorizesForGood {
    fn list_authorized_applications(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        _: Timestamp,
    ) -> Result<Vec<AuthorizedApplication>, StoreError> {
        at.tx.list_authorized_applications(user, Timestamp::MIN)
    }
}

pub(crate) struct ListsAuthorizedByName;

impl Saboteur for ListsAuthorizedByName {
    fn list_authorized_applications(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        now: Timestamp,
    ) -> Result<Vec<AuthorizedApplication>, StoreError> {
        let mut listed = at.tx.list_authorized_applications(user, now)?;
        listed.sort_by(|one, other| one.application.name.cmp(&other.application.name));
        Ok(listed)
    }
}

pub(crate) struct TakesMoreForConsent;

impl Saboteur for TakesMoreForConsent {
    fn has_consented(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        app: ApplicationId,
        scopes: ScopeSet,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        let authorized = at.tx.list_authorized_applications(user, now)?;
        let mut its = authorized.iter().filter(|one| one.application.id == app);
        Ok(its.any(|one| scopes.is_subset_of(one.scopes)))
    }
}

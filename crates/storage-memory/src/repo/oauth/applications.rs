//! Applications.

use std::ops::Deref;

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::scope::ScopeSet;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationQueries, ApplicationRepository,
    ApplicationUid, AuthorizedApplication, NewApplication, TokenSubject,
};
use storage::StoreError;

use super::is_live;
use crate::repo::conflict;
use crate::state::State;
use crate::store::{MemoryTx, MemoryWriteTx};

impl super::Tables {
    /// What all live grants of a user to an application together permit; `None` when there are none.
    fn authorized(
        &self,
        application: &Application,
        user_id: UserId,
        now: Timestamp,
    ) -> Option<AuthorizedApplication> {
        let grants = self.grants.rows().map(|(_, grant)| grant);
        let live = grants
            .filter(|grant| grant.subject == TokenSubject::user(user_id, application.id))
            .filter(|grant| is_live(grant, now));
        let nothing = (ScopeSet::default(), None);
        let (scopes, newest) = live.fold(nothing, |(scopes, newest), grant| {
            let newest = newest.max(Some(grant.created_at));
            (scopes.union(&grant.scopes), newest)
        });
        newest.map(|authorized_at| AuthorizedApplication {
            application: application.clone(),
            scopes,
            authorized_at,
        })
    }
}

impl<S: Deref<Target = State>> ApplicationQueries for MemoryTx<S> {
    fn find_application(&mut self, id: ApplicationId) -> Result<Option<Application>, StoreError> {
        Ok(self.0.oauth.applications.get(id).cloned())
    }

    fn find_application_by_uid(
        &mut self,
        uid: &ApplicationUid,
    ) -> Result<Option<Application>, StoreError> {
        let found = self.0.oauth.applications.find(|one| one.uid == *uid);
        Ok(found.cloned())
    }

    fn list_applications(
        &mut self,
        owner: ApplicationOwner,
        asked: OffsetPage,
    ) -> Result<Page<Application>, StoreError> {
        let owner_id = match owner {
            ApplicationOwner::User(id) => Some(id),
            ApplicationOwner::Instance => None,
        };
        let is_its = |application: &Application| application.owner_id == owner_id;
        let applications = &self.0.oauth.applications;
        Ok(applications.page(is_its, |one| one.created_at, SortOrder::Ascending, asked))
    }

    fn list_application_names(
        &mut self,
        ids: &[ApplicationId],
    ) -> Result<Vec<(ApplicationId, String)>, StoreError> {
        let named = self.0.oauth.applications.rows();
        let named = named.filter(|one| ids.contains(&one.id));
        Ok(named.map(|one| (one.id, one.name.clone())).collect())
    }

    fn list_authorized_applications(
        &mut self,
        user_id: UserId,
        now: Timestamp,
    ) -> Result<Vec<AuthorizedApplication>, StoreError> {
        let tables = &self.0.oauth;
        let applications = tables.applications.rows();
        let mut authorized: Vec<AuthorizedApplication> = applications
            .filter_map(|application| tables.authorized(application, user_id, now))
            .collect();
        authorized.sort_by_key(|one| (one.authorized_at, one.application.id));
        authorized.reverse();
        Ok(authorized)
    }
}

impl ApplicationRepository for MemoryWriteTx<'_> {
    fn insert_application(&mut self, new: &NewApplication) -> Result<ApplicationId, StoreError> {
        let applications = &mut self.0.oauth.applications;
        if applications.has(|one| one.uid == new.uid) {
            return Err(conflict("insert an application whose uid exists"));
        }
        Ok(applications.insert(|id| Application {
            id,
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
        }))
    }

    fn update_application(
        &mut self,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError> {
        Ok(self.0.oauth.applications.update(id, |application| {
            application.name.clone_from(&change.name);
            application.redirect_uris.clone_from(&change.redirect_uris);
            let after_sign_out = &mut application.post_logout_redirect_uris;
            after_sign_out.clone_from(&change.post_logout_redirect_uris);
            application.scopes = change.scopes.clone();
            application.client_type = change.client_type;
            application.trusted = change.trusted;
            application.options = change.options;
        }))
    }

    fn replace_secret(
        &mut self,
        id: ApplicationId,
        secret: &SecretDigest,
    ) -> Result<bool, StoreError> {
        let applications = &mut self.0.oauth.applications;
        Ok(applications.update(id, |one| one.secret = *secret))
    }

    fn delete_application(&mut self, id: ApplicationId) -> Result<bool, StoreError> {
        let tables = &mut self.0.oauth;
        tables.forget_requests(|request| request.application_id == id);
        tables.delete_grants(usize::MAX, |grant| {
            grant.subject.application_id() == Some(id)
        });
        Ok(tables.applications.remove(id))
    }
}

//! Requests that wait for consent.

use api_conventions::ids::SessionId;
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::AuthorizationRequest;
use storage::StoreError;

use super::Tables;
use crate::repo::conflict;

impl Tables {
    pub(super) fn request(&self, handle: &SecretDigest) -> Option<&AuthorizationRequest> {
        let mut requests = self.requests.iter();
        let found = requests.find(|(its, _)| its == handle);
        found.map(|(_, request)| request)
    }

    pub(super) fn insert_request(
        &mut self,
        handle: &SecretDigest,
        request: &AuthorizationRequest,
    ) -> Result<(), StoreError> {
        if self.request(handle).is_some() {
            return Err(conflict("insert a request whose handle exists"));
        }
        self.requests.push((*handle, request.clone()));
        Ok(())
    }

    /// Takes a request away when this session may still answer it.
    pub(super) fn take_request(
        &mut self,
        handle: &SecretDigest,
        session_id: SessionId,
        now: Timestamp,
    ) -> Option<AuthorizationRequest> {
        let index = self.requests.iter().position(|(its, request)| {
            its == handle && request.session_id == session_id && now < request.expires_at
        });
        index.map(|index| self.requests.remove(index).1)
    }

    /// Forgets at most `limit` requests that nobody answered until `before`.
    pub(super) fn forget_late_requests(&mut self, before: Timestamp, limit: usize) -> usize {
        let late = |(_, request): &(_, AuthorizationRequest)| request.expires_at < before;
        let taken = self.requests.extract_if(.., |row| late(row));
        taken.take(limit).count()
    }
}

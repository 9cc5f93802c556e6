//! Applications and grants.

use accounts::RevocationSubject;
use api_conventions::ids::{ApplicationId, GrantId, UserId};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use oauth_provider::{
    ApplicationChange, ApplicationRepositoryWrapper, GrantRepositoryWrapper, NewTokenPair,
    PairRotation, Rotation, RotationSeed,
};
use storage::StoreError;

use super::{CausedRevocation, RevocationRecorder, if_done};

impl ApplicationRepositoryWrapper for RevocationRecorder<'_> {
    fn update_application(
        &mut self,
        id: ApplicationId,
        change: &ApplicationChange,
    ) -> Result<bool, StoreError> {
        let done = self.tx.update_application(id, change)?;
        self.record(if_done(done, RevocationSubject::Application(id)));
        Ok(done)
    }

    fn replace_secret(
        &mut self,
        id: ApplicationId,
        secret: &SecretDigest,
    ) -> Result<bool, StoreError> {
        let done = self.tx.replace_secret(id, secret)?;
        self.record(if_done(done, RevocationSubject::Application(id)));
        Ok(done)
    }

    fn delete_application(&mut self, id: ApplicationId) -> Result<bool, StoreError> {
        let done = self.tx.delete_application(id)?;
        self.record(if_done(done, RevocationSubject::Application(id)));
        Ok(done)
    }
}

impl GrantRepositoryWrapper for RevocationRecorder<'_> {
    fn rotate_pair(
        &mut self,
        refresh: &SecretDigest,
        seed: RotationSeed,
        successor: &NewTokenPair,
        now: Timestamp,
    ) -> Result<Rotation, StoreError> {
        let rotation = self.tx.rotate_pair(refresh, seed, successor, now)?;
        self.record(replaced(&rotation, successor.grant_id));
        Ok(rotation)
    }

    fn rotate_pairs(&mut self, rotations: &[PairRotation]) -> Result<Vec<Rotation>, StoreError> {
        let outcomes = self.tx.rotate_pairs(rotations)?;
        for (outcome, rotation) in outcomes.iter().zip(rotations) {
            self.record(replaced(outcome, rotation.successor.grant_id));
        }
        Ok(outcomes)
    }

    fn revoke_grant(&mut self, id: GrantId, now: Timestamp) -> Result<bool, StoreError> {
        let done = self.tx.revoke_grant(id, now)?;
        self.record(if_done(done, RevocationSubject::Grant(id)));
        Ok(done)
    }

    fn revoke_grants_of_user(
        &mut self,
        user: UserId,
        app: Option<ApplicationId>,
        now: Timestamp,
    ) -> Result<usize, StoreError> {
        let count = self.tx.revoke_grants_of_user(user, app, now)?;
        self.record(if_done(count > 0, RevocationSubject::User(user)));
        Ok(count)
    }
}

/// Returns the revocation of the replaced token pair, if one was replaced.
fn replaced(rotation: &Rotation, grant: GrantId) -> Option<CausedRevocation> {
    match rotation {
        Rotation::Rotated(_) => Some(CausedRevocation::Pairs(grant)),
        Rotation::NotCurrent(_) | Rotation::Unknown => None,
    }
}

//! The transaction wrapper that records revocations, and the origin of requests in the audit log.
//!
//! The trait of each repository lists the changes that revoke something. They are implemented here, with what they
//! revoke; all other methods are forwarded. A program that misses one does not build, see [`TransactionWrapper`].

mod audit;
mod forwarded;
mod grants;
mod places;
mod users;

use std::collections::BTreeSet;

use accounts::{AuditOrigin, RevocationSubject};
use api_conventions::ids::GrantId;
use storage::{StoreError, TransactionWrapper};

#[cfg(test)]
use super::ReadTransaction;
use super::WriteTransaction;

/// A write transaction that records revocations, and the origin of the request in its audit entries.
pub(super) struct RevocationRecorder<'t> {
    tx: &'t mut (dyn WriteTransaction + 't),
    /// Origin of the request, which its audit entries record.
    origin: AuditOrigin,
    /// Revocations for every process.
    everywhere: BTreeSet<RevocationSubject>,
    /// Revocations for this process only. The others rely on the TTL of their entries.
    here: BTreeSet<RevocationSubject>,
}

impl<'t> TransactionWrapper for RevocationRecorder<'t> {
    type Inner = dyn WriteTransaction + 't;

    const FORWARDS_REVOCATIONS: bool = false;

    fn inner(&mut self) -> &mut Self::Inner {
        self.tx
    }
}

/// A read transaction of known size, for the suites of the storage contract.
#[cfg(test)]
pub(super) struct Passthrough<'t>(pub(super) &'t mut (dyn ReadTransaction + 't));

#[cfg(test)]
impl<'t> TransactionWrapper for Passthrough<'t> {
    type Inner = dyn ReadTransaction + 't;

    const FORWARDS_REVOCATIONS: bool = true;

    fn inner(&mut self) -> &mut Self::Inner {
        self.0
    }
}

/// A revocation caused by a change.
enum CausedRevocation {
    /// A revocation for every process.
    Everywhere(RevocationSubject),
    /// Token pairs of this grant.
    /// Every refresh revokes some, and OAuth access tokens are cached for only a second, so other processes are not
    /// informed.
    Pairs(GrantId),
}

impl<'t> RevocationRecorder<'t> {
    /// Wraps a transaction in which nothing has been revoked yet.
    pub(super) fn over(tx: &'t mut (dyn WriteTransaction + 't)) -> Self {
        Self {
            tx,
            origin: AuditOrigin::default(),
            everywhere: BTreeSet::new(),
            here: BTreeSet::new(),
        }
    }

    /// Sets the origin that the audit entries of the transaction record.
    pub(super) fn with_origin(mut self, origin: AuditOrigin) -> Self {
        self.origin = origin;
        self
    }

    /// Raises the authentication epoch if something was revoked, and returns what this process must record after the
    /// commit.
    /// Must come last in the transaction: transactions that raise the epoch wait for each other there.
    pub(super) fn finish(mut self) -> Result<Vec<RevocationSubject>, StoreError> {
        let ended = self.everywhere.union(&self.here).copied().collect();
        let everywhere: Vec<RevocationSubject> =
            std::mem::take(&mut self.everywhere).into_iter().collect();
        if !everywhere.is_empty() {
            self.tx.raise_auth_epoch(&everywhere)?;
        }
        Ok(ended)
    }

    /// Finishes grouped work, as [`Self::finish`] does for a single write.
    /// The revocation of a grant does not raise the epoch here: other work in the same transaction may still have to
    /// wait for rows, and other processes accept its tokens for at most a second.
    pub(super) fn finish_group(mut self) -> Result<Vec<RevocationSubject>, StoreError> {
        let is_grant = |revoked: &RevocationSubject| matches!(revoked, RevocationSubject::Grant(_));
        let (grants, others) = std::mem::take(&mut self.everywhere)
            .into_iter()
            .partition(is_grant);
        self.everywhere = others;
        self.here.extend::<BTreeSet<RevocationSubject>>(grants);
        self.finish()
    }

    /// Returns the transaction behind `dyn`, as flows receive it.
    /// Every method is instantiated for it here, so a change that revokes something but is not implemented here fails
    /// the build of this crate, not only that of the program.
    pub(super) fn as_transaction(&mut self) -> &mut (dyn WriteTransaction + '_) {
        self
    }

    fn record(&mut self, ends: impl IntoIterator<Item = CausedRevocation>) {
        for end in ends {
            match end {
                CausedRevocation::Everywhere(revoked) => self.everywhere.insert(revoked),
                CausedRevocation::Pairs(grant) => self.here.insert(RevocationSubject::Grant(grant)),
            };
        }
    }
}

/// Returns the revocation if the change was applied.
fn if_done(done: bool, revoked: RevocationSubject) -> Option<CausedRevocation> {
    done.then_some(CausedRevocation::Everywhere(revoked))
}

//! Audit entries of failed attempts that reach a limit: one for each burst, not one for each attempt.

use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::model::{
    AuditDetails, AuditEntity, AuditEventName, FailurePolicy, Failures, NewAuditEntry,
};
use crate::store::AuditRepository;

/// Secret that was guessed, as the audit log names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GuessedSecret {
    Password,
    SecondFactor,
    ApplicationSecret,
    Token,
    Invitation,
}

impl GuessedSecret {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::SecondFactor => "second factor",
            Self::ApplicationSecret => "application secret",
            Self::Token => "token",
            Self::Invitation => "invitation",
        }
    }
}

/// A failure that was counted.
#[derive(Debug, Clone, Copy)]
pub(super) struct CountedFailure {
    pub(super) guessed: GuessedSecret,
    pub(super) failures: Failures,
    pub(super) policy: FailurePolicy,
    pub(super) now: Timestamp,
}

impl CountedFailure {
    /// True for the failure that reaches the limit. Counting is atomic, so there is one in each window.
    fn is_last(self) -> bool {
        self.failures.count == self.policy.limit
    }

    /// Records in the log of a user that their account reached the limit with this failure.
    pub(super) fn record_of_account<R: AuditRepository + ?Sized>(
        self,
        repos: &mut R,
        user: UserId,
    ) -> Result<(), StoreError> {
        let event = AuditEventName::SignInLimitReached;
        self.record(repos, AuditEntity::User(user), event, None)
    }

    /// Records in the log of the instance that an address reached the limit with this failure.
    pub(super) fn record_of_address<R: AuditRepository + ?Sized>(
        self,
        repos: &mut R,
        address: &str,
    ) -> Result<(), StoreError> {
        let event = AuditEventName::AddressLimitReached;
        self.record(repos, AuditEntity::Instance, event, Some(address))
    }

    fn record<R: AuditRepository + ?Sized>(
        self,
        repos: &mut R,
        entity: AuditEntity,
        event_name: AuditEventName,
        address: Option<&str>,
    ) -> Result<(), StoreError> {
        if !self.is_last() {
            return Ok(());
        }
        let [limit, seconds] =
            [self.policy.limit, self.policy.window_seconds].map(|number| number.to_string());
        let mut fields = vec![
            ("guessed", self.guessed.as_str()),
            ("failures", &*limit),
            ("within_seconds", &*seconds),
        ];
        fields.extend(address.map(|address| ("address", address)));
        repos.insert_audit_entries(&[NewAuditEntry {
            author_id: None,
            entity,
            event_name,
            target: None,
            details: AuditDetails::new(&fields),
            created_at: self.now,
            impersonator_id: None,
        }])
    }
}

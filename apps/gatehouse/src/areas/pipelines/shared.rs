//! What the operations of the area have in common.

use std::collections::{BTreeSet, HashMap};

use ::pipelines::flow::CiError;
use ::pipelines::model::TimeRange;
use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::params::ParamReader;
use gatehouse_core::database::ReadTransaction;
use storage::StoreError;
use web_conventions::failure::Failure;

/// A refusal of the flows. Failures of the store keep their cause for the log.
pub(super) fn refused(error: CiError) -> Failure {
    match error {
        CiError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}

/// The users who reported things, as far as their accounts are there.
#[derive(Debug, Default)]
pub(super) struct People(HashMap<UserId, User>);

impl People {
    /// Looks up users.
    pub(super) fn load<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        ids: impl IntoIterator<Item = Option<UserId>>,
    ) -> Result<Self, StoreError> {
        let ids: BTreeSet<UserId> = ids.into_iter().flatten().collect();
        let ids: Vec<UserId> = ids.into_iter().collect();
        let users = tx.list_users_by_id(&ids)?.into_iter();
        Ok(Self(users.map(|user| (user.id, user)).collect()))
    }

    /// The short form of a user.
    pub(super) fn shown(&self, id: Option<UserId>, base_url: &str) -> Option<UserSummary> {
        let user = self.0.get(&id?)?;
        Some(UserSummary::new(user, base_url))
    }
}

/// A text that is given and not empty.
pub(super) fn filled(read: &mut ParamReader<'_>, name: &str) -> Option<String> {
    read.text(name).filter(|text| !text.is_empty())
}

/// A range of time, by the names of its ends.
pub(super) fn range(read: &mut ParamReader<'_>, [after, before]: [&str; 2]) -> TimeRange {
    TimeRange {
        after: read.timestamp(after),
        before: read.timestamp(before),
    }
}

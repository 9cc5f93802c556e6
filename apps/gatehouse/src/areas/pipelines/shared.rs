//! Helpers shared by the operations of the area.

use std::collections::{BTreeSet, HashMap};

use ::pipelines::flow::CiError;
use ::pipelines::model::TimeRange;
use ::pipelines::wire::ProjectLinks;
use accounts::User;
use accounts::wire::UserSummary;
use api_conventions::error::ApiError;
use api_conventions::ids::UserId;
use api_conventions::params::ParamReader;
use gatehouse_core::database::ReadTransaction;
use projects::Project;
use storage::StoreError;
use web_conventions::failure::Failure;

use crate::frame::page::assets::ICON;

/// Converts an error of the CI flows.
/// Storage errors keep their cause for the log.
pub(super) fn refused(error: CiError) -> Failure {
    match error {
        CiError::Store(error) => error.into(),
        refusal => ApiError::from(refusal).into(),
    }
}

/// Users who reported something, if their accounts still exist.
#[derive(Debug, Default)]
pub(super) struct People(HashMap<UserId, User>);

impl People {
    /// Loads users.
    pub(super) fn load<T: ReadTransaction + ?Sized>(
        tx: &mut T,
        ids: impl IntoIterator<Item = Option<UserId>>,
    ) -> Result<Self, StoreError> {
        let ids: BTreeSet<UserId> = ids.into_iter().flatten().collect();
        let ids: Vec<UserId> = ids.into_iter().collect();
        let users = tx.list_users_by_id(&ids)?.into_iter();
        Ok(Self(users.map(|user| (user.id, user)).collect()))
    }

    /// Summary of a user.
    pub(super) fn summary(&self, id: Option<UserId>, base_url: &str) -> Option<UserSummary> {
        let user = self.0.get(&id?)?;
        Some(UserSummary::new(user, base_url))
    }
}

/// Addresses for the responses about a project.
#[derive(Debug)]
pub(super) struct Links {
    project_url: String,
    icon: String,
}

impl Links {
    /// Builds the addresses of a project on a server at `base_url`.
    pub(super) fn new(project: &Project, base_url: &str) -> Self {
        let after_scheme = base_url
            .split_once("://")
            .map_or(base_url, |(_, rest)| rest);
        let mount = after_scheme
            .find('/')
            .map_or("", |at| after_scheme.get(at..).unwrap_or_default());
        Self {
            project_url: format!("{base_url}/{}", project.full_path.as_str()),
            icon: format!("{mount}{}", ICON.path()),
        }
    }

    /// Borrows the addresses for a response.
    pub(super) fn get(&self) -> ProjectLinks<'_> {
        ProjectLinks {
            project_url: &self.project_url,
            icon: &self.icon,
        }
    }
}

/// Parses a text parameter; `None` if it is missing or empty.
pub(super) fn filled(read: &mut ParamReader<'_>, name: &str) -> Option<String> {
    read.text(name).filter(|text| !text.is_empty())
}

/// Parses a time range from the parameters of its bounds.
pub(super) fn range(read: &mut ParamReader<'_>, [after, before]: [&str; 2]) -> TimeRange {
    TimeRange {
        after: read.timestamp(after),
        before: read.timestamp(before),
    }
}

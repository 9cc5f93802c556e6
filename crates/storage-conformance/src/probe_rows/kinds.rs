//! Probe rows of each crate.

#[cfg(any(
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "pipelines",
    feature = "notifications"
))]
use api_conventions::ids::ProjectId;
#[cfg(any(feature = "projects", feature = "events", feature = "deprecations"))]
use api_conventions::ids::UserId;
use storage::StoreError;

use super::{InsertProbeRow, ListProbeRows};
#[cfg(any(
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations"
))]
use crate::samples::timestamp;

#[cfg(any(
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events",
    feature = "pipelines",
    feature = "notifications"
))]
/// The project that probe rows belong to. Nothing checks that it exists: events and receipts outlive projects.
const PROJECT: ProjectId = ProjectId::new(1);

// A store that checks references has no user with the number 1: such an adapter chooses other probe rows than those of
// projects, or also serves users.

/// Probe rows that are usernames.
#[cfg(feature = "accounts")]
#[derive(Debug)]
pub struct AccountProbeRows;

#[cfg(feature = "accounts")]
impl<Tx: accounts::AccountRepository + ?Sized> InsertProbeRow<Tx> for AccountProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.insert_user(&crate::accounts::user(&format!("probe{number}")))
            .map(drop)
    }
}

#[cfg(feature = "accounts")]
impl<Tx: accounts::AccountQueries + ?Sized> ListProbeRows<Tx> for AccountProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let mut numbers = Vec::new();
        for number in 1..=100 {
            let found = tx.find_user_by_username(&format!("probe{number}"))?;
            numbers.extend(found.map(|_| number));
        }
        Ok(numbers)
    }
}

/// Probe rows that are lengths of bodies in receipts.
#[cfg(feature = "alert-intake")]
#[derive(Debug)]
pub struct AlertProbeRows;

#[cfg(feature = "alert-intake")]
impl<Tx: alert_intake::store::AlertRepository + ?Sized> InsertProbeRow<Tx> for AlertProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        let mut receipt = crate::alerts::receipt(PROJECT, 1);
        receipt.body_bytes = number;
        tx.insert_receipts(&[receipt])
    }
}

#[cfg(feature = "alert-intake")]
impl<Tx: alert_intake::store::AlertQueries + ?Sized> ListProbeRows<Tx> for AlertProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let receipts = tx.list_receipts(PROJECT, crate::samples::page(1, 100))?;
        let receipts = receipts.items.iter();
        Ok(receipts.map(|one| one.receipt.body_bytes).collect())
    }
}

/// Probe rows that are client keys in the statistics of error tracking.
#[cfg(feature = "error-tracking")]
#[derive(Debug)]
pub struct ErrorProbeRows;

#[cfg(feature = "error-tracking")]
impl<Tx: error_tracking::store::CollectRepository + ?Sized> InsertProbeRow<Tx> for ErrorProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.add_counters(&[crate::errors::counter(PROJECT, number, 1)])
    }
}

#[cfg(feature = "error-tracking")]
impl<Tx: error_tracking::store::ErrorQueries + ?Sized> ListProbeRows<Tx> for ErrorProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let today = timestamp(0).date();
        let counters = tx.list_counters(&error_tracking::store::CounterFilter {
            project_id: PROJECT,
            from: today,
            to: today,
        })?;
        Ok(counters.iter().map(|one| one.of.key_id.get()).collect())
    }
}

/// Probe rows that are paths of groups.
#[cfg(feature = "projects")]
#[derive(Debug)]
pub struct ProjectProbeRows;

#[cfg(feature = "projects")]
impl<Tx: projects::ProjectRepository + ?Sized> InsertProbeRow<Tx> for ProjectProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        let group = crate::projects::group(&format!("probe{number}"), UserId::new(1));
        tx.insert_namespace(&group).map(drop)
    }
}

#[cfg(feature = "projects")]
impl<Tx: projects::ProjectQueries + ?Sized> ListProbeRows<Tx> for ProjectProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let mut numbers = Vec::new();
        for number in 1..=100 {
            let path = api_conventions::reference::FullPath::parse(&format!("probe{number}"));
            let found = tx.find_namespace(&path.unwrap())?;
            numbers.extend(found.map(|_| number));
        }
        Ok(numbers)
    }
}

/// Probe rows that are generations of signing keys.
#[cfg(feature = "oauth-provider")]
#[derive(Debug)]
pub struct OauthProbeRows;

#[cfg(feature = "oauth-provider")]
impl<Tx: oauth_provider::SigningKeyRepository + ?Sized> InsertProbeRow<Tx> for OauthProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.insert_signing_key(&oauth_provider::NewSigningKey {
            kid: format!("probe{number}"),
            algorithm: oauth_provider::SigningAlgorithm::Es256,
            generation: number,
            public_jwk: "{}".to_owned(),
            sealed: vec![0],
            created_at: timestamp(0),
            signs_from: timestamp(0),
        })
        .map(drop)
    }
}

#[cfg(feature = "oauth-provider")]
impl<Tx: oauth_provider::SigningKeyQueries + ?Sized> ListProbeRows<Tx> for OauthProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let keys = tx.list_signing_keys()?;
        Ok(keys.iter().map(|key| key.generation).collect())
    }
}

/// Probe rows that are authors of feed entries.
#[cfg(feature = "events")]
#[derive(Debug)]
pub struct EventProbeRows;

#[cfg(feature = "events")]
impl<Tx: events::EventRepository + ?Sized> InsertProbeRow<Tx> for EventProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.insert_events(&[events::NewEvent {
            project_id: PROJECT,
            author_id: UserId::new(number),
            action: events::Action::Created,
            target: None,
            audience: events::Audience::Everyone,
            push: None,
            created_at: timestamp(0),
        }])
    }
}

#[cfg(feature = "events")]
impl<Tx: events::EventQueries + ?Sized> ListProbeRows<Tx> for EventProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let filter = events::EventFilter::new(PROJECT, events::FeedRights::LEAST);
        let listed = tx.list_project_events(&filter, crate::samples::page(1, 100))?;
        Ok(listed.items.iter().map(|one| one.author_id.get()).collect())
    }
}

/// Probe rows that are users of one deprecated feature.
#[cfg(feature = "deprecations")]
#[derive(Debug)]
pub struct UseProbeRows;

#[cfg(feature = "deprecations")]
impl<Tx: deprecations::UseRepository + ?Sized> InsertProbeRow<Tx> for UseProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        let user = UserId::new(number);
        tx.add_uses(&[deprecations::Use {
            key: deprecations::UseKey::new("probe", user, deprecations::Holder::Session),
            count: deprecations::UseCount::once(timestamp(0)),
        }])
    }
}

#[cfg(feature = "deprecations")]
impl<Tx: deprecations::UseQueries + ?Sized> ListProbeRows<Tx> for UseProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let listed = tx.list_uses_of_record("probe", 100)?;
        let users = listed.iter().filter_map(|one| one.key.user());
        Ok(users.map(UserId::get).collect())
    }
}

/// Probe rows that are names of environments.
#[cfg(feature = "pipelines")]
#[derive(Debug)]
pub struct PipelineProbeRows;

#[cfg(feature = "pipelines")]
impl<Tx: pipelines::store::CiWriteTx + ?Sized> InsertProbeRow<Tx> for PipelineProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        let new = crate::pipelines::environment(PROJECT, u32::try_from(number).unwrap());
        let at = tx.lock_reports(PROJECT)?;
        tx.insert_environment(&at, &new).map(drop)
    }
}

#[cfg(feature = "pipelines")]
impl<Tx: pipelines::store::CiReadTx + ?Sized> ListProbeRows<Tx> for PipelineProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let filter = pipelines::model::EnvironmentFilter::new(PROJECT);
        let listed = tx.list_environments(&filter, crate::samples::page(1, 100))?;
        let names = listed.items.iter();
        Ok(names
            .filter_map(|one| one.name.strip_prefix("review/")?.parse().ok())
            .collect())
    }
}

/// Probe rows that are names of notification channels.
#[cfg(feature = "notifications")]
#[derive(Debug)]
pub struct NotificationProbeRows;

#[cfg(feature = "notifications")]
impl<Tx: notifications::store::NotificationRepository + ?Sized> InsertProbeRow<Tx>
    for NotificationProbeRows
{
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        let new = crate::notifications::channel(PROJECT, &number.to_string());
        tx.insert_channel(&new).map(drop)
    }
}

#[cfg(feature = "notifications")]
impl<Tx: notifications::store::NotificationQueries + ?Sized> ListProbeRows<Tx>
    for NotificationProbeRows
{
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let listed = tx.list_channels(&[PROJECT], 100)?;
        let names = listed.iter().map(|channel| &channel.settings.name);
        Ok(names.filter_map(|name| name.parse().ok()).collect())
    }
}

//! Probe rows: rows that stand for numbers, so that the suite of the store itself runs on an adapter of any one crate.

use std::marker::PhantomData;

#[cfg(any(
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events"
))]
use api_conventions::ids::ProjectId;
#[cfg(any(feature = "projects", feature = "events", feature = "deprecations"))]
use api_conventions::ids::UserId;
use storage::{GroupWork, Lane, Pending, Store, StoreError, StoreErrorKind, Work};

#[cfg(any(
    feature = "error-tracking",
    feature = "events",
    feature = "oauth-provider",
    feature = "deprecations"
))]
use crate::samples::timestamp;

/// How a transaction of type `Tx` inserts the row of a number that was not written before.
pub trait InsertProbeRow<Tx: ?Sized> {
    /// Inserts it.
    ///
    /// # Errors
    /// Failures of the store.
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError>;
}

/// How a transaction of type `Tx` reads the numbers of its probe rows.
pub trait ListProbeRows<Tx: ?Sized> {
    /// All of them, in no particular order. Numbers are from 1 to 100.
    ///
    /// # Errors
    /// Failures of the store.
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError>;
}

/// What a case sees of a transaction.
pub trait ProbeRows {
    /// Writes a number that was not written before.
    ///
    /// # Errors
    /// Failures of the store.
    fn insert(&mut self, number: i64) -> Result<(), StoreError>;

    /// All numbers, the smallest first.
    ///
    /// # Errors
    /// Failures of the store.
    fn list(&mut self) -> Result<Vec<i64>, StoreError>;
}

/// A transaction seen through probe rows of kind `M`.
struct ProbeRowsOf<'tx, Tx: ?Sized, M>(&'tx mut Tx, PhantomData<M>);

impl<Tx: ?Sized, M: InsertProbeRow<Tx> + ListProbeRows<Tx>> ProbeRows for ProbeRowsOf<'_, Tx, M> {
    fn insert(&mut self, number: i64) -> Result<(), StoreError> {
        M::insert(self.0, number)
    }

    fn list(&mut self) -> Result<Vec<i64>, StoreError> {
        let mut numbers = M::list(self.0)?;
        numbers.sort_unstable();
        Ok(numbers)
    }
}

/// Grouped work that writes one number and gives it back, or refuses to.
#[derive(Debug)]
pub struct ProbeRowWork<M> {
    number: i64,
    refuses: bool,
    kind: PhantomData<fn() -> M>,
}

impl<M: 'static> Work for ProbeRowWork<M> {
    type Output = i64;
    type Error = StoreError;

    const EXCLUSIVE: bool = false;

    fn weight(&self) -> usize {
        size_of::<i64>()
    }
}

impl<Tx: ?Sized, M: InsertProbeRow<Tx> + 'static> GroupWork<Tx> for ProbeRowWork<M> {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<i64>, StoreError> {
        let mut numbers = Vec::with_capacity(group.len());
        for work in group {
            M::insert(tx, work.number)?;
            if work.refuses {
                return Err(refusal());
            }
            numbers.push(work.number);
        }
        Ok(numbers)
    }
}

/// An error that a closure gives of its own accord.
pub(crate) fn refusal() -> StoreError {
    StoreError::new(StoreErrorKind::Inconsistent, "refuse, as the case wants")
}

/// A store that keeps probe rows of kind `M`.
pub trait ProbeStore<M>: Store {
    /// Runs a write closure.
    fn write_rows<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Fn(&mut dyn ProbeRows) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E>;

    /// Runs a read closure in a lane, with a way to ask for all numbers.
    fn read_rows_in<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E>;

    /// Runs a read closure with a way to ask for all numbers.
    fn read_rows<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E> {
        self.read_rows_in(Lane::Shared, work)
    }

    /// Writes a number as grouped work.
    fn write_row_grouped(&self, number: i64, refuses: bool) -> Pending<i64, StoreError>;

    /// Writes one number.
    fn write_row(&self, number: i64) -> Pending<(), StoreError> {
        self.write_rows(move |rows| rows.insert(number))
    }

    /// All numbers that are committed, the smallest first.
    fn numbers(&self) -> Vec<i64> {
        let listed: Result<Vec<i64>, StoreError> = self.read_rows(|list| list()).wait();
        listed.unwrap()
    }
}

impl<S: Store, M: 'static> ProbeStore<M> for S
where
    for<'t> M: InsertProbeRow<S::WriteTx<'t>>
        + ListProbeRows<S::WriteTx<'t>>
        + ListProbeRows<S::ReadTx<'t>>,
{
    fn write_rows<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        work: impl Fn(&mut dyn ProbeRows) -> Result<T, E> + Send + 'static,
    ) -> Pending<T, E> {
        self.write(move |tx| work(&mut ProbeRowsOf::<_, M>(tx, PhantomData)))
    }

    fn read_rows_in<T: Send + 'static, E: From<StoreError> + Send + 'static>(
        &self,
        lane: Lane,
        work: impl FnOnce(&mut dyn FnMut() -> Result<Vec<i64>, StoreError>) -> Result<T, E>
        + Send
        + 'static,
    ) -> Pending<T, E> {
        self.read_in(lane, move |tx| {
            work(&mut || {
                let mut numbers = M::list(tx)?;
                numbers.sort_unstable();
                Ok(numbers)
            })
        })
    }

    fn write_row_grouped(&self, number: i64, refuses: bool) -> Pending<i64, StoreError> {
        self.write_grouped(ProbeRowWork::<M> {
            number,
            refuses,
            kind: PhantomData,
        })
    }
}

#[cfg(any(
    feature = "alert-intake",
    feature = "error-tracking",
    feature = "events"
))]
/// The project that probe rows belong to. Nothing checks that it exists: events and receipts outlive projects.
const PROJECT: ProjectId = ProjectId::new(1);

// A store that checks references has nobody with the number 1: such an adapter chooses other probe rows than those of
// projects, or serves users too.

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

/// Probe rows that are keys in the accounting of error tracking.
#[cfg(feature = "error-tracking")]
#[derive(Debug)]
pub struct ErrorProbeRows;

#[cfg(feature = "error-tracking")]
impl<Tx: error_tracking::store::CollectRepository + ?Sized> InsertProbeRow<Tx> for ErrorProbeRows {
    fn insert(tx: &mut Tx, number: i64) -> Result<(), StoreError> {
        tx.add_tallies(&[crate::errors::tally(PROJECT, number, 1)])
    }
}

#[cfg(feature = "error-tracking")]
impl<Tx: error_tracking::store::ErrorQueries + ?Sized> ListProbeRows<Tx> for ErrorProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let today = timestamp(0).date();
        let tallies = tx.list_tallies(&error_tracking::store::TallyFilter {
            project_id: PROJECT,
            from: today,
            to: today,
        })?;
        Ok(tallies.iter().map(|one| one.of.key_id.get()).collect())
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
            created_at: timestamp(0),
        }])
    }
}

#[cfg(feature = "events")]
impl<Tx: events::EventQueries + ?Sized> ListProbeRows<Tx> for EventProbeRows {
    fn list(tx: &mut Tx) -> Result<Vec<i64>, StoreError> {
        let filter = events::EventFilter::new(PROJECT, events::Audience::Everyone);
        let listed = tx.list_project_events(&filter, crate::samples::page(1, 100))?;
        Ok(listed.items.iter().map(|one| one.author_id.get()).collect())
    }
}

/// Probe rows that are users of one deprecated thing.
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

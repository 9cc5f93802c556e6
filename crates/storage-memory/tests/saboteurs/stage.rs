//! The stage: the store in memory, with a hook wherever a saboteur may do something else.

use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use ::accounts::{
    AccessToken, AccountQueries, AccountRepository, InsertUser, NewToken, NewUser, User, UserKind,
};
use ::projects::{
    InsertNamespace, InsertProject, Membership, Namespace, NewMember, NewNamespace, NewProject,
    Project, ProjectFilter, ProjectQueries, ProjectRepository,
};
use alert_intake::model::{
    Alert, AlertFilter, AlertIdentity, AlertNumbers, AlertProgress, AlertSummary, Integration,
    KnownAlert, NewAlert, NewIntegration, NewReceipt, Receipt, StatusChange,
};
use alert_intake::store::{AlertQueries, AlertRepository, InsertIntegration, SetStatus};
use api_conventions::ids::{AlertIid, ProjectId, TokenId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use events::{Event, EventFilter, EventQueries, EventRepository, NewEvent};
use storage::{Capabilities, GroupWork, Pending, Store, StoreError};
use storage_conformance::Harness;
use storage_conformance::marks::EventMarks;
use storage_conformance::reach::{AllQueries, AllRepositories};
use storage_memory::MemoryStore;

/// What a saboteur has at hand besides the transaction.
#[derive(Debug, Default)]
pub(crate) struct Stage {
    /// The rows that are committed.
    pub(crate) rows: Arc<MemoryStore>,
    /// Rows that nobody else sees.
    pub(crate) scratch: Arc<MemoryStore>,
    /// Something to remember between two calls.
    pub(crate) flag: Arc<AtomicBool>,
}

/// A hook's view of a transaction of either kind.
pub(crate) struct Reading<'a> {
    pub(crate) tx: &'a mut dyn AllQueries,
    pub(crate) rows: &'a Arc<MemoryStore>,
}

/// A hook's view of a write transaction.
pub(crate) struct Writing<'a> {
    pub(crate) tx: &'a mut dyn AllRepositories,
    pub(crate) rows: &'a Arc<MemoryStore>,
}

/// A read transaction that a saboteur stands in.
pub(crate) struct SpoiltRead<'t, F> {
    tx: &'t mut (dyn AllQueries + 't),
    rows: Arc<MemoryStore>,
    saboteur: PhantomData<F>,
}

/// A write transaction that a saboteur stands in.
pub(crate) struct SpoiltWrite<'t, F> {
    tx: &'t mut (dyn AllRepositories + 't),
    rows: Arc<MemoryStore>,
    saboteur: PhantomData<F>,
}

impl<F> SpoiltRead<'_, F> {
    fn reading(&mut self) -> Reading<'_> {
        Reading {
            tx: self.tx,
            rows: &self.rows,
        }
    }
}

impl<F> SpoiltWrite<'_, F> {
    fn reading(&mut self) -> Reading<'_> {
        Reading {
            tx: self.tx,
            rows: &self.rows,
        }
    }

    fn writing(&mut self) -> Writing<'_> {
        Writing {
            tx: self.tx,
            rows: &self.rows,
        }
    }
}

impl Stage {
    /// Runs a write as it should be.
    pub(crate) fn write<F, T, E, W>(&self, work: W) -> Pending<T, E>
    where
        F: Saboteur,
        W: for<'t> FnOnce(&mut SpoiltWrite<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        Self::write_on(&self.rows, Arc::clone(&self.rows), work)
    }

    /// Runs a write on `store`, with `rows` at hand for the hooks.
    pub(crate) fn write_on<F, T, E, W>(
        store: &MemoryStore,
        rows: Arc<MemoryStore>,
        work: W,
    ) -> Pending<T, E>
    where
        F: Saboteur,
        W: for<'t> FnOnce(&mut SpoiltWrite<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        store.write(move |tx| {
            work(&mut SpoiltWrite {
                tx,
                rows,
                saboteur: PhantomData,
            })
        })
    }

    /// Runs a read as it should be.
    pub(crate) fn read<F, T, E, W>(&self, work: W) -> Pending<T, E>
    where
        F: Saboteur,
        W: for<'t> FnOnce(&mut SpoiltRead<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        let rows = Arc::clone(&self.rows);
        self.rows.read(move |tx| {
            work(&mut SpoiltRead {
                tx,
                rows,
                saboteur: PhantomData,
            })
        })
    }
}

/// A store that a saboteur stands in, with its stage.
pub(crate) struct Spoilt<F> {
    stage: Stage,
    saboteur: PhantomData<fn() -> F>,
}

impl<F> Spoilt<F> {
    fn on(stage: Stage) -> Self {
        Self {
            stage,
            saboteur: PhantomData,
        }
    }
}

/// Defines [`Saboteur`] with one hook for each method of the repositories, and has both transactions call them.
macro_rules! hooks {
    (
        $( queries $queries:ident { $( fn $query:ident($($q:ident: $q_type:ty),*) -> $q_gives:ty; )+ } )+
        $( changes $changes:ident { $( fn $change:ident($($c:ident: $c_type:ty),*) -> $c_gives:ty; )+ } )+
    ) => {
        /// Somebody who does one thing wrong. Every hook that is not overridden does the right thing.
        pub(crate) trait Saboteur: Sized + Send + Sync + 'static {
            $( $(
                fn $query(at: &mut Reading<'_>, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                    at.tx.$query($($q),*)
                }
            )+ )+

            $( $(
                fn $change(at: &mut Writing<'_>, $($c: $c_type),*) -> Result<$c_gives, StoreError> {
                    at.tx.$change($($c),*)
                }
            )+ )+

            fn write<T, E, W>(stage: &Stage, work: W) -> Pending<T, E>
            where
                W: for<'t> FnOnce(&mut SpoiltWrite<'t, Self>) -> Result<T, E> + Send + 'static,
                T: Send + 'static,
                E: From<StoreError> + Send + 'static,
            {
                stage.write(work)
            }

            fn read<T, E, W>(stage: &Stage, work: W) -> Pending<T, E>
            where
                W: for<'t> FnOnce(&mut SpoiltRead<'t, Self>) -> Result<T, E> + Send + 'static,
                T: Send + 'static,
                E: From<StoreError> + Send + 'static,
            {
                stage.read(work)
            }

            fn group<W>(tx: &mut SpoiltWrite<'_, Self>, work: &W) -> Result<Vec<W::Output>, W::Error>
            where
                W: for<'t> GroupWork<SpoiltWrite<'t, Self>>,
            {
                W::run(tx, &[work])
            }

            fn open_again(stage: &Stage) -> Stage {
                Stage {
                    rows: Arc::clone(&stage.rows),
                    ..Stage::default()
                }
            }

            fn reopen(stage: &Stage) -> Stage {
                Self::open_again(stage)
            }
        }

        $(
            impl<F: Saboteur> $queries for SpoiltRead<'_, F> {
                $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                    F::$query(&mut self.reading(), $($q),*)
                } )+
            }

            impl<F: Saboteur> $queries for SpoiltWrite<'_, F> {
                $( fn $query(&mut self, $($q: $q_type),*) -> Result<$q_gives, StoreError> {
                    F::$query(&mut self.reading(), $($q),*)
                } )+
            }
        )+

        $(
            impl<F: Saboteur> $changes for SpoiltWrite<'_, F> {
                $( fn $change(&mut self, $($c: $c_type),*) -> Result<$c_gives, StoreError> {
                    F::$change(&mut self.writing(), $($c),*)
                } )+
            }
        )+
    };
}

hooks! {
    queries AccountQueries {
        fn find_user(id: UserId) -> Option<User>;
        fn find_user_by_username(username: &str) -> Option<User>;
        fn list_users_by_id(ids: &[UserId]) -> Vec<User>;
        fn find_bot(kind: UserKind) -> Option<User>;
        fn find_token_by_digest(digest: &SecretDigest) -> Option<AccessToken>;
        fn auth_epoch() -> i64;
    }
    queries ProjectQueries {
        fn find_namespace(path: &FullPath) -> Option<Namespace>;
        fn find_project(reference: &ProjectRef) -> Option<Project>;
        fn find_membership(user: UserId, project: ProjectId, today: CalendarDate) -> Membership;
        fn list_projects(filter: &ProjectFilter, today: CalendarDate, page: OffsetPage) -> Page<Project>;
    }
    queries AlertQueries {
        fn find_alert(project: ProjectId, iid: AlertIid) -> Option<Alert>;
        fn list_alerts(filter: &AlertFilter, page: OffsetPage) -> Page<AlertSummary>;
        fn find_integration(project: ProjectId, endpoint_identifier: &str) -> Option<Integration>;
        fn list_receipts(project: ProjectId, page: OffsetPage) -> Page<Receipt>;
    }
    queries EventQueries {
        fn list_project_events(filter: &EventFilter, page: OffsetPage) -> Page<Event>;
    }
    changes AccountRepository {
        fn insert_user(user: &NewUser) -> InsertUser;
        fn insert_token(token: &NewToken) -> TokenId;
        fn revoke_token(id: TokenId, at_moment: Timestamp) -> bool;
        fn touch_tokens(used: &[(TokenId, Timestamp)]) -> ();
        fn raise_auth_epoch() -> i64;
    }
    changes ProjectRepository {
        fn insert_namespace(namespace: &NewNamespace) -> InsertNamespace;
        fn insert_project(project: &NewProject) -> InsertProject;
        fn put_member(member: &NewMember) -> ();
        fn touch_projects(projects: &[ProjectId], at_moment: Timestamp) -> ();
    }
    changes AlertRepository {
        fn lock_alerts(projects: &[ProjectId]) -> ();
        fn list_latest_by_identity(identities: &[(ProjectId, AlertIdentity)]) -> Vec<KnownAlert>;
        fn reserve_alert_numbers(wanted: &[(ProjectId, i64)]) -> Vec<AlertNumbers>;
        fn insert_alerts(alerts: &[NewAlert]) -> ();
        fn advance_alerts(progress: &[AlertProgress]) -> ();
        fn set_alert_status(change: &StatusChange) -> SetStatus;
        fn insert_receipts(receipts: &[NewReceipt]) -> ();
        fn insert_integration(integration: &NewIntegration) -> InsertIntegration;
    }
    changes EventRepository {
        fn insert_events(events: &[NewEvent]) -> ();
    }
}

impl<F: Saboteur> Store for Spoilt<F> {
    type ReadTx<'t> = SpoiltRead<'t, F>;
    type WriteTx<'t> = SpoiltWrite<'t, F>;

    fn read<T, E, W>(&self, work: W) -> Pending<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltRead<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        F::read(&self.stage, work)
    }

    fn write<T, E, W>(&self, work: W) -> Pending<T, E>
    where
        W: for<'t> FnOnce(&mut SpoiltWrite<'t, F>) -> Result<T, E> + Send + 'static,
        T: Send + 'static,
        E: From<StoreError> + Send + 'static,
    {
        F::write(&self.stage, work)
    }

    fn write_grouped<W>(&self, work: W) -> Pending<W::Output, W::Error>
    where
        W: for<'t> GroupWork<SpoiltWrite<'t, F>>,
    {
        self.write(move |tx| Ok(F::group(tx, &work)?.pop().unwrap()))
    }

    /// The rows outlive this store and are shared by others, as far as one process can play that.
    fn capabilities(&self) -> Capabilities {
        Capabilities {
            durable: true,
            concurrent_writers: false,
            multi_process: true,
        }
    }
}

/// The harness of a store that a saboteur stands in.
pub(crate) struct Theatre<F>(Spoilt<F>);

impl<F: Saboteur> Harness for Theatre<F> {
    type Store = Spoilt<F>;
    type Marks = EventMarks;

    fn fresh() -> Option<Self> {
        Some(Self(Spoilt::on(Stage::default())))
    }

    fn store(&self) -> &Spoilt<F> {
        &self.0
    }

    fn reopen(&mut self) {
        self.0 = Spoilt::on(F::reopen(&self.0.stage));
    }

    fn open_again(&self) -> Spoilt<F> {
        Spoilt::on(F::open_again(&self.0.stage))
    }
}

//! Wrappers around transactions.

use crate::StoreError;

/// Wrapper around a transaction: it measures, records or rejects calls, and delegates the rest.
///
/// The attributes [`queries`](macro@crate::queries) and [`repository`](macro@crate::repository) generate a wrapper
/// trait beside each repository trait. A type that implements `LabelQueriesWrapper` implements `LabelQueries`: each
/// method calls the inner transaction through [`call`](Self::call), unless the implementation overrides it.
///
/// ```
/// use storage::{StoreError, TransactionWrapper};
///
/// #[storage::queries]
/// pub trait LabelQueries {
///     fn count_labels(&mut self) -> Result<usize, StoreError>;
/// }
///
/// #[storage::repository(revokes(delete_key), keeps(insert_label))]
/// pub trait LabelRepository: LabelQueries {
///     fn insert_label(&mut self, name: &str) -> Result<(), StoreError>;
///     fn delete_key(&mut self, id: i64) -> Result<bool, StoreError>;
/// }
///
/// /// Records which keys are no longer valid.
/// struct Recorder<'t> {
///     tx: &'t mut (dyn LabelRepository + 't),
///     revoked: Vec<i64>,
/// }
///
/// impl<'t> TransactionWrapper for Recorder<'t> {
///     type Inner = dyn LabelRepository + 't;
///
///     const FORWARDS_REVOCATIONS: bool = false;
///
///     fn inner(&mut self) -> &mut Self::Inner {
///         self.tx
///     }
/// }
///
/// impl LabelQueriesWrapper for Recorder<'_> {}
///
/// impl LabelRepositoryWrapper for Recorder<'_> {
///     fn delete_key(&mut self, id: i64) -> Result<bool, StoreError> {
///         let done = self.tx.delete_key(id)?;
///         self.revoked.extend(done.then_some(id));
///         Ok(done)
///     }
/// }
///
/// fn revoked(tx: &mut dyn LabelRepository, work: fn(&mut dyn LabelRepository)) -> Vec<i64> {
///     let mut recorder = Recorder { tx, revoked: Vec::new() };
///     work(&mut recorder);
///     recorder.revoked
/// }
/// #
/// # struct Empty;
/// #
/// # impl LabelQueries for Empty {
/// #     fn count_labels(&mut self) -> Result<usize, StoreError> {
/// #         Ok(0)
/// #     }
/// # }
/// #
/// # impl LabelRepository for Empty {
/// #     fn insert_label(&mut self, _name: &str) -> Result<(), StoreError> {
/// #         Ok(())
/// #     }
/// #
/// #     fn delete_key(&mut self, _id: i64) -> Result<bool, StoreError> {
/// #         Ok(true)
/// #     }
/// # }
/// #
/// # let work = |tx: &mut dyn LabelRepository| {
/// #     assert_eq!(tx.count_labels().unwrap(), 0);
/// #     tx.insert_label("bug").unwrap();
/// #     assert!(tx.delete_key(7).unwrap());
/// # };
/// # assert_eq!(revoked(&mut Empty, work), [7]);
/// ```
///
/// Without its own `delete_key` the recorder would miss the revocation of the key, so the program does not compile:
///
/// ```compile_fail,E0080
/// # use storage::{StoreError, TransactionWrapper};
/// #
/// # #[storage::queries]
/// # pub trait LabelQueries {
/// #     fn count_labels(&mut self) -> Result<usize, StoreError>;
/// # }
/// #
/// # #[storage::repository(revokes(delete_key), keeps(insert_label))]
/// # pub trait LabelRepository: LabelQueries {
/// #     fn insert_label(&mut self, name: &str) -> Result<(), StoreError>;
/// #     fn delete_key(&mut self, id: i64) -> Result<bool, StoreError>;
/// # }
/// #
/// # struct Recorder<'t> {
/// #     tx: &'t mut (dyn LabelRepository + 't),
/// #     revoked: Vec<i64>,
/// # }
/// #
/// # impl<'t> TransactionWrapper for Recorder<'t> {
/// #     type Inner = dyn LabelRepository + 't;
/// #
/// #     const FORWARDS_REVOCATIONS: bool = false;
/// #
/// #     fn inner(&mut self) -> &mut Self::Inner {
/// #         self.tx
/// #     }
/// # }
/// #
/// impl LabelQueriesWrapper for Recorder<'_> {}
/// impl LabelRepositoryWrapper for Recorder<'_> {}
/// #
/// # fn revoked(tx: &mut dyn LabelRepository, work: fn(&mut dyn LabelRepository)) -> Vec<i64> {
/// #     let mut recorder = Recorder { tx, revoked: Vec::new() };
/// #     work(&mut recorder);
/// #     recorder.revoked
/// # }
/// # std::hint::black_box(revoked as fn(_, _) -> _);
/// ```
pub trait TransactionWrapper {
    /// Inner transaction.
    type Inner: ?Sized;

    /// True if a change that revokes something may be delegated like any other.
    /// If it is false, the program compiles only if the wrapper overrides every callable method that is listed in
    /// `revokes(...)`.
    const FORWARDS_REVOCATIONS: bool;

    /// Returns the inner transaction.
    fn inner(&mut self) -> &mut Self::Inner;

    /// Runs a method of the inner transaction.
    /// Every method that the wrapper does not override goes through here: this is the place to measure, to log or to
    /// make methods fail in tests.
    ///
    /// # Errors
    /// The error of the method.
    fn call<T>(
        &mut self,
        method: RepositoryMethod,
        run: impl FnOnce(&mut Self::Inner) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let _ = method;
        run(self.inner())
    }
}

/// Method of a repository trait, as a wrapper sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct RepositoryMethod {
    /// Name of the trait.
    pub repository: &'static str,
    /// Name of the method.
    pub name: &'static str,
    /// Effect that the method may have.
    pub kind: MethodKind,
}

/// Kinds of methods of repository traits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MethodKind {
    /// Changes nothing.
    Query,
    /// Changes something, but revokes nothing that a cached authentication check may rely on.
    Keeps,
    /// Revokes something that a cached authentication check may rely on.
    Revokes,
}

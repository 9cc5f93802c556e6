//! Attributes of the storage contract. The crate `storage` re-exports them; depend on that one.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod lists;
mod wrapper;

use proc_macro::TokenStream;

use crate::lists::MethodLists;

/// Generates the wrapper trait of a trait of queries.
///
/// For a trait `LabelQueries` it generates a trait `LabelQueriesWrapper` with the same methods, each of which calls the
/// inner transaction, and implements `LabelQueries` for every type with that wrapper. A wrapping transaction then gets
/// all queries with one line, and overrides only the methods in which it does more:
///
/// ```text
/// impl LabelQueriesWrapper for Measured<'_> {}
/// ```
///
/// Adapters implement `LabelQueries` itself and never need the wrapper. See `storage::TransactionWrapper` for a
/// complete example.
///
/// Every method takes `&mut self` and returns `Result<_, StoreError>`.
#[proc_macro_attribute]
pub fn queries(arguments: TokenStream, item: TokenStream) -> TokenStream {
    wrapper::expand(MethodLists::of_queries(arguments.into()), &item.into()).into()
}

/// Generates the wrapper trait of a trait of changes, and records which of them revoke something.
///
/// Authentication checks may be cached for a while. A change that invalidates the result of such a check (a token, a
/// session, an application, a user, a key) is listed in `revokes(...)`, any other change in `keeps(...)`. Every method
/// is in exactly one of the lists; an empty list may be omitted:
///
/// ```text
/// #[storage::repository(revokes(delete_session), keeps(insert_session, touch_sessions))]
/// pub trait SessionRepository: SessionQueries { /* … */ }
/// ```
///
/// The attribute generates a trait `SessionRepositoryWrapper`, as [`macro@queries`] does. A wrapper whose
/// `TransactionWrapper::FORWARDS_REVOCATIONS` is false does not delegate the methods that revoke: it overrides them, or
/// the program does not compile. This ensures that a host with a cache of checks invalidates it in time.
///
/// Every method takes `&mut self` and returns `Result<_, StoreError>`.
#[proc_macro_attribute]
pub fn repository(arguments: TokenStream, item: TokenStream) -> TokenStream {
    wrapper::expand(MethodLists::of_changes(arguments.into()), &item.into()).into()
}

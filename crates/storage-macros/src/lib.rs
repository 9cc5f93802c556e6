//! Attributes of the storage contract. The crate `storage` re-exports them; depend on that one.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod lists;
mod wrapper;

use proc_macro::TokenStream;

use crate::lists::Lists;

/// Generates the wrapper of a trait of queries.
///
/// Beside a trait `LabelQueries` it writes a trait `LabelQueriesWrapper` with the same methods, each of which calls the
/// transaction inside, and implements `LabelQueries` for every type that has it. So a transaction around another one gets all
/// queries by one line, and writes only the methods in which it does more:
///
/// ```text
/// impl LabelQueriesWrapper for Measured<'_> {}
/// ```
///
/// Adapters implement `LabelQueries` itself and never need the wrapper. See `storage::TransactionWrapper` for a whole example.
///
/// Every method takes `&mut self` and returns `Result<_, StoreError>`.
#[proc_macro_attribute]
pub fn queries(arguments: TokenStream, item: TokenStream) -> TokenStream {
    wrapper::expand(Lists::of_queries(arguments.into()), &item.into()).into()
}

/// Generates the wrapper of a trait of changes, and says which of them revoke something.
///
/// A check of who calls may be remembered for a while. A change that ends what such a check found (a token, a session, an
/// application, a user, a key) is listed in `revokes(...)`, any other change in `keeps(...)`. Every method is in exactly one of
/// the lists; an empty list may be left out:
///
/// ```text
/// #[storage::repository(revokes(delete_session), keeps(insert_session, touch_sessions))]
/// pub trait SessionRepository: SessionQueries { /* … */ }
/// ```
///
/// The attribute writes a trait `SessionRepositoryWrapper`, as [`macro@queries`] does. What revokes is not handed on by a wrapper whose
/// `TransactionWrapper::HANDS_ON_REVOCATIONS` is false: such a wrapper writes those methods itself, or the program does not
/// build. That is how a host that remembers checks makes sure that it forgets in time.
///
/// Every method takes `&mut self` and returns `Result<_, StoreError>`.
#[proc_macro_attribute]
pub fn repository(arguments: TokenStream, item: TokenStream) -> TokenStream {
    wrapper::expand(Lists::of_changes(arguments.into()), &item.into()).into()
}

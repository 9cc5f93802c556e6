//! Check of every call before its operation runs, such as rate limits.

use actix_web::{Error, HttpRequest};
use futures_util::future::LocalBoxFuture;

use super::declaration::Declaration;

/// Check of every call of an operation. It runs before the caller is authenticated and the body is read, so a refused
/// call costs little. The router calls it, so no operation can omit it.
pub trait Admission: 'static {
    /// Admits or refuses a call. The future must drop its copies of the request before it ends.
    fn admit<'r>(
        &'r self,
        request: &'r HttpRequest,
        declaration: &'r Declaration,
    ) -> AdmissionStep<'r>;
}

/// Decision on a call, or the work that leads to one.
pub enum AdmissionStep<'r> {
    /// Decision without waiting: the error is the refusal.
    Decided(Result<(), Error>),
    /// Decision after waiting, for example for a lookup of credentials.
    Pending(LocalBoxFuture<'r, Result<(), Error>>),
}

impl std::fmt::Debug for AdmissionStep<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Decided(decision) => f.debug_tuple("Decided").field(decision).finish(),
            Self::Pending(_) => f.write_str("Pending"),
        }
    }
}

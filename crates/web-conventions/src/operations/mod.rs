//! Operations of an API, each declared once beside its handler.
//!
//! An [`Operation`] is a handler and its [`Declaration`], from which the route ([`Router`]), the access check
//! ([`Caller`]), the refusal of other methods with `Allow`, the name in logs and metrics ([`declaration_of`]), and the
//! API document ([`document`]) are derived. There is no other way to mount a handler, so every reachable operation is
//! declared.

mod access;
mod declaration;
mod deletion;
pub mod document;
mod fitting;
mod operation;
mod parameter;
mod releases;
mod rewrite;
pub mod router;

pub use access::{Access, Audience, Credentials, Needs, Place, Scheme};
pub use declaration::{Answer, Body, Content, Declaration, Pages, RateClass};
pub use deletion::{Conditional, Deletion, Precondition, Unmodified};
pub use fitting::{Fitted, Unbuilt, fit_params, refuse_unbuilt};
pub use operation::{
    Arguments, Caller, Operation, delete, get, patch, post, put, unconditional_delete,
};
pub use parameter::{Kind, Location, MAX_ID, Parameter};
pub use releases::{Adaptation, OneRelease, Releases, adapt_params, other_edition_of};
pub use router::{Fallback, Router, Unroutable, declaration_of, path_of};

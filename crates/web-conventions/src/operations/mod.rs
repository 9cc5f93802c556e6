//! Operations of an API, each declared once beside its handler.
//!
//! An [`Operation`] is a handler and its [`Declaration`], from which the route ([`Router`]), the access check
//! ([`Caller`]), the refusal of other methods with `Allow`, the name in logs and metrics ([`declaration_of`]), and the
//! API document ([`document`]) are derived. There is no other way to mount a handler, so every reachable operation is
//! declared.

mod access;
mod admission;
mod declaration;
mod deletion;
pub mod document;
mod object_field;
mod operation;
mod parameter;
mod releases;
mod rewrite;
pub mod router;
mod tail;
mod validation;

pub use access::{Access, Needs, PageAudience, ProtocolCredentials, ResourceKind, Scheme};
pub use admission::{Admission, AdmissionStep};
pub use declaration::{Body, Content, Declaration, Pages, RateClass, ResponseSpec};
pub use deletion::{Conditional, Deletion, Precondition, Unmodified};
pub use object_field::ObjectField;
pub use operation::{
    Arguments, Caller, Operation, delete, get, patch, post, put, unconditional_delete,
};
pub use parameter::{Location, MAX_ID, Parameter, ParameterKind};
pub use releases::{OneRelease, OperationAdapter, Releases, adapt_params, other_edition_of};
pub use router::{Fallback, Router, RoutingError, declaration_of, path_of};
pub use validation::{
    UnsupportedFilter, ValidatedParams, refuse_unsupported_filters, validate_params,
};

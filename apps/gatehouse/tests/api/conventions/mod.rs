//! Conventions that hold on every route.

mod bodies;
mod compression;
mod conditional;
mod credentials;
mod errors;
mod methods;
mod paging;
mod parameters;
mod revocation;
mod scopes;
mod silence;
mod statuses;
mod sudo;
mod totals;

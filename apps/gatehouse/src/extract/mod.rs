//! What handlers ask for: the caller, the parameters, the project of the path.

pub mod caller;
pub mod params;
pub mod project;

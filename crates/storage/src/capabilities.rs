//! The declared differences between adapters.

/// What an adapter promises beyond the contract that all of them share.
///
/// The conformance suite skips a case only because of a capability declared here, and it fails when the cases
/// that were skipped are not exactly the declared ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Committed work survives the end of the process, a kill and a loss of power included.
    pub durable: bool,
    /// Two write transactions may run at the same time. Without it the adapter runs them one after the other.
    pub concurrent_writers: bool,
    /// Several processes may open the same store at once.
    pub multi_process: bool,
}

//! Declared differences between adapters.

/// Capabilities of an adapter beyond the contract that all adapters share.
///
/// The conformance suite skips a case only because of a capability declared here, and it fails when the cases
/// that were skipped are not exactly the declared ones.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// True if committed work survives the end of the process, including a kill and a power loss.
    pub durable: bool,
    /// True if two write transactions may run at the same time.
    /// Otherwise the adapter runs them one after the other.
    pub concurrent_writers: bool,
    /// True if several processes may open the same store at once.
    pub multi_process: bool,
}

//! Address of the client whose request is being handled, for the audit entries of its writes.
//!
//! The address is a value of the task of the request, so that no handler has to pass it on and none can forget it. Commands
//! and jobs have none.

use std::future::Future;
use std::net::IpAddr;

use tokio::task::futures::TaskLocalFuture;

tokio::task_local! {
    static CLIENT: Option<IpAddr>;
}

/// Handles a request from a client at this address: writes that begin in the future record the address.
pub fn from_client<F: Future>(
    address: Option<IpAddr>,
    handling: F,
) -> TaskLocalFuture<Option<IpAddr>, F> {
    CLIENT.scope(address, handling)
}

/// Address of the client whose request is being handled.
pub(super) fn client_address() -> Option<IpAddr> {
    CLIENT.try_with(|address| *address).ok().flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_address_is_known_while_the_request_is_handled() {
        assert_eq!(client_address(), None);
        let address = Some([192, 0, 2, 1].into());
        let known = from_client(address, async { client_address() }).await;
        assert_eq!(known, address);
        assert_eq!(client_address(), None);
    }
}

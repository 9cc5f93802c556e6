//! Lanes of database reads.
//! Each user has one, whether they use tokens or a browser, and so do each application and each address of anonymous
//! clients. So a client with many requests does not delay others.
//!
//! Lanes whose hashes collide are shared, which does no harm.

use std::hash::{DefaultHasher, Hash, Hasher as _};

use actix_web::HttpRequest;
use api_conventions::ids::{ApplicationId, UserId};
use storage::Lane;

use crate::frame::client::counted_address;
use crate::state::AppState;

/// Lane of a user.
pub fn of_user(user: UserId) -> Lane {
    numbered(("user", user.get()))
}

/// Lane of an application that acts for itself.
pub fn of_application(application: ApplicationId) -> Lane {
    numbered(("application", application.get()))
}

/// Lane of all clients at an address, as used in counts of failures.
pub fn of_address(address: &str) -> Lane {
    numbered(("address", address))
}

/// Lane of a request: its user's if known, otherwise its address's.
pub fn of_request(request: &HttpRequest, state: &AppState, user: Option<UserId>) -> Lane {
    user.map_or_else(|| of_address(&counted_address(request, state)), of_user)
}

fn numbered(whose: impl Hash) -> Lane {
    let mut hasher = DefaultHasher::new();
    whose.hash(&mut hasher);
    Lane::Caller(hasher.finish())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everybody_has_a_lane_of_their_own() {
        let lanes = [
            of_user(UserId::new(1)),
            of_user(UserId::new(2)),
            of_application(ApplicationId::new(1)),
            of_address("1"),
            of_address("192.0.2.1"),
        ];
        for (number, lane) in lanes.iter().enumerate() {
            assert!(!lanes[..number].contains(lane), "{number}");
            assert!(matches!(lane, Lane::Caller(_)));
        }
        assert_eq!(of_user(UserId::new(1)), lanes[0]);
    }
}

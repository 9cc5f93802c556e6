//! A user who opens many pages at once.

use std::thread;

use super::database;
use crate::support::TestServer;
use crate::support::rows::HeldRows;

/// Far more pages than there are readers.
const TABS: usize = 40;
/// Half of the readers that a server has on PostgreSQL.
const HALF_OF_READERS: i64 = 4;

/// The pages of one user wait for a locked table. However many they are, those of another user are answered meanwhile:
/// a free reader would otherwise be taken by a waiting tab.
#[test]
fn pages_of_one_person_leave_readers_to_others() {
    let Some(database) = database() else { return };
    let server = TestServer::start_configured(&format!(
        "[database]\nurl = \"{}\"\nread_timeout_seconds = 600\n",
        database.url()
    ));
    let (hoarder, mut other) = (server.signed_in("developer"), server.signed_in("reporter"));
    thread::scope(|scope| {
        let mut held = HeldRows::of_table(database.url(), "oauth_applications");
        let tabs: Vec<_> = (0..TABS)
            .map(|_| {
                let mut tab = hoarder.clone();
                scope.spawn(move || tab.open("/profile/applications").status)
            })
            .collect();
        held.wait_for(HALF_OF_READERS);
        for _ in 0..TABS {
            assert_eq!(other.open("/profile").status, 200);
        }
        drop(held);
        for tab in tabs {
            assert_eq!(tab.join().unwrap(), 200);
        }
    });
}

//! States that no command makes: rows of the embedded database, changed while the server runs on them.

use diesel::connection::SimpleConnection as _;
use diesel::{Connection as _, SqliteConnection};

use super::Server;

/// Runs statements on the database of a server, in one transaction.
pub(crate) fn change(server: &Server, statements: &str) {
    let file = server.data().join("gatehouse.sqlite3");
    let mut connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    connection
        .batch_execute("PRAGMA busy_timeout = 10000;")
        .unwrap();
    connection
        .batch_execute(&format!("BEGIN IMMEDIATE; {statements}; COMMIT;"))
        .unwrap();
}

/// The same for what takes power away: the server is told as every process is that shares the database.
pub(crate) fn change_power(server: &Server, statements: &str) {
    let told = "UPDATE auth_epoch SET epoch = epoch + 1";
    change(server, &format!("{statements}; {told}"));
}

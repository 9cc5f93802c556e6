//! A host of `alert-intake` over axum: monitoring systems POST alerts to it, and it lists them.
//!
//! * `POST /projects/{project}/alerts`: any JSON object, or the webhook of Alertmanager, with the key of the project.
//! * `GET /projects/{project}/alerts`: the alerts, the latest first.
//!
//! The rows are kept in memory. To persist them, a host uses another store: nothing else changes, because the handlers
//! know only the repository traits and [`Store`](storage::Store).
//!
//! ```sh
//! cargo run -p axum-host
//! curl -H 'Authorization: Bearer KEY' -d '{"title":"Disk full"}' http://127.0.0.1:8080/projects/1/alerts
//! ```

mod handlers;
mod host;
mod response;

pub use handlers::router;
pub use host::Host;

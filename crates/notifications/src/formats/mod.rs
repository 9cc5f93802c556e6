//! Bodies that the kinds of channels receive.
//!
//! Titles and descriptions come from strangers. Each format escapes them in its own way.

mod email;
mod hook;
mod matrix;
mod ntfy;
mod slack;
mod text;
mod webhook;

pub use email::{Mail, mail};
pub use hook::{HookRequest, hook_request};
pub use matrix::{MatrixEvent, matrix_event};
pub use ntfy::ntfy_body;
pub use slack::slack_body;
pub use text::{MessageText, Place, PlaceProject};
pub use webhook::{InvalidSecret, secret_of, sign, webhook_body};

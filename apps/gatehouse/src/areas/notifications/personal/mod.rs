//! Notification channels of users.

mod api;
mod pages;

use notifications::model::ChannelKind;
use web_conventions::operations::Operation;

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    [api::operations(), pages::operations()].concat()
}

/// Words of the kinds that users may have.
const KINDS: &[&str] = &["email", "webhook", "slack", "matrix", "ntfy"];

/// Parses the kind of a channel of a user.
fn parse_kind(word: &str) -> Option<ChannelKind> {
    ChannelKind::parse(word).filter(|kind| KINDS.contains(&kind.as_str()))
}

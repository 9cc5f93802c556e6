//! Notification pages of a project, for Maintainers.

mod change;
mod channel;
mod form;
mod list;
mod message_rows;

pub(super) use change::settled;
pub(super) use channel::{ChannelFrame, ChannelPage};
pub(super) use form::{ChannelForm, kind_name, kinds};
pub(super) use list::{ChannelListFrame, ChannelListPage, state};
use web_conventions::operations::{Operation, get, post};

use crate::frame::page::project::RoleOrNotFound;
use crate::frame::scopes::Maintainer;

/// Access to the pages.
type ChannelManagers = RoleOrNotFound<Maintainer>;

const ALL: &str = "/{project}/-/settings/notifications";
const ONE: &str = "/{project}/-/settings/notifications/{channel}";

/// The operations.
pub(super) fn operations() -> Vec<Operation> {
    vec![
        get("notificationChannelsPage", ALL, list::show),
        post("createNotificationChannelForm", ALL, change::create),
        get("notificationChannelPage", ONE, channel::show),
        post("changeNotificationChannelForm", ONE, change::change),
    ]
}

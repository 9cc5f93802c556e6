//! Which accounts a list holds, and in which order.

use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;

api_conventions::named! {
    /// What a list of accounts is ordered by. Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum UserOrder {
        /// The id: the default.
        #[default]
        Id = 0, "id";
        /// The name to show, in lower case, character by character.
        Name = 1, "name";
        /// The username, in lower case, character by character.
        Username = 2, "username";
        /// The time of creation.
        CreatedAt = 3, "created_at";
    }
}

/// Which accounts to list. All conditions must hold; the default is every account, the newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a filter of its own, and any of them may be set together"
)]
pub struct UserFilter {
    /// Only the one with this username, in any case.
    pub username: Option<String>,
    /// Only those whose name or username holds this text, in any case, and the one whose whole address it is.
    pub search: Option<String>,
    /// Whether a search also finds parts of addresses.
    pub search_in_emails: bool,
    /// Only those that may act.
    pub active: bool,
    /// Only those that an administrator stopped.
    pub blocked: bool,
    /// Only people.
    pub humans: bool,
    /// Only administrators.
    pub admins: bool,
    /// Only those for whom signing in needs a second factor, or only those for whom it does not.
    pub two_factor: Option<bool>,
    /// Only those with a greater id.
    pub id_after: Option<UserId>,
    /// Only those with a smaller id.
    pub id_before: Option<UserId>,
    /// Only those that were made after this time.
    pub created_after: Option<Timestamp>,
    /// Only those that were made before this time.
    pub created_before: Option<Timestamp>,
    /// The column to order by.
    pub order_by: UserOrder,
    /// The direction.
    pub sort: SortOrder,
}

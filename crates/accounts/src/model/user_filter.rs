//! Filters and order of lists of accounts.

use api_conventions::ids::UserId;
use api_conventions::page::SortOrder;
use api_conventions::time::Timestamp;

api_conventions::named! {
    /// Sort column of a list of accounts. Ties break on the id, in the same direction.
    #[derive(Default)]
    pub enum UserOrder {
        /// Id: the default.
        #[default]
        Id = 0, "id";
        /// Display name, in lower case, character by character.
        Name = 1, "name";
        /// Username, in lower case, character by character.
        Username = 2, "username";
        /// Time of creation.
        CreatedAt = 3, "created_at";
    }
}

/// Filter and order of a list of accounts. All conditions must hold; the default is every account, newest first.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the filters are independent and can be combined"
)]
pub struct UserFilter {
    /// Only the account with this username, ignoring case.
    pub username: Option<String>,
    /// Only accounts whose display name or username contains this text, ignoring case, or whose email address equals
    /// it.
    pub search: Option<String>,
    /// True to also match parts of email addresses.
    pub search_in_emails: bool,
    /// Only active accounts.
    pub active: bool,
    /// Only blocked accounts.
    pub blocked: bool,
    /// Only people, no bots.
    pub humans: bool,
    /// Only administrators.
    pub admins: bool,
    /// Only accounts with (`true`) or without (`false`) a second factor.
    pub two_factor: Option<bool>,
    /// Only accounts with a greater id.
    pub id_after: Option<UserId>,
    /// Only accounts with a smaller id.
    pub id_before: Option<UserId>,
    /// Only accounts created after this time.
    pub created_after: Option<Timestamp>,
    /// Only accounts created before this time.
    pub created_before: Option<Timestamp>,
    /// Sort column.
    pub order_by: UserOrder,
    /// Sort direction.
    pub sort: SortOrder,
}

//! Changes of the state of an account, and the states that allow them.

use api_conventions::time::Timestamp;

use super::audit::AuditEventName;
use super::user::UserState;

/// Change of the state of an account by an administrator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StateChange {
    /// Blocks an active or deactivated account.
    Block,
    /// Unblocks a blocked account.
    Unblock,
    /// Bans an active account.
    Ban,
    /// Lifts the ban of a banned account.
    Unban,
    /// Deactivates an active account that was not used for [`Self::UNUSED_DAYS`] days.
    Deactivate,
    /// Activates a deactivated account.
    Activate,
}

impl StateChange {
    /// Days without activity after which an account can be deactivated.
    pub const UNUSED_DAYS: i64 = 90;

    /// Returns the state after the change at `now`; the same state if nothing changes.
    ///
    /// # Errors
    /// The reason why the change is not allowed in this state.
    pub fn apply(self, state: UserState, now: Timestamp) -> Result<UserState, &'static str> {
        use UserState::{Active, Banned, Blocked, Deactivated};
        Ok(match (self, state) {
            (Self::Block, Active | Deactivated { .. }) => Blocked { at: now },
            (Self::Ban, Active) => Banned { at: now },
            (Self::Deactivate, Active) => Deactivated { at: now },
            (Self::Unblock, Active | Blocked { .. })
            | (Self::Unban, Banned { .. })
            | (Self::Activate, Active | Deactivated { .. }) => Active,
            (Self::Block, Blocked { .. })
            | (Self::Ban, Banned { .. })
            | (Self::Deactivate, Deactivated { .. }) => state,
            (Self::Block, Banned { .. }) => return Err("A banned user cannot be blocked"),
            (Self::Unblock, Banned { .. }) => {
                return Err("Banned users cannot be unblocked: unban the user");
            }
            (Self::Unblock, Deactivated { .. }) => {
                return Err("Deactivated users cannot be unblocked by the API");
            }
            (Self::Ban, Blocked { .. }) => return Err("You cannot ban blocked users."),
            (Self::Ban, Deactivated { .. }) => return Err("You cannot ban deactivated users."),
            (Self::Unban, Active) => return Err("You cannot unban active users."),
            (Self::Unban, Blocked { .. }) => return Err("You cannot unban blocked users."),
            (Self::Unban, Deactivated { .. }) => return Err("You cannot unban deactivated users."),
            (Self::Deactivate, Blocked { .. } | Banned { .. }) => {
                return Err("A blocked user cannot be deactivated by the API");
            }
            (Self::Activate, Blocked { .. }) => {
                return Err("A blocked user must be unblocked to be activated");
            }
            (Self::Activate, Banned { .. }) => {
                return Err("A banned user must be unbanned to be activated");
            }
        })
    }

    /// Event of the audit log.
    pub const fn event_name(self) -> AuditEventName {
        match self {
            Self::Block => AuditEventName::UserBlocked,
            Self::Unblock => AuditEventName::UserUnblocked,
            Self::Ban => AuditEventName::UserBanned,
            Self::Unban => AuditEventName::UserUnbanned,
            Self::Deactivate => AuditEventName::UserDeactivated,
            Self::Activate => AuditEventName::UserActivated,
        }
    }

    /// True if the change ends the power of the account.
    pub const fn is_revocation(self) -> bool {
        matches!(self, Self::Block | Self::Ban | Self::Deactivate)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_allows_some_changes_and_names_the_reason_against_others() {
        let at = |seconds: i64| Timestamp::MIN.plus_seconds(seconds);
        let (then, now) = (at(1), at(2));
        let blocked = UserState::Blocked { at: then };
        let banned = UserState::Banned { at: then };
        let deactivated = UserState::Deactivated { at: then };
        let active = UserState::Active;
        // The states after each change: of an active, a blocked, a banned and a deactivated account.
        for (change, after) in [
            (StateChange::Block, ["blocked", "blocked", "", "blocked"]),
            (StateChange::Unblock, ["active", "active", "", ""]),
            (StateChange::Ban, ["banned", "", "banned", ""]),
            (StateChange::Unban, ["", "", "active", ""]),
            (
                StateChange::Deactivate,
                ["deactivated", "", "", "deactivated"],
            ),
            (StateChange::Activate, ["active", "", "", "active"]),
        ] {
            for (state, after) in [active, blocked, banned, deactivated]
                .into_iter()
                .zip(after)
            {
                let outcome = change.apply(state, now);
                let name = outcome.map_or("", UserState::as_str);
                assert_eq!(name, after, "{change:?} of {state:?}");
                let reason = outcome.err().unwrap_or("none");
                assert!(!reason.is_empty());
                // A repeated change keeps the time of the first.
                let since = outcome.ok().and_then(UserState::since);
                let is_same = state.as_str() == after;
                assert_eq!(since, if is_same { state.since() } else { since });
            }
        }
        assert_eq!(
            StateChange::Block.apply(active, now),
            Ok(UserState::Blocked { at: now })
        );
    }

    #[test]
    fn changes_that_end_power_are_the_three_that_leave_the_account_inactive() {
        use StateChange::{Activate, Ban, Block, Deactivate, Unban, Unblock};
        let ends = [Block, Ban, Deactivate].map(StateChange::is_revocation);
        let restores = [Unblock, Unban, Activate].map(StateChange::is_revocation);
        assert_eq!((ends, restores), ([true; 3], [false; 3]));
    }
}

//! Users, credentials, sessions, access tokens, and the audit log.

mod activity;
mod audit;
mod audit_filter;
mod credentials;
mod deploy_token;
mod failure_policy;
mod invitation;
pub mod one_time_password;
mod recovery_code;
mod revocation;
mod session;
mod state_change;
mod token;
mod token_filter;
mod user;
mod user_change;
mod user_filter;
mod user_status;

pub use activity::UserActivity;
pub use audit::{
    AuditDetails, AuditEntity, AuditEntry, AuditEventName, AuditTarget, NewAuditEntry,
};
pub use audit_filter::{AuditEntityKind, AuditFilter, AuditImpersonation, AuditOrigin, AuditScope};
pub use credentials::{Credentials, Failures, SecondFactor};
pub use deploy_token::{
    DEPLOY_PREFIX, DEPLOY_SCOPES, DeployToken, DeployTokenFilter, NewDeployToken, TokenPlace,
};
pub use failure_policy::{FailureKey, FailurePolicy};
pub use invitation::{INVITATION_PREFIX, Invitation, InvitedRole, NewInvitation};
pub use one_time_password::TimeSecret;
pub use recovery_code::{CODES as RECOVERY_CODES, RecoveryCode};
pub use revocation::{Revocation, RevocationSubject};
pub use session::{
    MAX_AGENT_CHARACTERS, NewSession, SESSION_PREFIX, Session, SessionLifetime, SessionStage,
};
pub use state_change::StateChange;
pub use token::{AccessToken, NewToken, TOKEN_PREFIX, TokenKind, TokenState};
pub use token_filter::{TokenFilter, TokenValidity};
pub use user::{
    EmailError, GHOST_NAME, GHOST_USERNAME, NewUser, User, UserDeletion, UserKind, UserState,
    Username, UsernameError, check_email,
};
pub use user_change::UserChange;
pub use user_filter::{UserFilter, UserOrder};
pub use user_status::{Availability, UserStatus, is_emoji_name};

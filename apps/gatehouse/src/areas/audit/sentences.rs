//! Sentences for the events of the audit log.

use accounts::AuditEventName;

/// Returns the sentence for an event, as clients show it.
pub(super) const fn sentence(event: AuditEventName) -> &'static str {
    match event {
        AuditEventName::MemberAdded => "Member added",
        AuditEventName::MemberUpdated => "Member's role or expiry changed",
        AuditEventName::MemberRemoved => "Member removed",
        AuditEventName::MemberExpired => "Member's role expired",
        AuditEventName::ProjectShared => "Project shared with a group",
        AuditEventName::ProjectUnshared => "Share with a group removed",
        AuditEventName::ShareExpired => "Share with a group expired",
        AuditEventName::VisibilityChanged => "Visibility changed",
        AuditEventName::ProjectArchived => "Project archived",
        AuditEventName::ProjectUnarchived => "Project unarchived",
        AuditEventName::ProjectDeletionScheduled => "Deletion of the project scheduled",
        AuditEventName::ProjectDeletionCancelled => "Deletion of the project cancelled",
        AuditEventName::ProjectDeleted => "Project deleted",
        AuditEventName::ProjectTransferred => "Project transferred",
        AuditEventName::ProjectPathChanged => "Path of the project changed",
        AuditEventName::GroupCreated => "Group created",
        AuditEventName::GroupDeletionScheduled => "Deletion of the group scheduled",
        AuditEventName::GroupDeletionCancelled => "Deletion of the group cancelled",
        AuditEventName::GroupDeleted => "Group deleted",
        AuditEventName::GroupTransferred => "Group transferred",
        AuditEventName::GroupPathChanged => "Path of the group changed",
        AuditEventName::SettingChanged => "Setting changed",
        AuditEventName::ProjectCreated => "Project created",
        AuditEventName::ProjectImported => "Project imported",
        AuditEventName::ProjectExported => "Project exported",
        AuditEventName::TokenCreated => "Access token created",
        AuditEventName::TokenRotated => "Access token rotated",
        AuditEventName::TokenRevoked => "Access token revoked",
        AuditEventName::RotatedTokenUsed => "Rotated access token used, successor revoked",
        AuditEventName::DeployTokenCreated => "Deploy token created",
        AuditEventName::DeployTokenDeleted => "Deploy token deleted",
        AuditEventName::UserCreated => "User created",
        AuditEventName::UserUpdated => "User changed by an administrator",
        AuditEventName::UserBlocked => "User blocked",
        AuditEventName::UserUnblocked => "User unblocked",
        AuditEventName::UserBanned => "User banned",
        AuditEventName::UserUnbanned => "Ban of the user lifted",
        AuditEventName::UserDeactivated => "User deactivated",
        AuditEventName::UserActivated => "User activated",
        AuditEventName::UserDeletionStarted => "Deletion of the user started",
        AuditEventName::UserDeleted => "User deleted",
        AuditEventName::RunnerCreated => "Runner created",
        AuditEventName::RunnerUpdated => "Runner changed",
        AuditEventName::RunnerDeleted => "Runner deleted",
        AuditEventName::RunnerTokenReset => "Token of a runner reset",
        AuditEventName::RegistrationTokenReset => "Registration token of runners reset",
        AuditEventName::RunnerAssigned => "Runner assigned to the project",
        AuditEventName::RunnerUnassigned => "Assignment of a runner ended",
        AuditEventName::InvitationCreated => "Invitation created",
        AuditEventName::InvitationUsed => "Invitation used",
        AuditEventName::InvitationRevoked => "Invitation revoked",
        AuditEventName::AuditExported => "Audit events exported",
        AuditEventName::SignInLimitReached => "Too many failed attempts to sign in",
        AuditEventName::AddressLimitReached => "Too many failed attempts from an address",
        AuditEventName::ApplicationCreated => "Application registered",
        AuditEventName::ApplicationUpdated => "Application changed",
        AuditEventName::ApplicationDeleted => "Application deleted",
        AuditEventName::ApplicationSecretRenewed => "Secret of an application renewed",
        AuditEventName::PasswordChanged => "Password changed",
        AuditEventName::SecondFactorEnabled => "Two-factor authentication enabled",
        AuditEventName::SecondFactorDisabled => "Two-factor authentication disabled",
        AuditEventName::RecoveryCodesRenewed => "Recovery codes renewed",
        AuditEventName::SessionsEnded => "Other sessions ended",
        AuditEventName::ApplicationAuthorized => "Application authorized",
        AuditEventName::AuthorizationRevoked => "Authorization of an application revoked",
        AuditEventName::SilenceCreated => "Silence created",
        AuditEventName::SilenceUpdated => "Silence changed",
        AuditEventName::SilenceEnded => "Silence ended",
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_event_has_a_sentence_of_its_own() {
        let sentences: BTreeSet<&str> = AuditEventName::ALL.iter().copied().map(sentence).collect();
        assert_eq!(sentences.len(), AuditEventName::ALL.len());
    }
}

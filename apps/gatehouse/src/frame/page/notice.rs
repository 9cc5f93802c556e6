//! Notices about a completed action, shown on the next page.

/// Sentence that the next page shows once.
/// The cookie carries only a keyword, so that no one can inject text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A user signed out.
    SignedOut,
    /// The password was changed.
    PasswordChanged,
    /// The password of the user changed, and access tokens of the user are still active.
    PasswordChangedTokensStay,
    /// A session was ended.
    SessionEnded,
    /// All other sessions were ended.
    OtherSessionsEnded,
    /// The privacy of a profile was changed.
    PrivacySaved,
    /// The second factor is off.
    SecondFactorOff,
    /// A personal access token was created.
    TokenCreated,
    /// A personal access token was replaced by a successor.
    TokenRotated,
    /// A personal access token was revoked.
    TokenRevoked,
    /// All personal access tokens of the user were revoked.
    AllTokensRevoked,
    /// A personal access token was already revoked, so it was not rotated.
    TokenAlreadyRevoked,
    /// A runner was created.
    RunnerCreated,
    /// A runner was paused.
    RunnerPaused,
    /// A runner was resumed.
    RunnerResumed,
    /// A runner was deleted.
    RunnerDeleted,
    /// An application was registered.
    ApplicationRegistered,
    /// The secret of an application was renewed.
    SecretRenewed,
    /// An application was changed.
    ApplicationSaved,
    /// An application was deleted.
    ApplicationDeleted,
    /// The authorization of an application was revoked.
    AuthorizationRevoked,
    /// An alert was acknowledged.
    AlertAcknowledged,
    /// An alert was resolved.
    AlertResolved,
    /// An alert was ignored.
    AlertIgnored,
    /// An alert was reopened.
    AlertReopened,
    /// A milestone was created.
    MilestoneCreated,
    /// A milestone was changed.
    MilestoneSaved,
    /// A milestone was closed.
    MilestoneClosed,
    /// A milestone was reopened.
    MilestoneReopened,
    /// A milestone was deleted.
    MilestoneDeleted,
    /// A snippet was created.
    SnippetCreated,
    /// A snippet was changed.
    SnippetSaved,
    /// A snippet was deleted.
    SnippetDeleted,
    /// A label was created.
    LabelCreated,
    /// A label was changed.
    LabelSaved,
    /// A label was deleted.
    LabelDeleted,
    /// A user was created.
    UserCreated,
    /// The state of a user was changed.
    UserStateChanged,
    /// The deletion of a user started.
    UserDeleted,
    /// An issue was created.
    IssueCreated,
    /// An issue was changed.
    IssueSaved,
    /// An issue was closed.
    IssueClosed,
    /// An issue was reopened.
    IssueReopened,
    /// A comment was written.
    CommentCreated,
    /// A comment was changed.
    CommentSaved,
    /// A comment was deleted.
    CommentDeleted,
    /// A group was created.
    GroupCreated,
    /// A group was changed.
    GroupSaved,
    /// A group was moved.
    GroupMoved,
    /// A group was scheduled for deletion.
    GroupDeletionScheduled,
    /// The deletion of a group was cancelled.
    GroupRestored,
    /// A member was added.
    MemberAdded,
    /// A role was changed.
    MemberSaved,
    /// A member was removed.
    MemberRemoved,
    /// A member left a project or group.
    PlaceLeft,
    /// A project was shared with a group.
    ShareAdded,
    /// A share was ended.
    ShareEnded,
    /// A project was created.
    ProjectCreated,
    /// A project was changed.
    ProjectSaved,
    /// A project was archived.
    ProjectArchived,
    /// A project was unarchived.
    ProjectUnarchived,
    /// A project was moved.
    ProjectTransferred,
    /// The deletion of a project was cancelled.
    ProjectRestored,
    /// The key of an alert endpoint was renewed.
    KeyRenewed,
    /// An alert endpoint was enabled.
    EndpointEnabled,
    /// An alert endpoint was disabled.
    EndpointDisabled,
    /// Errors of a list were changed.
    ErrorsChanged,
    /// An error was resolved.
    ErrorResolved,
    /// An error was ignored.
    ErrorIgnored,
    /// An error was reopened.
    ErrorReopened,
    /// An error was assigned or linked.
    ErrorSaved,
    /// An issue about an error was created.
    ErrorIssueOpened,
    /// An error was merged into another one.
    ErrorsMerged,
    /// Events were split off from an error.
    ErrorSplit,
    /// An error was deleted.
    ErrorDeleted,
    /// Error tracking was enabled.
    ErrorTrackingOn,
    /// Error tracking was disabled.
    ErrorTrackingOff,
    /// An external tracker was connected.
    TrackerConnected,
    /// The options of error tracking were changed.
    ErrorOptionsSaved,
    /// A client key was created.
    ClientKeyCreated,
    /// A client key was changed.
    ClientKeySaved,
    /// A client key was deleted.
    ClientKeyDeleted,
    /// An issue was deleted.
    IssueDeleted,
    /// A test alert was received.
    TestReceived,
    /// A test was received, but created no alert.
    TestWithoutAlert,
}

impl Notice {
    const ALL: [Self; 85] = [
        Self::SignedOut,
        Self::PasswordChanged,
        Self::PasswordChangedTokensStay,
        Self::SessionEnded,
        Self::OtherSessionsEnded,
        Self::PrivacySaved,
        Self::SecondFactorOff,
        Self::TokenCreated,
        Self::TokenRotated,
        Self::TokenRevoked,
        Self::AllTokensRevoked,
        Self::TokenAlreadyRevoked,
        Self::RunnerCreated,
        Self::RunnerPaused,
        Self::RunnerResumed,
        Self::RunnerDeleted,
        Self::ApplicationRegistered,
        Self::SecretRenewed,
        Self::ApplicationSaved,
        Self::ApplicationDeleted,
        Self::AuthorizationRevoked,
        Self::AlertAcknowledged,
        Self::AlertResolved,
        Self::AlertIgnored,
        Self::AlertReopened,
        Self::MilestoneCreated,
        Self::MilestoneSaved,
        Self::MilestoneClosed,
        Self::MilestoneReopened,
        Self::MilestoneDeleted,
        Self::SnippetCreated,
        Self::SnippetSaved,
        Self::SnippetDeleted,
        Self::LabelCreated,
        Self::LabelSaved,
        Self::LabelDeleted,
        Self::UserCreated,
        Self::UserStateChanged,
        Self::UserDeleted,
        Self::IssueCreated,
        Self::IssueSaved,
        Self::IssueClosed,
        Self::IssueReopened,
        Self::CommentCreated,
        Self::CommentSaved,
        Self::CommentDeleted,
        Self::GroupCreated,
        Self::GroupSaved,
        Self::GroupMoved,
        Self::GroupDeletionScheduled,
        Self::GroupRestored,
        Self::MemberAdded,
        Self::MemberSaved,
        Self::MemberRemoved,
        Self::PlaceLeft,
        Self::ShareAdded,
        Self::ShareEnded,
        Self::ProjectCreated,
        Self::ProjectSaved,
        Self::ProjectArchived,
        Self::ProjectUnarchived,
        Self::ProjectTransferred,
        Self::ProjectRestored,
        Self::KeyRenewed,
        Self::EndpointEnabled,
        Self::EndpointDisabled,
        Self::ErrorsChanged,
        Self::ErrorResolved,
        Self::ErrorIgnored,
        Self::ErrorReopened,
        Self::ErrorSaved,
        Self::ErrorIssueOpened,
        Self::ErrorsMerged,
        Self::ErrorSplit,
        Self::ErrorDeleted,
        Self::ErrorTrackingOn,
        Self::ErrorTrackingOff,
        Self::TrackerConnected,
        Self::ErrorOptionsSaved,
        Self::ClientKeyCreated,
        Self::ClientKeySaved,
        Self::ClientKeyDeleted,
        Self::IssueDeleted,
        Self::TestReceived,
        Self::TestWithoutAlert,
    ];

    /// Keyword in the cookie.
    pub const fn word(self) -> &'static str {
        match self {
            Self::SignedOut => "signed_out",
            Self::PasswordChanged => "password_changed",
            Self::PasswordChangedTokensStay => "password_changed_tokens_stay",
            Self::SessionEnded => "session_ended",
            Self::OtherSessionsEnded => "other_sessions_ended",
            Self::PrivacySaved => "privacy_saved",
            Self::SecondFactorOff => "second_factor_off",
            Self::TokenCreated => "token_created",
            Self::TokenRotated => "token_rotated",
            Self::TokenRevoked => "token_revoked",
            Self::AllTokensRevoked => "all_tokens_revoked",
            Self::TokenAlreadyRevoked => "token_already_revoked",
            Self::RunnerCreated => "runner_created",
            Self::RunnerPaused => "runner_paused",
            Self::RunnerResumed => "runner_resumed",
            Self::RunnerDeleted => "runner_deleted",
            Self::ApplicationRegistered => "application_registered",
            Self::SecretRenewed => "secret_renewed",
            Self::ApplicationSaved => "application_saved",
            Self::ApplicationDeleted => "application_deleted",
            Self::AuthorizationRevoked => "authorization_revoked",
            Self::AlertAcknowledged => "alert_acknowledged",
            Self::AlertResolved => "alert_resolved",
            Self::AlertIgnored => "alert_ignored",
            Self::AlertReopened => "alert_reopened",
            Self::MilestoneCreated => "milestone_created",
            Self::MilestoneSaved => "milestone_saved",
            Self::MilestoneClosed => "milestone_closed",
            Self::MilestoneReopened => "milestone_reopened",
            Self::MilestoneDeleted => "milestone_deleted",
            Self::SnippetCreated => "snippet_created",
            Self::SnippetSaved => "snippet_saved",
            Self::SnippetDeleted => "snippet_deleted",
            Self::LabelCreated => "label_created",
            Self::LabelSaved => "label_saved",
            Self::LabelDeleted => "label_deleted",
            Self::UserCreated => "user_created",
            Self::UserStateChanged => "user_state_changed",
            Self::UserDeleted => "user_deleted",
            Self::IssueCreated => "issue_created",
            Self::IssueSaved => "issue_saved",
            Self::IssueClosed => "issue_closed",
            Self::IssueReopened => "issue_reopened",
            Self::CommentCreated => "comment_written",
            Self::CommentSaved => "comment_saved",
            Self::CommentDeleted => "comment_deleted",
            Self::GroupCreated => "group_created",
            Self::GroupSaved => "group_saved",
            Self::GroupMoved => "group_moved",
            Self::GroupDeletionScheduled => "group_deletion_scheduled",
            Self::GroupRestored => "group_restored",
            Self::MemberAdded => "member_added",
            Self::MemberSaved => "member_saved",
            Self::MemberRemoved => "member_removed",
            Self::PlaceLeft => "place_left",
            Self::ShareAdded => "share_added",
            Self::ShareEnded => "share_ended",
            Self::ProjectCreated => "project_created",
            Self::ProjectSaved => "project_saved",
            Self::ProjectArchived => "project_archived",
            Self::ProjectUnarchived => "project_unarchived",
            Self::ProjectTransferred => "project_transferred",
            Self::ProjectRestored => "project_restored",
            Self::KeyRenewed => "key_renewed",
            Self::EndpointEnabled => "endpoint_enabled",
            Self::EndpointDisabled => "endpoint_disabled",
            Self::ErrorsChanged => "errors_changed",
            Self::ErrorResolved => "error_resolved",
            Self::ErrorIgnored => "error_ignored",
            Self::ErrorReopened => "error_reopened",
            Self::ErrorSaved => "error_saved",
            Self::ErrorIssueOpened => "error_issue_opened",
            Self::ErrorsMerged => "errors_merged",
            Self::ErrorSplit => "error_split",
            Self::ErrorDeleted => "error_deleted",
            Self::ErrorTrackingOn => "error_tracking_on",
            Self::ErrorTrackingOff => "error_tracking_off",
            Self::TrackerConnected => "tracker_connected",
            Self::ErrorOptionsSaved => "error_options_saved",
            Self::ClientKeyCreated => "client_key_made",
            Self::ClientKeySaved => "client_key_saved",
            Self::ClientKeyDeleted => "client_key_deleted",
            Self::IssueDeleted => "issue_deleted",
            Self::TestReceived => "test_received",
            Self::TestWithoutAlert => "test_without_alert",
        }
    }

    /// Finds the notice with this keyword.
    pub fn parse(word: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|notice| notice.word() == word)
    }

    /// Sentence to show.
    pub const fn text(self) -> &'static str {
        match self {
            Self::SignedOut => "Signed out.",
            Self::PasswordChanged => {
                "Password changed. Your other sessions were signed out, and applications must be authorized again."
            }
            Self::PasswordChangedTokensStay => {
                "Password changed. Your other sessions were signed out, and applications must be authorized again. The tokens below still work; revoke those you no longer need."
            }
            Self::SessionEnded => "Session signed out.",
            Self::OtherSessionsEnded => {
                "All other sessions signed out. Applications must be authorized again."
            }
            Self::PrivacySaved => "Privacy setting saved.",
            Self::SecondFactorOff => "Two-factor authentication turned off.",
            Self::TokenCreated => "Token created. Copy it now: it is shown only once.",
            Self::TokenRotated => {
                "Token rotated. The old one no longer works. Copy the new one now: it is shown only once."
            }
            Self::TokenRevoked => "Token revoked. It no longer works.",
            Self::AllTokensRevoked => "All tokens revoked. They no longer work.",
            Self::TokenAlreadyRevoked => "Token not rotated: it was already revoked.",
            Self::RunnerCreated => "Runner created. Copy its token now: it is shown only once.",
            Self::RunnerPaused => "Runner paused.",
            Self::RunnerResumed => "Runner resumed.",
            Self::RunnerDeleted => "Runner deleted. Its token no longer works.",
            Self::ApplicationRegistered => "Application registered.",
            Self::SecretRenewed => "Secret renewed. The old one no longer works.",
            Self::ApplicationSaved => "Application saved.",
            Self::ApplicationDeleted => "Application deleted. Its tokens no longer work.",
            Self::AuthorizationRevoked => {
                "Authorization revoked. The application can no longer act for you."
            }
            Self::AlertAcknowledged => "Alert acknowledged.",
            Self::AlertResolved => "Alert resolved.",
            Self::AlertIgnored => "Alert ignored.",
            Self::AlertReopened => "Alert reopened.",
            Self::MilestoneCreated => "Milestone created.",
            Self::MilestoneSaved => "Milestone saved.",
            Self::MilestoneClosed => "Milestone closed.",
            Self::MilestoneReopened => "Milestone reopened.",
            Self::MilestoneDeleted => "Milestone deleted.",
            Self::SnippetCreated => "Snippet created.",
            Self::SnippetSaved => "Snippet saved.",
            Self::SnippetDeleted => "Snippet deleted.",
            Self::LabelCreated => "Label created.",
            Self::LabelSaved => "Label saved.",
            Self::LabelDeleted => "Label deleted.",
            Self::UserCreated => "User created. Copy the password now: it is shown only once.",
            Self::UserStateChanged => "State of the user changed.",
            Self::UserDeleted => "User deleted. The rest of their data is deleted within minutes.",
            Self::IssueCreated => "Issue created.",
            Self::IssueSaved => "Issue saved.",
            Self::IssueClosed => "Issue closed.",
            Self::IssueReopened => "Issue reopened.",
            Self::CommentCreated => "Comment added.",
            Self::CommentSaved => "Comment saved.",
            Self::CommentDeleted => "Comment deleted.",
            Self::GroupCreated => "Group created.",
            Self::GroupSaved => "Group saved.",
            Self::GroupMoved => "Group moved, with everything in it.",
            Self::GroupDeletionScheduled => "Group scheduled for deletion.",
            Self::GroupRestored => "Group restored, with everything in it.",
            Self::MemberAdded => "Member added.",
            Self::MemberSaved => "Member saved.",
            Self::MemberRemoved => "Member removed.",
            Self::PlaceLeft => "You left, and no longer have a role there.",
            Self::ShareAdded => "Project shared with the group.",
            Self::ShareEnded => "Share removed.",
            Self::ProjectCreated => "Project created.",
            Self::ProjectSaved => "Project saved.",
            Self::ProjectArchived => {
                "Project archived. Its issues, alerts and labels can no longer be changed."
            }
            Self::ProjectUnarchived => "Project unarchived.",
            Self::ProjectTransferred => "Project transferred.",
            Self::ProjectRestored => "Project restored.",
            Self::KeyRenewed => "Key renewed. The old one no longer works.",
            Self::EndpointEnabled => "Endpoint turned on.",
            Self::EndpointDisabled => "Endpoint turned off. It refuses all requests.",
            Self::ErrorsChanged => "Errors updated.",
            Self::ErrorResolved => "Error resolved. If it happens again, it is reopened.",
            Self::ErrorIgnored => "Error ignored.",
            Self::ErrorReopened => "Error reopened.",
            Self::ErrorSaved => "Error saved.",
            Self::ErrorIssueOpened => "Issue created and linked. Closing it resolves the error.",
            Self::ErrorsMerged => "Errors merged. This one has all events now.",
            Self::ErrorSplit => "Events split off. They are an error of their own now.",
            Self::ErrorDeleted => "Error deleted, with its events.",
            Self::ErrorTrackingOn => {
                "Error tracking turned on. Paste the lines below into your program."
            }
            Self::ErrorTrackingOff => {
                "Error tracking turned off. Reports from programs are refused."
            }
            Self::TrackerConnected => "Errors are now read from the external tracker.",
            Self::ErrorOptionsSaved => "Options saved.",
            Self::ClientKeyCreated => "Key created. It works immediately.",
            Self::ClientKeySaved => "Key saved.",
            Self::ClientKeyDeleted => "Key deleted. Programs that use it are refused.",
            Self::IssueDeleted => "Issue deleted.",
            Self::TestReceived => "Test received. It created this alert.",
            Self::TestWithoutAlert => "Test received. It created no alert.",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for notice in Notice::ALL {
            assert_eq!(Notice::parse(notice.word()), Some(notice));
            assert!(notice.text().ends_with('.'));
        }
        assert_eq!(Notice::parse("<b>hi</b>"), None);
    }
}

//! Notices about a completed action, shown on the next page.

/// Sentence that the next page shows once.
/// The cookie carries only a keyword, so that no one can inject text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notice {
    /// A user signed out.
    SignedOut,
    /// The password was changed.
    PasswordChanged,
    /// A session was ended.
    SessionEnded,
    /// All other sessions were ended.
    OtherSessionsEnded,
    /// The privacy of a profile was changed.
    PrivacySaved,
    /// The second factor is off.
    SecondFactorOff,
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
    /// A label was created.
    LabelCreated,
    /// A label was changed.
    LabelSaved,
    /// A label was deleted.
    LabelDeleted,
    /// An issue was created.
    IssueCreated,
    /// An issue was changed.
    IssueSaved,
    /// An issue was closed.
    IssueClosed,
    /// An issue was reopened.
    IssueReopened,
    /// A comment was written.
    CommentWritten,
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
    ClientKeyMade,
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
    const ALL: [Self; 69] = [
        Self::SignedOut,
        Self::PasswordChanged,
        Self::SessionEnded,
        Self::OtherSessionsEnded,
        Self::PrivacySaved,
        Self::SecondFactorOff,
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
        Self::LabelCreated,
        Self::LabelSaved,
        Self::LabelDeleted,
        Self::IssueCreated,
        Self::IssueSaved,
        Self::IssueClosed,
        Self::IssueReopened,
        Self::CommentWritten,
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
        Self::ClientKeyMade,
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
            Self::SessionEnded => "session_ended",
            Self::OtherSessionsEnded => "other_sessions_ended",
            Self::PrivacySaved => "privacy_saved",
            Self::SecondFactorOff => "second_factor_off",
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
            Self::LabelCreated => "label_created",
            Self::LabelSaved => "label_saved",
            Self::LabelDeleted => "label_deleted",
            Self::IssueCreated => "issue_created",
            Self::IssueSaved => "issue_saved",
            Self::IssueClosed => "issue_closed",
            Self::IssueReopened => "issue_reopened",
            Self::CommentWritten => "comment_written",
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
            Self::ClientKeyMade => "client_key_made",
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
            Self::SignedOut => "You are signed out.",
            Self::PasswordChanged => {
                "Your password is changed. Your other sessions are signed out, and applications have to be authorized again."
            }
            Self::SessionEnded => "The session is signed out.",
            Self::OtherSessionsEnded => {
                "All other sessions are signed out. Applications have to be authorized again."
            }
            Self::PrivacySaved => "Your privacy setting is saved.",
            Self::SecondFactorOff => "Two-factor authentication is off.",
            Self::ApplicationRegistered => "The application is registered.",
            Self::SecretRenewed => "The secret is renewed. The old one no longer works.",
            Self::ApplicationSaved => "The application is saved.",
            Self::ApplicationDeleted => "The application is deleted. Its tokens no longer work.",
            Self::AuthorizationRevoked => {
                "The authorization is revoked. The application can no longer act for you."
            }
            Self::AlertAcknowledged => "The alert is acknowledged.",
            Self::AlertResolved => "The alert is resolved.",
            Self::AlertIgnored => "The alert is ignored.",
            Self::AlertReopened => "The alert is open again.",
            Self::MilestoneCreated => "The milestone is created.",
            Self::MilestoneSaved => "The milestone is saved.",
            Self::MilestoneClosed => "The milestone is closed.",
            Self::MilestoneReopened => "The milestone is open again.",
            Self::MilestoneDeleted => "The milestone is deleted.",
            Self::LabelCreated => "The label is created.",
            Self::LabelSaved => "The label is saved.",
            Self::LabelDeleted => "The label is deleted.",
            Self::IssueCreated => "The issue is created.",
            Self::IssueSaved => "The issue is saved.",
            Self::IssueClosed => "The issue is closed.",
            Self::IssueReopened => "The issue is open again.",
            Self::CommentWritten => "The comment is written.",
            Self::CommentSaved => "The comment is saved.",
            Self::CommentDeleted => "The comment is deleted.",
            Self::GroupCreated => "The group is created.",
            Self::GroupSaved => "The group is saved.",
            Self::GroupMoved => "The group is moved, with everything in it.",
            Self::GroupDeletionScheduled => "The group is scheduled for deletion.",
            Self::GroupRestored => "The group is restored, with everything in it.",
            Self::MemberAdded => "The member is added.",
            Self::MemberSaved => "The member is saved.",
            Self::MemberRemoved => "The member is removed.",
            Self::PlaceLeft => "You left. Your role there is gone.",
            Self::ShareAdded => "The project is shared with the group.",
            Self::ShareEnded => "The share is ended.",
            Self::ProjectCreated => "The project is created.",
            Self::ProjectSaved => "The project is saved.",
            Self::ProjectArchived => {
                "The project is archived. Its issues, alerts and labels can no longer be changed."
            }
            Self::ProjectUnarchived => "The project is no longer archived.",
            Self::ProjectTransferred => "The project is transferred.",
            Self::ProjectRestored => "The project is restored.",
            Self::KeyRenewed => "The key is renewed. The old one no longer works.",
            Self::EndpointEnabled => "The endpoint is on.",
            Self::EndpointDisabled => "The endpoint is off. What is sent to it is refused.",
            Self::ErrorsChanged => "The errors are changed.",
            Self::ErrorResolved => "The error is resolved. If it happens again, it comes back.",
            Self::ErrorIgnored => "The error is ignored.",
            Self::ErrorReopened => "The error is unresolved again.",
            Self::ErrorSaved => "The error is saved.",
            Self::ErrorIssueOpened => {
                "The issue is opened and linked. Closing it resolves the error."
            }
            Self::ErrorsMerged => "The errors are one now. This is the one that has all events.",
            Self::ErrorSplit => "These events are an error of their own now.",
            Self::ErrorDeleted => "The error is deleted with its events.",
            Self::ErrorTrackingOn => "Error tracking is on. Paste the lines below into a program.",
            Self::ErrorTrackingOff => "Error tracking is off. What programs report is refused.",
            Self::TrackerConnected => "Errors are read from the other tracker now.",
            Self::ErrorOptionsSaved => "The options are saved.",
            Self::ClientKeyMade => "The key is made. It works at once.",
            Self::ClientKeySaved => "The key is saved.",
            Self::ClientKeyDeleted => "The key is deleted. Programs that use it are refused.",
            Self::IssueDeleted => "The issue is deleted.",
            Self::TestReceived => "The test was received. This is the alert that it made.",
            Self::TestWithoutAlert => "The test was received. It made no alert.",
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

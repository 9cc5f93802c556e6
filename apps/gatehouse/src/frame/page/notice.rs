//! Notices about a completed action, shown on the next page.

/// Defines the notices, each with its keyword in the cookie and the sentence to show.
macro_rules! notices {
    ($($(#[$about:meta])+ $name:ident = $word:literal, $text:literal;)+) => {
        /// Sentence that the next page shows once.
        /// The cookie carries only a keyword, so that no one can inject text.
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum Notice {
            $($(#[$about])+ $name,)+
        }

        impl Notice {
            const ALL: &[Self] = &[$(Self::$name),+];

            /// Keyword in the cookie.
            pub const fn word(self) -> &'static str {
                match self {
                    $(Self::$name => $word,)+
                }
            }

            /// Sentence to show.
            pub const fn text(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }
    };
}

notices! {
    /// A user signed out.
    SignedOut = "signed_out", "Signed out.";
    /// The password was changed.
    PasswordChanged = "password_changed",
        "Password changed. Your other sessions were signed out, and applications must be authorized again.";
    /// The password of the user changed, and access tokens of the user are still active.
    PasswordChangedTokensStay = "password_changed_tokens_stay",
        "Password changed. Your other sessions were signed out, and applications must be authorized again. The tokens \
         below still work; revoke those you no longer need.";
    /// A session was ended.
    SessionEnded = "session_ended", "Session signed out.";
    /// All other sessions were ended.
    OtherSessionsEnded = "other_sessions_ended", "All other sessions signed out. Applications must be authorized again.";
    /// The privacy of a profile was changed.
    PrivacySaved = "privacy_saved", "Privacy setting saved.";
    /// An administrator set a password of another user.
    UserPasswordSet = "user_password_set", "Password set. Copy it now: it is shown only once.";
    /// A link to choose a password is on its way to another user.
    UserPasswordLinkSent = "user_password_link_sent", "A link to choose a new password is on its way.";
    /// The second factor is off.
    SecondFactorOff = "second_factor_off", "Two-factor authentication turned off.";
    /// A personal access token was created.
    TokenCreated = "token_created", "Token created. Copy it now: it is shown only once.";
    /// A personal access token was replaced by a successor.
    TokenRotated = "token_rotated", "Token rotated. The old one no longer works. Copy the new one now: it is shown only once.";
    /// A personal access token was revoked.
    TokenRevoked = "token_revoked", "Token revoked. It no longer works.";
    /// All personal access tokens of the user were revoked.
    AllTokensRevoked = "all_tokens_revoked", "All tokens revoked. They no longer work.";
    /// A personal access token was already revoked, so it was not rotated.
    TokenAlreadyRevoked = "token_already_revoked", "Token not rotated: it was already revoked.";
    /// A silence was created or changed.
    SilenceSaved = "silence_saved", "Silence saved. Channels get no messages about its alerts until it ends.";
    /// A silence was ended.
    SilenceEnded = "silence_ended", "Silence ended. Channels get its alerts that still fire.";
    /// A runner was created.
    RunnerCreated = "runner_created", "Runner created. Copy its token now: it is shown only once.";
    /// A runner was paused.
    RunnerPaused = "runner_paused", "Runner paused.";
    /// A runner was resumed.
    RunnerResumed = "runner_resumed", "Runner resumed.";
    /// A runner was deleted.
    RunnerDeleted = "runner_deleted", "Runner deleted. Its token no longer works.";
    /// The registration token of a place was reset.
    RegistrationTokenReset = "registration_token_reset", "Registration token reset. Copy the new one now: it is shown only once.";
    /// An application was registered.
    ApplicationRegistered = "application_registered", "Application registered.";
    /// The secret of an application was renewed.
    SecretRenewed = "secret_renewed", "Secret renewed. The old one no longer works.";
    /// An application was changed.
    ApplicationSaved = "application_saved", "Application saved.";
    /// An application was deleted.
    ApplicationDeleted = "application_deleted", "Application deleted. Its tokens no longer work.";
    /// The authorization of an application was revoked.
    AuthorizationRevoked = "authorization_revoked", "Authorization revoked. The application can no longer act for you.";
    /// An alert was acknowledged.
    AlertAcknowledged = "alert_acknowledged", "Alert acknowledged.";
    /// An alert was resolved.
    AlertResolved = "alert_resolved", "Alert resolved.";
    /// An alert was ignored.
    AlertIgnored = "alert_ignored", "Alert ignored.";
    /// An alert was reopened.
    AlertReopened = "alert_reopened", "Alert reopened.";
    /// The severity of an alert was changed.
    AlertSeverityChanged = "alert_severity_changed", "Severity changed.";
    /// The assignee of an alert was changed.
    AlertAssigneeChanged = "alert_assignee_changed", "Assignee changed.";
    /// Several alerts were changed.
    AlertsChanged = "alerts_changed", "Selected alerts updated.";
    /// Several alerts were changed, and others could not be opened again.
    AlertsPartlyChanged = "alerts_partly_changed",
        "Selected alerts updated, except those with the fingerprint of another open alert.";
    /// An incident was created for an alert.
    IncidentCreated = "incident_created", "Incident created.";
    /// An alert was linked to an incident.
    IncidentLinked = "incident_linked", "Alert added to this incident.";
    /// An alert was unlinked from its incident.
    IncidentUnlinked = "incident_unlinked", "Alert removed from the incident.";
    /// The settings for incidents were changed.
    IncidentSettingsSaved = "incident_settings_saved", "Incident settings saved.";
    /// A milestone was created.
    MilestoneCreated = "milestone_created", "Milestone created.";
    /// A milestone was changed.
    MilestoneSaved = "milestone_saved", "Milestone saved.";
    /// A milestone was closed.
    MilestoneClosed = "milestone_closed", "Milestone closed.";
    /// A milestone was reopened.
    MilestoneReopened = "milestone_reopened", "Milestone reopened.";
    /// A milestone was deleted.
    MilestoneDeleted = "milestone_deleted", "Milestone deleted.";
    /// A snippet was created.
    SnippetCreated = "snippet_created", "Snippet created.";
    /// A snippet was changed.
    SnippetSaved = "snippet_saved", "Snippet saved.";
    /// A snippet was deleted.
    SnippetDeleted = "snippet_deleted", "Snippet deleted.";
    /// A label was created.
    LabelCreated = "label_created", "Label created.";
    /// A label was changed.
    LabelSaved = "label_saved", "Label saved.";
    /// A label was deleted.
    LabelDeleted = "label_deleted", "Label deleted.";
    /// A user was created.
    UserCreated = "user_created", "User created. Copy the password now: it is shown only once.";
    /// An invitation was created.
    InvitationCreated = "invitation_created", "Invitation created. Copy the link now: it is shown only once.";
    /// A link to choose a new password was requested.
    PasswordLinkSent = "password_link_sent", "If there is such an account, a message with a link is on its way to its email address.";
    /// No link to choose a new password was sent.
    NoPasswordLink = "no_password_link", "No link sent. Enter a username or email address.";
    /// A forgotten password was replaced.
    PasswordReset = "password_reset", "Password changed. Sign in with the new one.";
    /// A forgotten password was replaced, and access tokens of the user are still active.
    PasswordResetTokensStay = "password_reset_tokens_stay",
        "Password changed. Access tokens of the account still work: sign in with the new password to see them and revoke those \
         you no longer need.";
    /// The messages of a notification channel that waited were cancelled.
    QueueCancelled = "queue_cancelled", "Messages cancelled.";
    /// An invitation was revoked.
    InvitationRevoked = "invitation_revoked", "Invitation revoked. Its link no longer works.";
    /// A user was changed.
    UserSaved = "user_saved", "User saved.";
    /// The state of a user was changed.
    UserStateChanged = "user_state_changed", "State of the user changed.";
    /// The deletion of a user started.
    UserDeleted = "user_deleted", "User deleted. The rest of their data is deleted within minutes.";
    /// An issue was created.
    IssueCreated = "issue_created", "Issue created.";
    /// An issue was changed.
    IssueSaved = "issue_saved", "Issue saved.";
    /// An issue was closed.
    IssueClosed = "issue_closed", "Issue closed.";
    /// An issue was reopened.
    IssueReopened = "issue_reopened", "Issue reopened.";
    /// A comment was written.
    CommentCreated = "comment_written", "Comment added.";
    /// A comment was changed.
    CommentSaved = "comment_saved", "Comment saved.";
    /// A comment was deleted.
    CommentDeleted = "comment_deleted", "Comment deleted.";
    /// A group was created.
    GroupCreated = "group_created", "Group created.";
    /// A group was changed.
    GroupSaved = "group_saved", "Group saved.";
    /// A group was moved.
    GroupMoved = "group_moved", "Group moved, with everything in it.";
    /// A group was scheduled for deletion.
    GroupDeletionScheduled = "group_deletion_scheduled", "Group scheduled for deletion.";
    /// The deletion of a group was cancelled.
    GroupRestored = "group_restored", "Group restored, with everything in it.";
    /// A member was added.
    MemberAdded = "member_added", "Member added.";
    /// A role was changed.
    MemberSaved = "member_saved", "Member saved.";
    /// A member was removed.
    MemberRemoved = "member_removed", "Member removed.";
    /// A member left a project or group.
    PlaceLeft = "place_left", "You left, and no longer have a role there.";
    /// A project was shared with a group.
    ShareAdded = "share_added", "Project shared with the group.";
    /// A share was ended.
    ShareEnded = "share_ended", "Share removed.";
    /// A project was created.
    ProjectCreated = "project_created", "Project created.";
    /// A project was changed.
    ProjectSaved = "project_saved", "Project saved.";
    /// A project was archived.
    ProjectArchived = "project_archived", "Project archived. Its issues, alerts and labels can no longer be changed.";
    /// A project was unarchived.
    ProjectUnarchived = "project_unarchived", "Project unarchived.";
    /// A project was moved.
    ProjectTransferred = "project_transferred", "Project transferred.";
    /// The deletion of a project was cancelled.
    ProjectRestored = "project_restored", "Project restored.";
    /// The key of an alert endpoint was renewed.
    KeyRenewed = "key_renewed", "Key renewed. The old one no longer works.";
    /// The key of an alert endpoint was renewed, and the old one stays valid for a while.
    KeyRotated = "key_rotated", "Key renewed. The old one works until the end of its grace period.";
    /// An alert endpoint was created.
    EndpointCreated = "endpoint_created", "Endpoint created.";
    /// The rules of an alert endpoint were changed.
    EndpointChanged = "endpoint_changed", "Endpoint updated.";
    /// An alert endpoint was deleted.
    EndpointDeleted = "endpoint_deleted", "Endpoint deleted. Its alerts and receipts stay.";
    /// An alert endpoint was enabled.
    EndpointEnabled = "endpoint_enabled", "Endpoint turned on.";
    /// An alert endpoint was disabled.
    EndpointDisabled = "endpoint_disabled", "Endpoint turned off. It refuses all requests.";
    /// A notification channel was created.
    ChannelCreated = "channel_created", "Channel created. Send a test to see whether it works.";
    /// A notification channel was changed.
    ChannelChanged = "channel_changed", "Channel updated.";
    /// A notification channel was enabled.
    ChannelEnabled = "channel_enabled", "Channel turned on.";
    /// A notification channel was disabled.
    ChannelDisabled = "channel_disabled", "Channel turned off. Messages that waited are cancelled.";
    /// A test message was written.
    ChannelTested = "channel_tested", "The test message is on its way. Reload the page to see what the receiver answered.";
    /// The signing secret of a webhook was replaced.
    ChannelSecretRotated = "channel_secret_rotated", "New signing secret created. Give it to the receiver.";
    /// A notification channel was deleted.
    ChannelDeleted = "channel_deleted", "Channel deleted.";
    /// An on-call schedule was created.
    ScheduleCreated = "schedule_created", "Schedule created.";
    /// An on-call schedule was changed.
    ScheduleChanged = "schedule_changed", "Schedule updated.";
    /// An on-call schedule was deleted.
    ScheduleDeleted = "schedule_deleted", "Schedule deleted.";
    /// An override of an on-call schedule was created.
    OverrideCreated = "override_created", "Override added.";
    /// An override of an on-call schedule was deleted.
    OverrideDeleted = "override_deleted", "Override removed.";
    /// A monitor was deleted.
    MonitorDeleted = "monitor_deleted", "Monitor deleted.";
    /// Errors of a list were changed.
    ErrorsChanged = "errors_changed", "Errors updated.";
    /// An error was resolved.
    ErrorResolved = "error_resolved", "Error resolved. If it happens again, it is reopened.";
    /// An error was ignored.
    ErrorIgnored = "error_ignored", "Error ignored.";
    /// An error was reopened.
    ErrorReopened = "error_reopened", "Error reopened.";
    /// An error was assigned or linked.
    ErrorSaved = "error_saved", "Error saved.";
    /// An issue about an error was created.
    ErrorIssueOpened = "error_issue_opened", "Issue created and linked. Closing it resolves the error.";
    /// An error was merged into another one.
    ErrorsMerged = "errors_merged", "Errors merged. This one has all events now.";
    /// Events were split off from an error.
    ErrorSplit = "error_split", "Events split off. They are an error of their own now.";
    /// An error was deleted.
    ErrorDeleted = "error_deleted", "Error deleted, with its events.";
    /// Error tracking was enabled.
    ErrorTrackingOn = "error_tracking_on", "Error tracking turned on. Paste the lines below into your program.";
    /// Error tracking was disabled.
    ErrorTrackingOff = "error_tracking_off", "Error tracking turned off. Reports from programs are refused.";
    /// An external tracker was connected.
    TrackerConnected = "tracker_connected", "Errors are now read from the external tracker.";
    /// The options of error tracking were changed.
    ErrorOptionsSaved = "error_options_saved", "Options saved.";
    /// A client key was created.
    ClientKeyCreated = "client_key_made", "Key created. It works immediately.";
    /// A client key was changed.
    ClientKeySaved = "client_key_saved", "Key saved.";
    /// A client key was deleted.
    ClientKeyDeleted = "client_key_deleted", "Key deleted. Programs that use it are refused.";
    /// An issue was deleted.
    IssueDeleted = "issue_deleted", "Issue deleted.";
    /// A test alert was received.
    TestReceived = "test_received", "Test received. It created this alert.";
    /// A test was received, but created no alert.
    TestWithoutAlert = "test_without_alert", "Test received. It created no alert.";
}

impl Notice {
    /// Finds the notice with this keyword.
    pub fn parse(word: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|notice| notice.word() == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_word_is_read_back() {
        for notice in Notice::ALL.iter().copied() {
            assert_eq!(Notice::parse(notice.word()), Some(notice));
            assert!(notice.text().ends_with('.'));
        }
        assert_eq!(Notice::parse("<b>hi</b>"), None);
    }
}

//! Id types, one for each kind of id, so that ids of different kinds cannot be mixed up.

/// Declares id types over a signed 64-bit number.
macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident;)+) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize)]
        #[serde(transparent)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[cfg_attr(feature = "serde", derive(serde::Deserialize))]
        pub struct $name(i64);

        impl $name {
            /// Wraps a number from a database or a path. Does not check that the resource exists.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// Returns the bare number, for a statement or a body.
            pub const fn get(self) -> i64 {
                self.0
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.0.fmt(f)
            }
        }
    )+};
}

ids! {
    /// Id of a user: a person or a bot.
    UserId;
    /// Id of a personal, project, group or impersonation access token.
    TokenId;
    /// Id of a deploy token.
    DeployTokenId;
    /// Id of a user's or a group's namespace.
    NamespaceId;
    /// Id of a project.
    ProjectId;
    /// Id of an alert, unique across all projects.
    AlertId;
    /// Number of an alert within its project, counted from 1. Unique only within the project.
    AlertIid;
    /// Id of a silence, unique across all projects.
    SilenceId;
    /// Id of an alert endpoint.
    IntegrationId;
    /// Id of the receipt of one intake request.
    ReceiptId;
    /// Id of an entry of the activity feed.
    EventId;
    /// Id of a signed-in browser's session.
    SessionId;
    /// Id of an application that acts for users: a client, in the terms of RFC 6749.
    ApplicationId;
    /// Id of a grant: one authorization of an application by a user, with all tokens issued under it.
    GrantId;
    /// Id of a pair of an access token and a refresh token.
    TokenPairId;
    /// Id of a key that signs id tokens.
    SigningKeyId;
    /// Id of an entry of the audit log.
    AuditEntryId;
    /// Id of an invitation to register.
    InvitationId;
    /// Id of a share of a project with a group.
    ShareId;
    /// Id of a label of a project.
    LabelId;
    /// Id of a milestone, unique across all projects.
    MilestoneId;
    /// Number of a milestone within its project, counted from 1. Unique only within the project.
    MilestoneIid;
    /// Id of a pending deletion.
    DeletionId;
    /// Id of an issue, unique across all projects.
    IssueId;
    /// Number of an issue within its project, counted from 1. Unique only within the project.
    IssueIid;
    /// Id of a note on an issue or an alert.
    NoteId;
    /// Id of a snippet of a user or a project.
    SnippetId;
    /// Id of a client key, with which programs report errors.
    ClientKeyId;
    /// Id of an error, unique across all projects.
    ErrorId;
    /// Number of an error within its project, counted from 1. Unique only within the project.
    ErrorIid;
    /// Id of a grouping key of events. An error has one, or several after a merge.
    ErrorKeyId;
    /// Id of an event of an error, assigned by this server and not by the sender.
    ErrorEventId;
    /// Id of user feedback on an error.
    ErrorCommentId;
    /// Id of a file attached to an event of an error.
    AttachmentId;
    /// Id of a monitor: the check-ins of one job in one environment.
    MonitorId;
    /// Id of a pipeline, unique across all projects.
    PipelineId;
    /// Id of a runner.
    RunnerId;
    /// Number of a pipeline within its project, counted from 1. Unique only within the project.
    PipelineIid;
    /// Id of a job of a pipeline: a named status reported by an external CI system.
    JobId;
    /// Id of an environment of a project.
    EnvironmentId;
    /// Id of a deployment to an environment, unique across all projects.
    DeploymentId;
    /// Number of a deployment within its project, counted from 1. Unique only within the project.
    DeploymentIid;
    /// Id of a record of content held as possible spam.
    SpamLogId;
    /// Id of an image repository in a container registry.
    ImageRepositoryId;
    /// Id of a channel through which a project sends messages.
    ChannelId;
    /// Id of a message of the outbox.
    MessageId;
    /// Id of an on-call schedule.
    ScheduleId;
    /// Id of an override of an on-call schedule, unique across all schedules.
    OverrideId;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_prints_and_serializes_as_its_number() {
        let id = ProjectId::new(42);
        assert_eq!(id.to_string(), "42");
        assert_eq!(serde_json::to_string(&id).unwrap(), "42");
    }
}

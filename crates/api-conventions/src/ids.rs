//! One type for each kind of id, so that one can never be passed for another.

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
            /// The id with this number. The number is what a database or a path gave; it is not checked to exist.
            pub const fn new(number: i64) -> Self {
                Self(number)
            }

            /// The bare number, for a statement or a body.
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
    /// A person or a bot with an account.
    UserId;
    /// A personal, project, group or impersonation access token.
    TokenId;
    /// A user's or a group's namespace.
    NamespaceId;
    /// A project.
    ProjectId;
    /// An alert, unique across all projects.
    AlertId;
    /// An alert within its project, counted from 1. It means nothing without the project.
    AlertIid;
    /// An endpoint that receives alerts.
    IntegrationId;
    /// The record of one intake request.
    ReceiptId;
    /// An entry of the activity feed.
    EventId;
    /// A browser that somebody signed in with.
    SessionId;
    /// An application that acts for users: a client, in the words of RFC 6749.
    ApplicationId;
    /// What a user permitted an application once, and all tokens that came of it.
    GrantId;
    /// A pair of an access token and a refresh token.
    TokenPairId;
    /// A key that signs id tokens.
    SigningKeyId;
    /// An entry of the audit log.
    AuditEntryId;
    /// A share of a project with a group.
    ShareId;
    /// A label of a project.
    LabelId;
    /// A milestone, unique across all projects.
    MilestoneId;
    /// A milestone within its project, counted from 1. It means nothing without the project.
    MilestoneIid;
    /// Something that is to be deleted.
    DeletionId;
    /// An issue, unique across all projects.
    IssueId;
    /// An issue within its project, counted from 1. It means nothing without the project.
    IssueIid;
    /// A note on an issue or an alert.
    NoteId;
    /// A client key, by which programs report their errors.
    ClientKeyId;
    /// An error that programs report, unique across all projects.
    ErrorId;
    /// An error within its project, counted from 1. It means nothing without the project.
    ErrorIid;
    /// A key that puts events together: an error has one, or several that were merged.
    ErrorKeyId;
    /// An event of an error, by our number and not by the one that its sender made.
    ErrorEventId;
    /// What a user of a program wrote about an error.
    ErrorCommentId;
    /// A file that came with an event of an error.
    AttachmentId;
    /// A pipeline, unique across all projects.
    PipelineId;
    /// A pipeline within its project, counted from 1. It means nothing without the project.
    PipelineIid;
    /// A job of a pipeline: the status that an external CI system reports under a name.
    JobId;
    /// An environment of a project.
    EnvironmentId;
    /// A deployment to an environment, unique across all projects.
    DeploymentId;
    /// A deployment within its project, counted from 1. It means nothing without the project.
    DeploymentIid;
    /// Something that was held because it looks like spam.
    SpamLogId;
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

//! Status of jobs and pipelines.

api_conventions::named! {
    /// Status of a job or a pipeline.
    #[derive(Default)]
    pub enum CiStatus {
        /// Created; nothing was reported yet.
        #[default]
        Created = 0, "created";
        /// Waiting to run.
        Pending = 1, "pending";
        /// Running.
        Running = 2, "running";
        /// Succeeded.
        Success = 3, "success";
        /// Failed.
        Failed = 4, "failed";
        /// Canceled.
        Canceled = 5, "canceled";
        /// Skipped: it did not run and need not run.
        Skipped = 6, "skipped";
    }
}

impl CiStatus {
    /// True if no further status is expected.
    pub const fn is_finished(self) -> bool {
        matches!(
            self,
            Self::Success | Self::Failed | Self::Canceled | Self::Skipped
        )
    }
}

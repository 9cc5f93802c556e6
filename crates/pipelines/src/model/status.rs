//! The status of jobs and pipelines.

api_conventions::named! {
    /// How a job or a pipeline stands.
    #[derive(Default)]
    pub enum CiStatus {
        /// It is known, and nothing was reported yet.
        #[default]
        Created = 0, "created";
        /// It waits to be run.
        Pending = 1, "pending";
        /// It runs.
        Running = 2, "running";
        /// It ended well.
        Success = 3, "success";
        /// It ended badly.
        Failed = 4, "failed";
        /// Somebody ended it.
        Canceled = 5, "canceled";
        /// It was not run, and need not be.
        Skipped = 6, "skipped";
    }
}

impl CiStatus {
    /// Whether nothing follows by itself.
    pub const fn is_finished(self) -> bool {
        matches!(
            self,
            Self::Success | Self::Failed | Self::Canceled | Self::Skipped
        )
    }
}

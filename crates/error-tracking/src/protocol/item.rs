//! The types of items in envelopes, and the categories by which SDKs are limited.

/// What an item is, as far as we care.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An error or a message.
    Event,
    /// A session that changed.
    Session,
    /// Counts of sessions.
    Sessions,
    /// What the SDK itself dropped, and why.
    ClientReport,
    /// A file that belongs to an event.
    Attachment,
    /// What a user wrote about an event, in the old form.
    UserReport,
    /// What a user wrote, in the new form.
    Feedback,
    /// Something that we take and throw away, counted in its category.
    Dropped(Category),
    /// A type that nobody here knows: passed over.
    Unknown,
}

impl ItemKind {
    /// The kind of an item with this type.
    pub fn of(name: &str) -> Self {
        match name {
            "event" => Self::Event,
            "session" => Self::Session,
            "sessions" => Self::Sessions,
            "client_report" => Self::ClientReport,
            "attachment" => Self::Attachment,
            "user_report" => Self::UserReport,
            "feedback" => Self::Feedback,
            "transaction" => Self::Dropped(Category::Transaction),
            "span" => Self::Dropped(Category::Span),
            "profile" => Self::Dropped(Category::Profile),
            "profile_chunk" => Self::Dropped(Category::ProfileChunk),
            "check_in" => Self::Dropped(Category::Monitor),
            "replay_event" | "replay_recording" | "replay_video" => Self::Dropped(Category::Replay),
            "log" | "otel_log" => Self::Dropped(Category::LogItem),
            "trace_metric" | "statsd" | "metric_buckets" => Self::Dropped(Category::TraceMetric),
            _ => Self::Unknown,
        }
    }

    /// The category by which an SDK is limited; none where nothing is counted.
    pub const fn category(self) -> Option<Category> {
        match self {
            Self::Event => Some(Category::Error),
            Self::Session | Self::Sessions => Some(Category::Session),
            Self::Attachment => Some(Category::Attachment),
            Self::UserReport | Self::Feedback => Some(Category::Feedback),
            Self::Dropped(category) => Some(category),
            Self::ClientReport | Self::Unknown => None,
        }
    }
}

api_conventions::named! {
    /// A category of what SDKs send, by the words of limits and reports of losses.
    pub enum Category {
        /// What has no other category.
        Default = 0, "default";
        /// Events.
        Error = 1, "error";
        /// Transactions.
        Transaction = 2, "transaction";
        /// Reports of browsers' security policies.
        Security = 3, "security";
        /// Files.
        Attachment = 4, "attachment";
        /// Sessions.
        Session = 5, "session";
        /// Profiles.
        Profile = 6, "profile";
        /// Parts of profiles.
        ProfileChunk = 7, "profile_chunk";
        /// Replays.
        Replay = 8, "replay";
        /// What users wrote.
        Feedback = 9, "feedback";
        /// Reports of jobs that run by the clock.
        Monitor = 10, "monitor";
        /// Spans.
        Span = 11, "span";
        /// Log entries.
        LogItem = 12, "log_item";
        /// Bytes of log entries.
        LogByte = 13, "log_byte";
        /// Metrics.
        TraceMetric = 14, "trace_metric";
        /// What SDKs count about themselves.
        Internal = 15, "internal";
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn categories_are_found_by_word_and_number() {
        for category in Category::ALL.iter().copied() {
            assert_eq!(Category::parse(category.as_str()), Some(category));
            assert_eq!(Category::from_number(category.number()), Some(category));
        }
        assert_eq!(Category::parse("other"), None);
        assert_eq!(Category::from_number(99), None);
    }

    #[test]
    fn what_a_client_must_not_send_is_unknown() {
        for name in ["security", "unreal_report", "form_data", "", "EVENT"] {
            assert_eq!(ItemKind::of(name), ItemKind::Unknown, "{name}");
        }
        assert_eq!(ItemKind::of("event").category(), Some(Category::Error));
        assert_eq!(ItemKind::of("client_report").category(), None);
    }
}

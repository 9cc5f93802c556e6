//! Types of envelope items, and the categories by which SDKs are rate limited.

/// Kind of an item, as far as this server distinguishes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ItemKind {
    /// An error or a message.
    Event,
    /// An update of a session.
    Session,
    /// Aggregated counts of sessions.
    Sessions,
    /// A client report: items that the SDK discarded itself, with the reasons.
    ClientReport,
    /// A check-in of a job.
    CheckIn,
    /// An attachment of an event.
    Attachment,
    /// User feedback about an event, in the old format.
    UserReport,
    /// User feedback, in the new format.
    Feedback,
    /// An item that is accepted but not stored, and counted in its category.
    Dropped(Category),
    /// An unknown type, which is skipped.
    Unknown,
}

impl ItemKind {
    /// Kind of an item with this type.
    pub fn of(name: &str) -> Self {
        match name {
            "event" => Self::Event,
            "session" => Self::Session,
            "sessions" => Self::Sessions,
            "client_report" => Self::ClientReport,
            "check_in" => Self::CheckIn,
            "attachment" => Self::Attachment,
            "user_report" => Self::UserReport,
            "feedback" => Self::Feedback,
            "transaction" => Self::Dropped(Category::Transaction),
            "span" => Self::Dropped(Category::Span),
            "profile" => Self::Dropped(Category::Profile),
            "profile_chunk" => Self::Dropped(Category::ProfileChunk),
            "replay_event" | "replay_recording" | "replay_video" => Self::Dropped(Category::Replay),
            "log" | "otel_log" => Self::Dropped(Category::LogItem),
            "trace_metric" | "statsd" | "metric_buckets" => Self::Dropped(Category::TraceMetric),
            _ => Self::Unknown,
        }
    }

    /// Category by which an SDK is rate limited; `None` if the item is not counted.
    pub const fn category(self) -> Option<Category> {
        match self {
            Self::Event => Some(Category::Error),
            Self::Session | Self::Sessions => Some(Category::Session),
            Self::CheckIn => Some(Category::Monitor),
            Self::Attachment => Some(Category::Attachment),
            Self::UserReport | Self::Feedback => Some(Category::Feedback),
            Self::Dropped(category) => Some(category),
            Self::ClientReport | Self::Unknown => None,
        }
    }
}

api_conventions::named! {
    /// Category of items, in the words of rate limits and client reports.
    pub enum Category {
        /// Items that have no other category.
        Default = 0, "default";
        /// Events.
        Error = 1, "error";
        /// Transactions.
        Transaction = 2, "transaction";
        /// Security policy reports of browsers.
        Security = 3, "security";
        /// Attachments.
        Attachment = 4, "attachment";
        /// Sessions.
        Session = 5, "session";
        /// Profiles.
        Profile = 6, "profile";
        /// Parts of profiles.
        ProfileChunk = 7, "profile_chunk";
        /// Replays.
        Replay = 8, "replay";
        /// User feedback.
        Feedback = 9, "feedback";
        /// Check-ins of scheduled jobs.
        Monitor = 10, "monitor";
        /// Spans.
        Span = 11, "span";
        /// Log entries.
        LogItem = 12, "log_item";
        /// Bytes of log entries.
        LogByte = 13, "log_byte";
        /// Metrics.
        TraceMetric = 14, "trace_metric";
        /// Data that SDKs count about themselves.
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
    fn item_types_clients_must_not_send_are_unknown() {
        for name in ["security", "unreal_report", "form_data", "", "EVENT"] {
            assert_eq!(ItemKind::of(name), ItemKind::Unknown, "{name}");
        }
        assert_eq!(ItemKind::of("event").category(), Some(Category::Error));
        assert_eq!(ItemKind::of("client_report").category(), None);
    }
}

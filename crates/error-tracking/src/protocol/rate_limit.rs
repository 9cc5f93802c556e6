//! How the server makes SDKs send less. They read the header of every response, also of a success, and drop what it names for so long.

use super::item::Category;

/// The name of the header.
pub const HEADER: &str = "X-Sentry-Rate-Limits";

/// Whom a limit is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitScope {
    /// Everybody who sends to the project.
    Project,
    /// Everybody who sends with the key.
    Key,
}

/// A limit that is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    /// For how many seconds nothing is to be sent. Short: a dropped event never comes again, and the next response repeats the limit.
    pub seconds: u32,
    /// Of what. Never empty: an empty list would silence everything, reports of losses included.
    pub categories: &'static [Category],
    /// Whom it is about.
    pub scope: LimitScope,
    /// Why, as SDKs count it in their reports.
    pub reason: &'static str,
}

impl RateLimit {
    /// What is limited when errors are: nothing else is held back with them.
    pub const ERRORS: &'static [Category] =
        &[Category::Error, Category::Default, Category::Security];

    /// The limit of a quota that is used up. It is short, so that an SDK notices soon when there is room again.
    pub const QUOTA: Self = Self {
        seconds: 60,
        categories: Self::ERRORS,
        scope: LimitScope::Project,
        reason: "quota",
    };
}

/// The value of the header; none where nothing is limited.
pub fn header(limits: &[RateLimit]) -> Option<String> {
    let texts = limits.iter().filter(|limit| !limit.categories.is_empty());
    let texts: Vec<String> = texts.map(text).collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

fn text(limit: &RateLimit) -> String {
    let categories: Vec<&str> = limit
        .categories
        .iter()
        .map(|category| category.as_str())
        .collect();
    let scope = match limit.scope {
        LimitScope::Project => "project",
        LimitScope::Key => "key",
    };
    format!(
        "{}:{}:{scope}:{}",
        limit.seconds,
        categories.join(";"),
        limit.reason
    )
}

/// The value of `Retry-After`, which stands beside the header for those who do not read it: the longest of the limits, in seconds.
pub fn retry_after(limits: &[RateLimit]) -> Option<u32> {
    limits.iter().map(|limit| limit.seconds).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_told_by_category_and_scope() {
        let limits = [
            RateLimit {
                seconds: 10,
                categories: RateLimit::ERRORS,
                scope: LimitScope::Key,
                reason: "key_quota",
            },
            RateLimit {
                seconds: 60,
                categories: &[Category::Session],
                scope: LimitScope::Project,
                reason: "project_quota",
            },
        ];
        assert_eq!(
            header(&limits).as_deref(),
            Some("10:error;default;security:key:key_quota, 60:session:project:project_quota")
        );
        assert_eq!(retry_after(&limits), Some(60));
    }

    #[test]
    fn nothing_is_silenced_by_mistake() {
        let all = RateLimit {
            seconds: 1,
            categories: &[],
            scope: LimitScope::Key,
            reason: "x",
        };
        assert_eq!(header(&[all]), None);
        assert_eq!((header(&[]), retry_after(&[])), (None, None));
    }
}

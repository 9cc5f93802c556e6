//! Rate limits sent to SDKs.
//! They read the header of every response, also of a success, and drop the named categories for the given time.

use super::item::Category;

/// Name of the header.
pub const HEADER: &str = "X-Sentry-Rate-Limits";

/// Scope of a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitScope {
    /// All senders to the project.
    Project,
    /// All senders with the key.
    Key,
}

/// Limit that is reached.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RateLimit {
    /// Seconds for which nothing may be sent.
    /// Short: a dropped event is lost, and the next response repeats the limit.
    pub seconds: u32,
    /// Categories that are limited.
    /// Never empty: an empty list would silence everything, client reports included.
    pub categories: &'static [Category],
    /// Scope of the limit.
    pub scope: LimitScope,
    /// Reason, as SDKs count it in their client reports.
    pub reason: &'static str,
}

impl RateLimit {
    /// Categories of a limit on errors: nothing else is held back with them.
    pub const ERRORS: &'static [Category] =
        &[Category::Error, Category::Default, Category::Security];

    /// Limit for a quota that is used up.
    /// Short, so that an SDK soon notices when there is room again.
    pub const QUOTA: Self = Self {
        seconds: 60,
        categories: Self::ERRORS,
        scope: LimitScope::Project,
        reason: "quota",
    };
}

/// Value of the header; `None` if nothing is limited.
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

/// Value of `Retry-After`, for clients that do not read the other header: the longest limit, in seconds.
pub fn retry_after(limits: &[RateLimit]) -> Option<u32> {
    limits.iter().map(|limit| limit.seconds).max()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_header_lists_limits_by_category_and_scope() {
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
    fn limits_without_categories_are_not_sent() {
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

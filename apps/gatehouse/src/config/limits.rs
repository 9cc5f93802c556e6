//! Section of the rate limits of requests.

use super::load::ConfigReader;

/// Upper bound of the requests of a limit.
const MAX_REQUESTS: u32 = 1_000_000;
/// Upper bound of the window of a limit: one day, in seconds.
const MAX_SECONDS: u32 = 86_400;

/// Rate limit of requests. Its name is that of its setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RequestLimit {
    /// All API calls without credentials, by address.
    UnauthenticatedApi,
    /// All API calls of a user.
    AuthenticatedApi,
    /// All pages without a session, by address.
    UnauthenticatedWeb,
    /// All pages of a user.
    AuthenticatedWeb,
    /// Forms that verify a password or a second factor, by address or user.
    ProtectedPaths,
    /// Requests to `/oauth/token`, by address.
    TokenEndpoint,
    /// New issues of a user.
    IssueCreation,
    /// New notes of a user.
    NoteCreation,
    /// Searches of a user.
    Search,
    /// Searches without credentials, by address.
    AnonymousSearch,
    /// Users that a user gets by their id, unless that user is an administrator.
    UserLookup,
    /// Lists of projects without credentials, by address.
    AnonymousProjectList,
    /// Members that a user removes.
    MemberDeletion,
    /// Lists of jobs of a user.
    JobList,
}

impl RequestLimit {
    /// All limits.
    pub const ALL: [Self; 14] = [
        Self::UnauthenticatedApi,
        Self::AuthenticatedApi,
        Self::UnauthenticatedWeb,
        Self::AuthenticatedWeb,
        Self::ProtectedPaths,
        Self::TokenEndpoint,
        Self::IssueCreation,
        Self::NoteCreation,
        Self::Search,
        Self::AnonymousSearch,
        Self::UserLookup,
        Self::AnonymousProjectList,
        Self::MemberDeletion,
        Self::JobList,
    ];

    /// Returns the name in settings, headers and declarations of operations.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UnauthenticatedApi => "unauthenticated_api",
            Self::AuthenticatedApi => "authenticated_api",
            Self::UnauthenticatedWeb => "unauthenticated_web",
            Self::AuthenticatedWeb => "authenticated_web",
            Self::ProtectedPaths => "protected_paths",
            Self::TokenEndpoint => "token_endpoint",
            Self::IssueCreation => "issue_creation",
            Self::NoteCreation => "note_creation",
            Self::Search => "search",
            Self::AnonymousSearch => "anonymous_search",
            Self::UserLookup => "user_lookup",
            Self::AnonymousProjectList => "anonymous_project_list",
            Self::MemberDeletion => "member_deletion",
            Self::JobList => "job_list",
        }
    }

    /// True for the limits of all calls and of forms, which are refused in plain text.
    pub const fn is_of_all(self) -> bool {
        matches!(
            self,
            Self::UnauthenticatedApi
                | Self::AuthenticatedApi
                | Self::UnauthenticatedWeb
                | Self::AuthenticatedWeb
                | Self::ProtectedPaths
        )
    }

    /// True for the limits that count only requests with a search text.
    pub const fn is_search(self) -> bool {
        matches!(self, Self::Search | Self::AnonymousSearch)
    }

    /// Returns the limit with a name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|limit| limit.name() == name)
    }
}

/// Requests that a caller may send in each window of time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestQuota {
    /// Number of requests, at least 1.
    pub requests: u32,
    /// Length of the window in seconds, at least 1.
    pub seconds: u32,
}

impl RequestQuota {
    /// Parses `300/60s`.
    fn parse(text: &str) -> Option<Self> {
        let (requests, seconds) = text.strip_suffix('s')?.split_once('/')?;
        let quota = Self {
            requests: requests.parse().ok()?,
            seconds: seconds.parse().ok()?,
        };
        let is_valid = (1..=MAX_REQUESTS).contains(&quota.requests)
            && (1..=MAX_SECONDS).contains(&quota.seconds);
        is_valid.then_some(quota)
    }
}

/// Rate limits of requests.
#[derive(Debug, Clone, Copy)]
pub struct LimitSettings {
    quotas: [Option<RequestQuota>; RequestLimit::ALL.len()],
}

impl LimitSettings {
    /// Returns the quota of a limit; `None` if the limit is off.
    pub fn quota(&self, limit: RequestLimit) -> Option<RequestQuota> {
        let all = RequestLimit::ALL.into_iter().zip(self.quotas);
        let mut found = all.filter(|(one, _)| *one == limit);
        found.next().and_then(|(_, quota)| quota)
    }
}

impl ConfigReader {
    pub(super) fn limits(&mut self) -> LimitSettings {
        let is_enabled = self.value("limits.enabled");
        let quotas = RequestLimit::ALL.map(|limit| self.quota(limit));
        LimitSettings {
            quotas: quotas.map(|quota| quota.filter(|_| is_enabled)),
        }
    }

    fn quota(&mut self, limit: RequestLimit) -> Option<RequestQuota> {
        let key = format!("limits.{}", limit.name());
        let text = self.optional::<String>(&key)?;
        let text = text.trim();
        if text == "0" {
            return None;
        }
        let quota = RequestQuota::parse(text);
        if quota.is_none() {
            let rule = format!(
                "must be requests and seconds such as 300/60s, at most {MAX_REQUESTS}/{MAX_SECONDS}s, or 0 for no limit"
            );
            self.fault(&key, &rule);
        }
        quota
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotas_are_requests_and_seconds() {
        let quota = |requests, seconds| Some(RequestQuota { requests, seconds });
        for (text, expected) in [
            ("300/60s", quota(300, 60)),
            ("1/1s", quota(1, 1)),
            ("1000000/86400s", quota(1_000_000, 86_400)),
            ("0", None),
            ("", None),
            ("300", None),
            ("300/60", None),
            ("300/s", None),
            ("0/60s", None),
            ("1/0s", None),
            ("-1/60s", None),
            ("1000001/60s", None),
            ("1/86401s", None),
            ("300 / 60s", None),
            ("300/60m", None),
        ] {
            assert_eq!(RequestQuota::parse(text), expected, "{text}");
        }
    }

    #[test]
    fn every_limit_has_a_name_of_its_own_and_a_setting() {
        for limit in RequestLimit::ALL {
            assert_eq!(RequestLimit::named(limit.name()), Some(limit));
            let path = format!("limits.{}", limit.name());
            assert!(
                super::super::KEYS.iter().any(|key| key.path == path),
                "{path}"
            );
        }
    }
}

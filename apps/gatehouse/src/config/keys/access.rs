//! Keys of access: OAuth, sessions, passwords, limits and spam.

use super::{ConfigKey, key};

/// Keys in the order of the documentation.
pub(super) const KEYS: &[ConfigKey] = &[
    key(
        "oauth.access_token_seconds",
        "7200",
        "lifetime of access tokens, in seconds",
    ),
    key(
        "oauth.max_access_token_seconds",
        "86400",
        "longest lifetime of access tokens that can be set for one application, in seconds",
    ),
    key(
        "oauth.max_id_token_seconds",
        "86400",
        "longest lifetime of ID tokens that can be set for one application, in seconds; 600 for an application without one",
    ),
    key(
        "oauth.code_seconds",
        "60",
        "lifetime of authorization codes, in seconds, at most 600",
    ),
    key(
        "oauth.consent_seconds",
        "600",
        "seconds that a user may take to answer the consent page",
    ),
    key(
        "oauth.refresh_idle_days",
        "90",
        "days after which an unused refresh token expires",
    ),
    key(
        "oauth.grant_days",
        "365",
        "days after which a user must authorize an application again, however often it refreshes its tokens",
    ),
    key(
        "oauth.refresh_repeat_seconds",
        "10",
        "seconds in which the same refresh token gets the same response again, at most 60; reuse after that revokes the grant",
    ),
    key(
        "oauth.public_clients_need_pkce",
        "true",
        "true to require PKCE from public applications",
    ),
    key(
        "oauth.password_grant",
        "true",
        "true to allow the password grant, which exchanges a username and a password for a token",
    ),
    key(
        "oauth.allow_insecure_redirects",
        "false",
        "true to allow plain http redirect URIs on other machines, for development",
    ),
    key(
        "oauth.signing_algorithm",
        "\"RS256\"",
        "algorithm that signs ID tokens: RS256, ES256 or EdDSA",
    ),
    key(
        "oauth.signing_key_days",
        "90",
        "days after which the key that signs ID tokens is rotated",
    ),
    key(
        "sessions.idle_days",
        "7",
        "days without use after which a browser session ends",
    ),
    key(
        "sessions.absolute_days",
        "30",
        "days after which a browser session ends, even if it is in use",
    ),
    key(
        "sessions.second_factor_minutes",
        "10",
        "minutes between the password and the second factor, at most 60",
    ),
    key(
        "sign_in.max_failures",
        "10",
        "wrong passwords for one account, wrong second factors of one user, or wrong secrets of one application from one address, within the window; further attempts are refused with 429",
    ),
    key(
        "sign_in.max_failures_per_address",
        "100",
        "wrong passwords from one address within the window, and, counted separately, wrong application secrets",
    ),
    key(
        "sign_in.failure_window_minutes",
        "10",
        "minutes after which failed attempts no longer count",
    ),
    key(
        "limits.enabled",
        "true",
        "false turns all of the following limits off",
    ),
    key(
        "limits.unauthenticated_api",
        "\"0\"",
        "API requests without credentials, by address: requests and seconds, such as 3600/3600s; 0 for no limit",
    ),
    key(
        "limits.authenticated_api",
        "\"0\"",
        "API requests of a user, such as 7200/3600s",
    ),
    key(
        "limits.unauthenticated_web",
        "\"0\"",
        "requests for pages without a session, by address",
    ),
    key(
        "limits.authenticated_web",
        "\"0\"",
        "requests for pages of a user",
    ),
    key(
        "limits.protected_paths",
        "\"10/60s\"",
        "forms with a password or a second factor, by address before sign-in and by user after it",
    ),
    key(
        "limits.token_endpoint",
        "\"0\"",
        "requests to /oauth/token, by address; one address may be an application that signs many users in",
    ),
    key(
        "limits.issue_creation",
        "\"300/60s\"",
        "new issues of a user",
    ),
    key("limits.note_creation", "\"300/60s\"", "new notes of a user"),
    key(
        "limits.search",
        "\"30/60s\"",
        "lists of issues with a search text, of a user",
    ),
    key(
        "limits.anonymous_search",
        "\"10/60s\"",
        "the same without credentials, by address",
    ),
    key(
        "limits.user_lookup",
        "\"300/600s\"",
        "GET /users/:id of a user who is not an administrator",
    ),
    key(
        "limits.anonymous_project_list",
        "\"400/600s\"",
        "GET /projects without credentials, by address",
    ),
    key(
        "limits.member_deletion",
        "\"60/60s\"",
        "members that a user removes from projects and groups",
    ),
    key(
        "limits.job_list",
        "\"600/60s\"",
        "lists of the jobs of a project, of a user",
    ),
    key(
        "tokens.impersonation_enabled",
        "true",
        "accept impersonation tokens, which administrators create to act as another user",
    ),
    key(
        "passwords.concurrency",
        "0",
        "passwords hashed at the same time; 0 for one per core",
    ),
    key(
        "passwords.queue",
        "64",
        "passwords that may wait to be hashed; further ones are refused with 503",
    ),
    key(
        "registry.url",
        "",
        "URL at which this server reaches a container registry that trusts its tokens; without it there is none",
    ),
    key(
        "registry.host",
        "",
        "host and port of the registry in the names of images, such as registry.example.com (default: those of registry.url)",
    ),
    key(
        "spam.patterns_file",
        "",
        "file of regular expressions, one per line, ignoring case; a matching public snippet, or public issue from a user without a role, is held as spam",
    ),
    key(
        "spam.max_links",
        "",
        "number of links allowed in such a text (default: no limit)",
    ),
    key(
        "spam.service_url",
        "\"https://rest.akismet.com\"",
        "service that checks such texts, with the comment-check API of Akismet; used if spam.service_key is set",
    ),
    key(
        "spam.service_key",
        "",
        "key for that service; without a key no text is sent to it",
    ),
    key(
        "spam.captcha_url",
        "\"https://www.google.com/recaptcha/api\"",
        "CAPTCHA provider, with the API of reCAPTCHA version 2; used if the site key and the secret are set",
    ),
    key(
        "spam.captcha_site_key",
        "",
        "site key of the CAPTCHA that releases texts held as spam",
    ),
    key("spam.captcha_secret", "", "secret of the CAPTCHA"),
];

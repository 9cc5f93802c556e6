//! The kinds of callers, and their users, tokens and resources.

use api_conventions::access::AccessLevel;
use api_conventions::scope::{Scope, ScopeSet};
use serde_json::{Value, json};

use crate::support::TestServer;
use crate::support::rows::{change, change_and_revoke, number};

/// Authentication state and rights of a caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallerRights {
    /// No credentials.
    Anonymous,
    /// Credentials that are refused with this status wherever they are read.
    Refused(u16),
    /// A user with this role in the project.
    User(Option<AccessLevel>),
    /// An administrator.
    Administrator,
}

/// A kind of caller.
pub(super) struct TestedCaller {
    /// Name in the table.
    pub(super) name: &'static str,
    /// Part of the table.
    pub(super) part: TablePart,
    pub(super) rights: CallerRights,
    /// Scopes of the token.
    pub(super) scopes: ScopeSet,
    /// True if the credential is a personal access token of the caller.
    pub(super) is_personal: bool,
    /// The headers that carry fresh credentials.
    pub(super) headers: Headers,
}

type Headers = Box<dyn Fn(&AuthorizationFixture<'_>) -> Vec<(String, String)>>;

/// The parts of the table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TablePart {
    /// By the caller's user and role.
    People,
    /// By the kind of credentials.
    Credentials,
    /// By the scope.
    Scopes,
}

/// The people of the table, with their roles in the project.
const MEMBERS: [(&str, Option<AccessLevel>); 6] = [
    ("stranger", None),
    ("guest", Some(AccessLevel::Guest)),
    ("reporter", Some(AccessLevel::Reporter)),
    ("developer", Some(AccessLevel::Developer)),
    ("maintainer", Some(AccessLevel::Maintainer)),
    ("owner", Some(AccessLevel::Owner)),
];

/// A private project in a private group, both with a member of every role.
pub(super) struct AuthorizationFixture<'s> {
    pub(super) server: &'s TestServer,
    /// The number of an alert in the project.
    pub(super) alert: Value,
    /// The group of the project, with a member of every role, too.
    pub(super) group: i64,
    /// A public group without shares.
    pub(super) other_group: i64,
    /// A user without memberships, unless a sample adds one.
    pub(super) spare: i64,
    /// The headers of a browser session of the developer.
    session: Vec<(String, String)>,
    /// The token of an application that acts for the developer.
    application: String,
}

impl<'s> AuthorizationFixture<'s> {
    pub(super) fn of(server: &'s TestServer) -> Self {
        let alert = server.raise(&json!({ "title": "Disk full" }))["iid"].clone();
        let project = server.project();
        let mut statements = format!("UPDATE projects SET visibility = 0 WHERE id = {project}");
        for (name, role) in MEMBERS {
            server.stranger(&format!("a-{name}"));
            if let Some(role) = role {
                let role = role.number();
                let insert = format!(
                    "; INSERT INTO namespace_members (namespace_id, user_id, access_level, created_at) \
                     SELECT projects.namespace_id, users.id, {role}, 0 FROM users, projects \
                     WHERE username = 'a-{name}' AND projects.id = {project}; \
                     INSERT INTO project_members (project_id, user_id, access_level, created_at) \
                     SELECT {project}, id, {role}, 0 FROM users WHERE username = 'a-{name}'"
                );
                statements.push_str(&insert);
            }
        }
        server.stranger("a-spare");
        server.create_project("shared/other", "public", "root");
        statements.push_str("; UPDATE namespaces SET visibility = 0 WHERE full_path = 'acme'");
        change(server, &statements);
        let id = |statement: &str| number(server, statement);
        let group = id("SELECT id FROM namespaces WHERE full_path = 'acme'");
        let other_group = id("SELECT id FROM namespaces WHERE full_path = 'shared'");
        let spare = id("SELECT id FROM users WHERE username = 'a-spare'");
        let mut browser = server.signed_in("developer");
        let application = server.relying_party("Shop").tokens(&mut browser).access;
        Self {
            server,
            alert,
            group,
            other_group,
            spare,
            session: browser.api_headers(),
            application,
        }
    }

    /// A path with the fixture's resources in place of its parameters.
    pub(super) fn fill(&self, path: &str) -> String {
        path.replace("{id}", &self.server.project())
            .replace("{project}", "acme/web-shop")
            .replace("{group}", "acme")
            .replace("{user}", "a-guest")
            .replace("{username}", "a-guest")
            .replace("{user_id}", "1")
            .replace("{group_id}", "1")
            .replace("{label}", "1")
            .replace("{receipt}", "1")
            .replace("{area}", "alerts")
            .replace("{iid}", &self.alert.to_string())
            .replace("{name}", "none")
            .replace("{environment_id}", "1")
            .replace("{pipeline_id}", "1")
            .replace("{job_id}", "1")
            .replace("{ref}", "main")
            .replace("{file_path}", "a.txt")
    }

    /// A fresh token for each call, because an operation may revoke it.
    fn token(&self, user: &str, scopes: &str) -> String {
        self.server.token(user, scopes)
    }
}

fn private(token: String) -> Vec<(String, String)> {
    vec![("PRIVATE-TOKEN".to_owned(), token)]
}

fn bearer(token: &str) -> Vec<(String, String)> {
    vec![("Authorization".to_owned(), format!("Bearer {token}"))]
}

/// A user with a personal access token of the scope `api`.
fn person(name: &'static str, username: &'static str, rights: CallerRights) -> TestedCaller {
    TestedCaller {
        name,
        part: TablePart::People,
        rights,
        scopes: [Scope::API].into_iter().collect(),
        is_personal: true,
        headers: Box::new(move |fixture| private(fixture.token(username, "api"))),
    }
}

fn other(
    name: &'static str,
    rights: CallerRights,
    headers: impl Fn(&AuthorizationFixture<'_>) -> Vec<(String, String)> + 'static,
) -> TestedCaller {
    TestedCaller {
        name,
        part: TablePart::Credentials,
        rights,
        scopes: [Scope::API].into_iter().collect(),
        is_personal: false,
        headers: Box::new(headers),
    }
}

/// An owner of the project whose token has one scope. Tokens of other releases may have scopes that nothing implements.
fn scoped(scope: &'static Scope) -> TestedCaller {
    TestedCaller {
        name: scope.as_str(),
        part: TablePart::Scopes,
        rights: CallerRights::User(Some(AccessLevel::Owner)),
        scopes: [scope.clone()].into_iter().collect(),
        is_personal: true,
        headers: Box::new(move |fixture| {
            private(
                fixture
                    .server
                    .token_of_another_release("a-owner", scope.as_str()),
            )
        }),
    }
}

/// All kinds of callers, in the order of the table.
pub(super) fn tested_callers() -> Vec<TestedCaller> {
    let mut all = vec![TestedCaller {
        part: TablePart::People,
        ..other("nobody", CallerRights::Anonymous, |_| Vec::new())
    }];
    let names = [
        "a-stranger",
        "a-guest",
        "a-reporter",
        "a-developer",
        "a-maintainer",
        "a-owner",
    ];
    let members = MEMBERS.into_iter().zip(names);
    all.extend(
        members.map(|((name, role), username)| person(name, username, CallerRights::User(role))),
    );
    all.push(person("administrator", "root", CallerRights::Administrator));
    all.push(blocked_user());
    all.extend(credentials());
    all.extend(Scope::PLATFORM.iter().map(scoped));
    all
}

fn blocked_user() -> TestedCaller {
    TestedCaller {
        name: "blocked",
        rights: CallerRights::Refused(403),
        headers: Box::new(|fixture| {
            if !fixture.knows("a-blocked") {
                fixture.server.stranger("a-blocked");
            }
            let token = fixture.token("a-stranger", "api");
            let block = "UPDATE users SET blocked_at = 1 WHERE username = 'a-blocked'";
            let take = "UPDATE access_tokens SET user_id = (SELECT id FROM users WHERE username = 'a-blocked') \
                        WHERE id = (SELECT max(id) FROM access_tokens)";
            change_and_revoke(fixture.server, &format!("{take}; {block}"));
            private(token)
        }),
        ..person("blocked", "a-blocked", CallerRights::Refused(403))
    }
}

fn credentials() -> Vec<TestedCaller> {
    let owner = CallerRights::User(Some(AccessLevel::Owner));
    let developer = CallerRights::User(Some(AccessLevel::Developer));
    let newest = "(SELECT max(id) FROM access_tokens)";
    vec![
        TestedCaller {
            is_personal: true,
            ..other("personal token as bearer", owner, |fixture| {
                bearer(&fixture.token("a-owner", "api"))
            })
        },
        other("application's token", developer, |fixture| {
            bearer(&fixture.application)
        }),
        other("session", developer, |fixture| fixture.session.clone()),
        other("unknown token", CallerRights::Refused(401), |_| {
            bearer("ghp_unknown")
        }),
        other(
            "expired token",
            CallerRights::Refused(401),
            move |fixture| {
                let token = fixture.token("a-owner", "api");
                let change = format!("UPDATE access_tokens SET expires_on = 1 WHERE id = {newest}");
                change_and_revoke(fixture.server, &change);
                private(token)
            },
        ),
        other("revoked token", CallerRights::Refused(401), |fixture| {
            let token = fixture.token("a-owner", "api");
            fixture.server.revoke_from_outside(&token);
            private(token)
        }),
        other(
            "administrator as guest",
            CallerRights::User(Some(AccessLevel::Guest)),
            |fixture| as_guest(fixture.token("root", "api,sudo")),
        ),
        other(
            "administrator as guest without the scope",
            CallerRights::Refused(403),
            |fixture| as_guest(fixture.token("root", "api")),
        ),
        other("owner as guest", CallerRights::Refused(403), |fixture| {
            as_guest(fixture.token("a-owner", "api"))
        }),
    ]
}

fn as_guest(token: String) -> Vec<(String, String)> {
    let sudo = ("Sudo".to_owned(), "a-guest".to_owned());
    private(token).into_iter().chain([sudo]).collect()
}

impl AuthorizationFixture<'_> {
    /// True if a user with this name exists.
    fn knows(&self, username: &str) -> bool {
        let filter = format!("users WHERE username = '{username}'");
        crate::support::rows::count(self.server, &filter) > 0
    }
}

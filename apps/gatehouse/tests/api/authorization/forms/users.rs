//! Forms about users, and those of users about their own accounts.

use accounts::AuditEventName as Event;
use serde_json::{Value, json};

use super::super::samples::fresh;
use super::{FormSenders, SampleForm};
use crate::pages::second_factor::{code, shown_secret, switch_on};
use crate::support::browser::{TestBrowser, hidden};
use crate::support::pages::plain;
use crate::support::rows::number;

/// Password of the users that the samples create.
const PASSWORD: &str = "correct horse";
const TOKENS: &str = "/profile/personal_access_tokens";
const TWO_FACTOR: &str = "/profile/two_factor";
const INVITATIONS: &str = "/admin/users/-/invitations";

impl FormSenders<'_> {
    /// Forms of administrators about users and invitations.
    pub(super) fn of_user_administration(&self, operation: &str) -> Option<SampleForm> {
        let below = |user: &Value, rest: &str| {
            let name = plain(&user["username"]);
            format!("/admin/users/{name}{rest}")
        };
        let one = |rest: &str| below(&self.create_user(), rest);
        Some(match operation {
            "createUserByForm" => {
                let name = fresh("user");
                let email = format!("{name}@example.com");
                let fields = [("user[username]", &*name), ("user[email]", &email)];
                self.by_admin(Event::UserCreated, "/admin/users", &fields)
            }
            "updateUserByForm" => {
                let email = format!("{}@example.com", fresh("user"));
                let fields = [("user[name]", "Another name"), ("user[email]", &email)];
                self.by_admin(Event::UserUpdated, &one(""), &fields)
            }
            "setUserPasswordByForm" => self.by_admin(Event::UserUpdated, &one("/password"), &[]),
            "sendPasswordLinkByForm" => {
                self.by_admin(Event::UserUpdated, &one("/password_link"), &[])
            }
            "disableUserSecondFactorByForm" => {
                let (user, _) = self.user_with_second_factor();
                let path = below(&user, "/second_factor_off");
                self.by_admin(Event::UserUpdated, &path, &[])
            }
            "changeUserStateByForm" => {
                let fields = [("change", "block")];
                self.by_admin(Event::UserBlocked, &one("/state"), &fields)
            }
            "deleteUserByForm" => {
                let user = self.create_user();
                let fields = [("confirm", &*plain(&user["username"]))];
                let path = below(&user, "/delete");
                self.by_admin(Event::UserDeletionStarted, &path, &fields)
            }
            "createImpersonationTokenByForm" => {
                let fields = [("token[name]", "Sample"), ("token[scopes][]", "api")];
                self.by_admin(Event::TokenCreated, &one("/tokens"), &fields)
            }
            "revokeTokenOfUserByForm" | "revokeTokenOfUser" => {
                let user = self.create_user();
                let path = below(&user, &format!("/tokens/{}", self.token_of(&user["id"])));
                self.by_admin(Event::TokenRevoked, &path, &[("_method", "delete")])
            }
            "createInvitationByForm" => self.by_admin(Event::InvitationCreated, INVITATIONS, &[]),
            "revokeInvitationByForm" => {
                let path = format!("{INVITATIONS}/{}/revoke", self.invitation()["id"]);
                self.by_admin(Event::InvitationRevoked, &path, &[])
            }
            _ => return None,
        })
    }

    /// Forms of users about their password and sessions, and the registration with an invitation.
    pub(super) fn of_own_account(&self, operation: &str) -> Option<SampleForm> {
        Some(match operation {
            "changePassword" => {
                let (_, browser) = self.signed_in_user();
                let fields = [
                    ("user[current_password]", PASSWORD),
                    ("user[password]", "battery staple"),
                    ("user[password_confirmation]", "battery staple"),
                ];
                SampleForm::new(
                    Event::PasswordChanged,
                    &browser,
                    "/profile/password",
                    &fields,
                )
            }
            "endOtherSessions" => {
                self.server.signed_in("developer");
                self.by_developer(Event::SessionsEnded, "/profile/sessions/others", &[])
            }
            "endSessionByForm" | "endSession" => {
                self.server.signed_in("developer");
                let newest = number(self.server, "SELECT max(id) FROM sessions");
                let path = format!("/profile/sessions/{newest}");
                self.by_developer(Event::SessionsEnded, &path, &[("_method", "delete")])
            }
            "acceptInvitation" => {
                let link = plain(&self.invitation()["link"]);
                let secret = link.rsplit('/').next()?;
                let name = fresh("user");
                let email = format!("{name}@example.com");
                let fields = [
                    ("invitation[secret]", secret),
                    ("user[username]", &name),
                    ("user[email]", &email),
                    ("user[password]", PASSWORD),
                    ("user[password_confirmation]", PASSWORD),
                ];
                let browser = self.server.browser();
                SampleForm::new(Event::InvitationUsed, &browser, "/invitations", &fields)
                    .with_token_of(&format!("/invitations/{secret}"))
            }
            _ => return None,
        })
    }

    /// Forms of users about their second factor.
    pub(super) fn of_own_second_factor(&self, operation: &str) -> Option<SampleForm> {
        let password = ("user[current_password]", PASSWORD);
        Some(match operation {
            "changeSecondFactor" => {
                let (_, mut browser) = self.signed_in_user();
                let page = browser.open(TWO_FACTOR);
                let setup = hidden(&page, "setup");
                let typed = code(&shown_secret(&page), 0);
                let fields = [("setup", &*setup), ("user[otp_attempt]", &typed), password];
                SampleForm::new(Event::SecondFactorEnabled, &browser, TWO_FACTOR, &fields)
            }
            "disableSecondFactor" => {
                let (_, browser) = self.user_with_second_factor();
                let fields = [("_method", "delete"), password];
                SampleForm::new(Event::SecondFactorDisabled, &browser, TWO_FACTOR, &fields)
            }
            "renewRecoveryCodes" => {
                let (_, browser) = self.user_with_second_factor();
                let path = format!("{TWO_FACTOR}/recovery_codes");
                SampleForm::new(Event::RecoveryCodesRenewed, &browser, &path, &[password])
            }
            _ => return None,
        })
    }

    /// Forms of users about their access tokens.
    pub(super) fn of_own_tokens(&self, operation: &str) -> Option<SampleForm> {
        let one = || {
            let id = self.token_of(&self.server.demo["developer"]["id"]);
            format!("{TOKENS}/{id}")
        };
        Some(match operation {
            "createOwnToken" => {
                let fields = [("token[name]", "Sample"), ("token[scopes][]", "read_api")];
                self.by_developer(Event::TokenCreated, TOKENS, &fields)
            }
            "revokeAllListedTokens" => {
                one();
                let path = format!("{TOKENS}/revocation");
                self.by_developer(Event::TokenRevoked, &path, &[])
            }
            "rotateListedToken" => {
                let path = format!("{}/rotate", one());
                self.by_developer(Event::TokenRotated, &path, &[])
            }
            "revokeListedTokenByForm" | "revokeListedToken" => {
                self.by_developer(Event::TokenRevoked, &one(), &[("_method", "delete")])
            }
            _ => return None,
        })
    }

    /// Creates a user, and returns the user as the API shows it.
    pub(super) fn create_user(&self) -> Value {
        let name = fresh("user");
        let email = format!("{name}@example.com");
        let new = json!({ "username": name, "name": name, "email": email, "password": PASSWORD });
        let admin = self.server.admin();
        admin.post("/api/v4/users", &new).expect(201)
    }

    /// Creates a user, and a browser in which the user is signed in.
    fn signed_in_user(&self) -> (Value, TestBrowser) {
        let user = self.create_user();
        let mut browser = self.server.browser();
        browser.sign_in(&plain(&user["username"]), PASSWORD);
        (user, browser)
    }

    /// Creates a user with two-factor authentication, and a browser in which the user is signed in.
    fn user_with_second_factor(&self) -> (Value, TestBrowser) {
        let (user, mut browser) = self.signed_in_user();
        let (_, answer) = switch_on(&mut browser, PASSWORD);
        assert_eq!(answer.status, 200, "{}", answer.text());
        (user, browser)
    }

    /// Creates a personal access token of the user with this id, and returns its id.
    fn token_of(&self, user: &Value) -> Value {
        let path = format!("/api/v4/users/{user}/personal_access_tokens");
        let new = json!({ "name": "sample", "scopes": ["read_api"] });
        let created = self.server.admin().post(&path, &new).expect(201);
        created["id"].clone()
    }

    /// Creates an invitation, and returns the command's output.
    fn invitation(&self) -> Value {
        self.server
            .command_json(&["invitation", "create", "--json"])
    }
}

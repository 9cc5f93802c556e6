//! Every write that revokes something notes it in this process before the write is answered, and records it for other
//! processes in the same transaction. Callers cannot forget this: the tests only call repository methods.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use accounts::password::PasswordHash;
use accounts::{
    InsertUser, NewSession, NewToken, NewUser, RevocationSubject, SessionStage, TokenKind,
    UserKind, UserState, Username,
};
use api_conventions::ids::{ApplicationId, GrantId, IntegrationId, SessionId, TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse::config::{DatabaseSettings, DatabaseUrl};
use gatehouse_core::auth::epoch::MAX_STALENESS;
use gatehouse_core::database::{Database, WriteTransaction, open};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    ApplicationChange, ApplicationOptions, ApplicationUid, ClientType, NewApplication, NewGrant,
    NewTokenPair, PairRotation, Rotation, RotationSeed, TokenSubject,
};
use storage::{GroupWork, Lane, Store as _, StoreError, StoreErrorKind, Work};

use super::database;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_micros(seconds * 1_000_000).unwrap()
}

fn digest(text: &str) -> SecretDigest {
    SecretDigest::of(text)
}

fn scopes() -> ScopeSet {
    [Scope::API].into_iter().collect()
}

/// Credentials that can be revoked, of one user and of another.
#[derive(Debug, Clone, Copy)]
struct RevocableCredentials {
    ann: UserId,
    bob: UserId,
    token: TokenId,
    session: SessionId,
    session_of_bob: SessionId,
    app: ApplicationId,
    grant: GrantId,
}

impl RevocableCredentials {
    fn create(tx: &mut dyn WriteTransaction) -> Result<Self, StoreError> {
        let [ann, bob] = ["ann", "bob"].map(|name| insert_user(tx, name));
        let token = tx.insert_token(&NewToken {
            user_id: ann,
            name: "ci".to_owned(),
            kind: TokenKind::Personal,
            family_id: None,
            scopes: scopes(),
            digest: digest("token"),
            expires_on: CalendarDate::parse("2030-01-01").unwrap(),
            creator_id: None,
            created_at: at(0),
        })?;
        let session = insert_session(tx, ann, "session")?;
        let session_of_bob = insert_session(tx, bob, "of bob")?;
        let app = tx.insert_application(&application())?;
        let grant = tx.insert_grant(&NewGrant {
            code: None,
            subject: TokenSubject::user(ann, app),
            session_id: None,
            scopes: scopes(),
            redirect_uri: None,
            challenge: None,
            nonce: None,
            auth_time: at(0),
            created_at: at(0),
            expires_at: at(9_000),
        })?;
        let credentials = Self {
            ann,
            bob,
            token,
            session,
            session_of_bob,
            app,
            grant,
        };
        tx.insert_pair(&credentials.pair(0))?;
        Ok(credentials)
    }

    /// The pair with this number in its family.
    fn pair(self, number: usize) -> NewTokenPair {
        NewTokenPair {
            access: digest(&format!("access {number}")),
            refresh: Some((digest(&format!("refresh {number}")), at(8_000))),
            grant_id: self.grant,
            subject: TokenSubject::user(self.ann, self.app),
            scopes: scopes(),
            created_at: at(0),
            expires_at: at(7_000),
        }
    }

    /// Everything that can be revoked, including an endpoint, which these tests never revoke.
    fn subjects(self) -> [RevocationSubject; 8] {
        [
            RevocationSubject::User(self.ann),
            RevocationSubject::User(self.bob),
            RevocationSubject::Token(self.token),
            RevocationSubject::Session(self.session),
            RevocationSubject::Session(self.session_of_bob),
            RevocationSubject::Application(self.app),
            RevocationSubject::Grant(self.grant),
            RevocationSubject::Endpoint(IntegrationId::new(1)),
        ]
    }
}

fn insert_user(tx: &mut dyn WriteTransaction, name: &str) -> UserId {
    let inserted = tx.insert_user(&NewUser {
        username: Username::parse(name).unwrap(),
        name: name.to_owned(),
        email: String::new(),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: at(0),
    });
    assert!(matches!(inserted.unwrap(), InsertUser::Inserted(_)));
    tx.find_user_by_username(name).unwrap().unwrap().id
}

fn insert_session(
    tx: &mut dyn WriteTransaction,
    user_id: UserId,
    cookie: &str,
) -> Result<SessionId, StoreError> {
    tx.insert_session(&NewSession {
        digest: digest(cookie),
        user_id,
        stage: SessionStage::SignedIn,
        user_agent: String::new(),
        address: String::new(),
        authenticated_at: at(0),
        expires_at: at(9_000),
    })
}

fn application() -> NewApplication {
    NewApplication {
        uid: ApplicationUid::parse("shop").unwrap(),
        secret: digest("secret"),
        name: "Shop".to_owned(),
        redirect_uris: vec![callback()],
        post_logout_redirect_uris: Vec::new(),
        scopes: scopes(),
        client_type: ClientType::Confidential,
        trusted: false,
        options: ApplicationOptions::of(ClientType::Confidential),
        owner_id: None,
        created_at: at(0),
    }
}

fn callback() -> RedirectUri {
    RedirectUri::from_stored("https://app.example/callback".to_owned())
}

/// A database with these credentials.
struct RevocationFixture {
    database: Database,
    credentials: RevocableCredentials,
}

/// Runs a check on each database.
fn on_each_database(fact: impl Fn(&RevocationFixture)) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("gatehouse.sqlite3");
    fact(&RevocationFixture::at(DatabaseUrl::Sqlite(file)));
    if let Some(postgres) = database() {
        fact(&RevocationFixture::at(
            DatabaseUrl::parse(postgres.url()).unwrap(),
        ));
    }
}

impl RevocationFixture {
    fn at(url: DatabaseUrl) -> Self {
        let settings = DatabaseSettings {
            read_timeout: Duration::from_mins(1),
            write_timeout: Duration::from_mins(1),
            ..DatabaseSettings::at(url)
        };
        let database = open(&settings).unwrap();
        database.migrate().unwrap();
        let credentials = database
            .write(|tx| RevocableCredentials::create(tx))
            .wait()
            .unwrap();
        Self {
            database,
            credentials,
        }
    }

    /// The epoch, and the revocations recorded for other processes after an epoch.
    fn recorded_after(&self, epoch: i64) -> (i64, BTreeSet<RevocationSubject>) {
        let seen = self.database.read(Lane::Shared, move |tx| {
            Ok::<_, StoreError>((tx.auth_epoch()?, tx.list_revocations_after(epoch, 100)?))
        });
        let (now, kept) = seen.wait().unwrap();
        (now, kept.iter().map(|end| end.revoked).collect())
    }

    /// Runs an action, and checks that this process distrusts exactly the earlier reads of `here`, and that
    /// `everywhere` is recorded for other processes in one epoch.
    #[track_caller]
    fn check(
        &self,
        here: &[RevocationSubject],
        everywhere: &[RevocationSubject],
        act: impl FnOnce(&Database),
    ) {
        let revocations = self.database.revocations();
        let (before, _) = self.recorded_after(0);
        // Later than all reads of this check: a database may be slow.
        let read_at = Instant::now();
        revocations.confirm(read_at + MAX_STALENESS);
        act(&self.database);
        for subject in self.credentials.subjects() {
            assert_eq!(
                revocations.are_unrevoked(&[subject], read_at, read_at),
                !here.contains(&subject),
                "{subject:?}"
            );
        }
        let (epoch, kept) = self.recorded_after(before);
        assert_eq!(kept, everywhere.iter().copied().collect());
        assert_eq!(epoch - before, i64::from(!everywhere.is_empty()));
    }

    /// The same check for one write that revokes all of them.
    #[track_caller]
    fn ends<F>(&self, ended: &[RevocationSubject], write: F)
    where
        F: Fn(&mut dyn WriteTransaction, RevocableCredentials) -> Result<(), StoreError>
            + Send
            + 'static,
    {
        let credentials = self.credentials;
        self.check(ended, ended, |database| {
            let written: Result<(), StoreError> =
                database.write(move |tx| write(tx, credentials)).wait();
            written.unwrap();
        });
    }
}

#[test]
fn each_revocation_is_known_before_it_is_answered() {
    on_each_database(|fixture| {
        let credentials = fixture.credentials;
        let ann = [RevocationSubject::User(credentials.ann)];
        let session = [RevocationSubject::Session(credentials.session)];
        let app = [RevocationSubject::Application(credentials.app)];
        fixture.ends(
            &[RevocationSubject::Token(credentials.token)],
            |tx, credentials| {
                tx.revoke_token(credentials.token, at(1))
                    .map(|done| assert!(done))
            },
        );
        fixture.ends(&ann, |tx, credentials| {
            let hash = PasswordHash::from_stored("another".to_owned());
            tx.set_password(credentials.ann, &hash, None)
                .map(|done| assert!(done))
        });
        for state in [UserState::Blocked { at: at(1) }, UserState::Active] {
            fixture.ends(&ann, move |tx, credentials| {
                tx.set_user_state(credentials.ann, state)
                    .map(|done| assert!(done))
            });
        }
        fixture.ends(&ann, |tx, credentials| {
            let put = tx.put_second_factor(credentials.ann, b"sealed", 1, &[], at(1));
            put.map(|done| assert!(done))
        });
        fixture.ends(&ann, |tx, credentials| {
            tx.delete_second_factor(credentials.ann)
                .map(|done| assert!(done))
        });
        fixture.ends(&session, |tx, credentials| {
            let renewed = tx.renew_session(credentials.session, &digest("renewed"), at(1));
            renewed.map(|done| assert!(done))
        });
        fixture.ends(&session, |tx, credentials| {
            tx.delete_session(credentials.session)
                .map(|done| assert!(done))
        });
        fixture.ends(
            &[RevocationSubject::User(credentials.bob)],
            |tx, credentials| {
                let ended = tx.delete_sessions_of(credentials.bob, None);
                ended.map(|count| assert_eq!(count, 1))
            },
        );
        fixture.ends(&app, |tx, credentials| {
            let change = ApplicationChange {
                name: "Shop".to_owned(),
                redirect_uris: vec![callback()],
                post_logout_redirect_uris: Vec::new(),
                scopes: ScopeSet::default(),
                client_type: ClientType::Public,
                trusted: false,
                options: ApplicationOptions::of(ClientType::Confidential),
            };
            tx.update_application(credentials.app, &change)
                .map(|done| assert!(done))
        });
        fixture.ends(&app, |tx, credentials| {
            tx.replace_secret(credentials.app, &digest("renewed"))
                .map(|done| assert!(done))
        });
        fixture.ends(
            &[RevocationSubject::Grant(credentials.grant)],
            |tx, credentials| {
                tx.revoke_grant(credentials.grant, at(1))
                    .map(|done| assert!(done))
            },
        );
        fixture.ends(&app, |tx, credentials| {
            tx.delete_application(credentials.app)
                .map(|done| assert!(done))
        });
    });
}

#[test]
fn revoking_all_grants_of_a_user_is_recorded_as_a_user_revocation() {
    on_each_database(|fixture| {
        fixture.ends(
            &[RevocationSubject::User(fixture.credentials.ann)],
            |tx, credentials| {
                let ended = tx.revoke_grants_of_user(credentials.ann, Some(credentials.app), at(1));
                ended.map(|count| assert_eq!(count, 1))
            },
        );
    });
}

#[test]
fn all_that_one_write_takes_away_is_one_epoch() {
    on_each_database(|fixture| {
        let credentials = fixture.credentials;
        let all = [
            RevocationSubject::User(credentials.ann),
            RevocationSubject::Session(credentials.session),
            RevocationSubject::Session(credentials.session_of_bob),
        ];
        fixture.ends(&all, |tx, credentials| {
            tx.delete_session(credentials.session_of_bob)?;
            tx.delete_session(credentials.session)?;
            tx.set_user_state(credentials.ann, UserState::Blocked { at: at(1) })?;
            tx.set_user_state(credentials.ann, UserState::Active)
                .map(drop)
        });
    });
}

#[test]
fn writes_that_change_nothing_or_roll_back_revoke_nothing() {
    on_each_database(|fixture| {
        fixture.ends(&[], |tx, credentials| {
            let unknown_user = UserId::new(999);
            assert!(!tx.delete_session(SessionId::new(999))?);
            assert!(!tx.revoke_token(TokenId::new(999), at(1))?);
            assert!(!tx.set_user_state(unknown_user, UserState::Active)?);
            assert_eq!(tx.delete_sessions_of(unknown_user, None)?, 0);
            assert!(!tx.delete_second_factor(credentials.ann)?);
            tx.touch_sessions(&[(credentials.session, at(5))])?;
            tx.touch_tokens(&[(credentials.token, at(5))])
        });
        let credentials = fixture.credentials;
        fixture.check(&[], &[], |database| {
            let refused = database.write(move |tx| {
                assert!(tx.delete_session(credentials.session)?);
                Err::<(), _>(StoreError::new(StoreErrorKind::Unavailable, "go on"))
            });
            assert!(refused.wait().is_err());
        });
    });
}

/// A write whose client has hung up revokes the same.
#[test]
fn a_write_revokes_even_if_its_caller_does_not_wait() {
    on_each_database(|fixture| {
        let credentials = fixture.credentials;
        let session = [RevocationSubject::Session(credentials.session)];
        fixture.check(&session, &session, |database| {
            let read_at = Instant::now();
            let write = database.write(move |tx| tx.delete_session(credentials.session));
            drop::<storage::Pending<bool, StoreError>>(write);
            crate::support::eventually("it is known", || {
                let is_known = !database
                    .revocations()
                    .are_unrevoked(&session, read_at, read_at);
                is_known.then_some(())
            });
        });
    });
}

/// Steps of grouped work.
#[derive(Debug, Clone, Copy)]
enum GroupedStep {
    Rotate(usize),
    EndGrant,
    EndSession,
}

struct GroupedRevocation(RevocableCredentials, GroupedStep);

impl Work for GroupedRevocation {
    type Output = ();
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        false
    }

    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

impl<Tx: WriteTransaction + ?Sized> GroupWork<Tx> for GroupedRevocation {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<()>, StoreError> {
        for Self(credentials, step) in group {
            match *step {
                GroupedStep::Rotate(number) => {
                    let rotation = PairRotation {
                        refresh: digest(&format!("refresh {number}")),
                        seed: RotationSeed::from_bytes([1; 32]),
                        successor: credentials.pair(number + 1),
                        now: at(1),
                    };
                    let outcomes = tx.rotate_pairs(&[rotation])?;
                    assert!(matches!(outcomes[..], [Rotation::Rotated(_)]));
                }
                GroupedStep::EndGrant => assert!(tx.revoke_grant(credentials.grant, at(1))?),
                GroupedStep::EndSession => assert!(tx.delete_session(credentials.session)?),
            }
        }
        Ok(vec![(); group.len()])
    }
}

/// Every refresh ends a pair: this process knows at once, other processes once their caches expire.
#[test]
fn grouped_writes_publish_session_revocations_but_not_grant_revocations() {
    on_each_database(|fixture| {
        let credentials = fixture.credentials;
        let grant = [RevocationSubject::Grant(credentials.grant)];
        let session = [RevocationSubject::Session(credentials.session)];
        let grouped = |step| {
            move |database: &Database| {
                let written = database.write_grouped(GroupedRevocation(credentials, step));
                written.wait().unwrap();
            }
        };
        fixture.check(&grant, &[], grouped(GroupedStep::Rotate(0)));
        fixture.check(&grant, &[], grouped(GroupedStep::Rotate(1)));
        fixture.check(&grant, &[], grouped(GroupedStep::EndGrant));
        fixture.check(&session, &session, grouped(GroupedStep::EndSession));
    });
}

/// A single rotation, outside a group.
#[test]
fn a_rotation_ends_the_pair_before_it() {
    on_each_database(|fixture| {
        let credentials = fixture.credentials;
        fixture.check(
            &[RevocationSubject::Grant(credentials.grant)],
            &[],
            |database| {
                let rotated = database.write(move |tx| {
                    let seed = RotationSeed::from_bytes([1; 32]);
                    tx.rotate_pair(&digest("refresh 0"), seed, &credentials.pair(1), at(1))
                });
                let rotated: Result<Rotation, StoreError> = rotated.wait();
                assert!(matches!(rotated.unwrap(), Rotation::Rotated(_)));
            },
        );
    });
}

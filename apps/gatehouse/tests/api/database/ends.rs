//! Whatever a write takes away is noted in this process before the write is answered, and kept for others in the same
//! transaction. Nobody has to remember that: the tests only call the methods of the repositories.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use accounts::password::PasswordHash;
use accounts::{
    InsertUser, NewSession, NewToken, NewUser, Revoked, SessionStage, TokenKind, UserKind,
    UserState, Username,
};
use api_conventions::ids::{ApplicationId, GrantId, IntegrationId, SessionId, TokenId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use api_conventions::time::{CalendarDate, Timestamp};
use gatehouse::config::{DatabaseSettings, DatabaseUrl};
use gatehouse_core::auth::epoch::TRUST;
use gatehouse_core::database::{Database, WriteTransaction, open};
use oauth_provider::rules::redirect_uri::RedirectUri;
use oauth_provider::{
    ApplicationChange, ApplicationUid, ClientType, NewApplication, NewGrant, NewTokenPair,
    PairRotation, Rotation, RotationSeed,
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
    [Scope::Api].into_iter().collect()
}

/// What there is to be lost, of one user and of another.
#[derive(Debug, Clone, Copy)]
struct Powers {
    ann: UserId,
    bob: UserId,
    token: TokenId,
    session: SessionId,
    of_bob: SessionId,
    app: ApplicationId,
    grant: GrantId,
}

impl Powers {
    fn make(tx: &mut dyn WriteTransaction) -> Result<Self, StoreError> {
        let [ann, bob] = ["ann", "bob"].map(|name| insert_user(tx, name));
        let token = tx.insert_token(&NewToken {
            user_id: ann,
            name: "ci".to_owned(),
            kind: TokenKind::Personal,
            scopes: scopes(),
            digest: digest("token"),
            expires_on: CalendarDate::parse("2030-01-01").unwrap(),
            created_at: at(0),
        })?;
        let session = insert_session(tx, ann, "session")?;
        let of_bob = insert_session(tx, bob, "of bob")?;
        let app = tx.insert_application(&application())?;
        let grant = tx.insert_grant(&NewGrant {
            code: None,
            user_id: ann,
            application_id: Some(app),
            session_id: None,
            scopes: scopes(),
            redirect_uri: None,
            challenge: None,
            nonce: None,
            auth_time: at(0),
            created_at: at(0),
            expires_at: at(9_000),
        })?;
        let powers = Self {
            ann,
            bob,
            token,
            session,
            of_bob,
            app,
            grant,
        };
        tx.insert_pair(&powers.pair(0))?;
        Ok(powers)
    }

    /// The pair with this number in its family.
    fn pair(self, number: usize) -> NewTokenPair {
        NewTokenPair {
            access: digest(&format!("access {number}")),
            refresh: Some((digest(&format!("refresh {number}")), at(8_000))),
            grant_id: self.grant,
            user_id: self.ann,
            application_id: Some(self.app),
            scopes: scopes(),
            created_at: at(0),
            expires_at: at(7_000),
        }
    }

    /// Everything that can lose power, and an endpoint, which none of these tests touches.
    fn subjects(self) -> [Revoked; 8] {
        [
            Revoked::User(self.ann),
            Revoked::User(self.bob),
            Revoked::Token(self.token),
            Revoked::Session(self.session),
            Revoked::Session(self.of_bob),
            Revoked::Application(self.app),
            Revoked::Grant(self.grant),
            Revoked::Endpoint(IntegrationId::new(1)),
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
        owner_id: None,
        created_at: at(0),
    }
}

fn callback() -> RedirectUri {
    RedirectUri::from_stored("https://app.example/callback".to_owned())
}

/// A database with all of it.
struct Stage {
    database: Database,
    powers: Powers,
}

/// Holds a fact against each database.
fn on_each_database(fact: impl Fn(&Stage)) {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("gatehouse.sqlite3");
    fact(&Stage::at(DatabaseUrl::Sqlite(file)));
    if let Some(postgres) = database() {
        fact(&Stage::at(DatabaseUrl::parse(postgres.url()).unwrap()));
    }
}

impl Stage {
    fn at(url: DatabaseUrl) -> Self {
        let settings = DatabaseSettings {
            url,
            readers: None,
            writers: None,
            queue_jobs: 100,
            queue_bytes: 1 << 20,
            read_timeout: Duration::from_mins(1),
            write_timeout: Duration::from_mins(1),
        };
        let database = open(&settings).unwrap();
        database.migrate().unwrap();
        let powers = database.write(|tx| Powers::make(tx)).wait().unwrap();
        Self { database, powers }
    }

    /// The epoch, and what is kept for others after an epoch.
    fn kept_after(&self, epoch: i64) -> (i64, BTreeSet<Revoked>) {
        let seen = self.database.read(Lane::Shared, move |tx| {
            Ok::<_, StoreError>((tx.auth_epoch()?, tx.list_revocations_after(epoch, 100)?))
        });
        let (now, kept) = seen.wait().unwrap();
        (now, kept.iter().map(|end| end.revoked).collect())
    }

    /// Does something, and checks that this process trusts nothing of `here` that was read before, and everything else,
    /// and that other processes are told of `everywhere` in one epoch.
    #[track_caller]
    fn check(&self, here: &[Revoked], everywhere: &[Revoked], act: impl FnOnce(&Database)) {
        let trust = self.database.trust();
        let (before, _) = self.kept_after(0);
        // Ahead of all that is read here: a database may be slow.
        let read_at = Instant::now();
        trust.confirm(read_at + TRUST);
        act(&self.database);
        for subject in self.powers.subjects() {
            assert_eq!(
                trust.holds(&[subject], read_at, read_at),
                !here.contains(&subject),
                "{subject:?}"
            );
        }
        let (epoch, kept) = self.kept_after(before);
        assert_eq!(kept, everywhere.iter().copied().collect());
        assert_eq!(epoch - before, i64::from(!everywhere.is_empty()));
    }

    /// The same for one write that takes away all of it.
    #[track_caller]
    fn ends<F>(&self, ended: &[Revoked], write: F)
    where
        F: Fn(&mut dyn WriteTransaction, Powers) -> Result<(), StoreError> + Send + 'static,
    {
        let powers = self.powers;
        self.check(ended, ended, |database| {
            let written: Result<(), StoreError> =
                database.write(move |tx| write(tx, powers)).wait();
            written.unwrap();
        });
    }
}

#[test]
fn each_loss_of_power_is_known_before_it_is_answered() {
    on_each_database(|stage| {
        let powers = stage.powers;
        let ann = [Revoked::User(powers.ann)];
        let session = [Revoked::Session(powers.session)];
        let app = [Revoked::Application(powers.app)];
        stage.ends(&[Revoked::Token(powers.token)], |tx, powers| {
            tx.revoke_token(powers.token, at(1))
                .map(|done| assert!(done))
        });
        stage.ends(&ann, |tx, powers| {
            let hash = PasswordHash::from_stored("another".to_owned());
            tx.set_password(powers.ann, &hash).map(|done| assert!(done))
        });
        for state in [UserState::Blocked { at: at(1) }, UserState::Active] {
            stage.ends(&ann, move |tx, powers| {
                tx.set_user_state(powers.ann, state)
                    .map(|done| assert!(done))
            });
        }
        stage.ends(&ann, |tx, powers| {
            let put = tx.put_second_factor(powers.ann, b"sealed", 1, &[], at(1));
            put.map(|done| assert!(done))
        });
        stage.ends(&ann, |tx, powers| {
            tx.delete_second_factor(powers.ann)
                .map(|done| assert!(done))
        });
        stage.ends(&session, |tx, powers| {
            let renewed = tx.renew_session(powers.session, &digest("renewed"), at(1));
            renewed.map(|done| assert!(done))
        });
        stage.ends(&session, |tx, powers| {
            tx.delete_session(powers.session).map(|done| assert!(done))
        });
        stage.ends(&[Revoked::User(powers.bob)], |tx, powers| {
            let ended = tx.delete_sessions_of(powers.bob, None);
            ended.map(|count| assert_eq!(count, 1))
        });
        stage.ends(&app, |tx, powers| {
            let change = ApplicationChange {
                name: "Shop".to_owned(),
                redirect_uris: vec![callback()],
                post_logout_redirect_uris: Vec::new(),
                scopes: ScopeSet::default(),
                client_type: ClientType::Public,
                trusted: false,
            };
            tx.update_application(powers.app, &change)
                .map(|done| assert!(done))
        });
        stage.ends(&app, |tx, powers| {
            tx.replace_secret(powers.app, &digest("renewed"))
                .map(|done| assert!(done))
        });
        stage.ends(&[Revoked::Grant(powers.grant)], |tx, powers| {
            tx.revoke_grant(powers.grant, at(1))
                .map(|done| assert!(done))
        });
        stage.ends(&app, |tx, powers| {
            tx.delete_application(powers.app).map(|done| assert!(done))
        });
    });
}

#[test]
fn the_grants_of_a_user_end_with_what_follows_from_the_user() {
    on_each_database(|stage| {
        stage.ends(&[Revoked::User(stage.powers.ann)], |tx, powers| {
            let ended = tx.revoke_grants_of_user(powers.ann, Some(powers.app), at(1));
            ended.map(|count| assert_eq!(count, 1))
        });
    });
}

#[test]
fn all_that_one_write_takes_away_is_one_epoch() {
    on_each_database(|stage| {
        let powers = stage.powers;
        let all = [
            Revoked::User(powers.ann),
            Revoked::Session(powers.session),
            Revoked::Session(powers.of_bob),
        ];
        stage.ends(&all, |tx, powers| {
            tx.delete_session(powers.of_bob)?;
            tx.delete_session(powers.session)?;
            tx.set_user_state(powers.ann, UserState::Blocked { at: at(1) })?;
            tx.set_user_state(powers.ann, UserState::Active).map(drop)
        });
    });
}

#[test]
fn what_is_not_done_takes_nothing_away() {
    on_each_database(|stage| {
        stage.ends(&[], |tx, powers| {
            let nobody = UserId::new(999);
            assert!(!tx.delete_session(SessionId::new(999))?);
            assert!(!tx.revoke_token(TokenId::new(999), at(1))?);
            assert!(!tx.set_user_state(nobody, UserState::Active)?);
            assert_eq!(tx.delete_sessions_of(nobody, None)?, 0);
            assert!(!tx.delete_second_factor(powers.ann)?);
            tx.touch_sessions(&[(powers.session, at(5))])?;
            tx.touch_tokens(&[(powers.token, at(5))])
        });
        let powers = stage.powers;
        stage.check(&[], &[], |database| {
            let refused = database.write(move |tx| {
                assert!(tx.delete_session(powers.session)?);
                Err::<(), _>(StoreError::new(StoreErrorKind::Unavailable, "go on"))
            });
            assert!(refused.wait().is_err());
        });
    });
}

/// A write whose client has hung up takes away the same.
#[test]
fn nobody_has_to_wait_for_the_answer() {
    on_each_database(|stage| {
        let powers = stage.powers;
        let session = [Revoked::Session(powers.session)];
        stage.check(&session, &session, |database| {
            let read_at = Instant::now();
            let write = database.write(move |tx| tx.delete_session(powers.session));
            drop::<storage::Pending<bool, StoreError>>(write);
            crate::support::eventually("it is known", || {
                let is_known = !database.trust().holds(&session, read_at, read_at);
                is_known.then_some(())
            });
        });
    });
}

/// What grouped work does in these tests.
#[derive(Debug, Clone, Copy)]
enum Step {
    Rotate(usize),
    EndGrant,
    EndSession,
}

struct Grouped(Powers, Step);

impl Work for Grouped {
    type Output = ();
    type Error = StoreError;

    const EXCLUSIVE: bool = false;

    fn weight(&self) -> usize {
        size_of::<Self>()
    }
}

impl<Tx: WriteTransaction + ?Sized> GroupWork<Tx> for Grouped {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<()>, StoreError> {
        for Self(powers, step) in group {
            match *step {
                Step::Rotate(number) => {
                    let rotation = PairRotation {
                        refresh: digest(&format!("refresh {number}")),
                        seed: RotationSeed::from_bytes([1; 32]),
                        successor: powers.pair(number + 1),
                        now: at(1),
                    };
                    let outcomes = tx.rotate_pairs(&[rotation])?;
                    assert!(matches!(outcomes[..], [Rotation::Rotated(_)]));
                }
                Step::EndGrant => assert!(tx.revoke_grant(powers.grant, at(1))?),
                Step::EndSession => assert!(tx.delete_session(powers.session)?),
            }
        }
        Ok(vec![(); group.len()])
    }
}

/// Pairs end with every refresh: that is known here at once, and elsewhere by the age of what is kept there.
#[test]
fn grouped_work_tells_others_of_all_but_the_ends_of_grants() {
    on_each_database(|stage| {
        let powers = stage.powers;
        let grant = [Revoked::Grant(powers.grant)];
        let session = [Revoked::Session(powers.session)];
        let grouped = |step| {
            move |database: &Database| {
                let written = database.write_grouped(Grouped(powers, step));
                written.wait().unwrap();
            }
        };
        stage.check(&grant, &[], grouped(Step::Rotate(0)));
        stage.check(&grant, &[], grouped(Step::Rotate(1)));
        stage.check(&grant, &[], grouped(Step::EndGrant));
        stage.check(&session, &session, grouped(Step::EndSession));
    });
}

/// One at a time, outside a group.
#[test]
fn a_rotation_ends_the_pair_before_it() {
    on_each_database(|stage| {
        let powers = stage.powers;
        stage.check(&[Revoked::Grant(powers.grant)], &[], |database| {
            let rotated = database.write(move |tx| {
                let seed = RotationSeed::from_bytes([1; 32]);
                tx.rotate_pair(&digest("refresh 0"), seed, &powers.pair(1), at(1))
            });
            let rotated: Result<Rotation, StoreError> = rotated.wait();
            assert!(matches!(rotated.unwrap(), Rotation::Rotated(_)));
        });
    });
}

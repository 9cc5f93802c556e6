//! Scopes in rows that another release wrote: in another order, or with unknown names.

use api_conventions::ids::{ApplicationId, GrantId, UserId};
use api_conventions::scope::{Scope, ScopeSet};
use api_conventions::secret::SecretDigest;
use diesel::connection::SimpleConnection;
use diesel::{Connection as _, PgConnection, SqliteConnection};
use oauth_provider::{ApplicationRepository, GrantQueries, GrantRepository, NewGrant};
use storage::{Store, StoreError, StoreErrorKind};

use crate::databases::{TestSettings, postgres, sqlite};
use crate::families::{actors, at, grant, pair};

fn set(names: &str) -> ScopeSet {
    ScopeSet::parse(names).unwrap()
}

/// Inserts a consent to these scopes, with a token.
fn consent<Tx>(tx: &mut Tx, names: &str) -> Result<(UserId, ApplicationId, GrantId), StoreError>
where
    Tx: accounts::AccountRepository + ApplicationRepository + GrantRepository + ?Sized,
{
    let (user, application) = actors(tx)?;
    let grant = tx.insert_grant(&NewGrant {
        code: None,
        scopes: set(names),
        ..grant(user, application, "")
    })?;
    tx.insert_pair(&pair(user, grant, "first"))?;
    Ok((user, application, grant))
}

macro_rules! rows_of_another_release {
    ($store:expr, $connection:expr) => {{
        let (store, mut connection): (_, _) = ($store, $connection);
        let write = |connection: &mut _, names: &str| {
            let change = format!(
                "UPDATE oauth_grants SET scopes = '{names}'; UPDATE oauth_token_pairs SET scopes = '{names}';"
            );
            SimpleConnection::batch_execute(connection, &change).unwrap();
        };
        let made = store.write(|tx| consent(tx, "api openid sudo")).wait();
        let (user, application, id): (UserId, ApplicationId, GrantId) = made.unwrap();
        let has = |names: &'static str| {
            let pending = store.read(move |tx| {
                tx.has_consented(user, application, &set(names), at(100))
            });
            Result::<bool, StoreError>::unwrap(pending.wait())
        };
        let read = || {
            let found = store.read(move |tx| {
                let grant = tx.find_grant(id)?.map(|grant| grant.scopes);
                let pair = tx.find_pair_by_access(&SecretDigest::of("access-first"))?;
                Ok::<_, StoreError>((grant.unwrap(), pair.unwrap().scopes))
            });
            found.wait()
        };
        assert!(has("openid sudo api"));

        // Order of the releases with a fixed list of scopes.
        write(&mut connection, "api sudo openid");
        assert_eq!(read().unwrap().0, set("api openid sudo"));
        assert!(has("sudo openid api"));
        assert!(!has("api openid") && !has("api openid sudo email"));

        write(&mut connection, "apis launch:rockets API");
        let (of_grant, of_pair) = read().unwrap();
        assert_eq!(of_grant, of_pair);
        assert!(!of_pair.allows_any(Scope::PLATFORM));
        assert!(!has("api") && !has(""));

        write(&mut connection, "api \"sudo\"");
        let kind = read().map_err(|error| error.kind());
        assert_eq!(kind, Err(StoreErrorKind::Inconsistent));
        assert!(!has("api"));
    }};
}

#[test]
fn rows_of_another_release_are_read_on_sqlite() {
    let (store, directory) = sqlite(TestSettings::default());
    let file = directory.path().join("db.sqlite3");
    let connection = SqliteConnection::establish(&file.display().to_string()).unwrap();
    rows_of_another_release!(store, connection);
}

#[test]
fn rows_of_another_release_are_read_on_postgres() {
    let Some((store, database)) = postgres(TestSettings::default()) else {
        return;
    };
    let connection = PgConnection::establish(database.url()).unwrap();
    rows_of_another_release!(store, connection);
}

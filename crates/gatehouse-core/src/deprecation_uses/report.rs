//! Reports on the usage of deprecated features, with the names of tokens and applications.

use std::collections::{BTreeSet, HashMap};

use accounts::AccountQueries;
use api_conventions::ids::{ApplicationId, TokenId, UserId};
use deprecations::{Holder, Use, UseQueries};
use oauth_provider::ApplicationQueries;
use storage::StoreError;

/// Uses with the name of their holder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedUse {
    /// The uses: record, user, holder, count and times.
    pub of: Use,
    /// Name of the token or application; `None` if it was deleted, and for holders without a name.
    pub holder_name: Option<String>,
}

/// Lists the uses by a user, at most `limit`, the last used first. Takes at most three queries.
///
/// # Errors
/// Failures of the store.
pub fn report_of_user<Tx>(
    tx: &mut Tx,
    user: UserId,
    limit: usize,
) -> Result<Vec<NamedUse>, StoreError>
where
    Tx: UseQueries + AccountQueries + ApplicationQueries + ?Sized,
{
    let listed = tx.list_uses_of_user(user, limit)?;
    with_names(tx, listed)
}

/// Lists the uses of a record, at most `limit`, the last used first. Takes at most three queries.
///
/// # Errors
/// Failures of the store.
pub fn report_of_record<Tx>(
    tx: &mut Tx,
    record: &str,
    limit: usize,
) -> Result<Vec<NamedUse>, StoreError>
where
    Tx: UseQueries + AccountQueries + ApplicationQueries + ?Sized,
{
    let listed = tx.list_uses_of_record(record, limit)?;
    with_names(tx, listed)
}

/// Looks up all names at once. Makes no query if there is nothing to name.
fn with_names<Tx>(tx: &mut Tx, uses: Vec<Use>) -> Result<Vec<NamedUse>, StoreError>
where
    Tx: AccountQueries + ApplicationQueries + ?Sized,
{
    let mut tokens: BTreeSet<TokenId> = BTreeSet::new();
    let mut applications: BTreeSet<ApplicationId> = BTreeSet::new();
    for one in &uses {
        match one.key.holder() {
            Holder::Token(id) => drop(tokens.insert(id)),
            Holder::Application(id) => drop(applications.insert(id)),
            Holder::Session | Holder::Others => {}
        }
    }
    let mut names: HashMap<Holder, String> = HashMap::new();
    if !tokens.is_empty() {
        let tokens: Vec<TokenId> = tokens.into_iter().collect();
        let found = tx.list_token_names(&tokens)?.into_iter();
        names.extend(found.map(|(id, name)| (Holder::Token(id), name)));
    }
    if !applications.is_empty() {
        let applications: Vec<ApplicationId> = applications.into_iter().collect();
        let found = tx.list_application_names(&applications)?.into_iter();
        names.extend(found.map(|(id, name)| (Holder::Application(id), name)));
    }
    let uses = uses.into_iter().map(|of| NamedUse {
        holder_name: names.get(&of.key.holder()).cloned(),
        of,
    });
    Ok(uses.collect())
}

#[cfg(test)]
mod tests {
    use accounts::{AccountRepository as _, NewToken, TokenKind};
    use api_conventions::scope::ScopeSet;
    use api_conventions::secret::SecretDigest;
    use api_conventions::time::{CalendarDate, Timestamp};
    use deprecations::{UseCount, UseKey, UseRepository as _};
    use oauth_provider::{
        ApplicationOptions, ApplicationRepository as _, ApplicationUid, ClientType, NewApplication,
    };
    use storage::Store as _;
    use storage_diesel::SqliteStore;

    use super::*;

    fn token(user_id: UserId) -> NewToken {
        NewToken {
            user_id,
            name: "nightly".to_owned(),
            kind: TokenKind::Personal,
            family_id: None,
            scopes: ScopeSet::default(),
            digest: SecretDigest::of("nightly"),
            expires_on: CalendarDate::parse("2030-01-01").unwrap(),
            creator_id: None,
            created_at: Timestamp::MIN,
        }
    }

    fn application() -> NewApplication {
        NewApplication {
            uid: ApplicationUid::parse("board").unwrap(),
            secret: SecretDigest::of("board"),
            name: "Board".to_owned(),
            redirect_uris: Vec::new(),
            post_logout_redirect_uris: Vec::new(),
            scopes: ScopeSet::default(),
            client_type: ClientType::Public,
            trusted: false,
            options: ApplicationOptions::of(ClientType::Public),
            owner_id: None,
            created_at: Timestamp::MIN,
        }
    }

    /// Returns the holder names in a report.
    fn names(report: &[NamedUse]) -> Vec<Option<&str>> {
        report
            .iter()
            .map(|one| one.holder_name.as_deref())
            .collect()
    }

    #[test]
    fn tokens_and_applications_have_their_names_while_they_are_there() {
        let store = SqliteStore::in_memory().unwrap();
        let [ann, bob, _] = storage_conformance::accounts::insert_people(&store);
        let written = store.write(move |tx| {
            let token = tx.insert_token(&token(ann))?;
            let application = tx.insert_application(&application())?;
            let gone = i64::MAX;
            // The last one is listed first.
            let holders = [
                Holder::Session,
                Holder::Token(token),
                Holder::Application(application),
                Holder::Token(TokenId::new(gone)),
                Holder::Application(ApplicationId::new(gone)),
                Holder::Others,
            ];
            let uses = (1..).zip(holders).map(|(seconds, holder)| Use {
                key: UseKey::new("a", ann, holder),
                count: UseCount::once(Timestamp::MIN.plus_seconds(seconds)),
            });
            tx.add_uses(&uses.collect::<Vec<Use>>())
        });
        let written: Result<(), StoreError> = written.wait();
        written.unwrap();
        let reports = store.read(move |tx| {
            Ok::<_, StoreError>([
                report_of_user(tx, ann, 9)?,
                report_of_record(tx, "a", 9)?,
                report_of_record(tx, "a", 2)?,
                report_of_user(tx, bob, 9)?,
            ])
        });
        let [of_user, of_record, of_last, of_nobody] = reports.wait().unwrap();
        let wanted = [None, None, Some("Board"), Some("nightly"), None];
        assert_eq!(names(&of_user), wanted);
        assert_eq!(names(&of_record[1..]), wanted);
        assert_eq!(of_record[0].of.key, UseKey::of_others("a"));
        assert_eq!(of_last, of_record[..2]);
        assert_eq!(of_nobody, []);
    }
}

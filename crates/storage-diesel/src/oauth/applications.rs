//! Applications.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::dsl::max;
use diesel::prelude::*;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationQueries, ApplicationRepository,
    ApplicationUid, AuthorizedApplication, NewApplication,
};
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::applications::{
    ApplicationRow, ChangedApplicationRow, NewApplicationRow, read_authorized, read_permitted,
};
use super::tables::{oauth_applications as applications, oauth_grants as grants};
use crate::transaction::{Backend, order_by};

#[for_each_database(dialect = crate::oauth)]
mod database {
    impl ::oauth_provider::ApplicationQueriesWrapper for WriteTx<'_> {}

    impl ApplicationQueries for ReadTx<'_> {
        fn find_application(
            &mut self,
            id: ApplicationId,
        ) -> Result<Option<Application>, StoreError> {
            let with_id = applications::table.find(id.get());
            self.find::<ApplicationRow>("find application", with_id)
        }

        fn find_application_by_uid(
            &mut self,
            uid: &ApplicationUid,
        ) -> Result<Option<Application>, StoreError> {
            let with_uid = applications::table.filter(applications::uid.eq(uid.as_str()));
            self.find::<ApplicationRow>("find application", with_uid)
        }

        fn list_applications(
            &mut self,
            owner: ApplicationOwner,
            page: OffsetPage,
        ) -> Result<Page<Application>, StoreError> {
            self.page::<ApplicationRow, _, _, _>(
                "list applications",
                page,
                SortOrder::Ascending,
                || owned_by(owner),
                |ids, sort| order_by!(ids, sort, applications::created_at, applications::id),
                |ids| applications::table.filter(applications::id.eq_any(ids)),
            )
        }

        fn list_application_names(
            &mut self,
            ids: &[ApplicationId],
        ) -> Result<Vec<(ApplicationId, String)>, StoreError> {
            let ids: Vec<i64> = ids.iter().map(|id| id.get()).collect();
            let named = applications::table.filter(applications::id.eq_any(ids));
            let columns = (applications::id, applications::name);
            let named: Vec<(i64, String)> =
                self.values("list application names", named.select(columns))?;
            let named = named.into_iter();
            Ok(named
                .map(|(id, name)| (ApplicationId::new(id), name))
                .collect())
        }

        fn list_authorized_applications(
            &mut self,
            user_id: UserId,
            now: Timestamp,
        ) -> Result<Vec<AuthorizedApplication>, StoreError> {
            // Of many grants with the same scopes (every new sign-in leaves one), the database returns the newest.
            let permitted = grants::table
                .filter(grants::user_id.eq(user_id.get()))
                .filter(grants::application_id.is_not_null())
                .filter(grants::redeemed_at.is_not_null())
                .filter(grants::revoked_at.is_null())
                .filter(grants::expires_at.gt(now.as_micros()))
                .group_by((grants::application_id, grants::scopes))
                .select((
                    grants::application_id.assume_not_null(),
                    grants::scopes,
                    max(grants::created_at).assume_not_null(),
                ));
            let permitted = read_permitted(self.values("list grants", permitted)?)?;
            let authorized = applications::table
                .filter(applications::id.eq_any(permitted.keys().copied()))
                .select(ApplicationRow::as_select());
            read_authorized(self.values("list applications", authorized)?, &permitted)
        }
    }

    type Ids<'t> = applications::BoxedQuery<'t, Backend<WriteTx<'t>>, diesel::sql_types::BigInt>;

    fn owned_by(owner: ApplicationOwner) -> Ids<'static> {
        let all = applications::table.select(applications::id).into_boxed();
        match owner {
            ApplicationOwner::User(id) => all.filter(applications::owner_id.eq(id.get())),
            ApplicationOwner::Instance => all.filter(applications::owner_id.is_null()),
        }
    }

    impl ApplicationRepository for WriteTx<'_> {
        fn insert_application(
            &mut self,
            new: &NewApplication,
        ) -> Result<ApplicationId, StoreError> {
            let insert =
                diesel::insert_into(applications::table).values(NewApplicationRow::from(new));
            self.value("insert application", insert.returning(applications::id))
                .map(ApplicationId::new)
        }

        fn update_application(
            &mut self,
            id: ApplicationId,
            change: &ApplicationChange,
        ) -> Result<bool, StoreError> {
            let update = diesel::update(applications::table.find(id.get()))
                .set(ChangedApplicationRow::from(change));
            self.changes("update application", update)
        }

        fn replace_secret(
            &mut self,
            id: ApplicationId,
            secret: &SecretDigest,
        ) -> Result<bool, StoreError> {
            let replace = diesel::update(applications::table.find(id.get()))
                .set(applications::secret_digest.eq(&secret.as_bytes()[..]));
            self.changes("replace secret", replace)
        }

        fn delete_application(&mut self, id: ApplicationId) -> Result<bool, StoreError> {
            // Foreign keys delete its requests, grants and pairs.
            self.run("delete application", |connection| {
                dialect::lock_application(connection, id.get())?;
                let delete = diesel::delete(applications::table.find(id.get()));
                Ok(delete.execute(connection)? > 0)
            })
        }
    }
}

//! Applications.

use api_conventions::ids::{ApplicationId, UserId};
use api_conventions::page::{OffsetPage, Page, SortOrder, Total};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use diesel::sql_types::Bool;
use oauth_provider::{
    Application, ApplicationChange, ApplicationOwner, ApplicationQueries, ApplicationRepository,
    ApplicationUid, AuthorizedApplication, NewApplication,
};
use storage::StoreError;

use crate::capped_count::CappedCount;
use crate::error::from_diesel;
use crate::rows::oauth::{
    ApplicationRow, client_type_number, read_authorized, read_permitted, uri_list,
};
use crate::schema::{oauth_applications as applications, oauth_grants as grants};
use crate::window::Window;

macro_rules! queries {
    ($tx:path, $connection:ty) => {
        const _: () = {
            use $tx as Tx;
            type Db = <$connection as diesel::Connection>::Backend;
            type Condition = Box<dyn BoxableExpression<applications::table, Db, SqlType = Bool>>;

            fn is_owned_by(owner: ApplicationOwner) -> Condition {
                match owner {
                    ApplicationOwner::User(id) => {
                        Box::new(applications::owner_id.assume_not_null().eq(id.get()))
                    }
                    ApplicationOwner::Instance => Box::new(applications::owner_id.is_null()),
                }
            }

            impl ApplicationQueries for Tx<'_> {
                fn find_application(
                    &mut self,
                    id: ApplicationId,
                ) -> Result<Option<Application>, StoreError> {
                    let row = applications::table
                        .find(id.get())
                        .select(ApplicationRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find application", e))?
                        .map(ApplicationRow::read)
                        .transpose()
                }

                fn find_application_by_uid(
                    &mut self,
                    uid: &ApplicationUid,
                ) -> Result<Option<Application>, StoreError> {
                    let row = applications::table
                        .filter(applications::uid.eq(uid.as_str()))
                        .select(ApplicationRow::as_select());
                    let row = row.get_result(self.connection()?).optional();
                    row.map_err(|e| from_diesel("find application", e))?
                        .map(ApplicationRow::read)
                        .transpose()
                }

                fn list_applications(
                    &mut self,
                    owner: ApplicationOwner,
                    page: OffsetPage,
                ) -> Result<Page<Application>, StoreError> {
                    let failed = |e| from_diesel("list applications", e);
                    let counted = applications::table
                        .filter(is_owned_by(owner))
                        .select(applications::id)
                        .limit(Total::COUNT_LIMIT);
                    let count: i64 = CappedCount(counted)
                        .get_result(self.connection()?)
                        .map_err(|e| from_diesel("count applications", e))?;
                    let window = Window::of(page, count);
                    let ids = applications::table
                        .filter(is_owned_by(owner))
                        .select(applications::id)
                        .offset(window.skip)
                        .limit(window.take);
                    let ids: Vec<i64> = match window.direction(SortOrder::Ascending) {
                        SortOrder::Ascending => ids
                            .order((applications::created_at.asc(), applications::id.asc()))
                            .load(self.connection()?)
                            .map_err(failed)?,
                        SortOrder::Descending => ids
                            .order((applications::created_at.desc(), applications::id.desc()))
                            .load(self.connection()?)
                            .map_err(failed)?,
                    };
                    let rows = applications::table
                        .filter(applications::id.eq_any(ids))
                        .order((applications::created_at.asc(), applications::id.asc()))
                        .select(ApplicationRow::as_select())
                        .load(self.connection()?)
                        .map_err(failed)?;
                    let items: Result<Vec<Application>, StoreError> =
                        rows.into_iter().map(ApplicationRow::read).collect();
                    Ok(window.page(items?))
                }

                fn list_authorized_applications(
                    &mut self,
                    user_id: UserId,
                    now: Timestamp,
                ) -> Result<Vec<AuthorizedApplication>, StoreError> {
                    // Of many grants of the same scopes, as every new sign-in leaves one, the database keeps the
                    // newest.
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
                            diesel::dsl::max(grants::created_at).assume_not_null(),
                        ))
                        .load::<(i64, String, i64)>(self.connection()?)
                        .map_err(|e| from_diesel("list grants", e))?;
                    let permitted = read_permitted(permitted)?;
                    let rows = applications::table
                        .filter(applications::id.eq_any(permitted.keys().copied()))
                        .select(ApplicationRow::as_select())
                        .load(self.connection()?)
                        .map_err(|e| from_diesel("list applications", e))?;
                    read_authorized(rows, &permitted)
                }
            }
        };
    };
}

macro_rules! repository {
    ($connection:ty) => {
        impl ApplicationRepository for WriteTx<'_> {
            fn insert_application(
                &mut self,
                new: &NewApplication,
            ) -> Result<ApplicationId, StoreError> {
                let id = diesel::insert_into(applications::table)
                    .values((
                        applications::uid.eq(new.uid.as_str()),
                        applications::secret_digest.eq(&new.secret.as_bytes()[..]),
                        applications::name.eq(&new.name),
                        applications::redirect_uris.eq(uri_list(&new.redirect_uris)),
                        applications::post_logout_redirect_uris
                            .eq(uri_list(&new.post_logout_redirect_uris)),
                        applications::scopes.eq(new.scopes.to_string()),
                        applications::client_type.eq(client_type_number(new.client_type)),
                        applications::trusted.eq(new.trusted),
                        applications::owner_id.eq(new.owner_id.map(UserId::get)),
                        applications::created_at.eq(new.created_at.as_micros()),
                    ))
                    .returning(applications::id)
                    .get_result(self.connection()?);
                id.map(ApplicationId::new)
                    .map_err(|e| from_diesel("insert application", e))
            }

            fn update_application(
                &mut self,
                id: ApplicationId,
                change: &ApplicationChange,
            ) -> Result<bool, StoreError> {
                let changed = diesel::update(applications::table.find(id.get()))
                    .set((
                        applications::name.eq(&change.name),
                        applications::redirect_uris.eq(uri_list(&change.redirect_uris)),
                        applications::post_logout_redirect_uris
                            .eq(uri_list(&change.post_logout_redirect_uris)),
                        applications::scopes.eq(change.scopes.to_string()),
                        applications::client_type.eq(client_type_number(change.client_type)),
                        applications::trusted.eq(change.trusted),
                    ))
                    .execute(self.connection()?);
                changed
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("update application", e))
            }

            fn replace_secret(
                &mut self,
                id: ApplicationId,
                secret: &SecretDigest,
            ) -> Result<bool, StoreError> {
                let changed = diesel::update(applications::table.find(id.get()))
                    .set(applications::secret_digest.eq(&secret.as_bytes()[..]))
                    .execute(self.connection()?);
                changed
                    .map(|rows| rows > 0)
                    .map_err(|e| from_diesel("replace secret", e))
            }

            fn delete_application(&mut self, id: ApplicationId) -> Result<bool, StoreError> {
                let failed = |e| from_diesel("delete application", e);
                oauth::lock_application(self.connection()?, id.get()).map_err(failed)?;
                // Requests, grants and pairs go with it by their foreign keys.
                let deleted = diesel::delete(applications::table.find(id.get()));
                let deleted = deleted.execute(self.connection()?).map_err(failed)?;
                Ok(deleted > 0)
            }
        }
    };
}

crate::repo::for_each_database!(queries, repository, oauth);

//! Invitations to register.

use accounts::{Invitation, InvitationQueries, InvitationRepository, NewInvitation, TokenPlace};
use api_conventions::ids::InvitationId;
use api_conventions::page::{OffsetPage, Page, SortOrder};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use super::rows::invitations::{InvitationRow, NewInvitationRow, invitations};
use crate::rows::DomainRow as _;
use crate::transaction::{order_by, row_limit};

#[for_each_database]
mod database {
    type Db = crate::transaction::Backend<ReadTx<'static>>;

    impl ::accounts::InvitationQueriesWrapper for WriteTx<'_> {}

    impl InvitationQueries for ReadTx<'_> {
        fn find_invitation_by_digest(
            &mut self,
            digest: &SecretDigest,
        ) -> Result<Option<Invitation>, StoreError> {
            let with_digest = invitations::digest.eq(&digest.as_bytes()[..]);
            let found = invitations::table.filter(with_digest);
            self.find::<InvitationRow>("find invitation", found)
        }

        fn find_invitation(&mut self, id: InvitationId) -> Result<Option<Invitation>, StoreError> {
            let with_id = invitations::table.find(id.get());
            self.find::<InvitationRow>("find invitation", with_id)
        }

        fn list_invitations(&mut self, page: OffsetPage) -> Result<Page<Invitation>, StoreError> {
            self.page::<InvitationRow, _, _, _>(
                "list invitations",
                page,
                SortOrder::Descending,
                || {
                    invitations::table
                        .select(invitations::id)
                        .into_boxed::<Db>()
                },
                |ids, sort| order_by!(ids, sort, invitations::id),
                |ids| invitations::table.filter(invitations::id.eq_any(ids)),
            )
        }
    }

    impl InvitationRepository for WriteTx<'_> {
        fn insert_invitation(
            &mut self,
            invitation: &NewInvitation,
        ) -> Result<InvitationId, StoreError> {
            let row = NewInvitationRow::from(invitation);
            let insert = diesel::insert_into(invitations::table).values(row);
            self.value("insert invitation", insert.returning(invitations::id))
                .map(InvitationId::new)
        }

        fn take_invitation(
            &mut self,
            digest: &SecretDigest,
            now: Timestamp,
        ) -> Result<Option<Invitation>, StoreError> {
            let usable = invitations::table
                .filter(invitations::digest.eq(&digest.as_bytes()[..]))
                .filter(invitations::expires_at.gt(now.as_micros()));
            let take = diesel::delete(usable).returning(InvitationRow::as_returning());
            let row = self.value_if("use invitation", take)?;
            row.map(InvitationRow::read).transpose()
        }

        fn delete_invitation(&mut self, id: InvitationId) -> Result<bool, StoreError> {
            let its = invitations::table.find(id.get());
            self.changes("delete invitation", diesel::delete(its))
        }

        fn delete_invitations_to(&mut self, place: TokenPlace) -> Result<usize, StoreError> {
            let (kind, id) = place.numbers();
            let its = invitations::table
                .filter(invitations::place_id.eq(id))
                .filter(invitations::place_kind.eq(kind));
            self.execute("delete invitations", diesel::delete(its))
        }

        fn delete_expired_invitations(
            &mut self,
            before: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete expired invitations";
            let expired = invitations::table
                .filter(invitations::expires_at.lt(before.as_micros()))
                .order(invitations::expires_at)
                .limit(row_limit(limit))
                .select(invitations::id);
            let expired: Vec<i64> = self.values(DELETE, expired)?;
            let expired = invitations::table.filter(invitations::id.eq_any(expired));
            self.execute(DELETE, diesel::delete(expired))
        }
    }
}

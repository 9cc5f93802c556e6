//! Page by page through lists of the database, so that a command never holds a whole list.

use accounts::{User, UserFilter, UserOrder};
use api_conventions::page::{OffsetPage, Page, SortOrder};
use storage::{Lane, StoreError};

use gatehouse_core::database::{Database, ReadTransaction};

/// Rows that one read returns.
pub(super) const PER_PAGE: u16 = OffsetPage::MAX_SIZE;

/// Runs a read.
pub(super) fn read<T, F>(database: &Database, work: F) -> Result<T, StoreError>
where
    T: Send + 'static,
    F: for<'t> FnOnce(&mut (dyn ReadTransaction + 't)) -> Result<T, StoreError> + Send + 'static,
{
    database.read(Lane::Shared, work).wait()
}

/// Passes all users that match a filter to `each`, in the order of their ids.
pub(super) fn each_user(
    database: &Database,
    mut filter: UserFilter,
    mut each: impl FnMut(User) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    filter.order_by = UserOrder::Id;
    filter.sort = SortOrder::Ascending;
    loop {
        let (next, first) = (filter.clone(), OffsetPage::new(1, PER_PAGE.into()));
        let users = read(database, move |tx| tx.list_users(&next, first))?.items;
        let Some(last) = users.last() else {
            return Ok(());
        };
        filter.id_after = Some(last.id);
        users.into_iter().try_for_each(&mut each)?;
    }
}

/// Passes the rows of all pages to `each`.
pub(super) fn each_row<T>(
    mut list: impl FnMut(OffsetPage) -> Result<Page<T>, StoreError>,
    mut each: impl FnMut(T) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    for number in 1.. {
        let rows = list(OffsetPage::new(number, PER_PAGE.into()))?.items;
        let is_last = rows.len() < usize::from(PER_PAGE);
        rows.into_iter().try_for_each(&mut each)?;
        if is_last {
            break;
        }
    }
    Ok(())
}

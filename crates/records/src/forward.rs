//! Handing on, for transactions around another one.

/// Implements [`RecordQueries`](crate::RecordQueries) of every kind for a transaction around another one, which has them.
/// `$method` gives the one inside.
#[macro_export]
macro_rules! forward_queries {
    ($outer:ident over $inner:ident by $method:ident) => {
        impl<'t, C: $crate::Content> $crate::RecordQueries<C> for $outer<'t>
        where
            dyn $inner + 't: $crate::RecordQueries<C>,
        {
            fn find_record(
                &mut self,
                owner: C::Owner,
                id: C::Id,
            ) -> Result<Option<$crate::Record<C>>, $crate::reexported::StoreError> {
                self.$method().find_record(owner, id)
            }

            fn list_records(
                &mut self,
                owner: C::Owner,
                filter: &C::Filter,
                page: $crate::reexported::OffsetPage,
            ) -> Result<$crate::reexported::Page<$crate::Record<C>>, $crate::reexported::StoreError>
            {
                self.$method().list_records(owner, filter, page)
            }
        }
    };
}

/// The same for [`RecordRepository`](crate::RecordRepository), of every kind that has the trait `$kind`.
#[macro_export]
macro_rules! forward_changes {
    ($outer:ident over $inner:ident by $method:ident, of $kind:path) => {
        impl<'t, C: $kind> $crate::RecordRepository<C> for $outer<'t>
        where
            dyn $inner + 't: $crate::RecordRepository<C>,
        {
            fn insert_record(
                &mut self,
                new: &$crate::NewRecord<C>,
            ) -> Result<$crate::Saved<C>, $crate::reexported::StoreError> {
                self.$method().insert_record(new)
            }

            fn lock_record(
                &mut self,
                owner: C::Owner,
                id: C::Id,
            ) -> Result<Option<$crate::Locked<C>>, $crate::reexported::StoreError> {
                self.$method().lock_record(owner, id)
            }

            fn update_record(
                &mut self,
                record: $crate::Locked<C>,
                content: C,
                now: $crate::reexported::Timestamp,
            ) -> Result<$crate::Saved<C>, $crate::reexported::StoreError> {
                self.$method().update_record(record, content, now)
            }

            fn delete_record(
                &mut self,
                record: $crate::Locked<C>,
            ) -> Result<$crate::Record<C>, $crate::reexported::StoreError> {
                self.$method().delete_record(record)
            }
        }
    };
}

//! One declaration for a table whose rows have a number: its columns with their types, the row that is read, and what is
//! inserted and changed.

use std::borrow::Cow;

use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text};

/// A type of columns, and what stands for its values in rows.
pub(crate) trait Stored {
    /// A value that was read.
    type Read;
    /// A value that is written. It may be borrowed.
    type Written<'v>;
}

macro_rules! stored {
    ($($sql_type:ty: $read:ty, $written:ty;)+) => {
        $(impl Stored for $sql_type {
            type Read = $read;
            type Written<'v> = $written;
        })+
    };
}

stored! {
    BigInt: i64, i64;
    Integer: i32, i32;
    SmallInt: i16, i16;
    Bool: bool, bool;
    Text: String, Cow<'v, str>;
    Binary: Vec<u8>, Cow<'v, [u8]>;
}

impl<T: Stored> Stored for Nullable<T>
where
    T: diesel::sql_types::SqlType<IsNull = diesel::sql_types::is_nullable::NotNull>,
{
    type Read = Option<T::Read>;
    type Written<'v> = Option<T::Written<'v>>;
}

/// Declares a table with an `id` and the forms of its rows. Columns are in groups, each of which may be left out:
///
/// * `changing` columns are read, inserted, and changed together: a struct of their own is both the second half of what is
///   inserted and the whole of what is changed;
/// * `fixed` columns are read and inserted;
/// * `written` columns are inserted and never read, as the digest that a row is found by;
/// * `later` columns are read, and stand at the default of the table until a statement of their own sets them.
///
/// The struct of the row implements [`KeyedRow`](crate::rows::KeyedRow) here and needs a [`Row`](crate::rows::Row), which
/// says what it means.
macro_rules! entity {
    (
        $table:ident: $row:ident, $new:ident, $change:ident;
        $(fixed { $($fixed:ident: $F:ident $(<$FI:ident>)?),+ $(,)? })?
        $(written { $($written:ident: $W:ident $(<$WI:ident>)?),+ $(,)? })?
        changing { $($changing:ident: $C:ident $(<$CI:ident>)?),+ $(,)? }
        $(later { $($later:ident: $L:ident $(<$LI:ident>)?),+ $(,)? })?
    ) => {
        diesel::table! {
            $table (id) {
                id -> BigInt,
                $($($fixed -> $F $(<$FI>)?,)+)?
                $($($written -> $W $(<$WI>)?,)+)?
                $($changing -> $C $(<$CI>)?,)+
                $($($later -> $L $(<$LI>)?,)+)?
            }
        }

        crate::entity::read_row! {
            $table: $row {
                $($($fixed: $F $(<$FI>)?,)+)?
                $($changing: $C $(<$CI>)?,)+
                $($($later: $L $(<$LI>)?,)+)?
            }
        }

        /// What is inserted.
        #[derive(diesel::Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(crate) struct $new<'v> {
            $($(pub(crate) $fixed: crate::entity::written!('v, $F $(<$FI>)?),)+)?
            $($(pub(crate) $written: crate::entity::written!('v, $W $(<$WI>)?),)+)?
            #[diesel(embed)]
            pub(crate) changing: $change<'v>,
        }

        /// What can be changed.
        #[derive(diesel::Insertable, diesel::AsChangeset)]
        #[diesel(table_name = $table, treat_none_as_default_value = false, treat_none_as_null = true)]
        pub(crate) struct $change<'v> {
            $(pub(crate) $changing: crate::entity::written!('v, $C $(<$CI>)?),)+
        }
    };
    (
        $table:ident: $row:ident, $new:ident;
        fixed { $($fixed:ident: $F:ident $(<$FI:ident>)?),+ $(,)? }
        $(written { $($written:ident: $W:ident $(<$WI:ident>)?),+ $(,)? })?
        $(later { $($later:ident: $L:ident $(<$LI:ident>)?),+ $(,)? })?
    ) => {
        diesel::table! {
            $table (id) {
                id -> BigInt,
                $($fixed -> $F $(<$FI>)?,)+
                $($($written -> $W $(<$WI>)?,)+)?
                $($($later -> $L $(<$LI>)?,)+)?
            }
        }

        crate::entity::read_row! {
            $table: $row {
                $($fixed: $F $(<$FI>)?,)+
                $($($later: $L $(<$LI>)?,)+)?
            }
        }

        /// What is inserted.
        #[derive(diesel::Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(crate) struct $new<'v> {
            $(pub(crate) $fixed: crate::entity::written!('v, $F $(<$FI>)?),)+
            $($(pub(crate) $written: crate::entity::written!('v, $W $(<$WI>)?),)+)?
        }
    };
}

/// The struct of a row that is read.
macro_rules! read_row {
    ($table:ident: $row:ident { $($column:ident: $T:ident $(<$TI:ident>)?,)+ }) => {
        /// What is read.
        #[derive(Debug, Clone, diesel::Queryable, diesel::Selectable)]
        #[diesel(table_name = $table)]
        pub(crate) struct $row {
            pub(crate) id: i64,
            $(pub(crate) $column:
                <diesel::sql_types::$T $(<diesel::sql_types::$TI>)? as crate::entity::Stored>::Read,)+
        }

        impl $row {
            /// What names the row in an error.
            pub(crate) fn reader(&self) -> crate::rows::RowReader {
                crate::rows::RowReader::new(stringify!($table), self.id)
            }
        }

        impl crate::rows::KeyedRow for $row {
            fn key(&self) -> i64 {
                self.id
            }
        }
    };
}

/// The type of a value that is written to a column.
macro_rules! written {
    ($v:lifetime, $T:ident $(<$TI:ident>)?) => {
        <diesel::sql_types::$T $(<diesel::sql_types::$TI>)? as crate::entity::Stored>::Written<$v>
    };
}

pub(crate) use {entity, read_row, written};

#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
mod tests;

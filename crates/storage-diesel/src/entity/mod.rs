//! Declaration of a table whose rows have an id: its columns with their types, the row that is read, and the structs
//! for inserts and updates.

use std::borrow::Cow;

use diesel::sql_types::{BigInt, Binary, Bool, Integer, Nullable, SmallInt, Text};

/// Type of a column, with the types of its values in rows.
pub(crate) trait ColumnType {
    /// Value that is read.
    type ReadValue;
    /// Value that is written.
    /// It may be borrowed.
    type WriteValue<'v>;
}

macro_rules! column_types {
    ($($sql_type:ty: $read:ty, $written:ty;)+) => {
        $(impl ColumnType for $sql_type {
            type ReadValue = $read;
            type WriteValue<'v> = $written;
        })+
    };
}

column_types! {
    BigInt: i64, i64;
    Integer: i32, i32;
    SmallInt: i16, i16;
    Bool: bool, bool;
    Text: String, Cow<'v, str>;
    Binary: Vec<u8>, Cow<'v, [u8]>;
}

impl<T: ColumnType> ColumnType for Nullable<T>
where
    T: diesel::sql_types::SqlType<IsNull = diesel::sql_types::is_nullable::NotNull>,
{
    type ReadValue = Option<T::ReadValue>;
    type WriteValue<'v> = Option<T::WriteValue<'v>>;
}

/// Declares a table with an `id` and the structs of its rows.
/// Columns are in groups, each of which may be omitted:
///
/// * `changing` columns are read, inserted, and updated together: they form a struct that is embedded in the insert
///   struct and is also the whole update struct;
/// * `fixed` columns are read and inserted;
/// * `written` columns are inserted and never read, such as the digest by which a row is found;
/// * `later` columns are read, and have the table's default until a separate statement sets them.
///
/// The row struct implements [`KeyedRow`](crate::rows::KeyedRow) here and needs a
/// [`DomainRow`](crate::rows::DomainRow), which defines the value that it is read as.
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

        /// Values of an insert.
        #[derive(diesel::Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(crate) struct $new<'v> {
            $($(pub(crate) $fixed: crate::entity::write_value!('v, $F $(<$FI>)?),)+)?
            $($(pub(crate) $written: crate::entity::write_value!('v, $W $(<$WI>)?),)+)?
            #[diesel(embed)]
            pub(crate) changing: $change<'v>,
        }

        /// Values of an update.
        #[derive(diesel::Insertable, diesel::AsChangeset)]
        #[diesel(table_name = $table, treat_none_as_default_value = false, treat_none_as_null = true)]
        pub(crate) struct $change<'v> {
            $(pub(crate) $changing: crate::entity::write_value!('v, $C $(<$CI>)?),)+
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

        /// Values of an insert.
        #[derive(diesel::Insertable)]
        #[diesel(table_name = $table, treat_none_as_default_value = false)]
        pub(crate) struct $new<'v> {
            $(pub(crate) $fixed: crate::entity::write_value!('v, $F $(<$FI>)?),)+
            $($(pub(crate) $written: crate::entity::write_value!('v, $W $(<$WI>)?),)+)?
        }
    };
}

/// Declares the struct of a row that is read.
macro_rules! read_row {
    ($table:ident: $row:ident { $($column:ident: $T:ident $(<$TI:ident>)?,)+ }) => {
        /// Row as read.
        #[derive(Debug, Clone, diesel::Queryable, diesel::Selectable)]
        #[diesel(table_name = $table)]
        pub(crate) struct $row {
            pub(crate) id: i64,
            $(pub(crate) $column:
                <diesel::sql_types::$T $(<diesel::sql_types::$TI>)? as crate::entity::ColumnType>::ReadValue,)+
        }

        impl $row {
            /// Returns the reader that names the row in an error.
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

/// Type of a value that is written to a column.
macro_rules! write_value {
    ($v:lifetime, $T:ident $(<$TI:ident>)?) => {
        <diesel::sql_types::$T $(<diesel::sql_types::$TI>)? as crate::entity::ColumnType>::WriteValue<$v>
    };
}

pub(crate) use {entity, read_row, write_value};

#[cfg(all(test, feature = "sqlite", feature = "postgres"))]
mod tests;

//! Statements over arrays: one statement for any number of rows, with a fixed text that is prepared once.
//!
//! A statement with a row of parameters for each row would have a different text for each number of rows, and could not
//! hold ten thousand rows at all.

/// Declares a statement over arrays: a struct with one column of values for each parameter, and its text with a gap in
/// place of each parameter.
macro_rules! over_arrays {
    (
        $(#[$doc:meta])*
        $name:ident { $($column:ident: $sql_type:ty => $rust_type:ty),+ $(,)? }
        $start:literal, $end:literal
        $(, gives $output:ty)?
    ) => {
        $(#[$doc])*
        #[derive(Debug, Default)]
        pub(crate) struct $name<'v> {
            $(pub(crate) $column: Vec<$rust_type>,)+
            pub(crate) lifetime: std::marker::PhantomData<&'v ()>,
        }

        impl diesel::query_builder::QueryId for $name<'_> {
            type QueryId = $name<'static>;
            const HAS_STATIC_QUERY_ID: bool = true;
        }

        $(impl diesel::query_builder::Query for $name<'_> {
            type SqlType = $output;
        })?

        impl diesel::RunQueryDsl<diesel::PgConnection> for $name<'_> {}

        impl diesel::query_builder::QueryFragment<diesel::pg::Pg> for $name<'_> {
            fn walk_ast<'b>(&'b self, mut out: diesel::query_builder::AstPass<'_, 'b, diesel::pg::Pg>,
            ) -> diesel::QueryResult<()> {
                out.push_sql($start);
                let mut separator = "";
                $(
                    out.push_sql(separator);
                    out.push_bind_param::<diesel::sql_types::Array<$sql_type>, _>(&self.$column)?;
                    separator = ", ";
                )+
                let _ = separator;
                out.push_sql($end);
                Ok(())
            }
        }
    };
}

pub(crate) use over_arrays;

//! The macros of `storage-diesel`.
#![doc = ""]
#![doc = include_str!("../README.md")]

mod for_each_database;

use proc_macro::TokenStream;

/// Compiles a module once for each database that is compiled in, as the modules `on_sqlite` and `on_postgres`.
///
/// The content sees everything that the surrounding module sees, and in addition
///
/// * `ReadTx` and `WriteTx`, the transactions of the database, with their helpers (`crate::transaction::Transaction`);
/// * `dialect`, if `dialect = crate::accounts` is given: the module `sqlite` or `postgres` of `crate::accounts`, with
///   the code that differs between the databases;
/// * the items of other modules with this attribute, for the same database, if `with(crate::projects::conditions)`
///   names the modules around them.
///
/// ```text
/// #[for_each_database(dialect = crate::accounts)]
/// mod database {
///     impl AccountQueries for ReadTx<'_> {
///         fn find_user(&mut self, id: UserId) -> Result<Option<User>, StoreError> {
///             self.find::<UserRow>("find user", users::table.find(id.get()))
///         }
///     }
/// }
/// ```
#[proc_macro_attribute]
pub fn for_each_database(arguments: TokenStream, module: TokenStream) -> TokenStream {
    for_each_database::expand(arguments.into(), module.into())
        .unwrap_or_else(syn::Error::into_compile_error)
        .into()
}

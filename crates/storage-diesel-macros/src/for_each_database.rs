//! Modules that are compiled once for each database.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote;
use syn::meta::ParseNestedMeta;
use syn::parse::Parser as _;
use syn::punctuated::Punctuated;
use syn::{Error, ItemMod, Path, Result, Token, parenthesized};

/// Databases: the feature, which is also the folder, the read transaction and the write transaction.
const DATABASES: [(&str, &str, &str); 2] = [
    ("sqlite", "SqliteReadTx", "SqliteWriteTx"),
    ("postgres", "PgReadTx", "PgWriteTx"),
];

/// The arguments of the attribute.
#[derive(Default)]
struct DatabaseArguments {
    dialect: Option<Path>,
    with: Vec<Path>,
}

impl DatabaseArguments {
    fn parse(&mut self, argument: &ParseNestedMeta<'_>) -> Result<()> {
        if argument.path.is_ident("dialect") {
            self.dialect = Some(argument.value()?.call(Path::parse_mod_style)?);
        } else if argument.path.is_ident("with") {
            let modules;
            parenthesized!(modules in argument.input);
            let modules = Punctuated::<Path, Token![,]>::parse_terminated_with(
                &modules,
                Path::parse_mod_style,
            )?;
            self.with.extend(modules);
        } else {
            return Err(argument.error("expected `dialect = …` or `with(…)`"));
        }
        Ok(())
    }
}

/// Generates the module for each database.
pub(crate) fn expand(arguments: TokenStream, module: TokenStream) -> Result<TokenStream> {
    let mut named = DatabaseArguments::default();
    syn::meta::parser(|argument| named.parse(&argument)).parse2(arguments)?;
    let module: ItemMod = syn::parse2(module)?;
    let Some((_, items)) = &module.content else {
        let message = "write the module in this file: an attribute does not see other files";
        return Err(Error::new_spanned(&module, message));
    };
    let (visibility, attributes) = (&module.vis, &module.attrs);
    let modules = DATABASES.map(|(database, read, write)| {
        let [name, database_module, read, write] =
            [&format!("on_{database}"), database, read, write]
                .map(|name| Ident::new(name, Span::call_site()));
        let dialect = named.dialect.iter();
        let with = named.with.iter();
        quote! {
            #[cfg(feature = #database)]
            #(#attributes)*
            #visibility mod #name {
                #[allow(unused_imports, reason = "the module may need less of what is around it on one database")]
                use super::*;
                #[allow(unused_imports, reason = "a module may have one kind of transaction or none")]
                use crate::#database_module::{#read as ReadTx, #write as WriteTx};
                #[allow(unused_imports, reason = "a module may have no transaction")]
                use crate::transaction::Transaction as _;
                #(
                    #[allow(unused_imports, reason = "a database may need no dialect in this module")]
                    use #dialect::#database_module as dialect;
                )*
                #(
                    #[allow(unused_imports, reason = "a database may need less in this module")]
                    use #with::#name::*;
                )*

                #(#items)*
            }
        }
    });
    Ok(quote!(#(#modules)*))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expanded(arguments: TokenStream, module: TokenStream) -> String {
        let expanded = expand(arguments, module);
        expanded.map_or_else(|error| error.to_string(), |tokens| tokens.to_string())
    }

    #[test]
    fn a_module_is_there_once_for_each_database() {
        let text = expanded(
            quote!(dialect = crate::accounts, with(crate::lists, crate::bounds)),
            quote!(
                pub(super) mod database {
                    impl Queries for ReadTx<'_> {}
                }
            ),
        );
        for part in [
            "# [cfg (feature = \"sqlite\")] pub (super) mod on_sqlite {",
            "# [cfg (feature = \"postgres\")] pub (super) mod on_postgres {",
            "use crate :: sqlite :: { SqliteReadTx as ReadTx , SqliteWriteTx as WriteTx } ;",
            "use crate :: accounts :: postgres as dialect ;",
            "use crate :: bounds :: on_sqlite :: * ;",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        assert_eq!(text.matches("impl Queries for ReadTx").count(), 2);
    }

    #[test]
    fn invalid_modules_and_arguments_are_reported() {
        let message = expanded(
            quote!(),
            quote!(
                mod other;
            ),
        );
        assert!(
            message.contains("write the module in this file"),
            "{message}"
        );
        let message = expanded(
            quote!(home = crate::accounts),
            quote!(
                mod database {}
            ),
        );
        assert!(message.contains("expected `dialect"), "{message}");
    }
}

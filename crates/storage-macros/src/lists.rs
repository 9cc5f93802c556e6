//! Arguments of the attributes: which methods revoke something, and which do not.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser as _};
use syn::punctuated::Punctuated;
use syn::{Error, Ident, Result, Token, parenthesized};

/// Kind of a method, as declared in the attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclaredKind {
    Query,
    Keeps,
    Revokes,
}

/// Methods by their kind.
#[derive(Debug)]
pub(crate) enum MethodLists {
    /// Every method is a query.
    Queries,
    /// Every method is listed, with its kind.
    Changes(Vec<(Ident, DeclaredKind)>),
}

impl MethodLists {
    /// Parses the arguments of `queries`, which has none.
    pub(crate) fn of_queries(arguments: TokenStream) -> Result<Self> {
        if arguments.is_empty() {
            return Ok(Self::Queries);
        }
        let text = "`queries` takes no arguments: a query revokes nothing";
        Err(Error::new_spanned(arguments, text))
    }

    /// Parses the arguments of `repository`.
    pub(crate) fn of_changes(arguments: TokenStream) -> Result<Self> {
        let lists = Punctuated::<MethodList, Token![,]>::parse_terminated.parse2(arguments)?;
        Ok(Self::Changes(
            lists.into_iter().flat_map(|list| list.0).collect(),
        ))
    }

    /// Returns the kinds of these methods, in order.
    ///
    /// # Errors
    /// All mistakes together: a method that is not listed exactly once, and a listed name that is not a method.
    pub(crate) fn kinds(&self, methods: &[&Ident]) -> Result<Vec<DeclaredKind>> {
        let Self::Changes(listed) = self else {
            return Ok(vec![DeclaredKind::Query; methods.len()]);
        };
        let strange = listed.iter().filter(|(name, _)| !methods.contains(&name));
        let mut errors: Vec<Error> = strange.map(|(name, _)| no_method(name)).collect();
        let mut kinds = Vec::new();
        for method in methods {
            let mut found = listed.iter().filter(|(name, _)| name == *method);
            match (found.next(), found.next()) {
                (None, _) => errors.push(not_listed(method)),
                (Some((_, kind)), None) => kinds.push(*kind),
                (Some(_), Some((again, _))) => errors.push(listed_twice(again)),
            }
        }
        let all = errors.into_iter().reduce(|mut all, error| {
            all.combine(error);
            all
        });
        all.map_or(Ok(kinds), Err)
    }
}

/// List with its name, such as `revokes(delete_session)`.
struct MethodList(Vec<(Ident, DeclaredKind)>);

impl Parse for MethodList {
    fn parse(input: ParseStream<'_>) -> Result<Self> {
        let name: Ident = input.parse()?;
        let kind = if name == "revokes" {
            DeclaredKind::Revokes
        } else if name == "keeps" {
            DeclaredKind::Keeps
        } else {
            let text = "there is no such list: write `revokes(...)`, `keeps(...)` or both";
            return Err(Error::new(name.span(), text));
        };
        let methods;
        parenthesized!(methods in input);
        let methods = Punctuated::<Ident, Token![,]>::parse_terminated(&methods)?;
        Ok(Self(
            methods.into_iter().map(|method| (method, kind)).collect(),
        ))
    }
}

fn not_listed(method: &Ident) -> Error {
    let text = format!(
        "`{method}` must be listed in revokes(...) when what it ends may be remembered by a check of who calls (a token, a \
         session, an application, a user, a key), and in keeps(...) otherwise"
    );
    Error::new(method.span(), text)
}

fn listed_twice(method: &Ident) -> Error {
    let text = format!("`{method}` is listed twice: keep it in revokes(...) or in keeps(...)");
    Error::new(method.span(), text)
}

fn no_method(name: &Ident) -> Error {
    let text = format!("`{name}` is no method of this trait: remove it from the list");
    Error::new(name.span(), text)
}

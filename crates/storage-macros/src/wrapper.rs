//! Wrapper trait that an attribute generates beside its trait.

use proc_macro2::{Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::{
    Error, FnArg, Generics, Ident, ItemTrait, Pat, Result, Signature, TraitItem, TraitItemFn,
    parse_quote,
};

use crate::lists::{DeclaredKind, MethodLists};

/// Emits the trait unchanged, followed by its wrapper or by an error.
pub(crate) fn expand(lists: Result<MethodLists>, item: &TokenStream) -> TokenStream {
    let wrapper = lists.and_then(|lists| wrapper_of(&lists, &syn::parse2(item.clone())?));
    let wrapper = wrapper.unwrap_or_else(|error| error.to_compile_error());
    quote!(#item #wrapper)
}

/// Generates the wrapper of a trait, and the implementation of the trait for all types with the wrapper.
fn wrapper_of(lists: &MethodLists, repository: &ItemTrait) -> Result<TokenStream> {
    let methods: Vec<&TraitItemFn> = repository.items.iter().map(method).collect::<Result<_>>()?;
    let names: Vec<&Ident> = methods.iter().map(|method| &method.sig.ident).collect();
    let kinds = lists.kinds(&names)?;

    let ItemTrait {
        vis,
        ident,
        generics,
        supertraits,
        ..
    } = repository;
    let supertraits = supertraits.iter();
    let (_, arguments, conditions) = generics.split_for_impl();
    let target = WrappedTrait {
        repository: ident,
        of: quote!(#ident #arguments),
    };
    let name = format_ident!("{ident}Wrapper");
    let doc = format!(
        "[`{ident}`] of a transaction around another one, which every method calls unless it is written anew."
    );

    let descriptions = methods
        .iter()
        .zip(&kinds)
        .map(|(method, kind)| description(ident, &method.sig.ident, *kind));
    let descriptions: Vec<TokenStream> = descriptions.collect();
    let calls = methods
        .iter()
        .zip(kinds)
        .map(|(method, kind)| call_of(&target, method, kind));
    let calls = calls.collect::<Result<Vec<_>>>()?;
    let forwarding = methods
        .iter()
        .map(|method| forwarding_method(&quote!(#name #arguments), method));
    let forwarding = forwarding.collect::<Result<Vec<_>>>()?;
    let of = &target.of;
    let for_all = with_wrapper(generics, &quote!(#name #arguments));
    let (for_all, _, _) = for_all.split_for_impl();

    Ok(quote! {
        #[doc = #doc]
        #[allow(
            clippy::missing_errors_doc,
            clippy::too_many_arguments,
            clippy::type_complexity,
            reason = "the methods are those of the trait that is wrapped"
        )]
        #vis trait #name #generics: #(#supertraits +)* ::storage::TransactionWrapper<Inner: #of> #conditions {
            /// All methods, in the order of the trait.
            const METHODS: &'static [::storage::RepositoryMethod] = &[#(#descriptions),*];

            #(#calls)*
        }

        impl #for_all #of for Wrapper #conditions {
            #(#forwarding)*
        }
    })
}

/// Wrapped trait: its name, alone and with its generic arguments.
struct WrappedTrait<'a> {
    repository: &'a Ident,
    of: TokenStream,
}

/// Generates the description of a method for the wrapper.
fn description(repository: &Ident, method: &Ident, kind: DeclaredKind) -> TokenStream {
    let (repository, method) = (repository.to_string(), method.to_string());
    let kind = format_ident!("{kind:?}");
    quote! {
        ::storage::RepositoryMethod {
            repository: #repository,
            name: #method,
            kind: ::storage::MethodKind::#kind,
        }
    }
}

/// Generates a method of the wrapper, which calls the inner transaction.
fn call_of(
    target: &WrappedTrait<'_>,
    method: &TraitItemFn,
    kind: DeclaredKind,
) -> Result<TokenStream> {
    let WrappedTrait { repository, of } = target;
    let TraitItemFn { sig, .. } = method;
    let name = &sig.ident;
    let arguments = arguments(sig)?;
    let conditions = conditions(method);
    let doc = format!("Calls [`{repository}::{name}`] of the transaction inside.");
    let described = description(repository, name, kind);
    let check = (kind == DeclaredKind::Revokes).then(|| {
        let text = format!(
            "`{repository}::{name}` revokes something: say what in the implementation of `{repository}Wrapper`"
        );
        // The error points at the method, not at the whole attribute.
        quote_spanned! {Span::call_site().located_at(name.span())=>
            const {
                ::core::assert!(<Self as ::storage::TransactionWrapper>::FORWARDS_REVOCATIONS, #text)
            }
        }
    });
    // A mixed-site identifier, so that a parameter may have the same name.
    let inner = Ident::new("inner", Span::mixed_site());
    Ok(quote! {
        #(#conditions)*
        #[doc = #doc]
        #sig {
            #check
            ::storage::TransactionWrapper::call(
                self,
                #described,
                |#inner| <<Self as ::storage::TransactionWrapper>::Inner as #of>::#name(#inner, #(#arguments),*),
            )
        }
    })
}

/// Generates a method of the trait for a type with the wrapper.
fn forwarding_method(wrapper: &TokenStream, method: &TraitItemFn) -> Result<TokenStream> {
    let sig = &method.sig;
    let name = &sig.ident;
    let arguments = arguments(sig)?;
    let conditions = conditions(method);
    Ok(quote! {
        #(#conditions)*
        #sig {
            <Self as #wrapper>::#name(self, #(#arguments),*)
        }
    })
}

/// Generics of the trait, plus a type parameter with the wrapper.
fn with_wrapper(generics: &Generics, wrapper: &TokenStream) -> Generics {
    let mut generics = generics.clone();
    generics.params.push(parse_quote!(Wrapper: #wrapper));
    generics
}

/// Attributes that conditionally compile a method (`cfg`).
fn conditions(method: &TraitItemFn) -> impl Iterator<Item = &syn::Attribute> {
    method
        .attrs
        .iter()
        .filter(|attribute| attribute.path().is_ident("cfg"))
}

fn method(item: &TraitItem) -> Result<&TraitItemFn> {
    match item {
        TraitItem::Fn(method) => Ok(method),
        other => {
            let text = "a wrapper has methods only: move this to another trait";
            Err(Error::new_spanned(other, text))
        }
    }
}

/// Names of the parameters after `&mut self`.
fn arguments(sig: &Signature) -> Result<Vec<&Ident>> {
    let is_mutable = |input: &FnArg| match input {
        FnArg::Receiver(receiver) => {
            matches!(receiver.kind, syn::ReceiverKind::Reference(_, _, Some(_)))
        }
        FnArg::Typed(_) => false,
    };
    if !sig.inputs.first().is_some_and(is_mutable) {
        let text = "a method of a repository takes `&mut self`";
        return Err(Error::new_spanned(sig, text));
    }
    sig.inputs.iter().skip(1).map(argument).collect()
}

fn argument(input: &FnArg) -> Result<&Ident> {
    match input {
        FnArg::Typed(typed) => match &*typed.pat {
            Pat::Ident(name) => Ok(&name.ident),
            other => Err(Error::new_spanned(other, "give this parameter a name")),
        },
        FnArg::Receiver(receiver) => Err(Error::new_spanned(receiver, "there is one `self`")),
    }
}

#[cfg(test)]
#[path = "wrapper_tests.rs"]
mod tests;

//! Errors of the attributes, and the methods that a wrapper does not delegate.

use quote::quote;

use super::*;

/// Expands `repository` with these arguments on a trait with the methods `delete_key` and `put_names`.
fn expanded(arguments: TokenStream) -> String {
    let item = quote! {
        pub trait Keys<C: Content>: Names {
            fn delete_key(&mut self, id: i64) -> Result<bool, StoreError>;
            fn put_names(&mut self, names: &[Name<'_>]) -> Result<(), StoreError>;
        }
    };
    expand(MethodLists::of_changes(arguments), &item).to_string()
}

fn assert_refused(output: &str, message: &str) {
    assert!(output.starts_with("pub trait Keys"), "{output}");
    assert!(output.contains("compile_error"), "{output}");
    assert!(output.contains(message), "{output}");
    assert!(!output.contains("KeysWrapper"), "{output}");
}

#[test]
fn a_method_in_neither_list_is_refused() {
    let output = expanded(quote!(revokes(delete_key)));
    assert_refused(&output, "`put_names` must be listed in revokes(...) when");
}

#[test]
fn a_method_in_both_lists_is_refused() {
    let output = expanded(quote!(revokes(delete_key), keeps(put_names, delete_key)));
    assert_refused(&output, "`delete_key` is listed twice");
}

#[test]
fn a_name_that_is_no_method_is_refused() {
    let output = expanded(quote!(revokes(delete_key), keeps(put_names, put_name)));
    assert_refused(&output, "`put_name` is no method of this trait");
}

#[test]
fn all_mistakes_are_reported_together() {
    let output = expanded(quote!(keeps(put_name)));
    for message in ["`put_name` is no", "`delete_key` must", "`put_names` must"] {
        assert_refused(&output, message);
    }
}

#[test]
fn another_list_is_refused() {
    let output = expanded(quote!(ends(delete_key), keeps(put_names)));
    assert_refused(&output, "write `revokes(...)`, `keeps(...)` or both");
}

#[test]
fn queries_take_no_arguments() {
    let lists = MethodLists::of_queries(quote!(keeps(find)));
    let item = quote! { trait Keys {} };
    let output = expand(lists, &item).to_string();
    assert!(output.contains("`queries` takes no arguments"), "{output}");
}

#[test]
fn only_mut_self_methods_with_named_parameters_are_accepted() {
    for (item, message) in [
        (quote! { fn find(&self); }, "takes `&mut self`"),
        (quote! { fn find(id: i64); }, "takes `&mut self`"),
        (
            quote! { fn find(&mut self, _: i64); },
            "give this parameter a name",
        ),
        (quote! { const LIMIT: i64; }, "a wrapper has methods only"),
    ] {
        let item = quote! { trait Keys { #item } };
        let output = expand(Ok(MethodLists::Queries), &item).to_string();
        assert!(output.contains(message), "{output}");
    }
}

#[test]
fn only_methods_that_revoke_are_not_delegated() {
    let output = expanded(quote!(revokes(delete_key), keeps(put_names)));
    let held_back = output.matches("FORWARDS_REVOCATIONS").count();
    assert_eq!(held_back, 1, "{output}");
    assert!(
        output.contains("`Keys::delete_key` revokes something"),
        "{output}"
    );
}

//! Parameter names declared by an operation; its handler may read only these.

use std::collections::BTreeSet;
use std::sync::Arc;

/// Declared parameter names. Cheap to clone.
///
/// `not[labels]` also declares `not`, and `labels` inside it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct DeclaredNames(Arc<BTreeSet<String>>);

impl DeclaredNames {
    /// Creates the set of these names.
    pub fn new<'n>(names: impl IntoIterator<Item = &'n str>) -> Self {
        let mut all = BTreeSet::new();
        for name in names {
            all.insert(name.to_owned());
            if let Some((outer, _)) = name.split_once('[') {
                all.insert(outer.to_owned());
            }
        }
        Self(Arc::new(all))
    }

    /// True if a name is declared.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }

    /// Returns the names declared inside a hash; `None` if the declaration does not list its content.
    pub fn inside(&self, name: &str) -> Option<Self> {
        let start = format!("{name}[");
        let inside = self.0.iter().filter_map(|declared| {
            let rest = declared.strip_prefix(&start)?;
            rest.strip_suffix(']')
        });
        let names = Self::new(inside);
        (!names.0.is_empty()).then_some(names)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Params;
    use super::*;

    fn declared(query: &str) -> Params {
        let names = DeclaredNames::new(["title", "not[labels]", "free"]);
        Params::from_query(query).unwrap().of_declared(names)
    }

    #[test]
    fn declared_names_and_names_nested_in_them_are_readable() {
        let params = declared("title=a&not[labels]=b&free[any]=c");
        assert_eq!(params.reader().text("title").as_deref(), Some("a"));
        let not = params.nested("not").unwrap().unwrap();
        assert_eq!(not.reader().text("labels").as_deref(), Some("b"));
        let free = params.nested("free").unwrap().unwrap();
        assert_eq!(free.reader().text("any").as_deref(), Some("c"));
    }

    /// Reading an undeclared name is a bug in the handler: tests panic, and a server reads nothing.
    #[test]
    fn undeclared_names_are_not_read() {
        let reads: [fn(&Params); 4] = [
            |params| assert_eq!(params.reader().text("weight"), None),
            |params| assert!(!params.reader().is_given("weight")),
            |params| assert_eq!(params.get("weight"), None),
            |params| {
                let not = params.nested("not").unwrap().unwrap();
                assert_eq!(not.reader().text("weight"), None);
            },
        ];
        for read in reads {
            let params = declared("weight=1&not[weight]=1&not[labels]=b");
            let outcome = std::panic::catch_unwind(move || read(&params));
            assert_eq!(outcome.is_err(), cfg!(debug_assertions));
        }
    }
}

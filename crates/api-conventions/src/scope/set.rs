//! Sets of scopes.

use std::fmt;
use std::sync::Arc;

use super::{InvalidScope, Scope};

/// A set of scopes, ordered by name. The empty set permits nothing, nor does a scope that no endpoint requires. A clone
/// shares the content.
#[derive(Clone, PartialEq, Eq, Default, Hash)]
pub struct ScopeSet(Arc<[Scope]>);

impl ScopeSet {
    /// True if the set contains `scope` itself; no scope implies another one here.
    pub fn contains(&self, scope: &Scope) -> bool {
        self.0.binary_search(scope).is_ok()
    }

    /// True if the set contains any of `accepted`: the check of an endpoint that lists its accepted scopes.
    pub fn allows_any(&self, accepted: &[Scope]) -> bool {
        accepted.iter().any(|scope| self.contains(scope))
    }

    /// True if the set is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number of scopes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// True if `other` contains every scope of this set.
    pub fn is_subset_of(&self, other: &Self) -> bool {
        self.iter().all(|scope| other.contains(scope))
    }

    /// Returns the scopes that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        self.filtered(|scope| other.contains(scope))
    }

    /// Returns the scopes that are in either set.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        if other.is_subset_of(self) {
            return self.clone();
        }
        self.iter().chain(other.iter()).cloned().collect()
    }

    /// Returns the scopes for which `is_kept` is true. Allocates nothing if that is all of them.
    #[must_use]
    pub fn filtered(&self, is_kept: impl Fn(&Scope) -> bool) -> Self {
        if self.iter().all(&is_kept) {
            return self.clone();
        }
        self.iter()
            .filter(|scope| is_kept(scope))
            .cloned()
            .collect()
    }

    /// Iterates over the scopes, ordered by name.
    pub fn iter(&self) -> std::slice::Iter<'_, Scope> {
        self.0.iter()
    }

    /// Parses names separated by white space. The names need not be known.
    ///
    /// # Errors
    /// Fails with the first word that is not a valid scope name.
    pub fn parse(names: &str) -> Result<Self, InvalidScope> {
        names.split_whitespace().map(Scope::parse).collect()
    }
}

impl FromIterator<Scope> for ScopeSet {
    fn from_iter<I: IntoIterator<Item = Scope>>(scopes: I) -> Self {
        let mut scopes: Vec<Scope> = scopes.into_iter().collect();
        scopes.sort_unstable();
        scopes.dedup();
        Self(scopes.into())
    }
}

impl<'s> IntoIterator for &'s ScopeSet {
    type Item = &'s Scope;
    type IntoIter = std::slice::Iter<'s, Scope>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

/// Names separated by spaces: the form that [`ScopeSet::parse`] reads and that rows store.
impl fmt::Display for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, scope) in self.iter().enumerate() {
            if number > 0 {
                f.write_str(" ")?;
            }
            f.write_str(scope.as_str())?;
        }
        Ok(())
    }
}

impl fmt::Debug for ScopeSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn set(names: &str) -> ScopeSet {
        ScopeSet::parse(names).unwrap()
    }

    #[test]
    fn a_set_is_written_in_the_order_of_the_names() {
        let set: ScopeSet = [Scope::SUDO, Scope::API, Scope::SUDO].into_iter().collect();
        assert_eq!((set.to_string().as_str(), set.len()), ("api sudo", 2));
        assert_eq!(ScopeSet::parse(""), Ok(ScopeSet::default()));
    }

    #[test]
    fn a_word_that_cannot_name_a_scope_is_named() {
        let refused = ScopeSet::parse("api \"admin\"").unwrap_err();
        assert_eq!(refused, InvalidScope("\"admin\"".to_owned()));
    }

    #[test]
    fn an_endpoint_accepts_any_of_its_scopes_and_nothing_else() {
        let one = set("read_user");
        assert!(one.allows_any(&[Scope::API, Scope::READ_USER]));
        assert!(!one.allows_any(&[Scope::API, Scope::READ_API]));
        assert!(!ScopeSet::default().allows_any(Scope::PLATFORM));
    }

    /// Rows may contain names that this build does not know.
    #[test]
    fn unknown_scope_names_permit_nothing() {
        let strange = set("administration API api2 read_use");
        assert!(!strange.allows_any(Scope::PLATFORM));
    }

    fn names() -> impl Strategy<Value = Vec<String>> {
        prop::collection::vec("[!#-\\[\\]-~]{1,4}|[ab]", 0..8)
    }

    fn of(names: &[String]) -> ScopeSet {
        names
            .iter()
            .map(|name| Scope::parse(name).unwrap())
            .collect()
    }

    proptest! {
        #[test]
        fn a_set_is_read_back_as_it_was_written(names in names()) {
            let written = of(&names);
            prop_assert_eq!(set(&written.to_string()), written);
        }

        #[test]
        fn neither_order_nor_repeats_matter(mut names in names()) {
            let one = of(&names);
            names.reverse();
            names.extend(names.clone());
            let other = of(&names);
            prop_assert_eq!(one.to_string(), other.to_string());
            prop_assert_eq!(one, other);
        }

        #[test]
        fn sets_obey_the_laws_of_sets(a in names(), b in names(), c in names()) {
            let [a, b, c] = [of(&a), of(&b), of(&c)];
            let (both, either) = (a.intersection(&b), a.union(&b));
            prop_assert_eq!(&both, &b.intersection(&a));
            prop_assert_eq!(&either, &b.union(&a));
            prop_assert!(both.is_subset_of(&a) && a.is_subset_of(&either));
            prop_assert_eq!(a.is_subset_of(&b), both == a);
            prop_assert_eq!(a.is_subset_of(&b), either == b);
            prop_assert_eq!(a.union(&both), a.clone());
            prop_assert_eq!(a.intersection(&either), a.clone());
            prop_assert_eq!(
                c.intersection(&either),
                c.intersection(&a).union(&c.intersection(&b))
            );
            for scope in &either {
                prop_assert_eq!(both.contains(scope), a.contains(scope) && b.contains(scope));
                prop_assert!(a.contains(scope) || b.contains(scope));
            }
        }
    }
}

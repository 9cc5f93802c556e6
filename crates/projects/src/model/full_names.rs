//! Full names of namespaces.

use std::collections::BTreeMap;

use api_conventions::ids::NamespaceId;

use super::{Group, Project};

/// Names of subgroups: for each, the names of all its ancestors, outermost first, and its own.
/// A top-level namespace has only its own name and need not be present.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FullNames(BTreeMap<NamespaceId, Vec<String>>);

impl FullNames {
    /// Full name of a project: the names of all its ancestors and its own, as users read them.
    pub fn of_project(&self, project: &Project) -> String {
        let own = [project.namespace.name.clone()];
        let above = self.0.get(&project.namespace.id);
        let names = above.map_or(&own[..], Vec::as_slice);
        format!("{} / {}", names.join(" / "), project.name)
    }

    /// Full name of a group: the names of all its ancestors and its own, as users read them.
    pub fn of_group(&self, group: &Group) -> String {
        let own = [group.content.name.clone()];
        let all = self.0.get(&group.id);
        all.map_or(&own[..], Vec::as_slice).join(" / ")
    }

    /// The names of each namespace.
    pub fn iter(&self) -> impl Iterator<Item = (NamespaceId, &[String])> {
        self.0.iter().map(|(id, names)| (*id, names.as_slice()))
    }

    /// True if the names of a namespace are present.
    pub fn contains(&self, namespace: NamespaceId) -> bool {
        self.0.contains_key(&namespace)
    }
}

impl FromIterator<(NamespaceId, Vec<String>)> for FullNames {
    fn from_iter<I: IntoIterator<Item = (NamespaceId, Vec<String>)>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}

/// Collects names one by one, those of a namespace outermost first.
impl FromIterator<(NamespaceId, String)> for FullNames {
    fn from_iter<I: IntoIterator<Item = (NamespaceId, String)>>(names: I) -> Self {
        let mut all = BTreeMap::<_, Vec<String>>::new();
        for (namespace, name) in names {
            all.entry(namespace).or_default().push(name);
        }
        Self(all)
    }
}

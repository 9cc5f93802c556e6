//! What namespaces are called in full.

use std::collections::BTreeMap;

use api_conventions::ids::NamespaceId;

use super::{Group, Project};

/// The names of subgroups: of each the names of all groups above it, outermost first, and its own. A namespace that is
/// in no other is called by its own name alone and need not be here.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FullNames(BTreeMap<NamespaceId, Vec<String>>);

impl FullNames {
    /// The names of a project and of everything that it is in, as people read them.
    pub fn of_project(&self, project: &Project) -> String {
        let own = [project.namespace.name.clone()];
        let above = self.0.get(&project.namespace.id);
        let names = above.map_or(&own[..], Vec::as_slice);
        format!("{} / {}", names.join(" / "), project.name)
    }

    /// The names of a group and of all groups above it, as people read them.
    pub fn of_group(&self, group: &Group) -> String {
        let own = [group.content.name.clone()];
        let all = self.0.get(&group.id);
        all.map_or(&own[..], Vec::as_slice).join(" / ")
    }

    /// The names of each namespace.
    pub fn iter(&self) -> impl Iterator<Item = (NamespaceId, &[String])> {
        self.0.iter().map(|(id, names)| (*id, names.as_slice()))
    }

    /// Whether the names of a namespace are here.
    pub fn contains(&self, namespace: NamespaceId) -> bool {
        self.0.contains_key(&namespace)
    }
}

impl FromIterator<(NamespaceId, Vec<String>)> for FullNames {
    fn from_iter<I: IntoIterator<Item = (NamespaceId, Vec<String>)>>(names: I) -> Self {
        Self(names.into_iter().collect())
    }
}

/// Gathers names that come one by one, those of a namespace outermost first.
impl FromIterator<(NamespaceId, String)> for FullNames {
    fn from_iter<I: IntoIterator<Item = (NamespaceId, String)>>(names: I) -> Self {
        let mut all = BTreeMap::<_, Vec<String>>::new();
        for (namespace, name) in names {
            all.entry(namespace).or_default().push(name);
        }
        Self(all)
    }
}

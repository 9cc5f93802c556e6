//! Visibility in groups: only viewers who see a group see its contents.

use api_conventions::access::Visibility;

use crate::model::{Namespace, NamespaceKind};

/// Error text if this visibility is too wide for a resource in `namespace`; `None` if it is valid.
pub fn too_wide_for(visibility: Visibility, namespace: &Namespace) -> Option<String> {
    let is_group = namespace.kind == NamespaceKind::Group;
    (is_group && visibility > namespace.visibility).then(|| {
        let article = match namespace.visibility {
            Visibility::Internal => "an",
            Visibility::Private | Visibility::Public => "a",
        };
        let of_group = namespace.visibility;
        format!("{visibility} is not allowed in {article} {of_group} group")
    })
}

/// Error text if this visibility is too narrow for a group that contains a resource as visible as `widest`.
pub fn too_narrow_over(visibility: Visibility, widest: Option<Visibility>) -> Option<String> {
    let widest = widest.filter(|widest| *widest > visibility)?;
    Some(format!(
        "{visibility} is not allowed, because there are {widest} projects or subgroups in the group"
    ))
}

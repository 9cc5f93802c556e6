//! What is in a group is seen by nobody who does not see the group.

use api_conventions::access::Visibility;

use crate::model::{Namespace, NamespaceKind};

/// What is wrong with this visibility for something in `namespace`, as the text of a refusal; `None` when it is sound.
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

/// What is wrong with this visibility for a group that holds something as visible as `widest`.
pub fn too_narrow_over(visibility: Visibility, widest: Option<Visibility>) -> Option<String> {
    let widest = widest.filter(|widest| *widest > visibility)?;
    Some(format!(
        "{visibility} is not allowed, because there are {widest} projects or subgroups in the group"
    ))
}

//! Sources of roles.

use std::collections::BTreeMap;

use api_conventions::ids::NamespaceId;
use api_conventions::reference::NamespaceRef;
use api_conventions::time::Timestamp;
use gatehouse_core::database::ReadTransaction;
use projects::flow::groups::find_visible_group;
use projects::{Member, MemberSource, Namespace, NamespaceKind, Viewer};
use storage::StoreError;

use crate::frame::page::display_name::DisplayName;
use crate::frame::page::group::path_of_group;

/// Source of a role.
#[derive(Debug, Clone)]
pub(super) struct RoleOrigin {
    /// Kind of source, as text.
    pub(super) how: &'static str,
    /// Source namespace, and the path of its page.
    /// `None` for a direct role, and for a group that the visitor cannot view.
    pub(super) from: Option<(DisplayName, String)>,
}

/// Sources of the roles in one place, cached by namespace.
pub(super) struct RoleOrigins {
    viewer: Viewer,
    now: Timestamp,
    known: BTreeMap<NamespaceId, RoleOrigin>,
}

impl RoleOrigins {
    /// Creates the sources of a place within these namespaces.
    pub(super) fn new(above: &[Namespace], viewer: Viewer, now: Timestamp) -> Self {
        let inherited = above.iter().map(|namespace| {
            let path = namespace.full_path.as_str();
            let path = match namespace.kind {
                NamespaceKind::Group => path_of_group(path),
                NamespaceKind::User => format!("/{path}"),
            };
            let source = RoleOrigin {
                how: "Inherited from",
                from: Some((DisplayName::of(&namespace.name), path)),
            };
            (namespace.id, source)
        });
        Self {
            viewer,
            now,
            known: inherited.collect(),
        }
    }

    /// Returns the source of a member's role in `place`.
    /// A namespace that is not above the place gives its role through a share.
    pub(super) fn of(
        &mut self,
        tx: &mut dyn ReadTransaction,
        member: &Member,
        place: MemberSource,
    ) -> Result<RoleOrigin, StoreError> {
        let id = match member.source {
            MemberSource::Namespace(id) if member.source != place => id,
            _ => {
                return Ok(RoleOrigin {
                    how: "Direct",
                    from: None,
                });
            }
        };
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let group = find_visible_group(tx, &NamespaceRef::Id(id), self.viewer, self.now)?;
        let source = match group {
            Some((group, _)) => RoleOrigin {
                how: "Shared with",
                from: Some((
                    DisplayName::of(&group.content.name),
                    path_of_group(group.full_path.as_str()),
                )),
            },
            None => RoleOrigin {
                how: "Shared with a group",
                from: None,
            },
        };
        self.known.insert(id, source.clone());
        Ok(source)
    }
}

//! Saboteurs of namespaces, projects and members.

use ::projects::{
    FullNames, InsertNamespace, InsertProject, MemberPlace, Membership, Namespace, NewMember,
    NewNamespace, NewProject, Project, ProjectFilter, UserGroup, Viewer,
};
use api_conventions::access::AccessLevel;
use api_conventions::ids::{NamespaceId, ProjectId, UserId};
use api_conventions::page::{KeysetPage, OffsetPage, Page, Stretch};
use api_conventions::reference::{FullPath, ProjectRef};
use api_conventions::time::{CalendarDate, Timestamp};
use storage::StoreError;

use crate::fault_injection::{Reading, Saboteur, Writing};

pub(crate) struct LosesParents;

impl Saboteur for LosesParents {
    fn find_namespace(
        &self,
        at: &mut Reading<'_>,
        path: &FullPath,
    ) -> Result<Option<Namespace>, StoreError> {
        let found = at.tx.find_namespace(path)?;
        Ok(found.map(|namespace| Namespace {
            parent_id: None,
            ..namespace
        }))
    }
}

pub(crate) struct CutsDescriptions;

impl Saboteur for CutsDescriptions {
    fn insert_project(
        &self,
        at: &mut Writing<'_>,
        new: &NewProject,
    ) -> Result<InsertProject, StoreError> {
        let description = new.description.chars().take(255).collect();
        at.tx.insert_project(&NewProject {
            description,
            ..new.clone()
        })
    }
}

pub(crate) struct MixesUpKinds;

impl Saboteur for MixesUpKinds {
    fn find_namespace(
        &self,
        at: &mut Reading<'_>,
        path: &FullPath,
    ) -> Result<Option<Namespace>, StoreError> {
        let project = at.tx.find_project(&ProjectRef::Path(path.clone()))?;
        match project {
            Some(project) => Ok(Some(project.namespace)),
            None => at.tx.find_namespace(path),
        }
    }
}

pub(crate) struct AllowsNamespaceOnProject;

impl Saboteur for AllowsNamespaceOnProject {
    fn insert_namespace(
        &self,
        at: &mut Writing<'_>,
        new: &NewNamespace,
    ) -> Result<InsertNamespace, StoreError> {
        let path = ProjectRef::Path(new.full_path().unwrap());
        match at.tx.find_project(&path)? {
            Some(project) => Ok(InsertNamespace::Inserted(project.namespace)),
            None => at.tx.insert_namespace(new),
        }
    }
}

pub(crate) struct LetsBothWin;

impl Saboteur for LetsBothWin {
    fn insert_project(
        &self,
        at: &mut Writing<'_>,
        new: &NewProject,
    ) -> Result<InsertProject, StoreError> {
        let path = ProjectRef::Path(new.full_path().unwrap());
        match at.tx.find_project(&path)? {
            Some(project) => Ok(InsertProject::Inserted(Box::new(project))),
            None => at.tx.insert_project(new),
        }
    }
}

pub(crate) struct NotesActivityLate;

impl Saboteur for NotesActivityLate {
    fn touch_projects(
        &self,
        at: &mut Writing<'_>,
        moments: &[(ProjectId, Timestamp)],
    ) -> Result<(), StoreError> {
        let late = |(project, moment): &(ProjectId, Timestamp)| (*project, moment.plus_seconds(1));
        let moments: Vec<_> = moments.iter().map(late).collect();
        at.tx.touch_projects(&moments)
    }
}

/// Notes one moment of a call, for all of its projects.
pub(crate) struct NotesTheLatestActivity;

impl Saboteur for NotesTheLatestActivity {
    fn touch_projects(
        &self,
        at: &mut Writing<'_>,
        moments: &[(ProjectId, Timestamp)],
    ) -> Result<(), StoreError> {
        let Some(latest) = moments.iter().map(|(_, moment)| *moment).max() else {
            return Ok(());
        };
        let moments: Vec<_> = moments
            .iter()
            .map(|(project, _)| (*project, latest))
            .collect();
        at.tx.touch_projects(&moments)
    }
}

pub(crate) struct NamesInnermostOnly;

impl Saboteur for NamesInnermostOnly {
    fn list_full_names(
        &self,
        at: &mut Reading<'_>,
        namespaces: &[NamespaceId],
    ) -> Result<FullNames, StoreError> {
        let all = at.tx.list_full_names(namespaces)?;
        Ok(all
            .iter()
            .map(|(id, names)| (id, names.last().cloned().into_iter().collect::<Vec<_>>()))
            .collect())
    }
}

pub(crate) struct DemotesOwners;

impl Saboteur for DemotesOwners {
    fn find_membership(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError> {
        let membership = at.tx.find_membership(user, project, today)?;
        let demoted = |level: AccessLevel| level.min(AccessLevel::Maintainer);
        Ok(Membership {
            own: membership.own.map(demoted),
            inherited: membership.inherited.map(demoted),
        })
    }
}

pub(crate) struct MergesRoles;

impl Saboteur for MergesRoles {
    fn find_membership(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError> {
        let own = at.tx.find_membership(user, project, today)?.highest();
        Ok(Membership {
            own,
            inherited: None,
        })
    }
}

pub(crate) struct ForgetsSubgroups;

impl Saboteur for ForgetsSubgroups {
    fn list_groups_of_user(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError> {
        let mut groups = at.tx.list_groups_of_user(user, today)?;
        groups.retain(|group| group.is_direct);
        Ok(groups)
    }
}

pub(crate) struct MakesEveryGroupDirect;

impl Saboteur for MakesEveryGroupDirect {
    fn list_groups_of_user(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError> {
        let mut groups = at.tx.list_groups_of_user(user, today)?;
        for group in &mut groups {
            group.is_direct = true;
        }
        Ok(groups)
    }
}

pub(crate) struct LosesGroupRoles;

impl Saboteur for LosesGroupRoles {
    fn put_member(&self, at: &mut Writing<'_>, member: &NewMember) -> Result<(), StoreError> {
        match member.place {
            MemberPlace::Namespace(_) => Ok(()),
            MemberPlace::Project(_) => at.tx.put_member(member),
        }
    }
}

pub(crate) struct ExtendsRoles;

fn the_day_before(day: CalendarDate) -> CalendarDate {
    CalendarDate::from_days(day.as_days() - 1).unwrap()
}

impl Saboteur for ExtendsRoles {
    fn find_membership(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        project: ProjectId,
        today: CalendarDate,
    ) -> Result<Membership, StoreError> {
        at.tx.find_membership(user, project, the_day_before(today))
    }

    fn list_groups_of_user(
        &self,
        at: &mut Reading<'_>,
        user: UserId,
        today: CalendarDate,
    ) -> Result<Vec<UserGroup>, StoreError> {
        at.tx.list_groups_of_user(user, the_day_before(today))
    }

    fn list_projects(
        &self,
        at: &mut Reading<'_>,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Project>, StoreError> {
        at.tx.list_projects(filter, the_day_before(today), page)
    }
}

/// Defines a saboteur who lists projects by another filter than the one that is asked for.
macro_rules! lists_by_another_filter {
    ($name:ident, $filter:ident => $change:expr) => {
        pub(crate) struct $name;

        impl Saboteur for $name {
            fn list_projects(
                &self,
                at: &mut Reading<'_>,
                filter: &ProjectFilter,
                today: CalendarDate,
                page: OffsetPage,
            ) -> Result<Page<Project>, StoreError> {
                let mut $filter = filter.clone();
                $change;
                at.tx.list_projects(&$filter, today, page)
            }
        }
    };
}

lists_by_another_filter!(TrustsStrangers, filter => {
    if filter.viewer == Viewer::Anonymous {
        filter.viewer = Viewer::User(UserId::new(i64::MAX));
    }
});
lists_by_another_filter!(IgnoresOwned, filter => filter.owned = false);
lists_by_another_filter!(IgnoresActivity, filter => filter.active_after = None);
lists_by_another_filter!(SearchesWildcards, filter => {
    filter.search = filter.search.filter(|text| text != "%");
});

pub(crate) struct SortsBytes;

impl Saboteur for SortsBytes {
    fn list_projects(
        &self,
        at: &mut Reading<'_>,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Project>, StoreError> {
        let mut listed = at.tx.list_projects(filter, today, page)?;
        if filter.order_by == ::projects::ProjectOrder::Name {
            listed.items.sort_by(|one, next| one.name.cmp(&next.name));
        }
        Ok(listed)
    }
}

pub(crate) struct RepeatsRows;

impl Saboteur for RepeatsRows {
    fn list_projects(
        &self,
        at: &mut Reading<'_>,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: OffsetPage,
    ) -> Result<Page<Project>, StoreError> {
        let mut listed = at.tx.list_projects(filter, today, page)?;
        if page.page() > 1 {
            let before = OffsetPage::new(page.page() - 1, page.per_page().into());
            let before = at.tx.list_projects(filter, today, before)?;
            if let (Some(last), Some(first)) = (before.items.last(), listed.items.first_mut()) {
                *first = last.clone();
            }
        }
        Ok(listed)
    }
}

pub(crate) struct StartsAnew;

impl Saboteur for StartsAnew {
    fn list_projects_by_key(
        &self,
        at: &mut Reading<'_>,
        filter: &ProjectFilter,
        today: CalendarDate,
        page: KeysetPage,
    ) -> Result<Stretch<Project>, StoreError> {
        let mut filter = filter.clone();
        (filter.id_after, filter.id_before) = (None, None);
        at.tx.list_projects_by_key(&filter, today, page)
    }
}

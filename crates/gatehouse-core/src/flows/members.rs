//! Changes to members and shares, in the feed and the audit log (`EVT-08`), and lists of members with their users.

use std::collections::BTreeMap;

use accounts::{AuditDetails, AuditEntity, AuditEventName, AuditTarget, NewAuditEntry, User};
use api_conventions::ids::UserId;
use api_conventions::page::{OffsetPage, Page, Total};
use api_conventions::reference::NamespaceRef;
use api_conventions::time::CalendarDate;
use events::{Action, Audience, NewEvent};
use projects::flow::members::{
    AddMember, MemberActor, MemberContext, MemberError, MemberJournal, add_member,
};
use projects::{
    Member, MemberAction, MemberChange, MemberFilter, MemberScope, MemberSource, ShareAction,
    ShareChange,
};
use storage::{StoreError, StoreErrorKind};

use crate::database::{ReadTransaction, WriteTransaction};

/// Maximum number of members that one search examines.
const SEARCHED: usize = 10_000;

impl MemberJournal for dyn WriteTransaction + '_ {
    fn journal_members(&mut self, changes: &[MemberChange]) -> Result<(), StoreError> {
        let ids: Vec<UserId> = changes.iter().map(|change| change.member.user_id).collect();
        let users = users_of(self, &ids)?;
        let name = |id| {
            users
                .get(&id)
                .map_or("", |user: &User| user.username.as_str())
        };
        let entries = changes.iter().map(|change| {
            let user = change.member.user_id;
            audit_entry(change, name(user).to_owned())
        });
        let entries: Vec<NewAuditEntry> = entries.collect();
        let feed: Vec<NewEvent> = changes.iter().filter_map(feed_entry).collect();
        if !feed.is_empty() {
            self.insert_events(&feed)?;
        }
        if !entries.is_empty() {
            self.insert_audit_entries(&entries)?;
        }
        Ok(())
    }

    fn journal_shares(&mut self, changes: &[ShareChange]) -> Result<(), StoreError> {
        let mut entries = Vec::with_capacity(changes.len());
        for change in changes {
            let share = change.share;
            let group = self.find_group(&NamespaceRef::Id(share.group_id))?;
            let name = group.map(|group| group.full_path.as_str().to_owned());
            entries.push(NewAuditEntry {
                author_id: change.by,
                entity: AuditEntity::Project(share.project_id),
                event_name: match change.action {
                    ShareAction::Added => AuditEventName::ProjectShared,
                    ShareAction::Removed => AuditEventName::ProjectUnshared,
                    ShareAction::Expired => AuditEventName::ShareExpired,
                },
                target: Some(AuditTarget {
                    entity: AuditEntity::Group(share.group_id),
                    name: name.unwrap_or_default(),
                }),
                details: AuditDetails::new(&[
                    ("access_level", &share.level.number().to_string()),
                    ("expires_at", &day(share.expires_on)),
                ]),
                created_at: change.at,
                impersonator_id: None,
            });
        }
        if entries.is_empty() {
            return Ok(());
        }
        self.insert_audit_entries(&entries)
    }
}

/// Returns the entry for the audit log.
fn audit_entry(change: &MemberChange, username: String) -> NewAuditEntry {
    let member = change.member;
    let (level, expires_at) = (member.level.number().to_string(), day(member.expires_on));
    let mut details = vec![("access_level", &*level), ("expires_at", &*expires_at)];
    let before = match change.action {
        MemberAction::Updated(before) => {
            Some((before.level.number().to_string(), day(before.expires_on)))
        }
        _ => None,
    };
    if let Some((level, expires_at)) = &before {
        details.push(("access_level_before", level));
        details.push(("expires_at_before", expires_at));
    }
    NewAuditEntry {
        author_id: change.by,
        entity: match member.source {
            MemberSource::Namespace(id) => AuditEntity::Group(id),
            MemberSource::Project(id) => AuditEntity::Project(id),
        },
        event_name: match change.action {
            MemberAction::Added => AuditEventName::MemberAdded,
            MemberAction::Updated(_) => AuditEventName::MemberUpdated,
            MemberAction::Removed | MemberAction::Left => AuditEventName::MemberRemoved,
            MemberAction::Expired => AuditEventName::MemberExpired,
        },
        target: Some(AuditTarget {
            entity: AuditEntity::User(member.user_id),
            name: username,
        }),
        details: AuditDetails::new(&details),
        created_at: change.at,
        impersonator_id: None,
    }
}

/// Returns the entry for the feed, whose author is the member. Groups have no feed.
fn feed_entry(change: &MemberChange) -> Option<NewEvent> {
    let MemberSource::Project(project_id) = change.member.source else {
        return None;
    };
    let action = match change.action {
        MemberAction::Added => Action::Joined,
        MemberAction::Removed | MemberAction::Left => Action::Left,
        MemberAction::Expired => Action::Expired,
        MemberAction::Updated(_) => return None,
    };
    Some(NewEvent {
        project_id,
        author_id: change.member.user_id,
        action,
        target: None,
        audience: Audience::Everyone,
        push: None,
        created_at: change.at,
    })
}

fn day(day: Option<CalendarDate>) -> String {
    day.map(|day| day.to_string()).unwrap_or_default()
}

/// A member with the account and, if known, the account of the user who granted the role.
#[derive(Debug, Clone)]
pub struct ListedMember {
    /// The membership.
    pub member: Member,
    /// The account.
    pub user: User,
    /// The user who granted the role.
    pub created_by: Option<User>,
}

/// A user to be added, as requests name users.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NamedUser {
    /// Id of the user.
    Id(UserId),
    /// Username, in any case.
    Username(String),
}

/// Adds a user, given by id or username, as a member.
///
/// # Errors
/// [`MemberError::Unknown`] for an unknown user; those of [`add_member`].
pub fn add_named(
    tx: &mut (dyn WriteTransaction + '_),
    of: MemberContext,
    user: &NamedUser,
    new: impl FnOnce(UserId) -> AddMember,
    acting: MemberActor,
) -> Result<ListedMember, MemberError> {
    let found = match user {
        NamedUser::Id(id) => tx.find_user(*id)?,
        NamedUser::Username(name) => tx.find_user_by_username(name)?,
    };
    let user = found.ok_or(MemberError::Unknown("User"))?;
    let member = add_member(tx, of, &new(user.id), acting)?;
    Ok(with_user(tx, member)?)
}

/// Adds the account to a member.
///
/// # Errors
/// Failures of the store.
pub fn with_user(
    tx: &mut (dyn ReadTransaction + '_),
    member: Member,
) -> Result<ListedMember, StoreError> {
    let gone =
        || StoreError::inconsistent("members", member.user_id.get(), "the user does not exist");
    with_users(tx, vec![member])?.pop().ok_or_else(gone)
}

fn with_users(
    tx: &mut (dyn ReadTransaction + '_),
    members: Vec<Member>,
) -> Result<Vec<ListedMember>, StoreError> {
    let ids = members.iter();
    let ids = ids.flat_map(|member| [Some(member.user_id), member.created_by]);
    let ids: Vec<UserId> = ids.flatten().collect();
    let users = tx.list_users_by_id(&ids)?;
    let users: BTreeMap<UserId, User> = users.into_iter().map(|user| (user.id, user)).collect();
    let listed = members.into_iter().filter_map(|member| {
        Some(ListedMember {
            member,
            user: users.get(&member.user_id)?.clone(),
            created_by: member.created_by.and_then(|id| users.get(&id).cloned()),
        })
    });
    Ok(listed.collect())
}

/// Lists a page of the members of a place; with `search`, those whose name or username contains the text, in any case.
///
/// # Errors
/// [`TooMuchWork`](StoreErrorKind::TooMuchWork) if a search would examine more than 10,000 members; failures of the
/// store.
pub fn list(
    tx: &mut (dyn ReadTransaction + '_),
    place: MemberSource,
    scope: MemberScope,
    mut filter: MemberFilter,
    search: Option<&str>,
    today: CalendarDate,
    page: OffsetPage,
) -> Result<Page<ListedMember>, StoreError> {
    let found = match search {
        None => tx.list_members(place, scope, &filter, today, page)?,
        Some(text) => {
            let ids = tx.list_member_ids(place, scope, &filter, today, SEARCHED + 1)?;
            if ids.len() > SEARCHED {
                let error = StoreError::new(StoreErrorKind::TooMuchWork, "search members");
                return Err(error.with_detail(format!("more than {SEARCHED} members")));
            }
            let part = text.to_lowercase();
            let holds = |user: &User| {
                let texts = [user.name.as_str(), user.username.as_str()];
                texts.iter().any(|text| text.to_lowercase().contains(&part))
            };
            let mut matching = Vec::new();
            for some in ids.chunks(1_000) {
                let users = tx.list_users_by_id(some)?;
                matching.extend(users.iter().filter(|user| holds(user)).map(|user| user.id));
            }
            matching.sort_unstable();
            let skipped = usize::try_from(page.offset()).unwrap_or(usize::MAX);
            let shown = matching.iter().skip(skipped).take(page.per_page().into());
            let shown: Vec<UserId> = shown.copied().collect();
            let has_next = matching.len() > skipped.saturating_add(page.per_page().into());
            filter.users = Some(shown);
            let first = OffsetPage::new(1, page.per_page().into());
            let items = tx.list_members(place, scope, &filter, today, first)?.items;
            let count = u64::try_from(matching.len()).unwrap_or(u64::MAX);
            let total = Total::from_capped_count(count);
            Page {
                items,
                has_next,
                total,
            }
        }
    };
    Ok(Page {
        items: with_users(tx, found.items)?,
        has_next: found.has_next,
        total: found.total,
    })
}

fn users_of(
    tx: &mut (dyn WriteTransaction + '_),
    ids: &[UserId],
) -> Result<BTreeMap<UserId, User>, StoreError> {
    if ids.is_empty() {
        return Ok(BTreeMap::new());
    }
    let users = tx.list_users_by_id(ids)?.into_iter();
    Ok(users.map(|user| (user.id, user)).collect())
}

#[cfg(test)]
mod tests;

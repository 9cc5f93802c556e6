//! Steps of roles and shares.

use api_conventions::ids::UserId;
use projects::{MemberSource, NewMember, NewShare};

use super::model::{ModelPlace, ModelRole};
use super::step::SequenceStep;
use super::world::{World, choose, date, level_of};
use crate::broken_promise::{Verdict, same};

impl World<'_> {
    /// Plays a step on roles and shares.
    pub(super) fn play_roles(&mut self, step: &SequenceStep) -> Verdict {
        match *step {
            SequenceStep::PutMember {
                place,
                user,
                level,
                expiry,
            } => {
                let granted = (level_of(level), self.expiry_of(expiry));
                self.put_member(place, self.user(user), granted)
            }
            SequenceStep::RemoveMember { place, user } => {
                self.remove_member(place, self.user(user))
            }
            SequenceStep::RemoveBelow { group, user } => self.remove_below(group, self.user(user)),
            SequenceStep::Share {
                project,
                group,
                level,
                expiry,
            } => {
                let granted = (level_of(level), self.expiry_of(expiry));
                self.share(project, group, granted)
            }
            SequenceStep::Unshare { project, group } => self.unshare(project, group),
            SequenceStep::Expire => self.expire(),
            _ => Ok(()),
        }
    }

    fn put_member(&mut self, place: u8, user: UserId, granted: ModelRole) -> Verdict {
        let Some(place) = self.place_of(place) else {
            return Ok(());
        };
        let (source, by, now) = (self.member_source(place), self.people[0], self.now());
        let is_put = self.write(move |tx| {
            let Some(locked) = tx.lock_members(source)? else {
                return Ok(false);
            };
            let member = NewMember {
                user_id: user,
                level: granted.0,
                expires_on: granted.1.map(date),
                created_by: Some(by),
                created_at: now,
            };
            tx.put_member(&locked, &member)?;
            Ok(true)
        })?;
        same("the lock of the members", &is_put, &self.is_live(place))?;
        if is_put {
            self.model.roles.insert((place, user), granted);
        }
        Ok(())
    }

    fn remove_member(&mut self, place: u8, user: UserId) -> Verdict {
        let place = self.place_of(place).filter(|place| self.is_live(*place));
        let Some(place) = place else { return Ok(()) };
        let source = self.member_source(place);
        let removed = self.write(move |tx| match tx.lock_members(source)? {
            Some(locked) => tx.remove_member(&locked, user),
            None => Ok(None),
        })?;
        let removed = removed.map(|member| (member.level, member.expires_on));
        let modelled = self.model.roles.remove(&(place, user));
        let modelled = modelled.map(|granted| (granted.0, granted.1.map(date)));
        same("the removed role", &removed, &modelled)
    }

    fn remove_below(&mut self, group: u8, user: UserId) -> Verdict {
        let Some(group) = choose(group, &self.model.live_groups()) else {
            return Ok(());
        };
        let source = self.member_source(ModelPlace::Namespace(group));
        let removed = self.write(move |tx| match tx.lock_members(source)? {
            Some(locked) => tx.remove_members_below(&locked, user),
            None => Ok(Vec::new()),
        })?;
        let removed: Vec<MemberSource> = removed.iter().map(|member| member.source).collect();
        let model = &self.model;
        let is_below = |place: ModelPlace| match place {
            ModelPlace::Namespace(index) => index != group && model.is_within(index, group),
            ModelPlace::Project(index) => model.is_within(model.projects[index].namespace, group),
        };
        let roles = model.roles.keys();
        let below = roles.filter(|(place, of)| *of == user && is_below(*place));
        let below: Vec<(ModelPlace, UserId)> = below.copied().collect();
        let expected: Vec<MemberSource> = below
            .iter()
            .map(|(place, _)| self.member_source(*place))
            .collect();
        same("the descendants", &removed, &expected)?;
        for key in below {
            self.model.roles.remove(&key);
        }
        Ok(())
    }

    fn share(&mut self, project: u8, group: u8, granted: ModelRole) -> Verdict {
        let project = choose(project, &self.model.live_projects());
        let group = choose(group, &self.model.live_groups());
        let (Some(project), Some(group)) = (project, group) else {
            return Ok(());
        };
        let source = self.member_source(ModelPlace::Project(project));
        let (group_id, by, now) = (self.model.namespaces[group].id, self.people[0], self.now());
        let shared = self.write(move |tx| {
            let Some(locked) = tx.lock_members(source)? else {
                return Ok(None);
            };
            let share = NewShare {
                group_id,
                level: granted.0,
                expires_on: granted.1.map(date),
                created_by: Some(by),
                created_at: now,
            };
            tx.insert_share(&locked, &share)
        })?;
        let modelled = self.model.shares.get(&(project, group)).copied();
        let is_free = modelled.is_none_or(|modelled| !self.model.counts(modelled));
        same(
            "the outcome of sharing the project",
            &shared.is_some(),
            &is_free,
        )?;
        if is_free {
            self.model.shares.insert((project, group), granted);
        }
        Ok(())
    }

    fn unshare(&mut self, project: u8, group: u8) -> Verdict {
        let project = choose(project, &self.model.live_projects());
        let group = choose(group, &self.model.groups());
        let (Some(project), Some(group)) = (project, group) else {
            return Ok(());
        };
        let source = self.member_source(ModelPlace::Project(project));
        let id = self.model.namespaces[group].id;
        let removed = self.write(move |tx| match tx.lock_members(source)? {
            Some(locked) => tx.remove_share(&locked, id),
            None => Ok(None),
        })?;
        let modelled = self.model.shares.remove(&(project, group));
        same(
            "the removal of a share",
            &removed.is_some(),
            &modelled.is_some(),
        )
    }

    fn expire(&mut self) -> Verdict {
        let today = self.today();
        let (members, shares) = self.write(move |tx| {
            let members = tx.take_expired_members(today, 1_000)?;
            Ok((members.len(), tx.take_expired_shares(today, 1_000)?.len()))
        })?;
        let before = (self.model.roles.len(), self.model.shares.len());
        let today = self.model.today;
        let is_kept = |granted: ModelRole| granted.1.is_none_or(|day| today < day);
        self.model.roles.retain(|_, granted| is_kept(*granted));
        self.model.shares.retain(|_, granted| is_kept(*granted));
        let expired = (
            before.0 - self.model.roles.len(),
            before.1 - self.model.shares.len(),
        );
        same("the expired roles and shares", &(members, shares), &expired)
    }
}

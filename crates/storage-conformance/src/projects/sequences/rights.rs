//! Steps of roles and shares.

use api_conventions::ids::UserId;
use projects::{MemberPlace, NewMember, NewShare};

use super::model::{Right, Spot};
use super::step::Step;
use super::world::{World, choice, date, level_of};
use crate::broken::{Verdict, same};

impl World<'_> {
    /// Plays a step on roles and shares.
    pub(super) fn play_rights(&mut self, step: &Step) -> Verdict {
        match *step {
            Step::PutMember {
                place,
                user,
                level,
                expiry,
            } => {
                let right = (level_of(level), self.expiry_of(expiry));
                self.put_member(place, self.user(user), right)
            }
            Step::RemoveMember { place, user } => self.remove_member(place, self.user(user)),
            Step::RemoveBelow { group, user } => self.remove_below(group, self.user(user)),
            Step::Share {
                project,
                group,
                level,
                expiry,
            } => {
                let right = (level_of(level), self.expiry_of(expiry));
                self.share(project, group, right)
            }
            Step::Unshare { project, group } => self.unshare(project, group),
            Step::Expire => self.expire(),
            _ => Ok(()),
        }
    }

    fn put_member(&mut self, place: u8, user: UserId, right: Right) -> Verdict {
        let Some(spot) = self.spot_of(place) else {
            return Ok(());
        };
        let (place, by, now) = (self.place(spot), self.people[0], self.now());
        let is_put = self.write(move |tx| {
            let Some(locked) = tx.lock_members(place)? else {
                return Ok(false);
            };
            let member = NewMember {
                user_id: user,
                level: right.0,
                expires_on: right.1.map(date),
                created_by: Some(by),
                created_at: now,
            };
            tx.put_member(&locked, &member)?;
            Ok(true)
        })?;
        same("that members can be locked", &is_put, &self.is_live(spot))?;
        if is_put {
            self.model.roles.insert((spot, user), right);
        }
        Ok(())
    }

    fn remove_member(&mut self, place: u8, user: UserId) -> Verdict {
        let spot = self.spot_of(place).filter(|spot| self.is_live(*spot));
        let Some(spot) = spot else { return Ok(()) };
        let place = self.place(spot);
        let removed = self.write(move |tx| match tx.lock_members(place)? {
            Some(locked) => tx.remove_member(&locked, user),
            None => Ok(None),
        })?;
        let removed = removed.map(|member| (member.level, member.expires_on));
        let known = self.model.roles.remove(&(spot, user));
        let known = known.map(|right| (right.0, right.1.map(date)));
        same("the role that was taken away", &removed, &known)
    }

    fn remove_below(&mut self, group: u8, user: UserId) -> Verdict {
        let Some(group) = choice(group, &self.model.live_groups()) else {
            return Ok(());
        };
        let place = self.place(Spot::Space(group));
        let removed = self.write(move |tx| match tx.lock_members(place)? {
            Some(locked) => tx.remove_members_below(&locked, user),
            None => Ok(Vec::new()),
        })?;
        let removed: Vec<MemberPlace> = removed.iter().map(|member| member.place).collect();
        let model = &self.model;
        let is_below = |spot: Spot| match spot {
            Spot::Space(index) => index != group && model.is_within(index, group),
            Spot::Thing(index) => model.is_within(model.things[index].space, group),
        };
        let roles = model.roles.keys();
        let gone = roles.filter(|(spot, of)| *of == user && is_below(*spot));
        let gone: Vec<(Spot, UserId)> = gone.copied().collect();
        let wanted: Vec<MemberPlace> = gone.iter().map(|(spot, _)| self.place(*spot)).collect();
        same("the places below", &removed, &wanted)?;
        for key in gone {
            self.model.roles.remove(&key);
        }
        Ok(())
    }

    fn share(&mut self, project: u8, group: u8, right: Right) -> Verdict {
        let project = choice(project, &self.model.live_projects());
        let group = choice(group, &self.model.live_groups());
        let (Some(project), Some(group)) = (project, group) else {
            return Ok(());
        };
        let place = self.place(Spot::Thing(project));
        let (group_id, by, now) = (self.model.spaces[group].id, self.people[0], self.now());
        let shared = self.write(move |tx| {
            let Some(locked) = tx.lock_members(place)? else {
                return Ok(None);
            };
            let share = NewShare {
                group_id,
                level: right.0,
                expires_on: right.1.map(date),
                created_by: Some(by),
                created_at: now,
            };
            tx.insert_share(&locked, &share)
        })?;
        let known = self.model.shares.get(&(project, group)).copied();
        let is_free = known.is_none_or(|known| !self.model.counts(known));
        same("that the project was shared", &shared.is_some(), &is_free)?;
        if is_free {
            self.model.shares.insert((project, group), right);
        }
        Ok(())
    }

    fn unshare(&mut self, project: u8, group: u8) -> Verdict {
        let project = choice(project, &self.model.live_projects());
        let group = choice(group, &self.model.groups());
        let (Some(project), Some(group)) = (project, group) else {
            return Ok(());
        };
        let place = self.place(Spot::Thing(project));
        let id = self.model.spaces[group].id;
        let removed = self.write(move |tx| match tx.lock_members(place)? {
            Some(locked) => tx.remove_share(&locked, id),
            None => Ok(None),
        })?;
        let known = self.model.shares.remove(&(project, group));
        same("that a share ended", &removed.is_some(), &known.is_some())
    }

    fn expire(&mut self) -> Verdict {
        let today = self.today();
        let (members, shares) = self.write(move |tx| {
            let members = tx.take_expired_members(today, 1_000)?;
            Ok((members.len(), tx.take_expired_shares(today, 1_000)?.len()))
        })?;
        let before = (self.model.roles.len(), self.model.shares.len());
        let today = self.model.today;
        let is_kept = |right: Right| right.1.is_none_or(|day| today < day);
        self.model.roles.retain(|_, right| is_kept(*right));
        self.model.shares.retain(|_, right| is_kept(*right));
        let gone = (
            before.0 - self.model.roles.len(),
            before.1 - self.model.shares.len(),
        );
        same("what expired", &(members, shares), &gone)
    }
}

//! Runners and registration tokens.

use ::pipelines::model::{
    NewRunner, RegistrationToken, Runner, RunnerAccess, RunnerContact, RunnerFilter, RunnerInfo,
    RunnerPlace, RunnerSettings, RunnerType,
};
use ::pipelines::store::{RunnerQueries, RunnerRepository};
use api_conventions::ids::{ProjectId, RunnerId, UserId};
use api_conventions::page::{OffsetPage, Page};
use api_conventions::secret::SecretDigest;
use api_conventions::time::Timestamp;
use diesel::prelude::*;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::delete_some::UserReference;
use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    runners: RunnerRow, NewRunnerRow, ChangedRunnerRow;
    fixed {
        runner_type: SmallInt,
        creator_id: BigInt,
        created_at: BigInt,
        name: Nullable<Text>,
        version: Nullable<Text>,
        revision: Nullable<Text>,
        platform: Nullable<Text>,
        architecture: Nullable<Text>,
    }
    written { digest: Binary }
    changing {
        description: Text,
        maintenance_note: Nullable<Text>,
        paused: Bool,
        locked: Bool,
        run_untagged: Bool,
        access_level: SmallInt,
        maximum_timeout: Nullable<Integer>,
        tags: Text,
    }
    later { contacted_at: Nullable<BigInt> }
}

diesel::table! {
    runner_places (place_id, place_kind, runner_id) {
        place_id -> BigInt,
        place_kind -> SmallInt,
        runner_id -> BigInt,
    }
}

diesel::table! {
    runner_registration_tokens (place_id, place_kind) {
        place_id -> BigInt,
        place_kind -> SmallInt,
        digest -> Binary,
        creator_id -> BigInt,
        created_at -> BigInt,
    }
}

diesel::allow_tables_to_appear_in_same_query!(runners, runner_places);

/// Encloses each tag in line breaks, which no tag contains, so that a search finds whole tags only.
fn tags_text(tags: &[String]) -> String {
    let mut text = String::from("\n");
    for tag in tags {
        text.push_str(tag);
        text.push('\n');
    }
    text
}

fn tags_of(text: &str) -> Vec<String> {
    let tags = text.split('\n').filter(|tag| !tag.is_empty());
    tags.map(str::to_owned).collect()
}

impl DomainRow for RunnerRow {
    type Value = Runner;

    fn read(self) -> Result<Runner, StoreError> {
        let row = self.reader();
        let runner_type = RunnerType::from_number(self.runner_type);
        let access_level = RunnerAccess::from_number(self.access_level);
        Ok(Runner {
            id: RunnerId::new(self.id),
            runner_type: row.require(runner_type, "unknown kind of runner")?,
            settings: RunnerSettings {
                description: self.description,
                maintenance_note: self.maintenance_note,
                paused: self.paused,
                locked: self.locked,
                run_untagged: self.run_untagged,
                access_level: row.require(access_level, "unknown access level")?,
                maximum_timeout: self.maximum_timeout,
                tags: tags_of(&self.tags),
            },
            info: RunnerInfo {
                name: self.name,
                version: self.version,
                revision: self.revision,
                platform: self.platform,
                architecture: self.architecture,
            },
            contacted_at: row.optional_timestamp(self.contacted_at)?,
            creator_id: UserId::new(self.creator_id),
            created_at: row.timestamp(self.created_at)?,
        })
    }
}

impl<'v> From<&'v RunnerSettings> for ChangedRunnerRow<'v> {
    fn from(settings: &'v RunnerSettings) -> Self {
        Self {
            description: settings.description.as_str().into(),
            maintenance_note: settings.maintenance_note.as_deref().map(Into::into),
            paused: settings.paused,
            locked: settings.locked,
            run_untagged: settings.run_untagged,
            access_level: settings.access_level.number(),
            maximum_timeout: settings.maximum_timeout,
            tags: tags_text(&settings.tags).into(),
        }
    }
}

impl<'v> From<&'v NewRunner> for NewRunnerRow<'v> {
    fn from(new: &'v NewRunner) -> Self {
        let info = &new.info;
        Self {
            runner_type: new.place.runner_type().number(),
            creator_id: new.creator_id.get(),
            created_at: new.created_at.as_micros(),
            name: info.name.as_deref().map(Into::into),
            version: info.version.as_deref().map(Into::into),
            revision: info.revision.as_deref().map(Into::into),
            platform: info.platform.as_deref().map(Into::into),
            architecture: info.architecture.as_deref().map(Into::into),
            digest: new.digest.as_bytes()[..].into(),
            changing: (&new.settings).into(),
        }
    }
}

/// Facts to store about a runner; those that are `None` keep their stored value.
#[derive(diesel::AsChangeset)]
#[diesel(table_name = runners)]
struct RunnerFacts<'v> {
    name: Option<&'v str>,
    version: Option<&'v str>,
    revision: Option<&'v str>,
    platform: Option<&'v str>,
    architecture: Option<&'v str>,
}

impl<'v> From<&'v RunnerInfo> for RunnerFacts<'v> {
    fn from(info: &'v RunnerInfo) -> Self {
        Self {
            name: info.name.as_deref(),
            version: info.version.as_deref(),
            revision: info.revision.as_deref(),
            platform: info.platform.as_deref(),
            architecture: info.architecture.as_deref(),
        }
    }
}

fn place_of(kind: i16, id: i64) -> Result<RunnerPlace, StoreError> {
    RunnerPlace::from_numbers(kind, id)
        .ok_or_else(|| StoreError::inconsistent("runner_places", id, "unknown kind of place"))
}

const FIND: &str = "find runner";
const DELETE: &str = "delete runner";
const DELETE_OF: &str = "delete runners";
const PLACES: &str = "list places of runner";
const REGISTRATION: &str = "find registration token";

/// Reads the kind and the id of a place, the creator and the time of a registration token.
fn registration_token(
    (kind, id, creator, created_at): (i16, i64, i64, i64),
) -> Result<RegistrationToken, StoreError> {
    let invalid = || StoreError::inconsistent("runner_registration_tokens", id, "time");
    Ok(RegistrationToken {
        place: place_of(kind, id)?,
        creator_id: UserId::new(creator),
        created_at: Timestamp::from_micros(created_at).ok_or_else(invalid)?,
    })
}

#[for_each_database(dialect = crate::pipelines)]
mod database {
    impl ::pipelines::store::RunnerQueriesWrapper for WriteTx<'_> {}

    impl RunnerQueries for ReadTx<'_> {
        fn find_runner(&mut self, id: RunnerId) -> Result<Option<Runner>, StoreError> {
            self.find::<RunnerRow>(FIND, runners::table.find(id.get()))
        }

        fn find_runner_by_digest(
            &mut self,
            digest: &SecretDigest,
        ) -> Result<Option<Runner>, StoreError> {
            let with_digest = runners::digest.eq(&digest.as_bytes()[..]);
            self.find::<RunnerRow>(FIND, runners::table.filter(with_digest))
        }

        fn list_runner_places(&mut self, id: RunnerId) -> Result<Vec<RunnerPlace>, StoreError> {
            let its = runner_places::table
                .filter(runner_places::runner_id.eq(id.get()))
                .select((runner_places::place_kind, runner_places::place_id));
            let places: Vec<(i16, i64)> = self.values(PLACES, its)?;
            let places: Result<Vec<RunnerPlace>, StoreError> = places
                .into_iter()
                .map(|(kind, id)| place_of(kind, id))
                .collect();
            let mut places = places?;
            places.retain(|place| *place != RunnerPlace::Instance);
            Ok(places)
        }

        fn list_runners(
            &mut self,
            filter: &RunnerFilter,
            page: OffsetPage,
        ) -> Result<Page<Runner>, StoreError> {
            self.page_of_runners(filter, page)
        }

        fn find_registration_token(
            &mut self,
            digest: &SecretDigest,
        ) -> Result<Option<RegistrationToken>, StoreError> {
            use runner_registration_tokens as tokens;
            let found = tokens::table
                .filter(tokens::digest.eq(&digest.as_bytes()[..]))
                .select((
                    tokens::place_kind,
                    tokens::place_id,
                    tokens::creator_id,
                    tokens::created_at,
                ));
            let found = self.value_if(REGISTRATION, found)?;
            found.map(registration_token).transpose()
        }

        fn find_registration_token_of(
            &mut self,
            place: RunnerPlace,
        ) -> Result<Option<RegistrationToken>, StoreError> {
            use runner_registration_tokens as tokens;
            let (kind, id) = place.numbers();
            let found = tokens::table.find((id, kind)).select((
                tokens::place_kind,
                tokens::place_id,
                tokens::creator_id,
                tokens::created_at,
            ));
            let found = self.value_if("find registration token of place", found)?;
            found.map(registration_token).transpose()
        }
    }

    impl RunnerRepository for WriteTx<'_> {
        fn insert_runner(&mut self, new: &NewRunner) -> Result<Runner, StoreError> {
            const INSERT: &str = "insert runner";
            let insert = diesel::insert_into(runners::table).values(NewRunnerRow::from(new));
            let id: i64 = self.value(INSERT, insert.returning(runners::id))?;
            self.insert_runner_place(INSERT, id, new.place)?;
            Ok(new.stored(RunnerId::new(id)))
        }

        fn lock_runner(&mut self, id: RunnerId) -> Result<Option<Runner>, StoreError> {
            dialect::lock_runners(self, &[id.get()])?;
            self.find_runner(id)
        }

        fn update_runner(
            &mut self,
            id: RunnerId,
            settings: &RunnerSettings,
        ) -> Result<bool, StoreError> {
            let runner = diesel::update(runners::table.find(id.get()));
            let update = runner.set(ChangedRunnerRow::from(settings));
            self.changes("update runner", update)
        }

        fn replace_runner_token(
            &mut self,
            id: RunnerId,
            digest: &SecretDigest,
        ) -> Result<bool, StoreError> {
            let runner = diesel::update(runners::table.find(id.get()));
            let update = runner.set(runners::digest.eq(&digest.as_bytes()[..]));
            self.changes("replace token of runner", update)
        }

        fn touch_runners(&mut self, contacts: &[RunnerContact]) -> Result<(), StoreError> {
            let mut in_order: Vec<&RunnerContact> = contacts.iter().collect();
            in_order.sort_by_key(|contact| contact.id);
            for contact in in_order {
                let at = contact.at.as_micros();
                let stored = runners::contacted_at;
                let earlier = stored.is_null().or(stored.lt(at));
                let runner = diesel::update(runners::table.find(contact.id.get()).filter(earlier));
                let update = runner.set((stored.eq(at), RunnerFacts::from(&contact.info)));
                self.execute("touch runners", update)?;
            }
            Ok(())
        }

        fn assign_runner(&mut self, id: RunnerId, project: ProjectId) -> Result<bool, StoreError> {
            let place = RunnerPlace::Project(project);
            self.insert_runner_place("assign runner", id.get(), place)
        }

        fn unassign_runner(
            &mut self,
            id: RunnerId,
            project: ProjectId,
        ) -> Result<bool, StoreError> {
            let (kind, place) = RunnerPlace::Project(project).numbers();
            let assignment = runner_places::table.find((place, kind, id.get()));
            self.changes("unassign runner", diesel::delete(assignment))
        }

        fn delete_runner(&mut self, id: RunnerId) -> Result<bool, StoreError> {
            self.changes(DELETE, diesel::delete(runners::table.find(id.get())))
        }

        fn delete_runners_of(&mut self, place: RunnerPlace) -> Result<usize, StoreError> {
            let (kind, id) = place.numbers();
            let token = runner_registration_tokens::table.find((id, kind));
            self.execute(DELETE_OF, diesel::delete(token))?;
            let its = runner_places::table
                .filter(runner_places::place_id.eq(id))
                .filter(runner_places::place_kind.eq(kind));
            let ids: Vec<i64> = self.values(DELETE_OF, its.select(runner_places::runner_id))?;
            if ids.is_empty() {
                return Ok(0);
            }
            dialect::lock_runners(self, &ids)?;
            self.execute(DELETE_OF, diesel::delete(its))?;
            let assigned = runner_places::table
                .filter(runner_places::runner_id.eq_any(ids.clone()))
                .select(runner_places::runner_id);
            let assigned: Vec<i64> = self.values(DELETE_OF, assigned)?;
            let orphans = ids.into_iter().filter(|id| !assigned.contains(id));
            let orphans: Vec<i64> = orphans.collect();
            let orphans = runners::table.filter(runners::id.eq_any(orphans));
            self.execute(DELETE_OF, diesel::delete(orphans))
        }

        fn release_runners_of(
            &mut self,
            creator: UserId,
            successor: UserId,
            limit: usize,
        ) -> Result<usize, StoreError> {
            let mut left = limit;
            for (table, key) in [
                ("runners", "id"),
                ("runner_registration_tokens", "place_id, place_kind"),
            ] {
                let of_creator = UserReference::new(table, key, "creator_id");
                let some = of_creator.replace(creator, Some(successor));
                let update = diesel::sql_query(format!("{some}{left})"));
                left -= self.execute("release runners of user", update)?;
            }
            Ok(limit - left)
        }

        fn put_registration_token(
            &mut self,
            token: &RegistrationToken,
            digest: &SecretDigest,
        ) -> Result<(), StoreError> {
            use runner_registration_tokens as tokens;
            let (kind, id) = token.place.numbers();
            let digest = &digest.as_bytes()[..];
            let changing = (
                tokens::digest.eq(digest),
                tokens::creator_id.eq(token.creator_id.get()),
                tokens::created_at.eq(token.created_at.as_micros()),
            );
            let key = (tokens::place_id.eq(id), tokens::place_kind.eq(kind));
            let put = diesel::insert_into(tokens::table)
                .values((key, changing))
                .on_conflict((tokens::place_id, tokens::place_kind))
                .do_update()
                .set(changing);
            self.execute("put registration token", put).map(drop)
        }
    }

    impl WriteTx<'_> {
        /// Inserts a place of a runner. Returns `false` if the runner had it before.
        fn insert_runner_place(
            &mut self,
            operation: &'static str,
            id: i64,
            place: RunnerPlace,
        ) -> Result<bool, StoreError> {
            let (kind, place) = place.numbers();
            let values = (
                runner_places::place_id.eq(place),
                runner_places::place_kind.eq(kind),
                runner_places::runner_id.eq(id),
            );
            let insert = diesel::insert_into(runner_places::table).values(values);
            self.changes(operation, insert.on_conflict_do_nothing())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_are_read_as_they_were_written() {
        for tags in [&[][..], &["a"], &["linux", "x,y", " "]] {
            let tags: Vec<String> = tags.iter().map(ToString::to_string).collect();
            assert_eq!(tags_of(&tags_text(&tags)), tags);
        }
    }
}

//! Rows of on-call schedules and their overrides.

use ::notifications::model::{
    LocalTime, NewOverride, NewSchedule, OnCallSchedule, QuietHours, ScheduleOverride,
    ScheduleSettings,
};
use api_conventions::ids::{OverrideId, ProjectId, ScheduleId, UserId};
use api_conventions::time::Timestamp;
use storage::StoreError;

use crate::entity::entity;
use crate::rows::DomainRow;

entity! {
    on_call_schedules: ScheduleRow, NewScheduleRow, ChangedScheduleRow;
    fixed {
        project_id: BigInt,
        created_at: BigInt,
    }
    changing {
        name: Text,
        time_zone: Text,
        handoff_time: Text,
        first_handoff: Integer,
        turn_weeks: BigInt,
        participants: Text,
        updated_at: BigInt,
    }
}

entity! {
    on_call_overrides: OverrideRow, NewOverrideRow;
    fixed {
        schedule_id: BigInt,
        user_id: BigInt,
        starts_at: BigInt,
        ends_at: BigInt,
        created_by: BigInt,
        created_at: BigInt,
    }
}

impl DomainRow for ScheduleRow {
    type Value = OnCallSchedule;

    fn read(self) -> Result<OnCallSchedule, StoreError> {
        let row = self.reader();
        let time_zone = QuietHours::parse_time_zone(&self.time_zone);
        let handoff_time = LocalTime::parse(&self.handoff_time);
        let participants: Option<Vec<i64>> = serde_json::from_str(&self.participants).ok();
        let participants = row.require(participants, "participants are not a list of ids")?;
        Ok(OnCallSchedule {
            id: ScheduleId::new(self.id),
            project_id: ProjectId::new(self.project_id),
            settings: ScheduleSettings {
                name: self.name,
                time_zone: row.require(time_zone, "unknown time zone")?,
                handoff_time: row.require(handoff_time, "invalid handoff time")?,
                first_handoff: row.day(self.first_handoff)?,
                turn_weeks: row.require(
                    u32::try_from(self.turn_weeks).ok(),
                    "length of a turn out of range",
                )?,
                participants: participants.into_iter().map(UserId::new).collect(),
            },
            created_at: row.timestamp(self.created_at)?,
            updated_at: row.timestamp(self.updated_at)?,
        })
    }
}

impl<'v> ChangedScheduleRow<'v> {
    pub(super) fn of(settings: &'v ScheduleSettings, now: Timestamp) -> Self {
        let participants: Vec<i64> = settings.participants.iter().map(|id| id.get()).collect();
        Self {
            name: settings.name.as_str().into(),
            time_zone: settings.time_zone.name().into(),
            handoff_time: settings.handoff_time.to_string().into(),
            first_handoff: settings.first_handoff.as_days(),
            turn_weeks: settings.turn_weeks.into(),
            participants: serde_json::Value::from(participants).to_string().into(),
            updated_at: now.as_micros(),
        }
    }
}

impl<'v> From<&'v NewSchedule> for NewScheduleRow<'v> {
    fn from(new: &'v NewSchedule) -> Self {
        Self {
            project_id: new.project_id.get(),
            created_at: new.created_at.as_micros(),
            changing: ChangedScheduleRow::of(&new.settings, new.created_at),
        }
    }
}

impl DomainRow for OverrideRow {
    type Value = ScheduleOverride;

    fn read(self) -> Result<ScheduleOverride, StoreError> {
        let row = self.reader();
        Ok(ScheduleOverride {
            id: OverrideId::new(self.id),
            content: NewOverride {
                schedule_id: ScheduleId::new(self.schedule_id),
                user_id: UserId::new(self.user_id),
                from: row.timestamp(self.starts_at)?,
                until: row.timestamp(self.ends_at)?,
                created_by: UserId::new(self.created_by),
                created_at: row.timestamp(self.created_at)?,
            },
        })
    }
}

impl From<&NewOverride> for NewOverrideRow<'_> {
    fn from(new: &NewOverride) -> Self {
        Self {
            schedule_id: new.schedule_id.get(),
            user_id: new.user_id.get(),
            starts_at: new.from.as_micros(),
            ends_at: new.until.as_micros(),
            created_by: new.created_by.get(),
            created_at: new.created_at.as_micros(),
        }
    }
}

//! Spam log.

use ::projects::model::MAX_HELD;
use ::projects::{
    NewSpamLog, SpamLog, SpamQueries, SpamReason, SpamRepository, SubmissionDigest,
    SubmissionTarget,
};
use api_conventions::ids::{IssueIid, ProjectId, SnippetId, SpamLogId, UserId};
use api_conventions::time::Timestamp;
use diesel::dsl::sql;
use diesel::prelude::*;
use diesel::sql_types::BigInt;
use storage::StoreError;
use storage_diesel_macros::for_each_database;

use crate::entity::entity;
use crate::rows::DomainRow;
use crate::transaction::row_limit;

entity! {
    spam_logs: SpamLogRow, NewSpamLogRow, HeldRow;
    fixed {
        user_id: BigInt,
        project_id: BigInt,
        issue_iid: Nullable<BigInt>,
        snippet_id: Nullable<BigInt>,
        digest: Binary,
        title: Text,
        excerpt: Text,
        held: BigInt,
        first_at: BigInt,
    }
    changing {
        reason: SmallInt,
        last_at: BigInt,
    }
    later {
        solved_at: Nullable<BigInt>,
    }
}

/// Number of no project and of no snippet: ids are greater.
const NONE: i64 = 0;

impl DomainRow for SpamLogRow {
    type Value = SpamLog;

    fn read(self) -> Result<SpamLog, StoreError> {
        let row = self.reader();
        let digest = <[u8; 32]>::try_from(self.digest).ok();
        let digest = row.require(digest, "digest is not 32 bytes long")?;
        let reason = SpamReason::from_number(self.reason);
        let held = u64::try_from(self.held).ok();
        let solved_at = self.solved_at.map(|at| row.timestamp(at)).transpose()?;
        Ok(SpamLog {
            id: SpamLogId::new(self.id),
            user_id: UserId::new(self.user_id),
            project_id: (self.project_id != NONE).then(|| ProjectId::new(self.project_id)),
            target: match self.snippet_id {
                None => SubmissionTarget::Issue(self.issue_iid.map(IssueIid::new)),
                Some(NONE) => SubmissionTarget::Snippet(None),
                Some(id) => SubmissionTarget::Snippet(Some(SnippetId::new(id))),
            },
            digest: SubmissionDigest::from_bytes(digest),
            title: self.title,
            excerpt: self.excerpt,
            reason: row.require(reason, "unknown reason")?,
            held: row.require(held, "negative count")?,
            first_at: row.timestamp(self.first_at)?,
            last_at: row.timestamp(self.last_at)?,
            solved_at,
        })
    }
}

impl<'v> From<&'v NewSpamLog> for NewSpamLogRow<'v> {
    /// Creates a row with a count of zero; holding the submission increments it.
    fn from(new: &'v NewSpamLog) -> Self {
        let (issue_iid, snippet_id) = match new.target {
            SubmissionTarget::Issue(iid) => (iid.map(IssueIid::get), None),
            SubmissionTarget::Snippet(id) => (None, Some(id.map_or(NONE, SnippetId::get))),
        };
        Self {
            user_id: new.user_id.get(),
            project_id: new.project_id.map_or(NONE, ProjectId::get),
            issue_iid,
            snippet_id,
            digest: new.digest.as_bytes().as_slice().into(),
            title: new.title.as_str().into(),
            excerpt: new.excerpt.as_str().into(),
            held: 0,
            first_at: new.now.as_micros(),
            changing: HeldRow {
                reason: new.reason.number(),
                last_at: new.now.as_micros(),
            },
        }
    }
}

#[for_each_database]
mod database {
    impl ::projects::SpamQueriesWrapper for WriteTx<'_> {}

    impl SpamQueries for ReadTx<'_> {
        fn find_spam_log(&mut self, id: SpamLogId) -> Result<Option<SpamLog>, StoreError> {
            self.find::<SpamLogRow>("find spam log", spam_logs::table.find(id.get()))
        }

        fn list_spam_logs(&mut self, limit: usize) -> Result<Vec<SpamLog>, StoreError> {
            let last = spam_logs::table
                .order((spam_logs::last_at.desc(), spam_logs::id.desc()))
                .limit(row_limit(limit));
            self.list::<SpamLogRow>("list spam logs", last)
        }
    }

    impl SpamRepository for WriteTx<'_> {
        fn put_spam_log(&mut self, new: &NewSpamLog) -> Result<SpamLog, StoreError> {
            const HOLD: &str = "insert spam log";
            let row = NewSpamLogRow::from(new);
            let insert = diesel::insert_into(spam_logs::table).values(&row);
            self.execute(HOLD, insert.on_conflict_do_nothing())?;
            let its = spam_logs::table
                .filter(spam_logs::user_id.eq(new.user_id.get()))
                .filter(spam_logs::digest.eq(new.digest.as_bytes().as_slice()));
            let most = i64::try_from(MAX_HELD).unwrap_or(i64::MAX);
            let more = format!("CASE WHEN held < {most} THEN held + 1 ELSE held END");
            let latest = new.now.as_micros();
            let last = format!("CASE WHEN last_at < {latest} THEN {latest} ELSE last_at END");
            let again = diesel::update(its).set((
                spam_logs::held.eq(sql::<BigInt>(&more)),
                spam_logs::reason.eq(new.reason.number()),
                spam_logs::last_at.eq(sql::<BigInt>(&last)),
            ));
            let held: SpamLogRow = self.value(HOLD, again.returning(SpamLogRow::as_select()))?;
            held.read()
        }

        fn trim_spam_logs(&mut self, user: UserId, keep: usize) -> Result<usize, StoreError> {
            const TRIM: &str = "delete surplus spam logs";
            let old = spam_logs::table
                .filter(spam_logs::user_id.eq(user.get()))
                .order((spam_logs::last_at.desc(), spam_logs::id.desc()))
                .offset(row_limit(keep))
                .limit(row_limit(usize::MAX))
                .select(spam_logs::id);
            let old: Vec<i64> = self.values(TRIM, old)?;
            if old.is_empty() {
                return Ok(0);
            }
            let old = spam_logs::table.filter(spam_logs::id.eq_any(old));
            self.execute(TRIM, diesel::delete(old))
        }

        fn record_captcha_solved(
            &mut self,
            id: SpamLogId,
            at: Timestamp,
        ) -> Result<bool, StoreError> {
            let solved = diesel::update(spam_logs::table.find(id.get()))
                .set(spam_logs::solved_at.eq(Some(at.as_micros())));
            self.changes("record solved CAPTCHA", solved)
        }

        fn delete_spam_logs_before(
            &mut self,
            last_at: Timestamp,
            limit: usize,
        ) -> Result<usize, StoreError> {
            const DELETE: &str = "delete old spam logs";
            let old = spam_logs::table
                .filter(spam_logs::last_at.lt(last_at.as_micros()))
                .order((spam_logs::last_at, spam_logs::id))
                .limit(row_limit(limit))
                .select(spam_logs::id);
            let old: Vec<i64> = self.values(DELETE, old)?;
            // An entry that another transaction has held again in the meantime is no longer old.
            let still = spam_logs::table
                .filter(spam_logs::id.eq_any(old))
                .filter(spam_logs::last_at.lt(last_at.as_micros()));
            self.execute(DELETE, diesel::delete(still))
        }
    }
}

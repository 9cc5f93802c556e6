//! Jobs that a runner asks for.

use api_conventions::time::Timestamp;
use serde_json::Value;

use super::{Name, Shaper, ids};

impl Shaper<'_> {
    /// The answer of `POST /jobs/request`, as the edition gives it: with `job_age` before 16.0, and without it after that
    /// (specification, Versioning 4). The specification does not say what the number means; here it is the age of the job in whole
    /// seconds, and 0 where the job was created after `now`.
    #[must_use]
    pub fn job(&self, mut newest: Value, created_at: Timestamp, now: Timestamp) -> Value {
        let micros = now.as_micros().saturating_sub(created_at.as_micros());
        let seconds = micros.div_euclid(1_000_000).max(0);
        let age = Name::new("job_age", self.has(ids::JOB_AGE));
        if let Value::Object(fields) = &mut newest {
            age.write(fields, seconds.into());
        }
        newest
    }
}

//! Statements of projects.

use diesel::sql_types::BigInt;

use super::over_arrays;

over_arrays! {
    /// For each project the first of its moments that is an hour after its last activity becomes that activity. The
    /// condition stands there twice: the second time it is held against the row as it is once it is locked.
    TouchProjects {
        projects: BigInt => i64,
        moments: BigInt => i64,
    }
    "UPDATE projects SET last_activity_at = note.moment FROM (SELECT DISTINCT ON (p.id) p.id, told.moment \
     FROM ROWS FROM (unnest(",
    ")) WITH ORDINALITY AS told (project, moment, place) JOIN projects AS p ON p.id = told.project \
     WHERE p.last_activity_at <= told.moment - 3600000000 ORDER BY p.id, told.place) AS note \
     WHERE projects.id = note.id AND projects.last_activity_at <= note.moment - 3600000000"
}

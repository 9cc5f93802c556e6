//! Recorder of the statements that this program's connections run.

use std::sync::{Mutex, MutexGuard, Once, PoisonError};

use diesel::connection::{Instrumentation, InstrumentationEvent, set_default_instrumentation};

static TEXTS: Mutex<Vec<String>> = Mutex::new(Vec::new());
static ONE_TEST: Mutex<()> = Mutex::new(());
static START: Once = Once::new();

/// Exclusive right to run a test.
/// Connections that are opened from now on are recorded.
pub(crate) struct Turn(#[expect(dead_code, reason = "held, but not used")] MutexGuard<'static, ()>);

impl Turn {
    pub(crate) fn take() -> Self {
        let turn = ONE_TEST.lock().unwrap_or_else(PoisonError::into_inner);
        START.call_once(|| {
            set_default_instrumentation(|| {
                let record = |event: InstrumentationEvent<'_>| {
                    if let InstrumentationEvent::StartQuery { query, .. } = event {
                        TEXTS.lock().unwrap().push(query.to_string());
                    }
                };
                Some(Box::new(record) as Box<dyn Instrumentation>)
            })
            .unwrap();
        });
        Self(turn)
    }
}

/// Returns all texts that `work` sends to the database, one for each message, without the bound values.
pub(crate) fn texts_of<T>(turn: &Turn, work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let (outcome, statements) = statements_of(turn, work);
    (
        outcome,
        statements.into_iter().map(|(text, _)| text).collect(),
    )
}

/// Returns the same with the bound values, as a list.
pub(crate) fn statements_of<T>(_: &Turn, work: impl FnOnce() -> T) -> (T, Vec<(String, String)>) {
    TEXTS.lock().unwrap().clear();
    let outcome = work();
    let texts = std::mem::take(&mut *TEXTS.lock().unwrap());
    let apart = |text: &String| {
        let (text, values) = text.split_once(" -- binds:").unwrap_or((text, "[]"));
        (text.to_owned(), values.to_owned())
    };
    (outcome, texts.iter().map(apart).collect())
}

/// Returns the queries that `work` runs, without the bound values.
pub(crate) fn queries_of<T>(turn: &Turn, work: impl FnOnce() -> T) -> (T, Vec<String>) {
    let (outcome, mut texts) = texts_of(turn, work);
    texts.retain(|text| text.trim_start_matches('(').starts_with("SELECT"));
    (outcome, texts)
}

//! What the writer runs in one savepoint: a closure, or a group of work of one kind.

use std::any::{Any, TypeId};
use std::panic::{AssertUnwindSafe, catch_unwind};

use storage::{GroupWork, Promise, StoreError, StoreErrorKind, Work};

use super::Backend;

/// How a run ended.
pub(crate) enum Ran<B: Backend> {
    /// Keep what it wrote.
    Keep(Box<dyn Unit<B>>),
    /// Undo what it wrote; it has its answer.
    Undo(Box<dyn Unit<B>>),
    /// Undo what it wrote, and run each of these alone.
    Split(Vec<Box<dyn Unit<B>>>),
}

/// Something that the writer runs in one savepoint.
pub(crate) trait Unit<B: Backend>: Send {
    /// Runs everything in it.
    fn run(self: Box<Self>, connection: &mut B::Connection) -> Ran<B>;

    /// Answers those who wait, after the commit. `commit` is why it failed, if it did.
    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>);

    /// The kind of work, for units that others of their kind may join.
    fn kind(&self) -> Option<TypeId>;

    /// The kind of work, if no other writer is to run the same kind at the same moment.
    fn alone(&self) -> Option<TypeId>;

    /// Takes in another unit of the same kind; it comes back when it is of another one.
    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>>;

    /// For [`Self::join`]: the unit as a value whose type can be found out.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

fn panicked() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "work panicked")
}

/// A closure and whoever waits for it.
pub(crate) struct ClosureUnit<T, E: From<StoreError>, F> {
    work: Option<F>,
    outcome: Option<Result<T, E>>,
    promise: Promise<T, E>,
}

impl<T, E: From<StoreError>, F> ClosureUnit<T, E, F> {
    pub(crate) fn new(work: F, promise: Promise<T, E>) -> Self {
        Self {
            work: Some(work),
            outcome: None,
            promise,
        }
    }
}

impl<B, T, E, F> Unit<B> for ClosureUnit<T, E, F>
where
    B: Backend,
    F: for<'t> FnOnce(&mut B::WriteTx<'t>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn run(mut self: Box<Self>, connection: &mut B::Connection) -> Ran<B> {
        if let Some(work) = self.work.take() {
            let run = AssertUnwindSafe(|| work(&mut B::write_tx(connection)));
            self.outcome = Some(catch_unwind(run).unwrap_or_else(|_| Err(panicked().into())));
        }
        if matches!(self.outcome, Some(Ok(_))) {
            Ran::Keep(self)
        } else {
            Ran::Undo(self)
        }
    }

    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>) {
        let outcome = match (self.outcome, commit) {
            // A refusal may rest on what other work in the same transaction wrote, so it falls with the commit.
            (_, Some(failure)) => Err(failure().into()),
            (Some(Err(error)), None) => Err(error),
            (Some(Ok(value)), None) => Ok(value),
            (None, None) => Err(panicked().into()),
        };
        self.promise.fulfil(outcome);
    }

    fn kind(&self) -> Option<TypeId> {
        None
    }

    fn alone(&self) -> Option<TypeId> {
        None
    }

    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>> {
        Some(other)
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

type Member<W> = (W, Promise<<W as Work>::Output, <W as Work>::Error>);

/// Work of one kind and whoever waits for each piece of it.
pub(crate) struct GroupUnit<W: Work> {
    members: Vec<Member<W>>,
    outcome: Option<Result<Vec<W::Output>, W::Error>>,
}

impl<W: Work> GroupUnit<W> {
    pub(crate) fn new(work: W, promise: Promise<W::Output, W::Error>) -> Self {
        Self {
            members: vec![(work, promise)],
            outcome: None,
        }
    }
}

impl<B, W> Unit<B> for GroupUnit<W>
where
    B: Backend,
    W: for<'t> GroupWork<B::WriteTx<'t>>,
{
    fn run(mut self: Box<Self>, connection: &mut B::Connection) -> Ran<B> {
        let group: Vec<&W> = self.members.iter().map(|(work, _)| work).collect();
        let run = AssertUnwindSafe(|| W::run(&mut B::write_tx(connection), &group));
        let outcome = catch_unwind(run).unwrap_or_else(|_| Err(panicked().into()));
        let outcome = outcome.and_then(|outputs| {
            let miscounted =
                || StoreError::new(StoreErrorKind::Internal, "a group gave too few outputs");
            if outputs.len() == group.len() {
                Ok(outputs)
            } else {
                Err(miscounted().into())
            }
        });
        if outcome.is_err() && self.members.len() > 1 {
            let alone = self
                .members
                .into_iter()
                .map(|(work, promise)| GroupUnit::new(work, promise));
            return Ran::Split(
                alone
                    .map(|unit| Box::new(unit) as Box<dyn Unit<B>>)
                    .collect(),
            );
        }
        let keep = outcome.is_ok();
        self.outcome = Some(outcome);
        if keep {
            Ran::Keep(self)
        } else {
            Ran::Undo(self)
        }
    }

    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>) {
        let promises = self.members.into_iter().map(|(_, promise)| promise);
        match (self.outcome, commit) {
            (Some(Ok(outputs)), None) => {
                promises
                    .zip(outputs)
                    .for_each(|(promise, output)| promise.fulfil(Ok(output)));
            }
            // Only a group of one is answered with an error of its own.
            (Some(Err(error)), None) => {
                for (promise, error) in promises.zip([error]) {
                    promise.fulfil(Err(error));
                }
            }
            (_, failure) => {
                for promise in promises {
                    promise.fulfil(Err(failure
                        .map_or_else(panicked, |failure| failure())
                        .into()));
                }
            }
        }
    }

    fn kind(&self) -> Option<TypeId> {
        Some(TypeId::of::<W>())
    }

    fn alone(&self) -> Option<TypeId> {
        W::ALONE.then(TypeId::of::<W>)
    }

    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>> {
        if other.kind() != Some(TypeId::of::<W>()) {
            return Some(other);
        }
        if let Ok(other) = other.into_any().downcast::<Self>() {
            self.members.extend(other.members);
        }
        None
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

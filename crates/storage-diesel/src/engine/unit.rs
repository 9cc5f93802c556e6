//! What the writer runs as one: a closure, or a group of work of one kind.

use std::any::{Any, TypeId};
use std::panic::{AssertUnwindSafe, catch_unwind};

use storage::{Expiry, GroupWork, Promise, StoreError, StoreErrorKind, Work};

use super::Backend;

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ran {
    /// Keep what it wrote.
    Keep,
    /// Undo what it wrote; it has its answer.
    Undo,
    /// Undo what it wrote, and run each of its [members](Unit::split) alone.
    Split,
}

/// A kind of grouped work: its type, and what its value says where one type stands for several.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Kind {
    of_type: TypeId,
    of_value: TypeId,
}

/// Something that the writer runs as one.
pub(crate) trait Unit<B: Backend>: Send {
    /// Runs everything in it. It may run again after what it wrote was undone; the last run counts.
    fn run(&mut self, connection: &mut B::Connection) -> Ran;

    /// Its members, each as a unit of its own.
    fn split(self: Box<Self>) -> Vec<Box<dyn Unit<B>>>;

    /// Answers those who wait, after the commit. `commit` is why it failed, if it did.
    fn answer(self: Box<Self>, commit: Option<&dyn Fn() -> StoreError>);

    /// Adds the ways to answer those who wait when it takes too long.
    fn expiries(&self, all: &mut Vec<Expiry>);

    /// The kind of work, for units that others of their kind may join.
    fn kind(&self) -> Option<Kind>;

    /// The kind of work, if no other writer is to run the same kind at the same time.
    fn exclusive(&self) -> Option<Kind>;

    /// Takes in another unit of the same kind; it comes back when it is of another one.
    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>>;

    /// For [`Self::join`]: the unit as a value whose type can be found out.
    fn into_any(self: Box<Self>) -> Box<dyn Any>;
}

fn panicked() -> StoreError {
    StoreError::new(StoreErrorKind::Internal, "work panicked")
}

/// A closure and the caller that waits for it.
pub(crate) struct ClosureUnit<T, E: From<StoreError>, F> {
    work: F,
    outcome: Option<Result<T, E>>,
    promise: Promise<T, E>,
}

impl<T, E: From<StoreError>, F> ClosureUnit<T, E, F> {
    pub(crate) fn new(work: F, promise: Promise<T, E>) -> Self {
        Self {
            work,
            outcome: None,
            promise,
        }
    }
}

impl<B, T, E, F> Unit<B> for ClosureUnit<T, E, F>
where
    B: Backend,
    F: for<'t> Fn(&mut B::WriteTx<'t>) -> Result<T, E> + Send + 'static,
    T: Send + 'static,
    E: From<StoreError> + Send + 'static,
{
    fn run(&mut self, connection: &mut B::Connection) -> Ran {
        let run = AssertUnwindSafe(|| (self.work)(&mut B::write_tx(connection)));
        let outcome = catch_unwind(run).unwrap_or_else(|_| Err(panicked().into()));
        let ran = if outcome.is_ok() {
            Ran::Keep
        } else {
            Ran::Undo
        };
        self.outcome = Some(outcome);
        ran
    }

    fn split(self: Box<Self>) -> Vec<Box<dyn Unit<B>>> {
        vec![self]
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

    fn expiries(&self, all: &mut Vec<Expiry>) {
        all.push(self.promise.expiry());
    }

    fn kind(&self) -> Option<Kind> {
        None
    }

    fn exclusive(&self) -> Option<Kind> {
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

/// Work of one kind that arrived together.
pub(crate) struct GroupUnit<W: Work> {
    kind: Kind,
    is_exclusive: bool,
    members: Vec<Member<W>>,
    outcome: Option<Result<Vec<W::Output>, W::Error>>,
}

impl<W: Work> GroupUnit<W> {
    pub(crate) fn new(work: W, promise: Promise<W::Output, W::Error>) -> Self {
        Self {
            kind: Kind {
                of_type: TypeId::of::<W>(),
                of_value: work.kind(),
            },
            is_exclusive: work.is_exclusive(),
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
    fn run(&mut self, connection: &mut B::Connection) -> Ran {
        let group: Vec<&W> = self.members.iter().map(|(work, _)| work).collect();
        let run = AssertUnwindSafe(|| {
            let mut tx = B::group_tx(connection);
            let outputs = W::run(&mut tx, &group)?;
            B::settle(&mut tx)?;
            Ok(outputs)
        });
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
        let ran = match &outcome {
            Ok(_) => Ran::Keep,
            Err(_) if self.members.len() > 1 => Ran::Split,
            Err(_) => Ran::Undo,
        };
        self.outcome = Some(outcome);
        ran
    }

    fn split(self: Box<Self>) -> Vec<Box<dyn Unit<B>>> {
        let alone = self
            .members
            .into_iter()
            .map(|(work, promise)| GroupUnit::new(work, promise));
        alone
            .map(|unit| Box::new(unit) as Box<dyn Unit<B>>)
            .collect()
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

    fn expiries(&self, all: &mut Vec<Expiry>) {
        all.extend(self.members.iter().map(|(_, promise)| promise.expiry()));
    }

    fn kind(&self) -> Option<Kind> {
        Some(self.kind)
    }

    fn exclusive(&self) -> Option<Kind> {
        self.is_exclusive.then_some(self.kind)
    }

    fn join(&mut self, other: Box<dyn Unit<B>>) -> Option<Box<dyn Unit<B>>> {
        if other.kind() != Some(self.kind) {
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

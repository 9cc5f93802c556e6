//! Helpers of the engine tests: users to write, and work that can be blocked.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, Sender, channel};

use accounts::{AccountRepository, InsertUser, NewUser, UserKind, Username};
use api_conventions::ids::UserId;
use api_conventions::time::Timestamp;
use storage::{GroupWork, Pending, Store, StoreError, StoreErrorKind, Work};

/// Creates a user whose username is `name`.
pub(crate) fn user(name: &str) -> NewUser {
    NewUser {
        username: Username::parse(name).unwrap(),
        name: name.to_owned(),
        email: String::new(),
        kind: UserKind::Human,
        is_admin: false,
        password: None,
        created_at: Timestamp::MIN,
    }
}

/// Inserts a user whose name must be available.
pub(crate) fn insert<Tx: AccountRepository + ?Sized>(
    tx: &mut Tx,
    name: &str,
) -> Result<UserId, StoreError> {
    match tx.insert_user(&user(name))? {
        InsertUser::Inserted(id) => Ok(id),
        taken => Err(refusal().with_detail(format!("{taken:?}"))),
    }
}

/// Returns an error that a closure raises itself.
pub(crate) fn refusal() -> StoreError {
    StoreError::new(StoreErrorKind::Inconsistent, "simulated failure")
}

/// Blocks the writers until they are released, so that the work queued in the meantime forms one batch.
pub(crate) struct BlockedWriters {
    go: Vec<Sender<()>>,
    blocked: Pending<(), StoreError>,
    /// If grouped work has writers of its own.
    blocked_group: Option<Pending<(), StoreError>>,
}

/// Grouped work that waits until it is released.
struct BlockingWork {
    entered: Sender<()>,
    wait: Mutex<Receiver<()>>,
}

impl Work for BlockingWork {
    type Output = ();
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        false
    }

    fn weight(&self) -> usize {
        0
    }
}

impl<Tx: ?Sized> GroupWork<Tx> for BlockingWork {
    fn run(_: &mut Tx, group: &[&Self]) -> Result<Vec<()>, StoreError> {
        for work in group {
            work.entered.send(()).unwrap();
            let _ = work.wait.lock().unwrap().recv();
        }
        Ok(vec![(); group.len()])
    }
}

impl BlockedWriters {
    /// Returns once the writers are running the work that blocks them.
    pub(crate) fn of<S>(store: &S) -> Self
    where
        S: Store,
    {
        let (entered, is_in) = channel();
        let (go, wait): (_, Receiver<()>) = channel();
        let mut all = vec![go];
        let enter = entered.clone();
        let blocked = store.write(move |_| {
            enter.send(()).unwrap();
            // A dropped sender releases it, too.
            let _ = wait.recv();
            Ok(())
        });
        is_in.recv().unwrap();
        let blocked_group = store.capabilities().concurrent_writers.then(|| {
            let (go, wait) = channel();
            all.push(go);
            let wait = Mutex::new(wait);
            let blocked = store.write_grouped(BlockingWork { entered, wait });
            is_in.recv().unwrap();
            blocked
        });
        Self {
            go: all,
            blocked,
            blocked_group,
        }
    }

    /// Releases the writers, and waits until the blocking work is committed.
    pub(crate) fn release(self) {
        self.release_and_wait().unwrap();
    }

    /// Releases the writers, and returns the outcome of the closure that blocked one.
    pub(crate) fn release_and_wait(self) -> Result<(), StoreError> {
        for go in self.go {
            go.send(()).unwrap();
        }
        if let Some(blocked) = self.blocked_group {
            blocked.wait().ok();
        }
        self.blocked.wait()
    }
}

/// Behaviour of grouped work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WorkBehaviour {
    /// Writes its user.
    Good,
    /// Fails in every group.
    Fails,
    /// Panics in every group.
    Panics,
    /// Makes its group return one output too few.
    Miscounts,
}

/// Grouped work that writes a user, and returns the size of the group in which it was written.
#[derive(Debug)]
pub(crate) struct UserWork {
    pub(crate) name: String,
    pub(crate) behaviour: WorkBehaviour,
    pub(crate) weight: usize,
}

impl UserWork {
    pub(crate) fn new(name: impl Into<String>, behaviour: WorkBehaviour) -> Self {
        Self {
            name: name.into(),
            behaviour,
            weight: 0,
        }
    }
}

impl Work for UserWork {
    type Output = usize;
    type Error = StoreError;

    fn is_exclusive(&self) -> bool {
        false
    }

    fn weight(&self) -> usize {
        self.weight
    }
}

impl<Tx: AccountRepository + ?Sized> GroupWork<Tx> for UserWork {
    fn run(tx: &mut Tx, group: &[&Self]) -> Result<Vec<usize>, StoreError> {
        for work in group {
            insert(tx, &work.name)?;
        }
        let has = |behaviour| group.iter().any(|work| work.behaviour == behaviour);
        assert!(
            !has(WorkBehaviour::Panics),
            "expected panic of a group member"
        );
        if has(WorkBehaviour::Fails) {
            return Err(refusal());
        }
        let missing = usize::from(has(WorkBehaviour::Miscounts));
        Ok(vec![group.len(); group.len() - missing])
    }
}

//! Budget for request bodies in memory, per endpoint and in total.
//!
//! A limit per body does not bound many bodies: twenty senders within it hold twenty times as much. Short bodies are
//! not counted, so that sign-in and the API keep working while large bodies are refused.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_conventions::error::ApiError;

use crate::body::INLINE_BYTES;

/// Number of shares for endpoints. Endpoints whose hashes collide use the same share.
const SHARES: usize = 4096;

/// Seconds after which a refused sender may retry.
const RETRY_SECONDS: u32 = 1;

/// Limit on the bytes of bodies in memory.
#[derive(Debug)]
pub struct BodyBudget {
    all: BudgetShare,
    endpoints: Box<[BudgetShare]>,
}

/// Held bytes, and their limit.
#[derive(Debug)]
struct BudgetShare {
    held: AtomicUsize,
    limit: usize,
}

impl BudgetShare {
    fn new(limit: usize) -> Self {
        Self {
            held: AtomicUsize::new(0),
            limit,
        }
    }

    /// True if `more` bytes fit for a body that holds `own` bytes of the share. A body that is larger than the limit
    /// fits when it is alone, so that no body is too large forever.
    fn fits(&self, held: usize, own: usize, more: usize) -> bool {
        held <= own || held.saturating_add(more) <= self.limit
    }

    fn add(&self, own: usize, more: usize) -> bool {
        let add = |held| self.fits(held, own, more).then(|| held + more);
        let added = self
            .held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
        added.is_ok()
    }

    fn release(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::Acquire)
    }
}

impl BodyBudget {
    /// Creates a budget with this many bytes in total, and for each endpoint.
    pub fn new(limit: usize, limit_per_endpoint: usize) -> Arc<Self> {
        let endpoints = (0..SHARES).map(|_| BudgetShare::new(limit_per_endpoint));
        Arc::new(Self {
            all: BudgetShare::new(limit),
            endpoints: endpoints.collect(),
        })
    }

    /// Starts to account for a body to an endpoint, before any bytes have arrived.
    pub(crate) fn begin(self: &Arc<Self>, endpoint: &str) -> HeldBody {
        let mut hasher = DefaultHasher::new();
        endpoint.hash(&mut hasher);
        let index = usize::try_from(hasher.finish() % SHARES as u64).unwrap_or_default();
        HeldBody {
            budget: Arc::clone(self),
            index,
            bytes: 0,
        }
    }
}

/// Part of a budget that the body of one request holds, until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldBody {
    budget: Arc<BodyBudget>,
    index: usize,
    bytes: usize,
}

impl HeldBody {
    fn shares(&self) -> impl Iterator<Item = &BudgetShare> {
        let own = self.budget.endpoints.get(self.index);
        own.into_iter().chain([&self.budget.all])
    }

    /// Checks whether a body of this size would fit, before any of it is read. Only bytes that arrive are counted.
    ///
    /// # Errors
    /// 503 if it does not fit.
    pub(crate) fn expect(&self, bytes: usize) -> Result<(), ApiError> {
        let fits = |share: &BudgetShare| share.fits(share.held(), self.bytes, bytes);
        if bytes <= INLINE_BYTES || self.shares().all(fits) {
            Ok(())
        } else {
            Err(ApiError::unavailable(RETRY_SECONDS))
        }
    }

    /// Sets the number of bytes held by this body.
    ///
    /// # Errors
    /// 503 if they do not fit together with those of other bodies.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), ApiError> {
        let bytes = if bytes <= INLINE_BYTES { 0 } else { bytes };
        if bytes <= self.bytes {
            let less = self.bytes - bytes;
            self.shares().for_each(|share| share.release(less));
            self.bytes = bytes;
            return Ok(());
        }
        let more = bytes - self.bytes;
        let taken = self
            .shares()
            .take_while(|share| share.add(self.bytes, more))
            .count();
        if taken < self.shares().count() {
            self.shares()
                .take(taken)
                .for_each(|share| share.release(more));
            return Err(ApiError::unavailable(RETRY_SECONDS));
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.shares().for_each(|share| share.release(self.bytes));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: usize = 100_000;

    fn held(budget: &BodyBudget) -> usize {
        budget.all.held()
    }

    #[test]
    fn an_endpoint_holds_no_more_than_its_share_and_leaves_the_rest_to_others() {
        let budget = BodyBudget::new(5 * UNIT, 2 * UNIT);
        let [mut one, mut other, mut late] = [(); 3].map(|()| budget.begin("/a"));
        one.hold(UNIT).unwrap();
        other.hold(UNIT).unwrap();
        let refused = late.hold(UNIT).unwrap_err();
        assert_eq!(refused.status(), 503);
        assert_eq!(late.expect(UNIT).unwrap_err().status(), 503);
        assert_eq!(held(&budget), 2 * UNIT, "a refusal holds nothing");
        budget.begin("/b").hold(2 * UNIT).unwrap();
        drop(one);
        late.hold(UNIT).unwrap();
    }

    #[test]
    fn all_endpoints_together_hold_no_more_than_the_whole() {
        let budget = BodyBudget::new(2 * UNIT, 2 * UNIT);
        let mut bodies: Vec<_> = (0..3).map(|n| budget.begin(&format!("/{n}"))).collect();
        bodies[0].hold(UNIT).unwrap();
        bodies[1].hold(UNIT).unwrap();
        bodies[2].hold(UNIT).unwrap_err();
        drop(bodies);
        assert_eq!(held(&budget), 0);
    }

    #[test]
    fn short_bodies_are_accepted_regardless_of_the_held_bytes() {
        let budget = BodyBudget::new(UNIT, UNIT);
        let mut large = budget.begin("/a");
        large.hold(UNIT).unwrap();
        let mut short = budget.begin("/a");
        short.expect(INLINE_BYTES).unwrap();
        short.hold(INLINE_BYTES).unwrap();
        assert_eq!(held(&budget), UNIT);
    }

    #[test]
    fn a_body_over_the_limit_is_accepted_alone_and_can_shrink() {
        let budget = BodyBudget::new(UNIT, UNIT);
        let mut large = budget.begin("/a");
        large.expect(3 * UNIT).unwrap();
        for bytes in [UNIT, 2 * UNIT, 3 * UNIT] {
            large.hold(bytes).unwrap();
        }
        budget.begin("/a").hold(UNIT).unwrap_err();
        large.hold(UNIT).unwrap();
        assert_eq!(held(&budget), UNIT);
    }
}

//! The bytes of request bodies that are held at once, of each endpoint and of all together.
//!
//! A limit of one body says nothing of many: twenty senders within it hold twenty times as much. Short bodies are not counted, so
//! that signing in and the API go on while large ones are turned away.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use api_conventions::error::ApiError;

use crate::body::INLINE_BYTES;

/// Shares of endpoints. Two endpoints may meet in one, and then share it.
const SHARES: usize = 4096;

/// Seconds after which a sender that was turned away may try again.
const RETRY_SECONDS: u32 = 1;

/// How many bytes of bodies may be held.
#[derive(Debug)]
pub struct BodyBudget {
    all: Share,
    endpoints: Box<[Share]>,
}

/// Bytes that are held, and how many there may be.
#[derive(Debug)]
struct Share {
    held: AtomicUsize,
    most: usize,
}

impl Share {
    fn new(most: usize) -> Self {
        Self {
            held: AtomicUsize::new(0),
            most,
        }
    }

    /// True if so many more fit for someone who holds `own` of it. A body that is larger than the bound fits when it is alone, so
    /// that nothing is too large for ever.
    fn fits(&self, held: usize, own: usize, more: usize) -> bool {
        held <= own || held.saturating_add(more) <= self.most
    }

    fn add(&self, own: usize, more: usize) -> bool {
        let add = |held| self.fits(held, own, more).then(|| held + more);
        let added = self
            .held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, add);
        added.is_ok()
    }

    fn take_off(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::AcqRel);
    }

    fn held(&self) -> usize {
        self.held.load(Ordering::Acquire)
    }
}

impl BodyBudget {
    /// A budget of so many bytes in all, and for each endpoint.
    pub fn new(most: usize, most_of_endpoint: usize) -> Arc<Self> {
        let endpoints = (0..SHARES).map(|_| Share::new(most_of_endpoint));
        Arc::new(Self {
            all: Share::new(most),
            endpoints: endpoints.collect(),
        })
    }

    /// A body to an endpoint, of which nothing has come yet.
    pub(crate) fn begin(self: &Arc<Self>, endpoint: &str) -> HeldBody {
        let mut hasher = DefaultHasher::new();
        endpoint.hash(&mut hasher);
        let place = usize::try_from(hasher.finish() % SHARES as u64).unwrap_or_default();
        HeldBody {
            budget: Arc::clone(self),
            place,
            bytes: 0,
        }
    }
}

/// The part of a budget that the body of one request holds, until this is dropped.
#[derive(Debug)]
pub(crate) struct HeldBody {
    budget: Arc<BodyBudget>,
    place: usize,
    bytes: usize,
}

impl HeldBody {
    fn shares(&self) -> impl Iterator<Item = &Share> {
        let own = self.budget.endpoints.get(self.place);
        own.into_iter().chain([&self.budget.all])
    }

    /// Looks whether a body of this size would fit, before any of it is read. What counts is what arrives.
    ///
    /// # Errors
    /// 503 when it does not.
    pub(crate) fn expect(&self, bytes: usize) -> Result<(), ApiError> {
        let fits = |share: &Share| share.fits(share.held(), self.bytes, bytes);
        if bytes <= INLINE_BYTES || self.shares().all(fits) {
            Ok(())
        } else {
            Err(ApiError::unavailable(RETRY_SECONDS))
        }
    }

    /// Holds so many bytes from now on.
    ///
    /// # Errors
    /// 503 when they are too many together with those of others.
    pub(crate) fn hold(&mut self, bytes: usize) -> Result<(), ApiError> {
        let bytes = if bytes <= INLINE_BYTES { 0 } else { bytes };
        if bytes <= self.bytes {
            let less = self.bytes - bytes;
            self.shares().for_each(|share| share.take_off(less));
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
                .for_each(|share| share.take_off(more));
            return Err(ApiError::unavailable(RETRY_SECONDS));
        }
        self.bytes = bytes;
        Ok(())
    }
}

impl Drop for HeldBody {
    fn drop(&mut self) {
        self.shares().for_each(|share| share.take_off(self.bytes));
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
    fn short_bodies_are_taken_whatever_is_held() {
        let budget = BodyBudget::new(UNIT, UNIT);
        let mut large = budget.begin("/a");
        large.hold(UNIT).unwrap();
        let mut short = budget.begin("/a");
        short.expect(INLINE_BYTES).unwrap();
        short.hold(INLINE_BYTES).unwrap();
        assert_eq!(held(&budget), UNIT);
    }

    #[test]
    fn a_body_larger_than_the_bound_is_taken_when_it_is_alone_and_shrinks() {
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

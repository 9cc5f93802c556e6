//! Numbers that look random, and are the same in every run.

/// A generator: that of Knuth's MMIX.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// Returns a number below another one.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005);
        self.0 = self.0.wrapping_add(1_442_695_040_888_963_407);
        // The lower bits are less random.
        usize::try_from(self.0 >> 33).unwrap() % end
    }

    /// Returns one of some values.
    pub(crate) fn choose<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }
}

//! Random bytes, from the operating system.

use api_conventions::secret::SecretSource;

/// The operating system's source of random bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct OsRandomness;

impl SecretSource for OsRandomness {
    /// A machine that cannot give random bytes cannot keep secrets, so the process ends rather than going on
    /// with guessable ones.
    #[expect(
        clippy::expect_used,
        reason = "there is no safe way to go on without randomness"
    )]
    fn fill(&self, bytes: &mut [u8]) {
        getrandom::fill(bytes).expect("the operating system gives random bytes");
    }
}

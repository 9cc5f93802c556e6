//! Numbers that vary like those of real rows.

/// A pseudorandom number, always the same for the same input (the finalizer of `SplitMix64`).
pub(crate) fn scatter(number: i64) -> u64 {
    let mut mixed = number.cast_unsigned().wrapping_mul(0x9e37_79b9_7f4a_7c15);
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

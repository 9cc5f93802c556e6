//! Early return of memory that mimalloc freed to the operating system.
#![doc = ""]
#![doc = include_str!("../README.md")]
//!
//! # Safety
//! Two calls of mimalloc's C interface, which read and write one number in a table of options.

use std::ffi::{c_int, c_long};

// Links the library that has the functions.
use libmimalloc_sys as _;

/// Number of `mi_option_purge_delay` in mimalloc 3.
const PURGE_DELAY: c_int = 15;

#[expect(unsafe_code, reason = "declarations of the C interface")]
unsafe extern "C" {
    fn mi_option_set(option: c_int, value: c_long);
    fn mi_option_get(option: c_int) -> c_long;
}

/// Makes mimalloc return freed pages to the operating system after 10 milliseconds, unless the environment sets a delay
/// (`MIMALLOC_PURGE_DELAY`, in milliseconds).
pub fn return_soon() {
    if delay() == DEFAULT {
        set_delay(SOON);
    }
}

/// Purge delay in milliseconds.
/// Under load, pages are reused within it, so load does not pay for their return.
const SOON: c_long = 10;
/// Milliseconds for which mimalloc keeps freed pages by default.
const DEFAULT: c_long = 1000;

#[expect(unsafe_code, reason = "a call of the C interface")]
fn delay() -> c_long {
    // SAFETY: the function takes any number and reads a table of its own.
    unsafe { mi_option_get(PURGE_DELAY) }
}

#[expect(unsafe_code, reason = "a call of the C interface")]
fn set_delay(milliseconds: c_long) {
    // SAFETY: the function takes any numbers and writes to a table of its own, one word at a time.
    unsafe { mi_option_set(PURGE_DELAY, milliseconds) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The default also proves that the option still has this number.
    #[test]
    fn freed_memory_is_kept_by_default_and_returned_soon_on_request() {
        assert_eq!(delay(), DEFAULT);
        return_soon();
        assert_eq!(delay(), SOON);
        set_delay(7);
        return_soon();
        assert_eq!(delay(), 7, "a delay of the environment stays");
    }
}

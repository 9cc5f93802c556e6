//! Compressed bodies.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::{GzEncoder, ZlibEncoder};

/// `plain` as gzip.
pub(crate) fn gzip(plain: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// `plain` as the content coding `deflate`, which is zlib's format.
pub(crate) fn deflate(plain: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(plain).unwrap();
    encoder.finish().unwrap()
}

/// `blocks` blocks of 16 MiB of one letter as `br`, of about 20 bytes each. No Brotli compressor is available, so the
/// bits are written by hand (RFC 7932, section 9): one letter, and a copy of it at a distance of one.
pub(crate) fn brotli_bomb(blocks: usize) -> Vec<u8> {
    let mut bits = Bits::default();
    // A window of 16 bits.
    bits.write(0, 1);
    for _ in 0..blocks {
        // Not the last block; its length in six digits, minus one; and compressed.
        bits.write(0, 1);
        bits.write(2, 2);
        bits.write((16 << 20) - 1, 24);
        bits.write(0, 1);
        // One type of blocks of each kind, plain distances, one mode of contexts and one tree of each kind.
        bits.write(0, 3 + 6 + 2 + 2);
        // Each tree is simple and has one symbol, which takes no bits then: the letter; an insertion of one letter with
        // the longest copy; and the distance of one.
        for (symbol, width) in [(u32::from(b'{'), 8), (384 + 8 + 7, 10), (16, 6)] {
            bits.write(1, 2);
            bits.write(0, 2);
            bits.write(symbol, width);
        }
        // The length of the copy beyond 2118 bytes, and the rest of the distance.
        bits.write((16 << 20) - 1 - 2118, 24);
        bits.write(0, 1);
    }
    // The last block is empty.
    bits.write(3, 2);
    bits.bytes
}

/// A bit stream that fills bytes from the lowest bit on.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: u32,
}

impl Bits {
    fn write(&mut self, value: u32, width: u32) {
        for place in 0..width {
            if self.used.is_multiple_of(8) {
                self.bytes.push(0);
            }
            let bit = u8::from(value >> place & 1 == 1);
            *self.bytes.last_mut().unwrap() |= bit << (self.used % 8);
            self.used += 1;
        }
    }
}

/// `blocks` blocks of 128 KiB of one letter as `zstd`, of four bytes each (RFC 8878, section 3.1.1).
pub(crate) fn zstd_bomb(blocks: usize) -> Vec<u8> {
    // The magic number, a frame without a size, and a window of a MiB.
    let mut packed = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x50];
    for block in 1..=blocks {
        let is_last = u32::from(block == blocks);
        let header = is_last | 1 << 1 | (128 << 10) << 3;
        packed.extend_from_slice(&header.to_le_bytes()[..3]);
        packed.push(b'{');
    }
    packed
}

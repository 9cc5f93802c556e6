//! Detection of the end of a request body (RFC 9112, sections 6 and 7.1).
//!
//! The HTTP library reads bodies itself. This module follows them byte by byte only to know where the next request
//! begins, and accepts exactly what the library accepts: request smuggling needs two readers who disagree about the end
//! of a body. The content does not matter here.

/// Rest of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RemainingBody {
    /// Known number of bytes.
    Length(u64),
    /// Chunked body, at this state.
    Chunks(Chunks),
    /// All bytes until the connection ends.
    UntilEnd,
}

/// Parser state of a chunked body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Chunks {
    /// Before the first digit of a size.
    SizeStart,
    /// Within a size.
    Size(u64),
    /// After a size, before its line ends or an extension begins.
    SizeSpace(u64),
    /// Within an extension.
    Extension(u64),
    /// Before the line feed after a size.
    SizeEnd(u64),
    /// Within a chunk with this many bytes left.
    Data(u64),
    /// Before the carriage return after a chunk.
    DataReturn,
    /// Before the line feed after a chunk.
    DataEnd,
    /// At the beginning of a line after the last chunk.
    LineStart,
    /// Within a trailer.
    Trailer,
    /// Before the line feed after a trailer.
    TrailerEnd,
    /// Before the last line feed.
    LastEnd,
    /// After the end of the body.
    Complete,
}

/// Error for a body with an invalid chunked encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InvalidChunks;

impl RemainingBody {
    /// Chunked body, before its first byte.
    pub(super) const CHUNKS: Self = Self::Chunks(Chunks::SizeStart);

    /// True if the body is complete.
    pub(super) fn is_over(self) -> bool {
        matches!(self, Self::Length(0) | Self::Chunks(Chunks::Complete))
    }

    /// Consumes the bytes that belong to the body, returns their number, and leaves the rest of the body in `self`.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<usize, InvalidChunks> {
        match self {
            Self::UntilEnd => Ok(bytes.len()),
            Self::Length(left) => Ok(take_data(left, bytes.len())),
            Self::Chunks(chunks) => chunks.take(bytes),
        }
    }
}

/// Consumes as many of `available` bytes as are left.
fn take_data(left: &mut u64, available: usize) -> usize {
    let taken = usize::try_from(*left).map_or(available, |left| left.min(available));
    *left -= taken as u64;
    taken
}

impl Chunks {
    fn take(&mut self, bytes: &[u8]) -> Result<usize, InvalidChunks> {
        let mut rest = bytes;
        while let Some((first, after)) = rest.split_first() {
            match self {
                Self::Complete => break,
                Self::Data(left) => {
                    let taken = take_data(left, rest.len());
                    rest = rest.get(taken..).unwrap_or_default();
                    if *left == 0 {
                        *self = Self::DataReturn;
                    }
                }
                _ => {
                    *self = self.after(*first)?;
                    rest = after;
                }
            }
        }
        Ok(bytes.len() - rest.len())
    }

    /// Returns the state after one more byte outside of chunk data.
    fn after(self, byte: u8) -> Result<Self, InvalidChunks> {
        Ok(match (self, byte) {
            (Self::SizeStart, _) => Self::Size(digit(byte).ok_or(InvalidChunks)?),
            (Self::Size(size) | Self::SizeSpace(size), b'\t' | b' ') => Self::SizeSpace(size),
            (Self::Size(size) | Self::SizeSpace(size), b';')
            | (Self::Extension(size), b'\t' | b' '..=b'~' | 0x80..) => Self::Extension(size),
            (Self::Size(size) | Self::SizeSpace(size) | Self::Extension(size), b'\r') => {
                Self::SizeEnd(size)
            }
            (Self::Size(size), _) => {
                let digit = digit(byte).ok_or(InvalidChunks)?;
                Self::Size(size.checked_mul(16).ok_or(InvalidChunks)? + digit)
            }
            (Self::SizeEnd(0) | Self::TrailerEnd, b'\n') => Self::LineStart,
            (Self::SizeEnd(size), b'\n') => Self::Data(size),
            (Self::DataReturn, b'\r') => Self::DataEnd,
            (Self::DataEnd, b'\n') => Self::SizeStart,
            (Self::LineStart, b'\r') => Self::LastEnd,
            (Self::Trailer, b'\r') => Self::TrailerEnd,
            (Self::LineStart | Self::Trailer, _) => Self::Trailer,
            (Self::LastEnd, b'\n') => Self::Complete,
            _ => return Err(InvalidChunks),
        })
    }
}

fn digit(byte: u8) -> Option<u64> {
    char::from(byte).to_digit(16).map(u64::from)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Consumes bytes in pieces of a size, and returns the number that belong to the body.
    fn taken(
        body: RemainingBody,
        bytes: &[u8],
        size: usize,
    ) -> Result<(usize, bool), InvalidChunks> {
        let (mut body, mut count) = (body, 0);
        for piece in bytes.chunks(size) {
            let taken = body.take(piece)?;
            count += taken;
            if taken < piece.len() {
                break;
            }
        }
        Ok((count, body.is_over()))
    }

    #[test]
    fn a_body_of_a_length_ends_there() {
        assert_eq!(
            taken(RemainingBody::Length(4), b"abcdGET", 3),
            Ok((4, true))
        );
        assert_eq!(taken(RemainingBody::Length(9), b"abc", 9), Ok((3, false)));
        assert_eq!(taken(RemainingBody::UntilEnd, b"abc", 2), Ok((3, false)));
        assert!(RemainingBody::Length(0).is_over());
    }

    #[test]
    fn a_body_in_chunks_ends_with_the_empty_one_and_its_trailers() {
        for body in [
            "0\r\n\r\n",
            "5\r\nabcde\r\n0\r\n\r\n",
            "A;x=\"y z\"\r\n0123456789\r\n00 \t\r\n\r\n",
            "1\r\n\n\r\n0\r\nX-Sum: 1\r\nY: 2\r\n\r\n",
        ] {
            let bytes = format!("{body}GET / HTTP/1.1\r\n");
            for size in 1..9 {
                let ended = taken(RemainingBody::CHUNKS, bytes.as_bytes(), size);
                assert_eq!(ended, Ok((body.len(), true)), "{body:?} by {size}");
            }
        }
    }

    #[test]
    fn malformed_chunks_are_refused() {
        for body in [
            "\r\n",
            "g\r\n",
            "1\n",
            "1\r\nab",
            "1\r\na\n",
            "1 1\r\n",
            "1;\x01\r\n",
            "10000000000000000\r\n",
            "0\r\n\rx",
            "0\r\nX: y\rx",
        ] {
            assert_eq!(
                taken(RemainingBody::CHUNKS, body.as_bytes(), 4),
                Err(InvalidChunks),
                "{body:?}"
            );
        }
    }

    proptest! {
        /// Property test: the body ends at the same byte however the bytes are split.
        #[test]
        fn pieces_do_not_matter(bytes in "[0-9a-f;\r\n x]{0,60}", size in 1_usize..7) {
            let bytes = bytes.as_bytes();
            prop_assert_eq!(taken(RemainingBody::CHUNKS, bytes, size), taken(RemainingBody::CHUNKS, bytes, 60));
        }
    }
}

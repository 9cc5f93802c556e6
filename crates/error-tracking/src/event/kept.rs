//! The form in which reports are kept: as JSON, compressed. Stack traces repeat themselves, so a report of 5 KB takes about one.

use std::io::Read as _;

use super::model::Report;

/// The one form so far: this byte, then JSON compressed with Zstandard.
const VERSION: u8 = 1;
/// How hard it is compressed: more takes longer and saves little.
const LEVEL: i32 = 3;
/// The largest report, in bytes of JSON. What is larger was never written here.
const LARGEST: u64 = 16 << 20;

/// Why what was kept cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unkept {
    /// It is of a form that is not known here.
    #[error("the report is kept in an unknown form")]
    Form,
    /// It is damaged.
    #[error("the kept report is damaged")]
    Damaged,
}

impl Report {
    /// The report in the form in which it is kept.
    ///
    /// # Panics
    /// Never: a report is text, numbers and lists, which are always written, and memory takes all of it.
    #[expect(
        clippy::expect_used,
        reason = "a report holds nothing that JSON has no form for, and it is written to memory"
    )]
    pub fn to_kept(&self) -> Vec<u8> {
        let json = serde_json::to_vec(self).expect("a report is written as JSON");
        let packed = zstd::bulk::compress(&json, LEVEL).expect("bytes in memory are compressed");
        let mut kept = Vec::with_capacity(packed.len() + 1);
        kept.push(VERSION);
        kept.extend_from_slice(&packed);
        kept
    }

    /// The report that was kept.
    ///
    /// # Errors
    /// When it is of another form, or damaged.
    pub fn from_kept(kept: &[u8]) -> Result<Self, Unkept> {
        let (version, packed) = kept.split_first().ok_or(Unkept::Damaged)?;
        if *version != VERSION {
            return Err(Unkept::Form);
        }
        let decoder =
            zstd::stream::read::Decoder::with_buffer(packed).map_err(|_| Unkept::Damaged)?;
        let mut json = Vec::new();
        let mut limited = decoder.take(LARGEST);
        limited
            .read_to_end(&mut json)
            .map_err(|_| Unkept::Damaged)?;
        serde_json::from_slice(&json).map_err(|_| Unkept::Damaged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report() -> Report {
        Report {
            platform: "python".to_owned(),
            server_name: Some("web-1".to_owned()),
            tags: vec![("a".to_owned(), "b".repeat(3000))],
            ..Report::default()
        }
    }

    #[test]
    fn a_report_reads_back_and_takes_less() {
        let kept = report().to_kept();
        assert!(kept.len() < 300, "{}", kept.len());
        assert_eq!(Report::from_kept(&kept), Ok(report()));
    }

    #[test]
    fn what_is_damaged_is_found() {
        let kept = report().to_kept();
        assert_eq!(Report::from_kept(&[]), Err(Unkept::Damaged));
        assert_eq!(
            Report::from_kept(&kept[..kept.len() - 3]),
            Err(Unkept::Damaged)
        );
        let mut other = kept;
        other[0] = 2;
        assert_eq!(Report::from_kept(&other), Err(Unkept::Form));
        let number = zstd::bulk::compress(b"7", 1).unwrap();
        let number: Vec<u8> = std::iter::once(VERSION).chain(number).collect();
        assert_eq!(Report::from_kept(&number), Err(Unkept::Damaged));
    }
}

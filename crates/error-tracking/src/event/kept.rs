//! The form in which reports are kept: as JSON, compressed. Stack traces repeat themselves, so a report of 5 KB takes about one.

use std::cell::RefCell;
use std::io::Read as _;

use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;

use super::model::Report;

/// The first form: this byte, then JSON compressed with Zstandard. It is no longer written, but still read.
const PLAIN: u8 = 1;
/// The form that is written: this byte, then JSON compressed with Zstandard after the names of our fields.
const NAMED: u8 = 2;
/// How hard it is compressed: more takes longer and saves little.
const LEVEL: i32 = 3;
/// The largest report, in bytes of JSON. What is larger was never written here.
const LARGEST: u64 = 16 << 20;

/// What the compressor has seen before a report begins, so that the names of fields take next to nothing the first time
/// too. What was kept is read with the very same bytes, so a change of a single one needs a new form beside this one.
/// What is used most is at the end, because what is nearer takes fewer bits.
const NAMES: &[u8] = br#"{"notes":[{"field":"","text":""}],"policy_report":{"images":[{"type":"","code_file":"","debug_id":"","image_addr":"0x"}],"registers":{"omitted":"instruction_addr":"0x"package":"","threads":[{"id":"","name":"","crashed":true,"current":true,"stacktrace":{"frames":[{"fragment":"","cookies":[["env":{"query":[["logger":"","dist":"","fingerprint":["{{ default }}"],"exception_id":0,"parent_id":0,"is_exception_group":true,"synthetic":true,"description":"","thread_id":"{"level":"error","platform":"javascript","level":"warning","platform":"python","server_name":"","release":"","environment":"production","transaction":"","message":{"template":"","formatted":"","params":["exceptions":[{"type":"","value":"","module":"","mechanism":{"type":"generic","handled":false,"data":{},"stacktrace":{"frames":[{"breadcrumbs":[{"at":17,"type":"http","category":"query","message":"","level":"info","data":{"url":"https://","method":"GET","status_code":200}},"user":{"id":"","username":"","email":"","name":"","ip_address":"","data":{"request":{"url":"https://","method":"POST","headers":[["Accept","*/*"],["Content-Type","application/json"],["Host",""],["User-Agent","Mozilla/5.0"]],"data":{"tags":[["","extra":{"contexts":{"trace":{"trace_id":"","span_id":"","op":""},"browser":{"os":{"device":{"runtime":{"name":"","version":""}},"modules":{"sdk":{"name":"","version":""}"stacktrace":{"frames":[{"filename":"","abs_path":"/","function":"","module":"","lineno":1,"colno":1,"pre_context":["","    "],"context_line":"        ","post_context":["        ","    "],"in_app":false,"vars":{"self":"},{"filename":"","abs_path":"","function":"","module":"","lineno":,"pre_context":["","",""],"context_line":"    ","post_context":["","",""],"in_app":true,"vars":{"#;

thread_local! {
    /// One compressor for each thread: its tables are a megabyte, and making them costs as much as a small report.
    /// There is none where memory was refused.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> =
        RefCell::new(Compressor::with_dictionary(LEVEL, NAMES).ok());
}

/// The bytes, compressed after the names of our fields.
fn compressed(json: &[u8]) -> std::io::Result<Vec<u8>> {
    COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Some(compressor) => compressor.compress(json),
        None => Compressor::with_dictionary(LEVEL, NAMES)?.compress(json),
    })
}

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
        let packed = compressed(&json).expect("bytes in memory are compressed");
        let mut kept = Vec::with_capacity(packed.len() + 1);
        kept.push(NAMED);
        kept.extend_from_slice(&packed);
        kept
    }

    /// The report that was kept.
    ///
    /// # Errors
    /// When it is of another form, or damaged.
    pub fn from_kept(kept: &[u8]) -> Result<Self, Unkept> {
        let (version, packed) = kept.split_first().ok_or(Unkept::Damaged)?;
        let names: &[u8] = match *version {
            PLAIN => &[],
            NAMED => NAMES,
            _ => return Err(Unkept::Form),
        };
        let decoder = Decoder::with_dictionary(packed, names).map_err(|_| Unkept::Damaged)?;
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
        other[0] = 3;
        assert_eq!(Report::from_kept(&other), Err(Unkept::Form));
        let number = zstd::bulk::compress(b"7", 1).unwrap();
        let number: Vec<u8> = std::iter::once(PLAIN).chain(number).collect();
        assert_eq!(Report::from_kept(&number), Err(Unkept::Damaged));
    }

    #[test]
    fn a_report_of_the_first_form_is_still_read() {
        let kept = [
            0x01, 0x28, 0xb5, 0x2f, 0xfd, 0x20, 0x4e, 0x3d, 0x02, 0x00, 0xe2, 0xc4, 0x10, 0x18,
            0x90, 0xa7, 0x1a, 0x03, 0x88, 0xc9, 0x6a, 0x02, 0x64, 0xb3, 0x43, 0xa4, 0x82, 0x78,
            0xd6, 0x5d, 0x0e, 0xe7, 0x08, 0x60, 0xac, 0xff, 0x58, 0x02, 0x07, 0x42, 0x2e, 0xdf,
            0xf9, 0x18, 0xf8, 0x12, 0x24, 0xfb, 0x2e, 0x88, 0xa2, 0x84, 0x71, 0x3d, 0x89, 0x00,
            0xab, 0x6d, 0x75, 0x7d, 0xa3, 0x34, 0x60, 0x05, 0x35, 0x7e, 0x36, 0x05, 0x58, 0x1a,
            0xf5, 0xbd, 0x69, 0x57, 0xc7, 0x8d, 0x36, 0x35, 0x1b, 0x02, 0x00,
        ];
        let small = Report {
            platform: "python".to_owned(),
            server_name: Some("web-1".to_owned()),
            tags: vec![("a".to_owned(), "b".to_owned())],
            ..Report::default()
        };
        assert_eq!(Report::from_kept(&kept), Ok(small));
    }

    #[test]
    fn names_of_fields_take_little_and_a_thread_writes_the_same_each_time() {
        let kept = report().to_kept();
        let json = serde_json::to_vec(&report()).unwrap();
        let plain = zstd::bulk::compress(&json, LEVEL).unwrap();
        assert!(kept.len() < plain.len(), "{} {}", kept.len(), plain.len());
        assert_eq!(report().to_kept(), kept);
    }
}

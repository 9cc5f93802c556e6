//! Storage format of reports: compressed JSON.
//! Parts that the events of an error share are split off, so that they are stored once: stack traces with their source
//! lines, and the modules of the program.

use std::borrow::Cow;
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io::Read as _;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use zstd::bulk::Compressor;
use zstd::stream::read::Decoder;

use super::model::{Frame, Image, Report, Stacktrace};

/// Format byte of a whole report.
/// JSON compressed with Zstandard follows it, with our field names as dictionary.
const WHOLE: u8 = 1;
/// Format byte of a report without its shared part.
const SPLIT: u8 = 2;
/// Format byte of a shared part.
const SHARED: u8 = 3;
/// Compression level: a higher one takes longer and saves little, because the dictionary covers field names and
/// repetitions.
const LEVEL: i32 = 1;
/// Largest report, in bytes of JSON.
/// Nothing larger was ever written here.
const MAX_UNPACKED: u64 = 16 << 20;
/// Smallest shared part that is worth being stored separately, in bytes of JSON.
const MIN_SHARED: usize = 512;

/// Dictionary of the compressor, so that field names take next to nothing even the first time.
/// Stored reports are decompressed with exactly these bytes, so a change of a single one needs a new format beside this
/// one. The most frequent strings are at the end, because nearer ones take fewer bits.
const NAMES: &[u8] = br#"{"notes":[{"field":"","text":""}],"policy_report":{"images":[{"type":"","code_file":"","debug_id":"","image_addr":"0x"}],"registers":{"omitted":"instruction_addr":"0x"package":"","threads":[{"id":"","name":"","crashed":true,"current":true,"stacktrace":{"frames":[{"fragment":"","cookies":[["env":{"query":[["logger":"","dist":"","fingerprint":["{{ default }}"],"exception_id":0,"parent_id":0,"is_exception_group":true,"synthetic":true,"description":"","thread_id":"{"level":"error","platform":"javascript","level":"warning","platform":"python","server_name":"","release":"","environment":"production","transaction":"","message":{"template":"","formatted":"","params":["exceptions":[{"type":"","value":"","module":"","mechanism":{"type":"generic","handled":false,"data":{},"stacktrace":{"frames":[{"breadcrumbs":[{"at":17,"type":"http","category":"query","message":"","level":"info","data":{"url":"https://","method":"GET","status_code":200}},"user":{"id":"","username":"","email":"","name":"","ip_address":"","data":{"request":{"url":"https://","method":"POST","headers":[["Accept","*/*"],["Content-Type","application/json"],["Host",""],["User-Agent","Mozilla/5.0"]],"data":{"tags":[["","extra":{"contexts":{"trace":{"trace_id":"","span_id":"","op":""},"browser":{"os":{"device":{"runtime":{"name":"","version":""}},"modules":{"sdk":{"name":"","version":""}"stacktrace":{"frames":[{"filename":"","abs_path":"/","function":"","module":"","lineno":1,"colno":1,"pre_context":["","    "],"context_line":"        ","post_context":["        ","    "],"in_app":false,"vars":{"self":"},{"filename":"","abs_path":"","function":"","module":"","lineno":,"pre_context":["","",""],"context_line":"    ","post_context":["","",""],"in_app":true,"vars":{"#;

thread_local! {
    /// Compressor of a thread: its tables are a megabyte, and creating them costs as much as a small report.
    /// `None` if the allocation failed.
    static COMPRESSOR: RefCell<Option<Compressor<'static>>> =
        RefCell::new(Compressor::with_dictionary(LEVEL, NAMES).ok());
}

/// Compresses JSON with the dictionary and puts the format byte before it.
#[expect(
    clippy::expect_used,
    reason = "compression in memory fails only without memory"
)]
fn packed(form: u8, json: &[u8]) -> Vec<u8> {
    let packed = COMPRESSOR.with_borrow_mut(|compressor| match compressor {
        Some(compressor) => compressor.compress(json),
        None => Compressor::with_dictionary(LEVEL, NAMES)?.compress(json),
    });
    let packed = packed.expect("compression in memory succeeds");
    let mut kept = Vec::with_capacity(packed.len() + 1);
    kept.push(form);
    kept.extend_from_slice(&packed);
    kept
}

/// Decompresses what [`packed`] wrote in this format.
fn unpacked<T: for<'de> Deserialize<'de>>(form: u8, kept: &[u8]) -> Result<T, StoredReportError> {
    let (own, packed) = kept.split_first().ok_or(StoredReportError::Damaged)?;
    if *own != form {
        return Err(StoredReportError::Format);
    }
    let decoder =
        Decoder::with_dictionary(packed, NAMES).map_err(|_| StoredReportError::Damaged)?;
    let mut json = Vec::new();
    let mut limited = decoder.take(MAX_UNPACKED);
    limited
        .read_to_end(&mut json)
        .map_err(|_| StoredReportError::Damaged)?;
    serde_json::from_slice(&json).map_err(|_| StoredReportError::Damaged)
}

#[expect(
    clippy::expect_used,
    reason = "JSON can represent the text, numbers and lists of a report, and the target is memory"
)]
fn json<T: Serialize>(value: &T) -> Vec<u8> {
    serde_json::to_vec(value).expect("a report serializes as JSON")
}

/// Reason why a stored report cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoredReportError {
    /// The format is unknown.
    #[error("the stored report has an unknown format")]
    Format,
    /// The report is damaged.
    #[error("the stored report is damaged")]
    Damaged,
    /// The shared part is missing.
    #[error("the shared part of the stored report is missing")]
    Incomplete,
}

/// Part of a report that other reports of its error share.
/// Stores keep it once for all of them, and find it by its digest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SharedPart {
    digest: [u8; 16],
    json: Vec<u8>,
    packed: Option<Vec<u8>>,
}

impl SharedPart {
    /// Creates a part from its digest and its compressed bytes.
    pub const fn from_packed(digest: [u8; 16], packed: Vec<u8>) -> Self {
        Self {
            digest,
            json: Vec::new(),
            packed: Some(packed),
        }
    }

    fn of(common: &SharedFields) -> Self {
        let json = json(common);
        let mut digest = [0; 16];
        for (byte, of_whole) in digest.iter_mut().zip(Sha256::digest(&json)) {
            *byte = of_whole;
        }
        Self {
            digest,
            json,
            packed: None,
        }
    }

    /// Digest that identifies the part.
    pub const fn digest(&self) -> &[u8; 16] {
        &self.digest
    }

    /// Compresses the part now, so that nothing waits for it later.
    pub fn pack(&mut self) {
        self.packed
            .get_or_insert_with(|| packed(SHARED, &self.json));
    }

    /// Bytes to store.
    /// Compresses the part here, unless that was done [before](Self::pack).
    pub fn packed(&self) -> Cow<'_, [u8]> {
        match &self.packed {
            Some(packed) => Cow::Borrowed(packed),
            None => Cow::Owned(packed(SHARED, &self.json)),
        }
    }

    /// Size in memory, in bytes.
    pub fn weight(&self) -> usize {
        self.json.len() + self.packed.as_ref().map_or(0, Vec::len)
    }
}

/// Parts that the events of one error usually share.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct SharedFields {
    /// Frames of the stack traces, exceptions before threads, without the values that differ each time.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    traces: Vec<Vec<Frame>>,
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    modules: BTreeMap<String, String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    images: Vec<Image>,
}

fn traces(report: &mut Report) -> impl Iterator<Item = &mut Stacktrace> {
    let of_exceptions = report.exceptions.iter_mut();
    let of_exceptions = of_exceptions.filter_map(|exception| exception.stacktrace.as_mut());
    let of_threads = report.threads.iter_mut();
    of_exceptions.chain(of_threads.filter_map(|thread| thread.stacktrace.as_mut()))
}

/// Swaps the values that differ each time: variables, and addresses of a program that is loaded anew.
fn swap_own(one: &mut Frame, other: &mut Frame) {
    std::mem::swap(&mut one.vars, &mut other.vars);
    std::mem::swap(&mut one.instruction_addr, &mut other.instruction_addr);
}

impl SharedFields {
    /// Takes the shared part out of a report.
    fn take(report: &mut Report) -> Self {
        let traces = traces(report).map(|trace| {
            let own = vec![Frame::default(); trace.frames.len()];
            let mut common = std::mem::replace(&mut trace.frames, own);
            for (common, own) in common.iter_mut().zip(&mut trace.frames) {
                swap_own(common, own);
            }
            common
        });
        let traces = traces.collect();
        let is_loaded = report.images.iter().any(|image| image.image_addr.is_some());
        let images = if is_loaded {
            Vec::new()
        } else {
            std::mem::take(&mut report.images)
        };
        Self {
            traces,
            modules: std::mem::take(&mut report.modules),
            images,
        }
    }

    /// Puts the shared part back into its report, or into another one that shares it.
    fn put_back(self, report: &mut Report) -> Result<(), StoredReportError> {
        let mut common = self.traces.into_iter();
        for trace in traces(report) {
            let mut frames = common.next().ok_or(StoredReportError::Damaged)?;
            if frames.len() != trace.frames.len() {
                return Err(StoredReportError::Damaged);
            }
            for (common, own) in frames.iter_mut().zip(&mut trace.frames) {
                swap_own(common, own);
            }
            trace.frames = frames;
        }
        report.modules.extend(self.modules);
        report.images.extend(self.images);
        Ok(())
    }
}

impl Report {
    /// Encodes the whole report for storage.
    pub fn encode(&self) -> Vec<u8> {
        packed(WHOLE, &json(self))
    }

    /// Encodes the report for storage, and splits off the part that other events of its error share, if it is large.
    /// [`decode`](Self::decode) joins both again.
    pub fn encode_shared(mut self) -> (Vec<u8>, Option<SharedPart>) {
        let common = SharedFields::take(&mut self);
        let shared = SharedPart::of(&common);
        if shared.json.len() >= MIN_SHARED {
            return (packed(SPLIT, &json(&self)), Some(shared));
        }
        let is_whole = common.put_back(&mut self);
        debug_assert!(is_whole.is_ok(), "the part comes from this report");
        (self.encode(), None)
    }

    /// Decodes a stored report, with its shared part.
    ///
    /// # Errors
    /// The format is unknown, the data is damaged, or the shared part is missing.
    pub fn decode(kept: &[u8], shared: Option<&[u8]>) -> Result<Self, StoredReportError> {
        if kept.first() != Some(&SPLIT) {
            return unpacked(WHOLE, kept);
        }
        let common: SharedFields = unpacked(SHARED, shared.ok_or(StoredReportError::Incomplete)?)?;
        let mut report = unpacked(SPLIT, kept)?;
        common.put_back(&mut report)?;
        Ok(report)
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::{Exception, Thread};
    use super::*;

    fn report() -> Report {
        Report {
            platform: "python".to_owned(),
            server_name: Some("web-1".to_owned()),
            tags: vec![("a".to_owned(), "b".repeat(3000))],
            ..Report::default()
        }
    }

    /// A report with a stack trace of `frames` frames in an exception and in a thread, whose variables hold `number`.
    fn traced(frames: usize, number: i64) -> Report {
        let frame = |place: usize| Frame {
            function: Some(format!("function_{place}")),
            context_line: Some("order = basket.order(customer, voucher)".to_owned()),
            lineno: u32::try_from(place).ok(),
            vars: serde_json::Map::from_iter([("number".to_owned(), number.into())]),
            instruction_addr: Some(format!("0x{number:x}")),
            ..Frame::default()
        };
        let trace = || Stacktrace {
            frames: (0..frames).map(frame).collect(),
            omitted: 3,
            ..Stacktrace::default()
        };
        Report {
            exceptions: vec![
                Exception {
                    value: Some(format!("order {number} is gone")),
                    stacktrace: Some(trace()),
                    ..Exception::default()
                },
                Exception::default(),
            ],
            threads: vec![Thread {
                stacktrace: Some(trace()),
                ..Thread::default()
            }],
            modules: BTreeMap::from([("flask".to_owned(), "3.0".to_owned())]),
            images: vec![Image {
                debug_id: Some("abc".to_owned()),
                ..Image::default()
            }],
            ..report()
        }
    }

    #[test]
    fn a_report_reads_back_and_takes_less() {
        let kept = report().encode();
        assert!(kept.len() < 300, "{}", kept.len());
        assert_eq!(Report::decode(&kept, None), Ok(report()));
        // Nothing can be shared, so the report is stored whole.
        assert_eq!(report().encode_shared(), (kept, None));
    }

    #[test]
    fn shared_parts_of_reports_are_byte_identical() {
        let (first, common) = traced(20, 1).encode_shared();
        let (second, same) = traced(20, 2).encode_shared();
        let (common, same) = (common.unwrap(), same.unwrap());
        assert_eq!(common, same);
        assert_ne!(first, second);
        let shared = common.packed();
        for (kept, number) in [(first, 1), (second, 2)] {
            let read = Report::decode(&kept, Some(&shared));
            assert_eq!(read, Ok(traced(20, number)));
            assert_eq!(
                Report::decode(&kept, None),
                Err(StoredReportError::Incomplete)
            );
        }
        let (_, other) = traced(21, 1).encode_shared();
        assert_ne!(other.unwrap().digest(), common.digest());
    }

    #[test]
    fn shared_parts_compress_to_the_same_bytes_on_demand() {
        let mut part = traced(20, 1).encode_shared().1.unwrap();
        let later = part.packed().into_owned();
        let light = part.weight();
        part.pack();
        assert_eq!(part.packed(), later);
        assert!(part.weight() > light);
        let read = SharedPart::from_packed(*part.digest(), later.clone());
        assert_eq!(read.packed(), later);
    }

    #[test]
    fn little_is_not_set_apart() {
        let (kept, shared) = traced(1, 7).encode_shared();
        assert_eq!(shared, None);
        assert_eq!(Report::decode(&kept, None), Ok(traced(1, 7)));
    }

    #[test]
    fn images_that_are_loaded_anew_stay_with_their_event() {
        let mut native = traced(20, 1);
        native.images[0].image_addr = Some("0x1".to_owned());
        let mut elsewhere = native.clone();
        elsewhere.images[0].image_addr = Some("0x2".to_owned());
        let (kept, shared) = native.clone().encode_shared();
        let shared = shared.unwrap();
        assert_eq!(elsewhere.encode_shared().1, Some(shared.clone()));
        assert_eq!(Report::decode(&kept, Some(&shared.packed())), Ok(native));
    }

    #[test]
    fn damaged_reports_are_detected() {
        let kept = report().encode();
        assert_eq!(Report::decode(&[], None), Err(StoredReportError::Damaged));
        assert_eq!(
            Report::decode(&kept[..kept.len() - 3], None),
            Err(StoredReportError::Damaged)
        );
        let mut other = kept.clone();
        other[0] = 9;
        assert_eq!(Report::decode(&other, None), Err(StoredReportError::Format));
        let number = packed(WHOLE, b"7");
        assert_eq!(
            Report::decode(&number, None),
            Err(StoredReportError::Damaged)
        );
        let (split, _) = traced(20, 1).encode_shared();
        let (_, shorter) = traced(19, 1).encode_shared();
        let shorter = shorter.unwrap();
        assert_eq!(
            Report::decode(&split, Some(&shorter.packed())),
            Err(StoredReportError::Damaged)
        );
        assert_eq!(
            Report::decode(&split, Some(&kept)),
            Err(StoredReportError::Format)
        );
    }

    #[test]
    fn names_of_fields_take_little_and_a_thread_writes_the_same_each_time() {
        let kept = report().encode();
        let plain = zstd::bulk::compress(&json(&report()), LEVEL).unwrap();
        assert!(kept.len() < plain.len(), "{} {}", kept.len(), plain.len());
        assert_eq!(report().encode(), kept);
    }
}

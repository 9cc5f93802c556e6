//! Exceptions, threads and stack traces as SDKs send them.

use serde_json::{Map, Value};

use super::bounded::{cut, cut_owned};
use super::fields::{Notes, any_text};
use super::model::{Exception, Frame, Mechanism, Stacktrace, Thread};

/// Frames of a stack trace that are kept: half of them from each end.
pub(super) const MAX_FRAMES: usize = 50;
/// Exceptions of a chain that are kept, the last ones.
const MAX_EXCEPTIONS: usize = 50;
/// Threads that are kept.
const MAX_THREADS: usize = 100;
/// The longest text of an exception, in characters.
const MAX_VALUE_LENGTH: usize = 8192;
/// Longest name of a function, a file or a module, in characters.
const MAX_NAME_LENGTH: usize = 512;
/// Longest source line, in characters.
const MAX_LINE_LENGTH: usize = 512;
/// Source lines kept before and after a frame's own.
const MAX_LINES: usize = 10;
/// Largest size of the variables of one frame, in bytes.
const VARS: usize = 4096;

/// Takes the exceptions of an event.
pub(super) fn exceptions(notes: &mut Notes, event: &mut Map<String, Value>) -> Vec<Exception> {
    let mut sent = notes.objects(event, "exception");
    if sent.len() > MAX_EXCEPTIONS {
        notes.add("exception", "was truncated");
        sent.drain(..sent.len() - MAX_EXCEPTIONS);
    }
    let exceptions = sent.into_iter();
    exceptions
        .map(|exception| one_exception(notes, exception))
        .collect()
}

fn one_exception(notes: &mut Notes, mut sent: Map<String, Value>) -> Exception {
    // The value may be of any type; people see it as text.
    let value = sent.remove("value").map(|value| any_text(&value));
    let mut stacktrace = stacktrace(notes, &mut sent, "stacktrace");
    if stacktrace.is_none() {
        stacktrace = self::stacktrace(notes, &mut sent, "raw_stacktrace");
    }
    Exception {
        kind: notes.text(&mut sent, "type", MAX_NAME_LENGTH),
        value: value
            .filter(|value| !value.trim().is_empty())
            .map(|value| cut(&value, MAX_VALUE_LENGTH)),
        module: notes.text(&mut sent, "module", MAX_NAME_LENGTH),
        thread_id: notes.text(&mut sent, "thread_id", 200),
        stacktrace,
        mechanism: notes
            .object(&mut sent, "mechanism")
            .map(|mechanism| one_mechanism(notes, mechanism)),
    }
}

fn one_mechanism(notes: &mut Notes, mut sent: Map<String, Value>) -> Mechanism {
    let mut data = sent.remove("data").unwrap_or_default();
    if let Some(meta) = sent.remove("meta").filter(|meta| !meta.is_null()) {
        match &mut data {
            Value::Object(data) => {
                data.insert("meta".to_owned(), meta);
            }
            _ => data = meta,
        }
    }
    let mut rest = Map::from_iter([("mechanism".to_owned(), data)]);
    Mechanism {
        kind: notes.text(&mut sent, "type", 200),
        description: notes.text(&mut sent, "description", 1000),
        handled: notes.flag(&mut sent, "handled"),
        synthetic: notes.flag(&mut sent, "synthetic").unwrap_or_default(),
        is_exception_group: notes
            .flag(&mut sent, "is_exception_group")
            .unwrap_or_default(),
        exception_id: notes.number(&mut sent, "exception_id"),
        parent_id: notes.number(&mut sent, "parent_id"),
        data: notes.free(&mut rest, "mechanism", 2048),
    }
}

/// Takes the threads of an event, and the stack trace that old SDKs send beside them.
pub(super) fn threads(notes: &mut Notes, event: &mut Map<String, Value>) -> Vec<Thread> {
    let mut sent = notes.objects(event, "threads");
    if sent.len() > MAX_THREADS {
        notes.add("threads", "was truncated");
        sent.truncate(MAX_THREADS);
    }
    let threads = sent.into_iter();
    let mut threads: Vec<Thread> = threads
        .map(|mut sent| Thread {
            id: notes.text(&mut sent, "id", 200),
            name: notes.text(&mut sent, "name", 200),
            crashed: notes.flag(&mut sent, "crashed").unwrap_or_default(),
            current: notes.flag(&mut sent, "current").unwrap_or_default(),
            stacktrace: stacktrace(notes, &mut sent, "stacktrace"),
        })
        .collect();
    if let Some(stacktrace) = stacktrace(notes, event, "stacktrace") {
        threads.push(Thread {
            current: true,
            stacktrace: Some(stacktrace),
            ..Thread::default()
        });
    }
    threads
}

/// Takes a stack trace; `None` if it has no frames.
fn stacktrace(
    notes: &mut Notes,
    object: &mut Map<String, Value>,
    name: &str,
) -> Option<Stacktrace> {
    let mut sent = notes.object(object, name)?;
    let frames = match sent.remove("frames")? {
        Value::Array(frames) => frames,
        Value::Null => return None,
        _ => {
            notes.add("frames", "is not a list");
            return None;
        }
    };
    let omitted = frames.len().saturating_sub(MAX_FRAMES);
    if omitted > 0 {
        notes.add("frames", "was truncated");
    }
    let first = MAX_FRAMES / 2;
    let is_kept = |place: usize| place < first || place >= first + omitted;
    let frames = frames.into_iter().enumerate();
    let mut kept = Vec::new();
    for (_, frame) in frames.filter(|(place, _)| is_kept(*place)) {
        match frame {
            Value::Object(frame) => kept.push(one_frame(notes, frame)),
            Value::Null => {}
            _ => notes.add("frames", "contains a value that is not an object"),
        }
    }
    let registers = notes.free_object(&mut sent, "registers", 4096);
    let trace = Stacktrace {
        frames: kept,
        omitted: omitted as u64,
        registers,
    };
    Some(trace).filter(|trace| !trace.frames.is_empty())
}

fn one_frame(notes: &mut Notes, mut sent: Map<String, Value>) -> Frame {
    let place = |number: Option<i64>| {
        number
            .and_then(|number| u32::try_from(number).ok())
            .filter(|number| *number > 0)
    };
    let mut address = sent.remove("instruction_addr").unwrap_or_default();
    if let Some(number) = address.as_u64() {
        address = Value::String(format!("{number:#x}"));
    }
    let line = match sent.remove("context_line") {
        Some(Value::String(line)) => Some(cut_owned(line, MAX_LINE_LENGTH)),
        _ => None,
    };
    // Variables may be sent as a list; their positions become their names.
    if let Some(Value::Array(items)) = sent.get_mut("vars") {
        let items = std::mem::take(items).into_iter().enumerate();
        let named = items.map(|(place, value)| (place.to_string(), value));
        sent.insert("vars".to_owned(), Value::Object(named.collect()));
    }
    Frame {
        filename: notes.text(&mut sent, "filename", MAX_NAME_LENGTH),
        abs_path: notes.text(&mut sent, "abs_path", MAX_NAME_LENGTH),
        function: notes
            .text(&mut sent, "function", MAX_NAME_LENGTH)
            .or_else(|| notes.text(&mut sent, "raw_function", MAX_NAME_LENGTH)),
        module: notes.text(&mut sent, "module", MAX_NAME_LENGTH),
        package: notes.text(&mut sent, "package", MAX_NAME_LENGTH),
        lineno: place(notes.number(&mut sent, "lineno")),
        colno: place(notes.number(&mut sent, "colno")),
        pre_context: lines(sent.remove("pre_context"), |lines| {
            let from = lines.len().saturating_sub(MAX_LINES);
            lines.drain(..from);
        }),
        context_line: line,
        post_context: lines(sent.remove("post_context"), |lines| {
            lines.truncate(MAX_LINES);
        }),
        in_app: notes.flag(&mut sent, "in_app"),
        vars: notes.free_object(&mut sent, "vars", VARS),
        platform: notes.text(&mut sent, "platform", 64),
        instruction_addr: address.as_str().map(|address| cut(address, 32)),
    }
}

/// Source lines, of which `keep` leaves those next to the frame's own.
fn lines(sent: Option<Value>, keep: impl FnOnce(&mut Vec<Value>)) -> Vec<String> {
    let Some(Value::Array(mut lines)) = sent else {
        return Vec::new();
    };
    keep(&mut lines);
    let lines = lines.into_iter().map(|line| match line {
        Value::String(line) => cut_owned(line, MAX_LINE_LENGTH),
        _ => String::new(),
    });
    lines.collect()
}

//! The parts of an event. Every text in them has a bound, and none holds a NUL, which PostgreSQL refuses.

use std::collections::BTreeMap;

use api_conventions::time::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::model::{EventId, Level};

/// An event.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// The id that its SDK gave it, or one of ours.
    pub id: EventId,
    /// When it came here. Order and retention go by this, never by the sender's clock.
    pub received_at: Timestamp,
    /// When it happened, as the sender says, corrected by what is known of its clock.
    pub occurred_at: Timestamp,
    /// What is shown of it.
    pub report: Report,
}

/// What is shown of an event: the part that is kept as a whole and never searched.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// How bad it is.
    pub level: Level,
    /// The language or system it comes from; `other` where that is not known.
    pub platform: String,
    /// The logger that made it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logger: Option<String>,
    /// The machine it happened on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub server_name: Option<String>,
    /// The release of the program.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub release: Option<String>,
    /// The build within the release.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub dist: Option<String>,
    /// Where the program runs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub environment: Option<String>,
    /// What the program was doing: a route, a job, a screen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transaction: Option<String>,
    /// What was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<Message>,
    /// The exceptions of the chain. The first is the cause of all, the last was thrown last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub exceptions: Vec<Exception>,
    /// The threads.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub threads: Vec<Thread>,
    /// What happened before it, the latest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub breadcrumbs: Vec<Breadcrumb>,
    /// Whom it happened to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user: Option<User>,
    /// The HTTP request in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub request: Option<Request>,
    /// The tags, in their order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<(String, String)>,
    /// Whatever else the program said.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
    /// What is known of device, system, runtime and so on, each an object.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub contexts: Map<String, Value>,
    /// The modules of the program with their versions.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub modules: BTreeMap<String, String>,
    /// What the program wants events to be put together by.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub fingerprint: Vec<String>,
    /// The SDK.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sdk: Option<Sdk>,
    /// The images by which addresses and minified scripts are looked up.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<Image>,
    /// What a browser reports of its security policies.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy_report: Option<Value>,
    /// What could not be kept as it was sent.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<Note>,
}

/// A message.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Message {
    /// The template, which is the same for each event that the same line of a program makes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub template: Option<String>,
    /// The text as people read it.
    pub formatted: String,
    /// What was put into the template.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub params: Value,
}

/// An exception of the chain.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Exception {
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Where the type is declared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The thread it was thrown in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub thread_id: Option<String>,
    /// Where it was thrown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stacktrace: Option<Stacktrace>,
    /// How it was caught.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mechanism: Option<Mechanism>,
}

/// How an exception was caught.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Mechanism {
    /// What caught it.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// What is known of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Whether the program went on; nothing where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub handled: Option<bool>,
    /// Whether its type was made up, so that nobody should go by it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub synthetic: bool,
    /// Whether it stands for several exceptions, its children.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub is_exception_group: bool,
    /// Its number in the tree of exceptions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exception_id: Option<i64>,
    /// The number of the exception that it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent_id: Option<i64>,
    /// Whatever else there is: signals, error numbers.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// A thread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Thread {
    /// Its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Its name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Whether it ended the program.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub crashed: bool,
    /// Whether the event was made in it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub current: bool,
    /// Where it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stacktrace: Option<Stacktrace>,
}

/// A stack trace.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Stacktrace {
    /// The frames. The last is where it happened.
    pub frames: Vec<Frame>,
    /// Frames in the middle that are not kept.
    #[serde(skip_serializing_if = "is_zero")]
    pub omitted: u64,
    /// The processor's registers.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub registers: Map<String, Value>,
}

/// A frame.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Frame {
    /// The file, as short as the SDK could make it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filename: Option<String>,
    /// The file, whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abs_path: Option<String>,
    /// The function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<String>,
    /// The module.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<String>,
    /// The library or package.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub package: Option<String>,
    /// The line, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lineno: Option<u32>,
    /// The column, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colno: Option<u32>,
    /// The lines before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pre_context: Vec<String>,
    /// The line itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context_line: Option<String>,
    /// The lines after.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub post_context: Vec<String>,
    /// Whether it is of the program and not of a library; nothing where that is not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_app: Option<bool>,
    /// The local variables.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub vars: Map<String, Value>,
    /// The platform, where it is another one than the event's.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub platform: Option<String>,
    /// The address of the instruction, as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instruction_addr: Option<String>,
}

/// Something that happened before an event.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Breadcrumb {
    /// When, in microseconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at: Option<i64>,
    /// Its type.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// Its category.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// What it says.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    /// How bad it is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub level: Option<Level>,
    /// Whatever else there is.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
}

/// Whom an event happened to.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct User {
    /// The program's own id of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The name they sign in with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub username: Option<String>,
    /// Their address of mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email: Option<String>,
    /// Their name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Their address of the network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ip_address: Option<String>,
    /// Whatever else there is.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub data: Map<String, Value>,
}

impl User {
    /// What distinguishes users, and by what they are counted: the id, else the name, the mail, or the address.
    pub fn identity(&self) -> Option<String> {
        let all = [
            ("id", &self.id),
            ("username", &self.username),
            ("email", &self.email),
            ("ip", &self.ip_address),
        ];
        let mut there = all
            .into_iter()
            .filter_map(|(name, value)| Some(format!("{name}:{}", value.as_ref()?)));
        there.next()
    }
}

/// The HTTP request in which an event happened.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Request {
    /// The address, without query and fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// The method.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub method: Option<String>,
    /// The parameters of the query.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub query: Vec<(String, String)>,
    /// The fragment.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fragment: Option<String>,
    /// The headers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub headers: Vec<(String, String)>,
    /// The cookies.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cookies: Vec<(String, String)>,
    /// The body.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub data: Value,
    /// The environment of the server.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub env: Map<String, Value>,
}

/// An SDK.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Sdk {
    /// Its name.
    pub name: String,
    /// Its version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

/// An image by which addresses or minified scripts are looked up.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Image {
    /// Its type: `sourcemap`, `elf` and so on.
    #[serde(rename = "type")]
    pub kind: String,
    /// The file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code_file: Option<String>,
    /// The id by which its symbols are found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub debug_id: Option<String>,
    /// Where it was loaded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub image_addr: Option<String>,
}

/// A remark on what could not be kept as it was sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Note {
    /// The field, as it is called on the wire.
    pub field: String,
    /// What is wrong with it.
    pub text: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde hands over a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

//! Explanation of grouping: the inputs of a grouping key, in words that people read.

use serde::{Deserialize, Serialize};

/// Method by which an event was grouped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By the program's fingerprint alone.
    Fingerprint,
    /// By the exception types and the frames of the program.
    ProgramFrames,
    /// By the exception types and all frames, because none is known to be the program's.
    AllFrames,
    /// By the exception types and values, because there are no frames.
    TypeAndValue,
    /// By the message.
    Message,
    /// By the policy directive that a browser enforced and the resource that it blocked.
    Policy,
    /// By nothing: all events without content are grouped together.
    Nothing,
}

impl Method {
    /// Sentence that explains the method to users.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Fingerprint => "Grouped by the fingerprint that the program set.",
            Self::ProgramFrames => "Grouped by the exception types and the program's own frames.",
            Self::AllFrames => {
                "Grouped by the exception types and all frames, because none is marked as the program's own."
            }
            Self::TypeAndValue => {
                "Grouped by the exception types and values, ignoring numbers, ids and the like."
            }
            Self::Message => "Grouped by the message, ignoring numbers, ids and the like.",
            Self::Policy => "Grouped by the violated rule and the blocked source.",
            Self::Nothing => "The event has nothing to group by.",
        }
    }
}

/// Kind of input.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputKind {
    /// A part of the fingerprint that the program set.
    Fingerprint,
    /// The type of an exception.
    Type,
    /// The value of an exception.
    Value,
    /// A frame.
    Frame,
    /// The message.
    Message,
    /// The directive of a browser's policy.
    Rule,
    /// The resource that a browser blocked.
    Source,
}

impl InputKind {
    /// Word for users.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fingerprint => "fingerprint",
            Self::Type => "type",
            Self::Value => "value",
            Self::Frame => "frame",
            Self::Message => "message",
            Self::Rule => "rule",
            Self::Source => "source",
        }
    }
}

/// Input of a grouping key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// Kind of input.
    pub part: InputKind,
    /// Text that went into the key, without numbers, ids and the like.
    pub text: String,
}

/// Explanation of a grouping key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The version of the rules.
    pub version: u16,
    /// Method of grouping.
    pub method: Method,
    /// Inputs of the key, in order.
    pub inputs: Vec<Input>,
}

//! Why events are together: what made the key, in words that people read.

use serde::{Deserialize, Serialize};

/// By what an event was put to others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Method {
    /// By what the program says, alone.
    Fingerprint,
    /// By the types of the exceptions and the frames of the program.
    ProgramFrames,
    /// By the types of the exceptions and all frames, because none is known to be the program's.
    AllFrames,
    /// By the types of the exceptions and what they say, because there are no frames.
    TypeAndValue,
    /// By the message.
    Message,
    /// By the rule that a browser enforced and what it refused.
    Policy,
    /// By nothing: all events that say nothing are together.
    Nothing,
}

impl Method {
    /// A sentence for people.
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Fingerprint => "The program names what it wants its events put together by.",
            Self::ProgramFrames => {
                "Events with the same types of exceptions and the same frames of the program are together."
            }
            Self::AllFrames => {
                "Events with the same types of exceptions and the same frames are together; none of them is known to be the program's own."
            }
            Self::TypeAndValue => {
                "Events with the same types of exceptions that say the same are together, but for numbers, ids and the like."
            }
            Self::Message => {
                "Events with the same message are together, but for numbers, ids and the like."
            }
            Self::Policy => "Reports of the same rule about the same source are together.",
            Self::Nothing => "The event says nothing that others could be compared with.",
        }
    }
}

/// What an input is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// A part of the fingerprint that the program gave.
    Fingerprint,
    /// The type of an exception.
    Type,
    /// What an exception says.
    Value,
    /// A frame.
    Frame,
    /// The message.
    Message,
    /// A rule of a browser.
    Rule,
    /// What a browser refused.
    Source,
}

impl Part {
    /// A word for people.
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

/// A part of what made a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Input {
    /// What it is.
    pub part: Part,
    /// The text that went into the key, after numbers, ids and the like were taken out of it.
    pub text: String,
}

/// What made a key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Explanation {
    /// The version of the rules.
    pub version: u16,
    /// By what.
    pub method: Method,
    /// All that went into the key, in order.
    pub inputs: Vec<Input>,
}

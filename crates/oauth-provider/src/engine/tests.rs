//! Property test: both implementations give the same outcome and call the provider in the same order.

use api_conventions::scope::{Scope, ScopeSet};
use proptest::prelude::*;

use super::{EngineCallbacks, EngineError, oxide, plain};
use crate::flow::authorize::AuthorizeParameters;

/// Provider that records its calls, and refuses at the step of this number.
struct CallRecorder {
    refuses: usize,
    calls: Vec<String>,
}

impl CallRecorder {
    fn step(&mut self, step: usize, call: String) -> Result<(), usize> {
        self.calls.push(call);
        if self.refuses == step {
            Err(step)
        } else {
            Ok(())
        }
    }
}

impl EngineCallbacks for CallRecorder {
    type Refusal = usize;

    fn bind(&mut self, client_id: &str, redirect_uri: Option<&str>) -> Result<(), usize> {
        self.step(0, format!("bind {client_id} {redirect_uri:?}"))
    }

    fn extend(&mut self) -> Result<(), usize> {
        self.step(1, "extend".to_owned())
    }

    fn negotiate(&mut self, requested: Option<&str>) -> Result<ScopeSet, usize> {
        self.step(2, format!("negotiate {requested:?}"))?;
        Ok([Scope::API].into_iter().collect())
    }
}

/// Outcome, and the recorded calls.
type Trace = (Result<ScopeSet, EngineError<usize>>, Vec<String>);

fn trace(
    refuses: usize,
    run: impl FnOnce(&mut CallRecorder) -> Result<ScopeSet, EngineError<usize>>,
) -> Trace {
    let mut provider = CallRecorder {
        refuses,
        calls: Vec::new(),
    };
    let outcome = run(&mut provider);
    (outcome, provider.calls)
}

fn parameter(values: &'static [&'static str]) -> impl Strategy<Value = Option<String>> {
    prop_oneof![
        1 => Just(None),
        6 => prop::sample::select(values).prop_map(|value| Some(value.to_owned())),
        1 => "\\PC{0,12}".prop_map(Some),
    ]
}

proptest! {
    #[test]
    fn both_orders_are_one(
        client_id in parameter(&["one", "two"]),
        redirect_uri in parameter(&["https://a.example/cb", "app:/cb", "http://[", "/cb", ""]),
        response_type in parameter(&["code", "token", "code id_token", ""]),
        scope in parameter(&["api", "api  read_user ", "a\"b", "a\\b", "\u{e9}", "api\ttab", ""]),
        refuses in 0_usize..4,
    ) {
        let request = AuthorizeParameters {
            client_id,
            redirect_uri,
            response_type,
            scope,
            ..AuthorizeParameters::default()
        };
        let by_oxide = trace(refuses, |provider| oxide::run(&request, provider));
        let plainly = trace(refuses, |provider| plain::run(&request, provider));
        prop_assert_eq!(by_oxide, plainly);
    }
}

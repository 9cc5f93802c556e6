//! A shop that reports to the tracker with the crate `sentry`.

use std::error::Error;
use std::fmt;
use std::time::Duration;

use sentry::protocol::{Breadcrumb, Context, Level, Map, User};
use sentry::{ClientInitGuard, ClientOptions};

/// Longest time for the crate to send its queued events.
const TIMEOUT: Duration = Duration::from_secs(20);

/// The root error.
#[derive(Debug)]
struct CardDeclined {
    number: u32,
}

impl fmt::Display for CardDeclined {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "the bank said no to order {}", self.number)
    }
}

impl Error for CardDeclined {}

/// The error caused by [`CardDeclined`].
#[derive(Debug)]
struct CheckoutFailed {
    number: u32,
    cause: CardDeclined,
}

impl fmt::Display for CheckoutFailed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "order {} was not paid", self.number)
    }
}

impl Error for CheckoutFailed {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        Some(&self.cause)
    }
}

/// Plays a part of the shop.
pub(crate) fn play(part: &str, dsn: &str) {
    let guard = start(part, dsn);
    match part {
        "errors" => errors(&guard),
        "visit" => println!("one session"),
        "crash" => panic!("the shop is on fire"),
        "limits" => limits(&guard),
        other => unreachable!("no part {other}"),
    }
}

fn start(part: &str, dsn: &str) -> ClientInitGuard {
    // Dropped events are reported with the next envelope that may be sent: the end of the session, if there is one.
    let has_session = part != "errors";
    let options = ClientOptions::new()
        .dsn(dsn)
        .release("shop@1.2.3")
        .environment("staging")
        .attach_stacktrace(true)
        .in_app_include(["gatehouse_rust_clients"])
        .shutdown_timeout(TIMEOUT)
        .auto_session_tracking(has_session);
    sentry::init(options)
}

/// Reports an order that fails, with the same error each time.
#[inline(never)]
fn check_out(guard: &ClientInitGuard, number: u32) {
    let cause = CardDeclined { number };
    sentry::capture_error(&CheckoutFailed { number, cause });
    guard.flush(Some(TIMEOUT));
}

/// Reports the same error twice, with all the data that the crate collects, and a message.
fn errors(guard: &ClientInitGuard) {
    sentry::configure_scope(|scope| {
        scope.set_tag("area", "checkout");
        scope.set_user(Some(User {
            id: Some("7".to_owned()),
            username: Some("ann".to_owned()),
            email: Some("ann@example.com".to_owned()),
            ..User::default()
        }));
        let order = Map::from([("books".to_owned(), 3.into())]);
        scope.set_context("order", Context::Other(order));
    });
    sentry::add_breadcrumb(Breadcrumb {
        category: Some("cart".to_owned()),
        message: Some("a book was added".to_owned()),
        ..Breadcrumb::default()
    });
    for number in [1, 2] {
        check_out(guard, number);
    }
    sentry::capture_message("stock is low", Level::Warning);
    println!("two errors, one message");
}

/// Reports more than the limit, one event after the other, so that the crate receives each response before it sends the
/// next one.
fn limits(guard: &ClientInitGuard) {
    for number in 0..5 {
        check_out(guard, number);
    }
    println!("five errors");
}

"""Reports to the tracker as a program with sentry-sdk does: `report.py PART DSN`. The last line says what was attempted."""

import sys

import sentry_sdk
from sentry_sdk.crons import monitor
from sentry_sdk.integrations.wsgi import SentryWsgiMiddleware


class CardDeclined(Exception):
    """What goes wrong first."""


class CheckoutFailed(Exception):
    """What goes wrong because of that."""


def charge(number):
    raise CardDeclined(f"the bank said no to order {number}")


def check_out(number):
    try:
        charge(number)
    except CardDeclined as error:
        raise CheckoutFailed(f"order {number} was not paid") from error


def report(number):
    """Reports an order that fails. It is the same error each time."""
    try:
        check_out(number)
    except CheckoutFailed as error:
        return sentry_sdk.capture_exception(error)


def errors():
    """The same error twice, with all that the SDK knows of it, and a message."""
    sentry_sdk.set_tag("area", "checkout")
    sentry_sdk.set_user({"id": "7", "username": "ann", "email": "ann@example.com"})
    sentry_sdk.set_context("order", {"books": 3})
    sentry_sdk.add_breadcrumb(category="cart", message="a book was added", level="info")
    for number in (1, 2):
        assert report(number)
        sentry_sdk.flush()
    sentry_sdk.capture_message("stock is low", level="warning")
    sentry_sdk.flush()
    print("two errors, one message")


def shop(environ, start_response):
    if environ["PATH_INFO"] == "/crash":
        check_out(9)
    start_response("200 OK", [])
    return [b"welcome"]


def sessions():
    """Requests to an application, one of which crashes. The SDK counts them by itself."""
    application = SentryWsgiMiddleware(shop)
    for path in ("/", "/books", "/crash", "/"):
        environ = {
            "REQUEST_METHOD": "GET",
            "PATH_INFO": path,
            "SERVER_NAME": "shop.example",
            "SERVER_PORT": "80",
            "wsgi.url_scheme": "http",
        }
        try:
            answer = application(environ, lambda status, headers: None)
            assert list(answer) == [b"welcome"]
            answer.close()
        except CheckoutFailed:
            assert path == "/crash"
    sentry_sdk.flush()
    print("four sessions, one crash")


def limits():
    """More than is taken, one after the other, so that the SDK hears the answer to each before it sends the next one."""
    for number in range(5):
        report(number)
        sentry_sdk.flush()
    print("five errors")


@monitor(
    monitor_slug="nightly-export",
    monitor_config={
        "schedule": {"type": "crontab", "value": "0 3 * * *"},
        "timezone": "Europe/Berlin",
        "checkin_margin": 5,
        "max_runtime": 60,
    },
)
def export(fails):
    """A scheduled job."""
    if fails:
        raise CheckoutFailed("the export failed")


def failing_job():
    """A job that fails. The SDK says so by itself."""
    try:
        export(True)
    except CheckoutFailed:
        sentry_sdk.flush()
        print("the job failed")


def working_job():
    """The same job, mended."""
    export(False)
    sentry_sdk.flush()
    print("the job ran")


part, dsn = sys.argv[1:]
sentry_sdk.init(
    dsn=dsn,
    release="shop@1.2.3",
    environment="staging",
    shutdown_timeout=20,
)
PARTS = [errors, sessions, limits, failing_job, working_job]
{function.__name__: function for function in PARTS}[part]()

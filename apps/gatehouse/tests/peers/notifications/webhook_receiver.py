"""Receives webhooks and verifies them with standardwebhooks. `webhook_receiver.py`

Prints its port, reads the signing secret from the standard input, and then prints a line of JSON for each request. The first
request of each id gets 500, and every later one 200.
"""

import base64
import json
import sys
from collections import Counter
from http.server import BaseHTTPRequestHandler, HTTPServer

from standardwebhooks import Webhook
from standardwebhooks.webhooks import WebhookVerificationError

attempts = Counter()


def is_refused(webhook, body, headers):
    """True if the library does not accept a request."""
    try:
        webhook.verify(body, headers)
    except WebhookVerificationError:
        return True
    return False


def refused_changes(body, headers):
    """The changes to a request that the library refuses."""
    other = Webhook("whsec_" + base64.b64encode(bytes(32)).decode())
    an_hour_ago = str(int(headers["webhook-timestamp"]) - 3600)
    one_second_later = str(int(headers["webhook-timestamp"]) + 1)
    changes = {
        "body": (signed, body + b" ", headers),
        "id": (signed, body, {**headers, "webhook-id": "msg_other"}),
        "old": (signed, body, {**headers, "webhook-timestamp": an_hour_ago}),
        "secret": (other, body, headers),
        "timestamp": (signed, body, {**headers, "webhook-timestamp": one_second_later}),
    }
    return [name for name, change in changes.items() if is_refused(*change)]


class Receiver(BaseHTTPRequestHandler):
    """Answers one request."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        key = headers["webhook-id"]
        attempts[key] += 1
        status = 500 if attempts[key] == 1 else 200
        line = {
            "id": key,
            "timestamp": headers["webhook-timestamp"],
            "media_type": headers["content-type"],
            "verified": not is_refused(signed, body, headers),
            "refused": refused_changes(body, headers),
            "event": json.loads(body),
            "status": status,
        }
        print(json.dumps(line), flush=True)
        self.send_response(status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_):
        """Requests are printed as JSON alone."""


server = HTTPServer(("127.0.0.1", 0), Receiver)
print(json.dumps({"port": server.server_port}), flush=True)
signed = Webhook(sys.stdin.readline().strip())
server.serve_forever()

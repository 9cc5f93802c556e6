"""A mail server of aiosmtpd. `mail_server.py MODE`, which is

* `open`: without encryption;
* `busy`: as `open`, but the first mail is answered with 451;
* `starttls`: with STARTTLS, a new certificate for 127.0.0.1, and a login.

Prints its port and its certificate, and then a line of JSON for what a connection receives in the clear, and for each mail.
"""

import asyncio
import datetime
import json
import ssl
import sys
import tempfile
from email import message_from_bytes, policy
from html.parser import HTMLParser
from ipaddress import ip_address

from aiosmtpd.smtp import SMTP, AuthResult

# Defects raise exceptions, and headers are parsed.
STRICT = policy.SMTP + policy.strict
# The longest line of a mail, without its end (RFC 5322, section 2.1.1).
LONGEST_LINE = 998


def tell(**line):
    """Prints a line of JSON."""
    print(json.dumps(line), flush=True)


class Html(HTMLParser):
    """The visible text, the links, and the names of a document, which must be nested correctly."""

    def __init__(self, text):
        super().__init__()
        self.text, self.links, self.tags, self.attributes = "", [], set(), set()
        self.is_open = []
        self.feed(text)
        self.close()
        assert not self.is_open, self.is_open

    def handle_starttag(self, tag, attrs):
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.links += [value for name, value in attrs if name == "href"]
        self.text += " "
        if tag != "meta":
            self.is_open.append(tag)

    def handle_endtag(self, tag):
        assert self.is_open.pop() == tag, tag
        self.text += ": " if tag == "th" else " "

    def handle_data(self, data):
        if "head" not in self.is_open:
            self.text += data


def words(text):
    """The text with single spaces between its words."""
    return " ".join(text.split())


def check_lines(content):
    """Checks the form of the lines: ASCII, ended by CR LF alone, and not too long."""
    content.decode("ascii")
    lines = content.split(b"\r\n")
    assert not any(b"\r" in line or b"\n" in line or b"\0" in line for line in lines)
    assert max(map(len, lines)) <= LONGEST_LINE


def described(content):
    """Describes a mail. Raises an exception for a defect."""
    check_lines(content)
    mail = message_from_bytes(content, policy=STRICT)
    for part in mail.walk():
        for name, value in part.items():
            assert not value.defects, (name, value.defects)
    text, html = mail.iter_parts()
    texts = text.get_content(), html.get_content()
    page = Html(texts[1])
    return {
        "names": sorted(name for name in mail.keys()),
        "from": [[one.display_name, one.addr_spec] for one in mail["from"].addresses],
        "to": [one.addr_spec for one in mail["to"].addresses],
        "date": mail["date"].datetime.astimezone(datetime.timezone.utc).isoformat(),
        "message_id": mail["message-id"],
        "references": mail["references"],
        "in_reply_to": mail["in-reply-to"],
        "auto_submitted": mail["auto-submitted"],
        "subject": mail["subject"],
        "types": [mail.get_content_type(), text.get_content_type(), html.get_content_type()],
        "text": words(texts[0]),
        "html": words(page.text),
        "links": page.links,
        "tags": sorted(page.tags),
        "attributes": sorted(page.attributes),
    }


class Handler:
    """Receives mail."""

    def __init__(self, is_busy):
        self.is_busy = is_busy

    async def handle_DATA(self, server, session, envelope):
        reply = "451 4.3.2 busy" if self.is_busy else "250 2.0.0 queued"
        self.is_busy = False
        try:
            mail = {"mail": described(envelope.content)}
        except Exception as error:
            mail = {"defect": repr(error), "content": repr(envelope.content)}
        mail |= {"encrypted": session.ssl is not None, "logged_in": bool(session.authenticated)}
        tell(sender=envelope.mail_from, recipients=envelope.rcpt_tos, reply=reply, **mail)
        return reply


class Server(SMTP):
    """Serves a connection, and tells what it receives before encryption."""

    def data_received(self, data):
        if self.session.ssl is None and self.tls_context is not None:
            tell(clear=data.decode())
        super().data_received(data)


def certificate():
    """Creates a certificate, and returns it and its key."""
    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "mail.example.com")])
    now = datetime.datetime.now(datetime.timezone.utc)
    day = datetime.timedelta(days=1)
    address = x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))])
    builder = x509.CertificateBuilder(name, name, key.public_key(), x509.random_serial_number())
    builder = builder.not_valid_before(now - day).not_valid_after(now + day)
    signed = builder.add_extension(address, critical=False).sign(key, hashes.SHA256())
    pem = serialization.Encoding.PEM
    form = serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    return signed.public_bytes(pem).decode(), key.private_bytes(pem, *form).decode()


def context(texts):
    """The TLS settings of a server with a certificate and its key."""
    with tempfile.NamedTemporaryFile("w") as file:
        file.writelines(texts)
        file.flush()
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        tls.load_cert_chain(file.name)
    return tls


def log_in(server, session, envelope, mechanism, login):
    """Accepts the one user."""
    return AuthResult(success=login.login == b"gatehouse" and login.password == b"s3cret")


async def serve(mode):
    """Serves until the process ends."""
    loop = asyncio.get_running_loop()
    options, first = {"hostname": "mail.example.com", "loop": loop}, {}
    if mode == "starttls":
        texts = certificate()
        options |= {"tls_context": context(texts), "authenticator": log_in, "auth_required": True}
        first = {"certificate": texts[0]}
    handler = Handler(mode == "busy")
    server = await loop.create_server(lambda: Server(handler, **options), "127.0.0.1", 0)
    tell(port=server.sockets[0].getsockname()[1], **first)
    await server.serve_forever()


asyncio.run(serve(sys.argv[1]))

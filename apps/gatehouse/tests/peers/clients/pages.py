"""What a user does on the pages, for the clients of this directory."""

import json
import sys
from html.parser import HTMLParser
from urllib.parse import parse_qs, urljoin, urlsplit

import requests


def given():
    """What the test says: the server, its user, and the applications."""
    return json.loads(sys.argv[1])


def answered(url):
    """The parameters that a redirect brings back."""
    return {name: values[0] for name, values in parse_qs(urlsplit(url).query).items()}


class Forms(HTMLParser):
    """The forms of a page: where they lead, and the names and values of their fields."""

    def __init__(self, text):
        super().__init__()
        self.all = []
        self.is_open = False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "form":
            self.all.append((attributes["action"], {}))
            self.is_open = True
        elif tag in ("input", "button") and self.is_open and "name" in attributes:
            self.all[-1][1][attributes["name"]] = attributes.get("value") or ""

    def handle_endtag(self, tag):
        if tag == "form":
            self.is_open = False


class User:
    """A user with a browser."""

    def __init__(self, base_url, login, password):
        self.base_url = base_url
        self.login = login
        self.password = password
        self.browser = requests.Session()

    def decide(self, url, approves=True):
        """Opens an authorization URL, signs in when asked to, and decides. Gives where that leads."""
        answer = self._follow(self.browser.get(url, allow_redirects=False))
        if urlsplit(answer.url).path == "/users/sign_in":
            action, fields = self._form(answer, lambda fields: "user[password]" in fields)
            fields |= {"user[login]": self.login, "user[password]": self.password}
            answer = self._follow(self._send(action, fields))
        if answer.is_redirect:
            return answer.headers["Location"]
        wanted = "post" if approves else "delete"
        action, fields = self._form(
            answer, lambda fields: "handle" in fields and fields.get("_method", "post") == wanted
        )
        answer = self._send(action, fields)
        assert answer.is_redirect, (answer.status_code, answer.text)
        return answer.headers["Location"]

    def _form(self, answer, is_wanted):
        assert answer.status_code == 200, (answer.status_code, answer.text)
        found = [(action, fields) for action, fields in Forms(answer.text).all if is_wanted(fields)]
        assert found, answer.text
        return found[0]

    def _send(self, action, fields):
        url = urljoin(self.base_url, action)
        headers = {"Origin": self.base_url, "Sec-Fetch-Site": "same-origin"}
        return self.browser.post(url, data=fields, headers=headers, allow_redirects=False)

    def _follow(self, answer):
        """Follows redirects as long as they stay on the server."""
        while answer.is_redirect:
            target = urljoin(answer.url, answer.headers["Location"])
            if not target.startswith(self.base_url + "/"):
                return answer
            answer = self.browser.get(target, allow_redirects=False)
        return answer

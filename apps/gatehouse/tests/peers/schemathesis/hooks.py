"""What the server takes although its document does not say so, because clients have always written it so.

A field may be spelled in other ways than its type: a boolean as `1` or `yes`, a text as a number, a list of one as its
item, and nothing as `null`. A request that differs from a valid one in such spellings alone may be accepted. Every other
request that breaks its schema has to be refused.
"""

import functools
import gc
import json

import jsonschema_rs
import requests
import schemathesis
from schemathesis.config import ProjectConfig
from schemathesis.core.failures import AcceptedNegativeData

BOOLEANS = {
    **dict.fromkeys(["true", "t", "1", "on", "y", "yes"], True),
    **dict.fromkeys(["false", "f", "0", "off", "n", "no"], False),
}


def text(value):
    """A number or boolean as the text that it is taken for."""
    return value if isinstance(value, str) or not isinstance(value, (bool, int, float)) else json.dumps(value)


def plain(value, schema):
    """The value in the spelling of its type."""
    kind = schema.get("type")
    if value is None:
        return value
    if kind == "boolean":
        return BOOLEANS.get(str(text(value)).strip().lower(), value)
    if kind == "string":
        return text(value)
    if kind == "array":
        items = value if isinstance(value, list) else [value]
        return [plain(item, schema.get("items", {})) for item in items]
    return value


def is_empty_absent(schema):
    """Whether an empty text is the same as no value: a boolean, or one of some words."""
    return schema.get("type") == "boolean" or "enum" in schema


def plain_body(body, schema):
    """The fields in the spelling of their types, without those that say nothing."""
    properties = schema.get("properties", {})
    fields = {name: plain(value, properties.get(name, {})) for name, value in body.items()}
    return {
        name: value
        for name, value in fields.items()
        if not (value is None and properties.get(name, {}).get("type") != "boolean")
        and not (value == "" and is_empty_absent(properties.get(name, {})))
    }


def readings(value):
    """What stands in a path or query may be meant as text or as the value that the text spells."""
    yield value
    if isinstance(value, str):
        try:
            yield json.loads(value)
        except ValueError:
            pass


def is_valid_parameter(value, parameter):
    """Whether a parameter of the path or query is valid in one of its readings, in whatever spelling."""
    schema = parameter["schema"]
    if value == "" and parameter.get("allowEmptyValue"):
        return True
    return any(jsonschema_rs.is_valid(schema, plain(reading, schema)) for reading in readings(value))


def parameters(case):
    """The parameters of the operation. Those that it shares with others are references in the document."""
    shared = case.operation.schema.raw_schema["components"]["parameters"]
    for parameter in case.operation.definition.raw["parameters"]:
        yield shared[parameter["$ref"].rsplit("/", 1)[1]] if "$ref" in parameter else parameter


def are_parameters_valid(case):
    """Whether the path and the query are valid but for spellings."""
    sent = {"path": case.path_parameters or {}, "query": case.query or {}, "header": case.headers or {}}
    return all(
        is_valid_parameter(sent[parameter["in"]][parameter["name"]], parameter)
        if parameter["name"] in sent[parameter["in"]]
        else not parameter["required"]
        for parameter in parameters(case)
    )


def is_body_valid(case):
    """Whether the body is valid but for spellings."""
    body = case.operation.definition.raw.get("requestBody")
    if body is None:
        return True
    if not isinstance(case.body, dict):
        return False
    schema = body["content"].get(case.media_type, {}).get("schema")
    if schema is None:
        return False
    components = case.operation.schema.raw_schema["components"]
    if "$ref" in schema:
        schema = components["schemas"][schema["$ref"].rsplit("/", 1)[1]]
    # What it refers to stands in the document beside it.
    whole = {**schema, "components": components}
    return jsonschema_rs.is_valid(whole, plain_body(case.body, schema))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """Keeps a failure unless it is a spelling that is taken."""
    is_accepted = isinstance(failure, AcceptedNegativeData)
    return not (is_accepted and are_parameters_valid(case) and is_body_valid(case))


# The rest saves a fifth of the time of the library, which computes anew for every case what is the same in the whole run. It
# changes no case and no check.


def remembered(function):
    """Merges the settings of an operation once for each phase."""
    merged = {}

    @functools.wraps(function)
    def settings(config, *, operation=None, **phase):
        if operation is None:
            return function(config, operation=None, **phase)
        key = (id(config), operation.label, *phase.values())
        if key not in merged:
            merged[key] = function(config, operation=operation, **phase)
        return merged[key]

    return settings


for method in ("phases_for", "generation_for", "checks_config_for"):
    setattr(ProjectConfig, method, remembered(getattr(ProjectConfig, method)))


def start_without_environment(session, start=requests.Session.__init__):
    """Starts a session that searches the environment for no proxies, and the home directory for no passwords."""
    start(session)
    session.trust_env = False


requests.Session.__init__ = start_without_environment

# Most objects of the library live as long as the run.
gc.set_threshold(100_000, 50, 100)

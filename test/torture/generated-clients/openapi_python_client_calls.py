"""Calls operations with the client that openapi-python-client generated; writes a line for each: null, or the error."""

import enum
import importlib
import inspect
import json
import re
import sys
import typing

from tenantscope_client import AuthenticatedClient

url, key = sys.argv[1:3]


def convert(annotation, value):
    """Closed vocabularies are classes of enumerations."""
    if isinstance(value, list):
        return [convert(annotation, item) for item in value]
    candidates = [annotation]
    while candidates:
        candidate = candidates.pop()
        if isinstance(candidate, type) and issubclass(candidate, enum.Enum):
            return candidate(value)
        candidates += typing.get_args(candidate)
    return value


def run(client, operation, given):
    module = importlib.import_module(f"tenantscope_client.api.read.{operation}")
    parameters = inspect.signature(module.sync_detailed).parameters
    names = {name: re.sub("(?=[A-Z])", "_", name).lower() for name in given}
    names = {name: other if other in parameters else f"{other}_" for name, other in names.items()}
    arguments = {names[name]: convert(parameters[names[name]].annotation, value) for name, value in given.items()}
    response = module.sync_detailed(client=client, **arguments)
    if response.status_code != 200 or response.parsed is None:
        return f"{response.status_code}: {response.content[:500]}"
    # What was parsed is written again without an error.
    json.dumps(response.parsed.to_dict())
    return None


with AuthenticatedClient(base_url=url, token=key) as client:
    for line in sys.stdin:
        call = json.loads(line)
        try:
            print(json.dumps(run(client, call["operation"], call["arguments"])), flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"[:2000]), flush=True)

"""Calls operations with the client that openapi-generator generated; writes a line for each: null, or the error."""

import json
import re
import sys

import tenantscope_generated as generated

url, key = sys.argv[1:3]
configuration = generated.Configuration(host=url, access_token=key)
with generated.ApiClient(configuration) as client:
    api = generated.ReadApi(client)
    for line in sys.stdin:
        call = json.loads(line)
        try:
            # The generator names parameters as Python does.
            arguments = {re.sub("(?=[A-Z])", "_", name).lower(): value for name, value in call["arguments"].items()}
            result = getattr(api, call["operation"])(**arguments)
            # What was parsed is written again without an error.
            text = result.to_json() if hasattr(result, "to_json") else json.dumps(result)
            json.loads(text)
            print("null", flush=True)
        except Exception as error:
            print(json.dumps(f"{type(error).__name__}: {error}"[:2000]), flush=True)

"""Writes the extract of the OCSF schema against which tests validate events.

    python3 -m venv venv && venv/bin/pip install ocsf-json-schema==1.2.0
    venv/bin/python packages/mapping/schema/extract.py > packages/mapping/schema/ocsf-1.8.0.json

The package contains the compiled schema of schema.ocsf.io. Classes and objects that events do not use are left out, and so are titles; events
with any attribute that is left out are invalid.
"""

import hashlib
import importlib.resources
import json

from ocsf_json_schema.schema import OcsfJsonSchema

VERSION = "1.8.0"
PROFILES = ["host"]
CLASSES = [
    "base_event",
    "account_change",
    "api_activity",
    "application_lifecycle",
    "authentication",
    "detection_finding",
    "email_activity",
    "entity_management",
    "file_hosting",
    "group_management",
    "user_access",
]
OBJECTS = [
    "actor",
    "analysis_target",
    "analytic",
    "anomaly",
    "anomaly_analysis",
    "api",
    "attack",
    "autonomous_system",
    "baseline",
    "device",
    "email",
    "evidences",
    "file",
    "fingerprint",
    "finding_info",
    "group",
    "http_request",
    "location",
    "logger",
    "managed_entity",
    "metadata",
    "network_endpoint",
    "object",
    "observable",
    "observation",
    "os",
    "product",
    "resource_details",
    "service",
    "session",
    "sub_technique",
    "technique",
    "user",
]

text = importlib.resources.files("ocsf_json_schema").joinpath(f"ocsf/{VERSION}.json").read_bytes()
schema = OcsfJsonSchema(json.loads(text))
patterns: dict[str, str] = {}


def reduce(part: dict) -> dict:
    properties = {name: attribute for name, value in part["properties"].items() if (attribute := reduce_attribute(value))}
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": part["additionalProperties"],
        **{name: part[name] for name in ("required", "anyOf", "oneOf") if name in part},
    }


def reduce_attribute(attribute: dict) -> dict | None:
    if "items" in attribute:
        items = reduce_attribute(attribute["items"])
        return items and {"type": "array", "items": items}
    if "$ref" in attribute:
        name = attribute["$ref"].rsplit("/", 1)[1].split("?")[0]
        return {"$ref": f"#/$defs/{name}"} if name in OBJECTS else None
    kept = {name: value for name, value in attribute.items() if name not in ("title", "deprecated", "pattern")}
    if "pattern" in attribute:
        name = patterns.setdefault(attribute["pattern"], f"pattern{len(patterns)}")
        kept["$ref"] = f"#/$defs/{name}"
    return kept


classes = {name: reduce(schema.get_class_schema(name, PROFILES)) for name in CLASSES}
objects = {name: reduce(schema.get_object_schema(name, PROFILES)) for name in OBJECTS}
document = {
    "source": "Open Cybersecurity Schema Framework, Copyright OCSF a Series of LF Projects, LLC; Apache License 2.0",
    "from": f"ocsf-json-schema 1.2.0 (PyPI), ocsf/{VERSION}.json, reduced by extract.py",
    "sha256": hashlib.sha256(text).hexdigest(),
    "version": VERSION,
    "profiles": PROFILES,
    "classes": classes,
    "$defs": {**objects, **{name: {"pattern": pattern} for pattern, name in patterns.items()}},
}
print("{")
members = list(document.items())
for at, (key, value) in enumerate(members):
    end = "," if at < len(members) - 1 else ""
    if key in ("classes", "$defs"):
        lines = [f"    {json.dumps(name)}: {json.dumps(part)}" for name, part in value.items()]
        print(f"  {json.dumps(key)}: {{\n" + ",\n".join(lines) + f"\n  }}{end}")
    else:
        print(f"  {json.dumps(key)}: {json.dumps(value)}{end}")
print("}")

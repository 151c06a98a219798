"""Verifies that every byte of an evidence pack is what the service signed."""

import base64
import hashlib
import json
from typing import Any


class NotVerified(Exception):
    """The pack is not what the service signed, or it bears no signature."""


class _Number(str):
    """A number with the text that it has in the file."""


def verify_pack(pack: bytes, keys: dict[str, Any]) -> str:
    """Returns the packId. pack: the response of GET /evidence/agents, unchanged; keys: GET /evidence/jwks.json."""
    # Only this function needs the package.
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    try:
        text = pack.decode()
        body = json.loads(text, parse_int=_Number, parse_float=_Number, object_pairs_hook=_members)
    except ValueError as error:
        raise NotVerified(f"not JSON in UTF-8: {error}") from error
    _require(list(body) == ["data"] and _canonical(body) == text, "not RFC 8785 text")
    document = body["data"]
    try:
        named = ["packType", "version", "metadata", "frameworks"]
        _require(set(document) == {*named, "sections", "integrity"}, "another member")
        found = [(name, document[name]) for name in named]
        found += [(f"sections.{section['key']}", section) for section in document["sections"]]
        integrity = document["integrity"]
        signature = integrity.pop("signature")
        _require(signature is not None, "no signature")
        manifest = [{"path": path, "sha256": _sha256(_canonical(value))} for path, value in found]
        _require(integrity["manifest"] == manifest, "a digest differs")
        _require(integrity["packSha256"] == _sha256(_canonical(manifest)), "the digest of the manifest differs")
        header, payload, value = signature["value"].split(".")
        kid = json.loads(_decode(header))["kid"]
        key = next((one for one in keys["keys"] if one["kid"] == kid), None)
        _require(key is not None, "signed with another key")
        _require(payload == "" and _encode(_decode(value)) == value, "not a detached JWS")
        sent = {"alg": "EdDSA", "format": "JWS", "kid": kid, "value": signature["value"]}
        _require(signature == sent, "another member of the signature")
        signed = f"{header}.{_encode(_canonical(integrity).encode())}".encode()
        Ed25519PublicKey.from_public_bytes(_decode(key["x"])).verify(_decode(value), signed)
    except InvalidSignature as error:
        raise NotVerified("the signature is invalid") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise NotVerified(f"not an evidence pack: {error!r}") from error
    return str(integrity["packId"])


def _require(condition: bool, otherwise: str) -> None:
    if not condition:
        raise NotVerified(otherwise)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len(dict(pairs)) != len(pairs):
        raise ValueError("a member occurs twice")
    return dict(pairs)


def _canonical(value: Any) -> str:
    """RFC 8785 text: members sorted by UTF-16 code units, no white space."""
    if isinstance(value, _Number):
        return str(value)
    if isinstance(value, dict):
        names = sorted(value, key=lambda name: name.encode("utf-16-be"))
        return "{" + ",".join(f"{_canonical(name)}:{_canonical(value[name])}" for name in names) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(_canonical, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _decode(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def _encode(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()

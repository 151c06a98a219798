"""GET requests that are repeated until a complete JSON object is there."""

import datetime
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Mapping, Sequence
from typing import Any

Parameter = str | int | bool | datetime.datetime | None
Values = str | Sequence[str] | None

_MAX_PAUSE = 60.0
_MAX_RETRY_AFTER = 3600.0
_REPEATED = {408, 425, 429, 500, 502, 503, 504}


class ApiError(Exception):
    """A response that repeating does not change. details: the refused parameters, with reason and allowed values."""

    def __init__(self, status: int, code: str | None, message: str, request_id: str | None, details: Sequence[Mapping[str, Any]] = ()):
        super().__init__(message)
        self.status = status
        self.code = code
        self.request_id = request_id
        self.details = list(details)


class RequestTimeout(Exception):
    """All attempts within retry_seconds failed for reasons that pass."""


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """The API never redirects: a redirect is another server, which must not receive the key."""

    def redirect_request(self, *_: Any) -> None:
        return None


class Requester:
    def __init__(self, url: str, key: str, retry_seconds: float | None, user_agent: str):
        # Checked before the first request: urllib reports both like failures of the network, which are repeated without end.
        if not url.startswith(("http://", "https://")):
            raise ValueError("url must begin with http:// or https://, such as https://api.example/api/v1")
        key = key.strip()
        if not (key.isascii() and key.isprintable() and key):
            raise ValueError("key must be an API key; it is empty or has other characters")
        self.url = url.rstrip("/")
        self._headers = {"Authorization": f"Bearer {key}", "Accept": "application/json", "User-Agent": user_agent}
        self._retry_seconds = retry_seconds
        self._opener = urllib.request.build_opener(_NoRedirect)

    @staticmethod
    def path(template: str, record_id: str) -> str:
        return template.replace("{id}", urllib.parse.quote(record_id, safe=""))

    def __call__(self, path: str, parameters: Mapping[str, Parameter | Values], tenant: str | None = None) -> dict[str, Any]:
        query = urllib.parse.urlencode({name: _text(name, value) for name, value in parameters.items() if value is not None}, doseq=True)
        headers = self._headers if tenant is None else {**self._headers, "X-Tenant-Id": tenant}
        request = urllib.request.Request(self.url + path + (f"?{query}" if query else ""), headers=headers)
        end = None if self._retry_seconds is None else time.monotonic() + self._retry_seconds
        attempt = 0
        while True:
            try:
                with self._opener.open(request, timeout=60) as response:
                    body = json.loads(response.read())
                if isinstance(body, dict):
                    return body
                reason, pause = "the response is not a JSON object", None
            except urllib.error.HTTPError as error:
                reason, pause = _read_failure(error)
            except (OSError, http.client.HTTPException, ValueError) as error:
                reason, pause = str(error) or repr(error), None
            if pause is None:
                pause = min(2.0 ** min(attempt, 6), _MAX_PAUSE) * random.uniform(0.5, 1.0)
            attempt += 1
            if end is not None and time.monotonic() + pause > end:
                raise RequestTimeout(reason)
            time.sleep(pause)


def _text(name: str, value: Parameter | Values) -> str | Sequence[str]:
    """Values are joined by commas, except where one contains a comma: the parameter is repeated."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        # Python reads it as local time, the API would read it as UTC.
        if value.utcoffset() is None:
            raise ValueError(f"{name}: the datetime {value.isoformat()} has no time zone. Use datetime.now(timezone.utc), or value.astimezone() for local time.")
        return value.isoformat()
    if isinstance(value, (str, int)):
        return str(value)
    values = value or ()
    return values if any("," in one for one in values) else ",".join(values)


def _read_failure(response: urllib.error.HTTPError) -> tuple[str, float | None]:
    """The reason and the requested pause; raises ApiError if repeating does not help."""
    try:
        found = json.loads(response.read())["error"]
        code, message, request_id = found.get("code"), str(found["message"]), found.get("requestId")
        details = found.get("details") or []
    except (OSError, http.client.HTTPException, ValueError, KeyError, TypeError, AttributeError):
        details = []
        code, message, request_id = None, f"The API responded with status {response.code} and no error message.", None
    if response.code not in _REPEATED:
        raise ApiError(response.code, code, message, request_id, details)
    after = response.headers.get("Retry-After", "")
    pause = min(float(after), _MAX_RETRY_AFTER) if after.isdigit() else None
    return f"status {response.code}: {message}", pause

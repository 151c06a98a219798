"""Modular input: polls one list of Tenantscope and writes its rows as events, each at least once.

The position is stored after the events before it were written. Uses the standard library alone.
"""

import calendar
import json
import os
import ssl
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
import xml.etree.ElementTree as ElementTree
from xml.sax.saxutils import escape, quoteattr

SCHEME = """<scheme>
  <title>Tenantscope</title>
  <description>Rows of one list of the Tenantscope API.</description>
  <use_external_validation>false</use_external_validation>
  <streaming_mode>xml</streaming_mode>
  <use_single_instance>false</use_single_instance>
  <endpoint><args>
    <arg name="url"><title>Base URL of the API, which ends in /api/v1</title></arg>
    <arg name="list"><title>logs, detections, security-alerts, policy-scans, notifications or actions</title></arg>
    <arg name="credential"><title>Name of the stored credential with the API key</title></arg>
    <arg name="tenant"><title>Tenant, for an organization's key</title><required_on_create>false</required_on_create></arg>
    <arg name="start"><title>Time of the first row, ISO 8601</title><required_on_create>false</required_on_create></arg>
  </args></endpoint>
</scheme>"""

# Log rows never change. A state of any other record is a row of its own, with its updatedAt.
LOGS = {"sort": "discoveredAtAsc", "start": "discoveredFrom", "time": "occurredAt"}
STATES = {"sort": "updatedAtAsc", "start": "updatedFrom", "time": "updatedAt"}
PAUSE_SECONDS = 10
MAX_PAUSE_SECONDS = 60
REPEATED_STATUSES = {408, 425, 429, 500, 502, 503, 504}


def main():
    if "--scheme" in sys.argv:
        print(SCHEME)
        return
    document = ElementTree.parse(sys.stdin).getroot()
    stanza = document.find("configuration/stanza")
    settings = {param.get("name"): param.text or "" for param in stanza.findall("param")}
    key = read_credential(document.findtext("server_uri"), document.findtext("session_key"), settings["credential"])
    file = os.path.join(document.findtext("checkpoint_dir"), urllib.parse.quote(stanza.get("name"), safe="") + ".json")
    sys.stdout.write("<stream>\n")
    poll(settings, key, stanza.get("name"), file)


def poll(settings, key, stanza, file):
    name = settings["list"]
    kind = LOGS if name == "logs" else STATES
    cursor = read_position(file, settings)
    while True:
        if cursor is None:
            parameters = {"sort": kind["sort"], "limit": "1000", kind["start"]: settings.get("start", "")}
            if name == "detections":
                parameters["includeInfoTier"] = "true"
        else:
            parameters = {"cursor": cursor}
        page = request(settings, key, parameters)
        for row in page["data"]:
            write_event(stanza, name, row, row[kind["time"]])
        sys.stdout.flush()
        cursor = page["pagination"]["resumeCursor"]
        write_position(file, settings, cursor)
        if not page["pagination"]["hasMore"]:
            time.sleep(PAUSE_SECONDS)


def request(settings, key, parameters):
    """Repeats the request until a complete page is there. Waits as long as Retry-After requests."""
    query = urllib.parse.urlencode({name: value for name, value in parameters.items() if value})
    headers = {"Authorization": f"Bearer {key}", "User-Agent": "splunk-tenantscope"}
    if settings.get("tenant"):
        headers["X-Tenant-Id"] = settings["tenant"]
    target = urllib.request.Request(f"{settings['url'].rstrip('/')}/{settings['list']}?{query}", headers=headers)
    attempt = 0
    while True:
        retry_after = None
        try:
            with urllib.request.urlopen(target, timeout=60) as response:
                return json.loads(response.read())
        except urllib.error.HTTPError as error:
            reason = f"status {error.code}: {error.read(2000).decode('utf-8', 'replace')}"
            if error.code not in REPEATED_STATUSES:
                raise SystemExit(f"ERROR {reason}") from error
            retry_after = error.headers.get("Retry-After", "")
        except (OSError, ValueError) as error:
            reason = str(error)
        except Exception as error:  # http.client raises exceptions of its own for truncated responses.
            reason = repr(error)
        attempt += 1
        waits = int(retry_after) if retry_after and retry_after.isdigit() else min(2 ** min(attempt, 6), MAX_PAUSE_SECONDS)
        print(f"WARN request repeated in {waits} s: {reason}", file=sys.stderr, flush=True)
        time.sleep(waits)


def write_event(stanza, name, row, moment):
    data = escape(json.dumps(row, ensure_ascii=False, separators=(",", ":")))
    sys.stdout.write(
        f"<event stanza={quoteattr(stanza)}><time>{epoch(moment)}</time>"
        f"<sourcetype>tenantscope:{name}</sourcetype><data>{data}</data></event>\n"
    )


def epoch(moment):
    """Times of the API have exactly three fraction digits and Z."""
    return f"{calendar.timegm(time.strptime(moment[:19], '%Y-%m-%dT%H:%M:%S'))}.{moment[20:23]}"


def read_position(file, settings):
    """A position belongs to one URL, list and tenant: with others the input begins at its start."""
    try:
        with open(file, encoding="utf-8") as stored:
            position = json.load(stored)
    except FileNotFoundError:
        return None
    return position["cursor"] if position["of"] == identity(settings) else None


def write_position(file, settings, cursor):
    with open(file + ".next", "w", encoding="utf-8") as stored:
        json.dump({"of": identity(settings), "cursor": cursor}, stored)
        stored.flush()
        os.fsync(stored.fileno())
    os.replace(file + ".next", file)


def identity(settings):
    return [settings["url"], settings["list"], settings.get("tenant", "")]


def read_credential(server, session_key, name):
    """The API key, which Splunk stores encrypted. splunkd on this host has a certificate of its own making."""
    path = f"/servicesNS/-/-/storage/passwords/{urllib.parse.quote(f'tenantscope:{name}:', safe='')}"
    target = urllib.request.Request(
        f"{server}{path}?output_mode=json", headers={"Authorization": f"Splunk {session_key}"}
    )
    context = ssl.create_default_context(cafile=os.environ.get("SPLUNKD_CA_FILE"))
    if "SPLUNKD_CA_FILE" not in os.environ:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    with urllib.request.urlopen(target, timeout=30, context=context) as response:
        return json.loads(response.read())["entry"][0]["content"]["clear_password"]


if __name__ == "__main__":
    main()

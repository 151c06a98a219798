"""A dlt source for Tenantscope: every log row, and the newest state of every detection and alert, exactly once.

Variables: TENANTSCOPE_URL, TENANTSCOPE_KEY. Run it from cron; each run continues after the last row that was loaded.
"""

import os

import dlt
from dlt.sources.helpers import requests

# The first request of each list. Later ones send its cursor alone, which contains them.
FIRST_REQUESTS = {
    "logs": {"sort": "discoveredAtAsc", "limit": "1000"},
    "detections": {"sort": "updatedAtAsc", "includeInfoTier": "true", "limit": "1000"},
    "security-alerts": {"sort": "updatedAtAsc", "limit": "1000"},
}

# Repeats requests that fail on the network, with 429 or with 5xx, and waits as long as Retry-After requests.
session = requests.Client(request_timeout=60, request_max_attempts=10, request_max_retry_delay=120).session


@dlt.source(max_table_nesting=0)
def tenantscope(url: str, key: str, lists=tuple(FIRST_REQUESTS)):
    for name in lists:
        yield dlt.resource(
            read_list,
            name=name.replace("-", "_"),
            primary_key="id",
            write_disposition="merge",
        )(url, key, name)


def read_list(url: str, key: str, name: str, max_pages: int = 500):
    # dlt stores this state together with the rows, so that both are loaded or neither is.
    state = dlt.current.resource_state()
    for _ in range(max_pages):
        cursor = state.get("resumeCursor")
        response = session.get(
            f"{url}/{name}",
            params=FIRST_REQUESTS[name] if cursor is None else {"cursor": cursor},
            headers={"Authorization": f"Bearer {key}", "User-Agent": "dlt-tenantscope"},
        )
        response.raise_for_status()
        page = response.json()
        yield page["data"]
        state["resumeCursor"] = page["pagination"]["resumeCursor"]
        if not page["pagination"]["hasMore"]:
            return


if __name__ == "__main__":
    pipeline = dlt.pipeline("tenantscope", destination="duckdb", dataset_name="security_data")
    print(pipeline.run(tenantscope(os.environ["TENANTSCOPE_URL"], os.environ["TENANTSCOPE_KEY"])))

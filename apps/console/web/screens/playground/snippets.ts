/** What a snippet says. Whose key it is stands in no snippet: it is read from TENANTSCOPE_API_KEY. */
export interface Said {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly tenantId: string;
  /** With its id filled in, such as /users/ada. */
  readonly path: string;
  readonly isList: boolean;
  readonly parameters: Readonly<Record<string, string>>;
}

export const snippets = { curl, python, typescript, mcp } as const satisfies Record<string, (said: Said) => string>;
export type SnippetLanguage = keyof typeof snippets;

const inShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

function curl({ baseUrl, path, tenantId, parameters, isList }: Said): string {
  const call = [
    `curl --silent --show-error --fail-with-body --retry 5 --get ${inShell(baseUrl + path)}`,
    '--header "Authorization: Bearer $TENANTSCOPE_API_KEY"',
    `--header ${inShell(`X-Tenant-Id: ${tenantId}`)}`,
    ...Object.entries(parameters).map(([name, value]) => `--data-urlencode ${inShell(`${name}=${value}`)}`),
  ];
  if (!isList) return `${call.join(' \\\n  ')}\n`;
  const paged = [...call, `\${cursor:+--data-urlencode "cursor=$cursor"}`].join(' \\\n    ');
  return `set -euo pipefail
cursor=${parameters.cursor === undefined ? "''" : inShell(parameters.cursor)}
while :; do
  page=$(${paged})
  jq --compact-output '.data[]' <<<"$page"
  cursor=$(jq --raw-output '.pagination.nextCursor // empty' <<<"$page")
  [ -n "$cursor" ] || break
done
`;
}

function python({ baseUrl, path, tenantId, parameters, isList }: Said): string {
  const asked = isList
    ? `
cursor = None
while True:
    page = get(PARAMETERS | ({"cursor": cursor} if cursor else {}))
    for row in page["data"]:
        print(json.dumps(row))
    cursor = page["pagination"]["nextCursor"]
    if cursor is None:
        break
`
    : '\nprint(json.dumps(get(PARAMETERS)))\n';
  return `import json, os, time, urllib.error, urllib.parse, urllib.request

URL = ${JSON.stringify(baseUrl + path)}
HEADERS = {
    "Authorization": f"Bearer {os.environ['TENANTSCOPE_API_KEY']}",
    "X-Tenant-Id": ${JSON.stringify(tenantId)},
}
PARAMETERS = ${JSON.stringify(parameters)}


def get(parameters):
    request = urllib.request.Request(f"{URL}?{urllib.parse.urlencode(parameters)}", headers=HEADERS)
    while True:
        try:
            with urllib.request.urlopen(request) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code not in (429, 503):
                raise SystemExit(error.read().decode())
            time.sleep(int(error.headers.get("Retry-After", "1")))

${asked}`;
}

function typescript({ baseUrl, path, tenantId, parameters, isList }: Said): string {
  const asked = isList
    ? `let cursor: string | null = null;
do {
  const page = await get({ ...parameters, ...(cursor === null ? {} : { cursor }) });
  for (const row of page.data) console.log(JSON.stringify(row));
  cursor = page.pagination.nextCursor;
} while (cursor !== null);
`
    : 'console.log(JSON.stringify(await get(parameters)));\n';
  return `const url = ${JSON.stringify(baseUrl + path)};
const headers = {
  Authorization: \`Bearer \${process.env.TENANTSCOPE_API_KEY}\`,
  'X-Tenant-Id': ${JSON.stringify(tenantId)},
};
const parameters = ${JSON.stringify(parameters)};

async function get(parameters: Record<string, string>): Promise<any> {
  for (;;) {
    const answer = await fetch(\`\${url}?\${new URLSearchParams(parameters)}\`, { headers });
    if (answer.ok) return answer.json();
    if (answer.status !== 429 && answer.status !== 503) throw new Error(await answer.text());
    const seconds = Number(answer.headers.get('Retry-After') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

${asked}`;
}

function mcp({ mcpUrl, tenantId }: Said): string {
  const headers = { Authorization: `Bearer \${TENANTSCOPE_API_KEY}`, 'X-Tenant-Id': tenantId };
  return `${JSON.stringify({ mcpServers: { tenantscope: { type: 'http', url: mcpUrl, headers } } }, null, 2)}\n`;
}

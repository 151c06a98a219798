import { escapeInvisible } from '../../../../api/escape-invisible.ts';

/** The request of a snippet. The key is not part of it: snippets read TENANTSCOPE_KEY. */
export interface SnippetRequest {
  readonly baseUrl: string;
  readonly mcpUrl: string;
  readonly tenantId: string;
  /** With its id filled in, such as /users/ada. */
  readonly path: string;
  readonly isList: boolean;
  readonly parameters: Readonly<Record<string, string>>;
}

export const snippets = { curl, python, typescript, mcp } as const satisfies Record<
  string,
  (request: SnippetRequest) => string
>;
export type SnippetLanguage = keyof typeof snippets;

/** In single quotes nothing means anything; what could not be seen there is written by its bytes. */
function inShell(text: string): string {
  if (escapeInvisible(text) === text) return `'${text.replaceAll("'", `'\\''`)}'`;
  const quoted = text.replace(/['\\]/g, '\\$&');
  return `$'${escapeInvisible(quoted).replace(hidden, (numbers) => bytesOf(JSON.parse(`"${numbers}"`)))}'`;
}

/** What `visible` wrote; a backslash of the text itself stands doubled before it. */
const hidden = /(?<=(?:^|[^\\])(?:\\\\)*)(?:\\u[0-9a-f]{4})+/g;

const bytesOf = (text: string): string =>
  [...new TextEncoder().encode(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');

/** A text, or an object of texts, as Python and TypeScript read it, with nothing in it that cannot be seen. */
const inCode = (value: unknown): string => escapeInvisible(JSON.stringify(value));

function curl({ baseUrl, path, tenantId, parameters: { cursor, ...parameters }, isList }: SnippetRequest): string {
  const given = Object.entries(cursor === undefined || isList ? parameters : { ...parameters, cursor });
  const call = [
    `curl --silent --show-error --fail-with-body --retry 5 --get ${inShell(baseUrl + path)}`,
    '--header "Authorization: Bearer $TENANTSCOPE_KEY"',
    `--header ${inShell(`X-Tenant-Id: ${tenantId}`)}`,
    ...given.map(([name, value]) => `--data-urlencode ${inShell(`${name}=${value}`)}`),
  ];
  if (!isList) return `${call.join(' \\\n  ')}\n`;
  const paged = [...call, `\${cursor:+--data-urlencode "cursor=$cursor"}`].join(' \\\n    ');
  return `set -euo pipefail
cursor=${inShell(cursor ?? '')}
while :; do
  page=$(${paged})
  jq --compact-output '.data[]' <<<"$page"
  cursor=$(jq --raw-output '.pagination.nextCursor // empty' <<<"$page")
  [ -n "$cursor" ] || break
done
`;
}

function python({ baseUrl, path, tenantId, parameters, isList }: SnippetRequest): string {
  const requests = isList
    ? `
    parameters = dict(PARAMETERS)
    while True:
        page = get(parameters)
        for row in page["data"]:
            print(json.dumps(row))
        if page["pagination"]["nextCursor"] is None:
            break
        parameters["cursor"] = page["pagination"]["nextCursor"]
`
    : '\n    print(json.dumps(get(PARAMETERS)))\n';
  return `import json, os, time

import httpx

URL = ${inCode(baseUrl + path)}
HEADERS = {
    "Authorization": f"Bearer {os.environ['TENANTSCOPE_KEY']}",
    "X-Tenant-Id": ${inCode(tenantId)},
}
PARAMETERS = ${inCode(parameters)}

with httpx.Client(headers=HEADERS, timeout=60) as client:

    def get(parameters):
        while True:
            response = client.get(URL, params=parameters)
            if response.is_success:
                return response.json()
            if response.status_code not in (429, 503):
                raise SystemExit(response.text)
            time.sleep(int(response.headers.get("Retry-After", "1")))
${requests}`;
}

function typescript({ baseUrl, path, tenantId, parameters, isList }: SnippetRequest): string {
  const requests = isList
    ? `let cursor: string | null = null;
do {
  const page = await get({ ...parameters, ...(cursor === null ? {} : { cursor }) });
  for (const row of page.data) console.log(JSON.stringify(row));
  cursor = page.pagination.nextCursor;
} while (cursor !== null);
`
    : 'console.log(JSON.stringify(await get(parameters)));\n';
  return `const url = ${inCode(baseUrl + path)};
const headers = {
  Authorization: \`Bearer \${process.env.TENANTSCOPE_KEY}\`,
  'X-Tenant-Id': ${inCode(tenantId)},
};
const parameters = ${inCode(parameters)};

async function get(parameters: Record<string, string>): Promise<any> {
  for (;;) {
    const response = await fetch(\`\${url}?\${new URLSearchParams(parameters)}\`, { headers });
    if (response.ok) return response.json();
    if (response.status !== 429 && response.status !== 503) throw new Error(await response.text());
    const seconds = Number(response.headers.get('Retry-After') ?? 1);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
  }
}

${requests}`;
}

function mcp({ mcpUrl, tenantId }: SnippetRequest): string {
  const headers = { Authorization: `Bearer \${TENANTSCOPE_KEY}`, 'X-Tenant-Id': tenantId };
  return `${JSON.stringify({ mcpServers: { tenantscope: { type: 'http', url: mcpUrl, headers } } }, null, 2)}\n`;
}

import type { DemoSettings } from './saved-settings.ts';

/** What to do next. `organizations`: the existing ones, for a start without the demonstration. */
export function formatStartMessage(
  baseUrl: string,
  consoleUrl: string,
  demo: DemoSettings | null,
  organizations: readonly { readonly id: string }[],
): string {
  if (demo === null) {
    const [first] = organizations;
    const argument = organizations.length > 1 ? ` --org ${first?.id}` : '';
    return `
  API      ${baseUrl}
  Console  ${consoleUrl}

  Create the first administrator with a set-up link:
${first === undefined ? "    npx tenantscope org create --name 'Our organization'\n" : ''}    npx tenantscope console set-up${argument}

  All commands: npx tenantscope --help · Stop: Ctrl-C
`;
  }
  const [first, second] = demo.tenants;
  return `
  API      ${baseUrl}
  MCP      ${baseUrl}/mcp   (docs/mcp.md)
  Console  ${consoleUrl}   (sign in with one click)

  Tenant key        ${demo.keys.tenant}   ${first?.name}
  Organization key  ${demo.keys.organization}   ${demo.tenants.map(({ name }) => name).join(', ')}

  curl -H 'Authorization: Bearer ${demo.keys.tenant}' '${baseUrl}/ping'
  curl -H 'Authorization: Bearer ${demo.keys.tenant}' '${baseUrl}/logs?limit=5'
  curl -H 'Authorization: Bearer ${demo.keys.organization}' -H 'X-Tenant-Id: ${second?.id}' '${baseUrl}/logs?sort=discoveredAtAsc&limit=5'

  Also written to .tenantscope/state.json · All commands: npx tenantscope --help · Stop: Ctrl-C
`;
}

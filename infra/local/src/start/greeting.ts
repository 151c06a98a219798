import type { Demo } from './kept.ts';

/** What a newcomer can do next. `organizations`: those that there are where there is no demonstration. */
export function greeting(
  baseUrl: string,
  consoleUrl: string,
  demo: Demo | null,
  organizations: readonly { readonly id: string }[],
): string {
  if (demo === null) {
    const [only] = organizations;
    const which = organizations.length > 1 ? ` --org ${only?.id}` : '';
    return `
  Tenantscope answers at ${baseUrl}

  The console is at ${consoleUrl}. Its first administrator is made with the link that comes of
${only === undefined ? "    npx tenantscope org create --name 'Our organization'\n" : ''}    npx tenantscope console set-up${which}

  npx tenantscope --help lists the rest · Ctrl-C stops everything
`;
  }
  const [first, second] = demo.tenants;
  return `
  Tenantscope answers at ${baseUrl}

  tenant key        ${demo.keys.tenant}   ${first?.name}
  organization key  ${demo.keys.organization}   ${demo.tenants.map(({ name }) => name).join(', ')}

  curl -H 'Authorization: Bearer ${demo.keys.tenant}' '${baseUrl}/ping'
  curl -H 'Authorization: Bearer ${demo.keys.tenant}' '${baseUrl}/logs?limit=5'
  curl -H 'Authorization: Bearer ${demo.keys.organization}' -H 'X-Tenant-Id: ${second?.id}' '${baseUrl}/logs?sort=discoveredAtAsc&limit=5'

  Console, signed in by one click: ${consoleUrl}
  Tools for agents, with the same keys: ${baseUrl}/mcp · docs/mcp.md
  The same for scripts: .tenantscope/state.json · npx tenantscope --help · Ctrl-C stops everything
`;
}

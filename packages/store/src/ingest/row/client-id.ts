import { lineMembers, type MemberLines } from '@tenantscope/contract';

const clientIdLine = lineMembers.indexOf('applicationClientId');

/** The client id in the members of a row: of an application that the tenant's inventory does not have, or not yet. A hot path: most rows have none. */
export function readClientId(memberLines: MemberLines): string | null {
  let from = 0;
  for (let line = 0; line < clientIdLine; line++) {
    from = memberLines.indexOf('\n', from) + 1;
    if (from === 0) return null;
  }
  const end = memberLines.indexOf('\n', from);
  const text = memberLines.slice(from, end === -1 ? undefined : end);
  return text === '' ? null : JSON.parse(text);
}

import { operations } from '@tenantscope/contract';
import { expect, test } from 'vitest';
import { operationForms } from '../src/playground/operation-forms.ts';
import { findLink, type LinkTarget } from '../web/screens/playground/json/id-links.ts';
import { indexJson } from '../web/screens/playground/json/json-index.ts';
import { findMember } from '../web/screens/playground/json/json-members.ts';
import { searchLines } from '../web/screens/playground/json/search-lines.ts';

const everything = operationForms.map((operation) => ({ ...operation, isAllowed: true }));
const evidenceOnly = operationForms.map((operation) => ({
  ...operation,
  isAllowed: operation.scope === 'evidence:read',
}));

/** The link on the line with this text, in a response of the operation. */
async function linkAt(name: string, response: unknown, needle: string, forms = everything): Promise<LinkTarget | null> {
  const document = await indexJson(JSON.stringify(response));
  const operation = forms.find((one) => one.name === name);
  if (!operation) throw new Error(name);
  const [line = -1] = searchLines(document, needle);
  const data = findMember(document, 0, 'data');
  return findLink(document, data, line, { operation, operations: forms, openLink: () => {} });
}

test('every id link names a get operation', () => {
  const byId = new Set(operations.filter(({ kind }) => kind === 'get').map(({ name }) => name as string));
  for (const { name, idLinks } of operationForms)
    for (const [member, link] of Object.entries(idLinks))
      for (const to of 'discriminator' in link ? Object.values(link.operations) : [link.operation])
        expect(byId.has(to), `${name} ${member} ${to}`).toBe(true);
});

test('an actor id links to the operation of its actor type; an unsupported type gives no link', async () => {
  const row = (actorType: string | null) => ({ data: [{ actorId: 'a-1', actorType }] });
  expect(await linkAt('list_logs', row('user'), 'a-1')).toMatchObject({ operation: { name: 'get_user' }, id: 'a-1' });
  expect(await linkAt('list_logs', row('agent'), 'a-1')).toMatchObject({ operation: { name: 'get_agent' } });
  expect(await linkAt('list_logs', row('application'), 'a-1')).toMatchObject({ operation: { name: 'get_app' } });
  for (const actorType of ['system', 'toString', null])
    expect(await linkAt('list_logs', row(actorType), 'a-1')).toBeNull();
});

test('ids in nested records are links; ids without an operation, or without a permitted one, are not', async () => {
  const user = { data: { id: 'u-1', groups: [{ id: 'g-1', name: 'g' }], department: 'd-1', managerId: null } };
  expect(await linkAt('get_user', user, 'g-1')).toMatchObject({ operation: { name: 'get_group' }, id: 'g-1' });
  expect(await linkAt('get_user', user, 'd-1')).toBeNull();
  expect(await linkAt('get_user', user, 'managerId')).toBeNull();
  expect(await linkAt('get_user', user, 'g-1', evidenceOnly)).toBeNull();
  expect(await linkAt('list_logs', { error: { actorId: 'a-1' } }, 'a-1')).toBeNull();
});

test('a cursor links to the next page, the cursor of a section with its section', async () => {
  const page = { data: [], pagination: { nextCursor: 'c-1', resumeCursor: null } };
  expect(await linkAt('list_logs', page, 'c-1')).toEqual({ parameters: { cursor: 'c-1' } });
  expect(await linkAt('list_logs', page, 'resumeCursor')).toBeNull();
  const pack = { data: { sections: [{ key: 'permissions', nextCursor: 'c-2' }] } };
  const link = { parameters: { section: 'permissions', cursor: 'c-2' } };
  expect(await linkAt('get_agent_evidence_pack', pack, 'c-2')).toEqual(link);
});

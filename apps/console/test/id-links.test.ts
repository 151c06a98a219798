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

/** Where the line that holds this leads, in an answer of the operation. */
async function leadOf(name: string, answer: unknown, needle: string, known = everything): Promise<LinkTarget | null> {
  const document = await indexJson(JSON.stringify(answer));
  const operation = known.find((one) => one.name === name);
  if (!operation) throw new Error(name);
  const [line = -1] = searchLines(document, needle);
  const data = findMember(document, 0, 'data');
  return findLink(document, data, line, { operation, operations: known, openLink: () => {} });
}

test('what leads somewhere leads to a by-id read', () => {
  const byId = new Set(operations.filter(({ kind }) => kind === 'get').map(({ name }) => name as string));
  for (const { name, idLinks: leads } of operationForms)
    for (const [member, lead] of Object.entries(leads))
      for (const to of 'discriminator' in lead ? Object.values(lead.operations) : [lead.operation])
        expect(byId.has(to), `${name} ${member} ${to}`).toBe(true);
});

test('who acted is asked for as what the row says it is, and not at all where it says nothing', async () => {
  const row = (actorType: string | null) => ({ data: [{ actorId: 'a-1', actorType }] });
  expect(await leadOf('list_logs', row('user'), 'a-1')).toMatchObject({ operation: { name: 'get_user' }, id: 'a-1' });
  expect(await leadOf('list_logs', row('agent'), 'a-1')).toMatchObject({ operation: { name: 'get_agent' } });
  expect(await leadOf('list_logs', row('application'), 'a-1')).toMatchObject({ operation: { name: 'get_app' } });
  for (const nobody of ['system', 'toString', null]) expect(await leadOf('list_logs', row(nobody), 'a-1')).toBeNull();
});

test('ids inside lists of records lead on; what is asked for by nobody, or not by this person, does not', async () => {
  const user = { data: { id: 'u-1', groups: [{ id: 'g-1', name: 'g' }], department: 'd-1', managerId: null } };
  expect(await leadOf('get_user', user, 'g-1')).toMatchObject({ operation: { name: 'get_group' }, id: 'g-1' });
  expect(await leadOf('get_user', user, 'd-1')).toBeNull();
  expect(await leadOf('get_user', user, 'managerId')).toBeNull();
  expect(await leadOf('get_user', user, 'g-1', evidenceOnly)).toBeNull();
  expect(await leadOf('list_logs', { error: { actorId: 'a-1' } }, 'a-1')).toBeNull();
});

test('a cursor goes on, that of a section with its section', async () => {
  const page = { data: [], pagination: { nextCursor: 'c-1', resumeCursor: null } };
  expect(await leadOf('list_logs', page, 'c-1')).toEqual({ parameters: { cursor: 'c-1' } });
  expect(await leadOf('list_logs', page, 'resumeCursor')).toBeNull();
  const pack = { data: { sections: [{ key: 'permissions', nextCursor: 'c-2' }] } };
  const lead = { parameters: { section: 'permissions', cursor: 'c-2' } };
  expect(await leadOf('get_agent_evidence_pack', pack, 'c-2')).toEqual(lead);
});

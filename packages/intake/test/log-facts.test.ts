import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readManagementFacts } from './log-fact-records.ts';
import { management, readRow } from './message.ts';

test('any other record has no facts', () => {
  expect(readManagementFacts({ Operation: 'FileAccessed' })).toEqual([]);
  expect(readManagementFacts({ Operation: 'BotStatistics' })).toEqual([]);
});

/** Members that readers of facts ask for. */
const members = fc.dictionary(
  fc.constantFrom(
    ...'CopilotEventData AccessedResources Messages PolicyDetails ModelTransparencyDetails Parameters OperationProperties'.split(
      ' ',
    ),
    ...'ModifiedProperties targetResources properties PropertyCollection AgentId BotId Property OldValue NewValue Name Value'.split(
      ' ',
    ),
    ...'displayName modifiedProperties newValue oldValue type ID Target ExtendedProperties AgentType Status'.split(' '),
  ),
  fc.jsonValue({ maxDepth: 4 }),
);
const value = fc.oneof(fc.jsonValue(), members, fc.array(members, { maxLength: 3 }));

test('facts of any record are JSON of a limited size with visible characters only', {
  tags: 'exhaustive',
}, () => {
  const operations = ['CopilotInteraction', 'UpdatedAgent', 'Add service principal', 'Consent to application.'];
  const others = [
    'Add app role assignment to service principal.',
    'Add member to role.',
    'New-InboxRule',
    'Set-Mailbox',
  ];
  fc.assert(
    fc.property(fc.constantFrom(...operations, ...others), members, value, (Operation, record, content) => {
      const nested = {
        ModifiedProperties: content,
        targetResources: content,
        CopilotEventData: content,
        Parameters: content,
      };
      const { CreationTime, OrganizationId } = management();
      for (const { facts } of readRow('o365.management-activity', {
        ...nested,
        ...record,
        ...{ Operation, CreationTime, OrganizationId, RecordType: 6 },
      }).facts) {
        expect(JSON.parse(facts)).toBeTypeOf('object');
        expect(facts).not.toMatch(/\\u0000|\u202e/);
        expect(facts.length).toBeLessThan(1_000_000);
      }
    }),
    { numRuns: 2_000 },
  );
});

import { createSightingParts, type EntityPart, mergeEntity, readSightedId } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { eventTime, listParts, mergeRecord, readEntity } from './entity.ts';
import { tenantId } from './message.ts';

const day = Date.UTC(2026, 10, 20) / 86_400_000;
const sighting = (more: { day?: number; name?: string | null } = {}) =>
  createSightingParts({ tenantId, id: 'shadow', day, name: 'Shadow', ...more });
const inventory = () => listParts(readEntity('agent', 'shadow', { displayName: 'Sales', kind: 'bot' }));
const accountable = (): EntityPart[] =>
  listParts(
    readEntity('accountable', 'shadow', { subject: { type: 'agent', id: 'shadow' }, userId: 'u1', userName: 'Ada' }),
  );

describe('an agent that only the audit log names', () => {
  test('has its kind, its name and the day of its last interaction, and nothing that rules count', () => {
    expect(mergeRecord(sighting())).toEqual({
      displayName: 'Shadow',
      evidence: 'auditOnly',
      kind: 'other',
      lastSeenAt: '2026-11-20T00:00:00.000Z',
    });
    expect(mergeEntity('agent', sighting())?.facts).toBeNull();
    expect(mergeRecord(sighting({ name: null }))).not.toHaveProperty('displayName');
  });

  test('has its last name on a day on which no record has one', () => {
    const parts = [...sighting(), ...sighting({ day: day + 1, name: null })];
    const latest = [...Map.groupBy(parts, ({ part }) => part).values()].map((some) => some.at(-1) as EntityPart);
    expect(mergeRecord(latest)).toMatchObject({ displayName: 'Shadow', lastSeenAt: '2026-11-21T00:00:00.000Z' });
  });

  test('has the accountable person that was assigned to it', () => {
    expect(mergeRecord([...sighting(), ...accountable()])).toMatchObject({ evidence: 'auditOnly', ownerId: 'u1' });
    expect(mergeRecord(accountable())).toBeNull();
  });

  test('is not deleted by a deletion of an agent that no inventory reported', () => {
    const removal = { ...(inventory()[0] as EntityPart), isRemoval: true, facts: {} };
    const merged = mergeEntity('agent', [removal, ...sighting()]);
    expect(merged?.columns).toMatchObject({ is_deleted: false, evidence: 'auditOnly' });
    expect(mergeEntity('agent', [removal, ...inventory(), ...sighting()])?.columns).toMatchObject({ is_deleted: true });
  });

  test('is replaced by the agent of an inventory without a trace', () => {
    const reported = mergeEntity('agent', inventory());
    const taken = mergeEntity('agent', [...sighting({ day: day + 9 }), ...inventory()]);
    expect(taken).toEqual({ ...reported, wasSighted: true });
    expect(mergeRecord([...sighting({ day: day + 9 }), ...inventory()])).toMatchObject({
      displayName: 'Sales',
      evidence: 'reported',
      lastSeenAt: eventTime,
    });
  });
});

test('two names of one day have different digests, so that every order selects the same name', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      const [, ofOne] = sighting({ name: one });
      const [, ofOther] = sighting({ name: other });
      expect(ofOne?.digest.equals(ofOther?.digest as Buffer)).toBe(one === other);
    }),
  );
});

test('an id that no request could name is no agent', () => {
  expect(readSightedId('')).toBeNull();
  expect(readSightedId('x'.repeat(301))).toBeNull();
  expect(readSightedId('00000000-0000-0000-0000-000000000000')).toBeNull();
  expect(readSightedId('CopilotStudio.Declarative.P_1a2B')).toBe('CopilotStudio.Declarative.P_1a2B');
  expect(readSightedId('0B5B2F0E-0000-4000-8000-00000000000B')).toBe('0b5b2f0e-0000-4000-8000-00000000000b');
});

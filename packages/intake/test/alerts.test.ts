import { createHash } from 'node:crypto';
import { type AlertFormatName, alertFormats, type RecordState } from '@tenantscope/intake';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  alertEvent,
  googleAlert,
  graphAlert,
  listStates,
  parseDocument,
  readAlert,
  readState,
} from './alert-message.ts';
import { huntingRecord } from './hunting-record.ts';
import { now } from './message.ts';
import {
  assessment,
  endpointAlert,
  legacyGraphAlert,
  legacyIncident,
  sentinelAlert,
  sentinelIncident,
} from './microsoft-alerts.ts';

describe('rawData', () => {
  test('preserves digits, order and members with duplicate names', () => {
    const text =
      '{"id":"x1","lastUpdateDateTime":"2026-11-20T09:30:00Z","score":1.50,"ticks":638680000001234567890,"tiny":1e-9,' +
      '"evidence":[],"a":1,"a":{"b":-0},"note":"\\u0000 \\ud800 \u202e"}';
    const { detailMembers } = readState('graph.security.alert', text);
    expect(detailMembers).toContain(`"rawData":${text}`);
  });

  test('is the only member whose invisible characters are unchanged', () => {
    const hostile = 'a\u202eb\u200bc\u{e0041}\u0007\ud800';
    const shown = 'a\\u{202E}b\\u{200B}c\\u{E0041}\\u{7}\\u{D800}';
    const texts = [
      'title',
      'description',
      'category',
      'threatDisplayName',
      'determination',
      'assignedTo',
      'alertWebUrl',
    ];
    const alert = graphAlert({
      ...Object.fromEntries(texts.map((name) => [name, hostile])),
      evidence: [
        {
          '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence',
          networkMessageId: 'n-1',
          subject: hostile,
        },
      ],
    });
    const { rawData, emails, ...rest } = parseDocument(readState('graph.security.alert', alert));
    for (const name of texts) expect(rest[name], name).toBe(shown);
    expect(emails).toMatchObject([{ subject: shown }]);
    expect(rawData).toEqual(alert);
  });

  test('is complete where texts are truncated', () => {
    const description = 'x'.repeat(20_000);
    const document = parseDocument(readState('graph.security.alert', graphAlert({ description })));
    expect(document.description).toHaveLength(8_192);
    expect(document.rawData).toMatchObject({ description });
  });
});

/** The state that the store retains of two. */
function hasAlert(one: RecordState, other: RecordState): RecordState {
  if (one.version !== other.version) return one.version > other.version ? one : other;
  return Buffer.compare(one.digest, other.digest) >= 0 ? one : other;
}

test('the states of an alert converge in every order of delivery and in every wrapping', {
  tags: 'exhaustive',
}, () => {
  const minute = fc.integer({ min: 0, max: 5 }).map((minutes) => `2026-11-20T10:0${minutes}:00`);
  const event = fc.record({
    Operation: fc.constantFrom('AlertTriggered', 'AlertUpdated', 'AlertEntityGenerated'),
    CreationTime: minute,
    Status: fc.constantFrom('Active', 'Investigating', 'Resolved', 'Dismissed'),
    Comments: fc.string(),
  });
  fc.assert(
    fc.property(
      fc
        .array(event, { minLength: 1, maxLength: 8 })
        .chain((events) =>
          fc.tuple(fc.constant(events), fc.shuffledSubarray(events, { minLength: events.length }), fc.boolean()),
        ),
      ([events, shuffled, together]) => {
        const inOrder = events.map((changes) => readState('o365.management-activity', alertEvent(changes)));
        const payload = shuffled.map((changes) => ({ AuditData: alertEvent(changes) }));
        const wrapped = together
          ? listStates(readAlert('o365.management-activity', payload))
          : payload.map((one) => readState('o365.management-activity', one));
        expect(wrapped.reduce(hasAlert)).toEqual(inOrder.reduce(hasAlert));
        const own = events.filter(({ Operation }) => Operation !== 'AlertEntityGenerated');
        if (own.length === 0) return;
        const latest = own
          .map(({ CreationTime }) => CreationTime)
          .sort()
          .at(-1) as string;
        expect(parseDocument(wrapped.reduce(hasAlert))).toMatchObject({ lastUpdateDateTime: `${latest}.000Z` });
      },
    ),
  );
});

test('the digest of a state is that of the canonical record', () => {
  const canonical = '{"alertId":"a","createTime":"2026-11-20T08:00:00Z"}';
  const { digest } = readState('google.alertcenter.alert', '{"createTime": "2026-11-20T08:00:00Z", "alertId": "a"}');
  expect(digest).toEqual(createHash('sha256').update(canonical).digest());
});

test('arbitrary members of an alert give states or rejections and never throw', { tags: 'exhaustive' }, () => {
  const names = fc.oneof(
    fc.string(),
    fc.constantFrom(
      ...'__proto__ constructor id alerts value tenantId evidence @odata.type userAccount networkMessageIds'.split(' '),
      ...'lastUpdateDateTime data metadata messages status severity Data AlertLinks RecordType AlertId f3u properties entities Entities type Type userStates hostStates evidence devices'.split(
        ' ',
      ),
    ),
  );
  const { value: anything } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4, depthSize: 'small' },
      fc.constantFrom(null, true, '', '2026-11-20T08:00:00Z', '#microsoft.graph.security.userEvidence', 40, 1e300),
      fc.string({ unit: 'binary' }),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.array(fc.tuple(names, tie('value')), { maxLength: 8 }).map((members) => Object.fromEntries(members)),
    ),
  }));
  const good: Record<AlertFormatName, Record<string, unknown>> = {
    'graph.security.alert': graphAlert(),
    'graph.security.incident': { id: '7', alerts: [graphAlert()] },
    'google.alertcenter.alert': googleAlert(),
    'graph.security.alert.legacy': legacyGraphAlert(),
    'mde.alert': endpointAlert(),
    'm365d.advanced-hunting': huntingRecord('AlertInfo', { AlertId: 'da1' }),
    'm365d.incidents-legacy': legacyIncident(),
    'defender-for-cloud.alert': assessment(),
    'sentinel.security-alert': sentinelAlert(),
    'sentinel.security-incident': sentinelIncident(),
    'o365.management-activity': alertEvent(),
  };
  fc.assert(
    fc.property(fc.constantFrom(...alertFormats), fc.dictionary(names, anything, { maxKeys: 6 }), (format, changes) => {
      const outcomes = readAlert(format, { ...good[format], ...changes });
      expect(outcomes.length).toBeGreaterThanOrEqual(1);
      for (const state of listStates(outcomes)) {
        parseDocument(state);
        expect(Number.isSafeInteger(state.version) && state.version >= 1).toBe(true);
        expect(state.version).toBeLessThanOrEqual((now + 49 * 3_600_000) * 1000);
        expect(Number.isFinite(state.times.created_at)).toBe(true);
      }
    }),
    { numRuns: 500 },
  );
});

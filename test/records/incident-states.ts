import { type RecordState, readRecords } from '@tenantscope/intake';
import fc from 'fast-check';
import { alertMessage, graphAlert } from '../installation/alert-messages.ts';
import { detectionState, recordMessage } from '../installation/feed-records.ts';

/** When the first record arrives, epoch ms. */
export const firstStampMs = Date.UTC(2026, 10, 21);
const context = {
  findTenant: () => ({ azureTenantId: null }),
  nowMs: firstStampMs,
  maxValueBytes: 1e6,
  onlyElement: null,
};

/** A state of a detection or an alert. */
export interface Delivery {
  readonly isAlert: boolean;
  readonly number: number;
  readonly version: number;
  readonly members: Readonly<Record<string, unknown>>;
}

const perhaps = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined });
const account = (id: string, name: string) => ({
  '@odata.type': '#microsoft.graph.security.userEvidence',
  userAccount: { azureAdUserId: id, userPrincipalName: name },
});
const evidence = [
  account('User-1', 'Żaneta@contoso.example'),
  account('user-2', 'second@contoso.example'),
  { '@odata.type': '#microsoft.graph.security.oauthApplicationEvidence', appId: 'App-1', objectId: 'Object-1' },
  {
    '@odata.type': '#microsoft.graph.security.analyzedMessageEvidence',
    internetMessageId: '<m@contoso.example>',
    recipientEmailAddress: 'second@contoso.example',
  },
];
// A description that contains what is searched for, and half of a character.
const texts = [
  '',
  'x',
  '"users":[{"id":"u9"}],"groups":[]',
  '"resolvedAt":"2026-11-01T00:00:00.000Z"',
  '\ud800',
  'Zażółć',
];

const alert = fc.record({
  isAlert: fc.constant(true),
  number: fc.nat(3),
  version: fc.nat(5),
  members: fc.record({
    status: fc.constantFrom('new', 'inProgress', 'resolved', null),
    severity: fc.constantFrom('low', 'high', null),
    category: fc.constantFrom('DefenseEvasion', '', null),
    title: fc.constantFrom(...texts),
    description: fc.constantFrom(...texts),
    createdDateTime: perhaps(fc.constant('2026-11-20T08:00:00Z')),
    firstActivityDateTime: perhaps(fc.constant('2026-11-20T07:00:00Z')),
    resolvedDateTime: perhaps(fc.constantFrom('2026-11-20T10:00:00Z', '2026-11-20T12:30:00.5Z')),
    evidence: fc.subarray(evidence),
  }),
});
const detection = fc.record({
  isAlert: fc.constant(false),
  number: fc.nat(3),
  version: fc.integer({ min: 1, max: 6 }),
  members: fc.record({ summary: fc.constantFrom(...texts) }),
});
export const delivery: fc.Arbitrary<Delivery> = fc.oneof(alert, detection);

/** As intake reads it from a message. */
export function toState(tenantId: string, { isAlert, number, version, members }: Delivery): RecordState {
  const lastUpdateDateTime = new Date(Date.UTC(2026, 10, 20, 9) + version * 1_000).toISOString();
  const message = isAlert
    ? { ...alertMessage(tenantId, graphAlert({ id: `a${number}`, lastUpdateDateTime, ...members })), key: null }
    : recordMessage('detection.upserted', detectionState(tenantId, number, version, members));
  const [outcome] = readRecords(isAlert ? 'rawAlert' : 'detection', message as never, context);
  if (outcome?.kind !== 'state') throw new Error(JSON.stringify(outcome));
  return outcome.state;
}

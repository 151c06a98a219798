import { randomUUID } from 'node:crypto';

export interface OktaEvent {
  readonly uuid: string;
  readonly published: string;
  readonly [member: string]: unknown;
}

/** A synthetic event; all are different. */
export function oktaEvent(number: number, publishedMs: number, more: Record<string, unknown> = {}): OktaEvent {
  return {
    uuid: randomUUID(),
    published: new Date(publishedMs).toISOString(),
    eventType: ['user.session.start', 'user.authentication.sso', 'user.mfa.factor.activate'][number % 3],
    version: '0',
    severity: 'INFO',
    displayMessage: 'User login to Okta',
    actor: {
      id: `00u${number % 7}`,
      type: 'User',
      alternateId: `person${number % 7}@example.com`,
      displayName: 'Person',
    },
    client: {
      ipAddress: `203.0.113.${number % 250}`,
      userAgent: { browser: 'CHROME', os: 'Windows 10', rawUserAgent: 'Mozilla/5.0' },
    },
    outcome: { result: 'SUCCESS', reason: null },
    target: [{ id: `0oa${number % 5}`, type: 'AppInstance', displayName: 'Wiki', alternateId: 'Wiki' }],
    transaction: { id: `tx${number}`, type: 'WEB', detail: {} },
    ...more,
  };
}

export function oktaEvents(count: number, endMs: number, stepMs = 1_000): OktaEvent[] {
  return Array.from({ length: count }, (_, index) => oktaEvent(index, endMs - (count - index) * stepMs));
}

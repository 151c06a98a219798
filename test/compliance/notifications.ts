import { at, type InputRecord } from './input-records.ts';

/** A notification that was sent, by default. */
export const notification = (
  id: string,
  createdMs: number,
  more: Readonly<Record<string, unknown>> = {},
): InputRecord => ({
  topic: 'notification',
  type: 'notification',
  id,
  members: {
    createdAt: at(createdMs),
    source: 'policy',
    kind: 'instant',
    channel: 'email',
    decision: 'sent',
    recipients: ['chief@contoso.example'],
    ...more,
  },
});

import { at, type Saying } from './said.ts';

/** Somebody was told of something, unless it says otherwise. */
export const notification = (id: string, createdMs: number, more: Readonly<Record<string, unknown>> = {}): Saying => ({
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

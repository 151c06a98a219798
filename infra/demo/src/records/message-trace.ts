import type { Activity, ActivityContext } from '../activity.ts';

/** Message traces of Exchange: one for each recipient of a message. */
export const messageTraceActivities: readonly Activity[] = [
  {
    by: 'anyone',
    feed: 'microsoft365',
    format: 'exchange.message-trace',
    schedule: 'office hours',
    delay: 'minutes',
    weight: 1,
    record: trace,
  },
];

function trace({ person, address, random, company, atMs }: ActivityContext) {
  const recipient = random.pick(company.employees);
  return {
    Organization: company.plan.domain,
    MessageId: `<${random.guid()}@${company.plan.domain}>`,
    Received: new Date(atMs).toISOString().slice(0, -1),
    SenderAddress: person.userPrincipalName,
    RecipientAddress: recipient.userPrincipalName,
    Subject: random.pick(company.plan.mailSubjects),
    Status: random.bool(0.05) ? 'Quarantined' : 'Delivered',
    ToIP: null,
    FromIP: address,
    Size: random.between(4_000, 90_000),
    MessageTraceId: random.guid(),
  };
}

import { emailId } from '@tenantscope/intake';
import { guidOf } from '../chance.ts';
import type { Company, Person } from '../company.ts';
import type { DemoRecord } from '../demo-record.ts';
import { one } from './file-facts.ts';

/** A message that something in the log or an alert names. */
export interface Mail {
  readonly id: string;
  readonly internetMessageId: string;
  readonly networkMessageId: string;
  readonly subject: string;
  readonly sender: string;
  readonly senderIp: string | null;
  readonly recipients: readonly string[];
  readonly sentMs: number;
  readonly direction: 'inbound' | 'outbound' | 'intraOrg';
  readonly threat: 'phish' | 'malware' | 'spam' | null;
  readonly action: 'delivered' | 'blocked' | 'deliveredAsSpam';
  readonly location: 'inbox' | 'quarantine' | 'junkFolder' | 'sentItems' | 'deletedItems';
  /** The data loss rule that matched it. */
  readonly matched: { readonly policyId: string; readonly policyName: string } | null;
}

interface Told {
  readonly RecordType?: number;
  readonly Operation?: string;
  readonly UserId?: string;
  readonly InternetMessageId?: string;
  readonly NetworkMessageId?: string;
  readonly Subject?: string;
  readonly P1Sender?: string;
  readonly SenderIp?: string;
  readonly Recipients?: readonly string[];
  readonly Item?: { readonly InternetMessageId: string; readonly Subject: string };
  readonly ExchangeMetaData?: {
    readonly From: string;
    readonly To: readonly string[];
    readonly MessageID: string;
    readonly Subject: string;
  };
  readonly PolicyDetails?: readonly { readonly PolicyId: string; readonly PolicyName: string }[];
}

/** The mails of a history: those a filter or a rule had something to say about, and some that were merely sent. */
export function mailsOf(company: Company, history: Iterable<DemoRecord>, sentCount: number): Mail[] {
  const mails: Mail[] = [];
  let sent = 0;
  for (const { record, occurredAtMs } of history) {
    const told = record as Told;
    if (told.RecordType === 2 && told.Operation === 'Send' && sent++ >= sentCount) continue;
    const mail = mailIn(company, told, occurredAtMs);
    if (mail !== null) mails.push(mail);
  }
  return mails;
}

function mailIn(company: Company, told: Told, sentMs: number): Mail | null {
  const usual = { sentMs, senderIp: null, threat: null, action: 'delivered', matched: null } as const;
  if (told.RecordType === 28) {
    return mail(company, told.InternetMessageId ?? '', {
      ...usual,
      subject: told.Subject ?? '',
      sender: told.P1Sender ?? '',
      senderIp: told.SenderIp ?? null,
      recipients: told.Recipients ?? [],
      direction: 'inbound',
      threat: 'phish',
      location: 'inbox',
      networkMessageId: told.NetworkMessageId ?? '',
    });
  }
  if (told.RecordType === 13 && told.ExchangeMetaData) {
    const { From, To, MessageID, Subject } = told.ExchangeMetaData;
    const [policy] = told.PolicyDetails ?? [];
    const matched = policy === undefined ? null : { policyId: policy.PolicyId, policyName: policy.PolicyName };
    const known = {
      subject: Subject,
      sender: From,
      recipients: To,
      direction: 'outbound',
      location: 'sentItems',
    } as const;
    return mail(company, MessageID, { ...usual, ...known, matched });
  }
  if (told.RecordType !== 2 || told.Operation !== 'Send' || !told.Item) return null;
  const recipients = [one(company.people, told.Item.InternetMessageId).userPrincipalName];
  return mail(company, told.Item.InternetMessageId, {
    ...usual,
    subject: told.Item.Subject,
    sender: told.UserId ?? '',
    recipients,
    direction: 'intraOrg',
    location: 'inbox',
  });
}

/** Unwanted mails that only the filter's alerts speak of. The last subject writes itself backwards. */
export function unwantedMails(company: Company, endMs: number): Mail[] {
  return unwanted.map(([subject, sender, threat], index) => {
    const to = one(company.people, subject, 'recipient');
    return mail(company, `<${guidOf(company.plan.azureTenantId, subject)}@${sender.split('@')[1]}>`, {
      subject,
      sender,
      senderIp: `203.0.113.${100 + index}`,
      recipients: [to.userPrincipalName],
      sentMs: endMs - (index * 3 + 1) * 86_400_000 - index * 1_000_000,
      direction: 'inbound',
      threat,
      action: index % 3 === 1 ? 'deliveredAsSpam' : index % 3 === 2 ? 'delivered' : 'blocked',
      location: index % 3 === 1 ? 'junkFolder' : index % 3 === 2 ? 'deletedItems' : 'quarantine',
      matched: null,
    });
  });
}

const unwanted = [
  ['Voicemail from +00 555 0188', 'pbx@voicehub.test', 'phish'],
  ['Parcel held at customs', 'noreply@parcel-desk.test', 'phish'],
  ['Updated bank details', 'accounts@quillb0ard.test', 'phish'],
  ['Your mailbox is almost full', 'support@mailhold.test', 'phish'],
  ['Scan 0047', 'copier@scan-to-mail.test', 'malware'],
  ['Invoice \u202Exslx.tnuocca', 'ledger@mailhold.test', 'malware'],
] as const;

function mail(
  company: Company,
  internetMessageId: string,
  known: Omit<Mail, 'id' | 'internetMessageId' | 'networkMessageId'> & { networkMessageId?: string },
): Mail {
  const { azureTenantId } = company.plan;
  return {
    networkMessageId: guidOf(azureTenantId, 'delivery', internetMessageId),
    ...known,
    internetMessageId,
    id: emailId(internetMessageId),
  };
}

/** Of our own people. */
export function recipientsAmong(company: Company, { recipients }: Mail): Person[] {
  return company.people.filter((person) => recipients.includes(person.userPrincipalName));
}

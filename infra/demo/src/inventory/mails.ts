import { computeEmailId } from '@tenantscope/intake';
import type { Company, Person } from '../company.ts';
import type { DemoRecord } from '../demo-record.ts';
import { deriveGuid } from '../random.ts';
import { derivePick } from './file-attributes.ts';

/** A message that a log record or an alert refers to. */
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

interface LogRecord {
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

/** The mails of a history: those that a filter or a rule matched, and some that were sent. */
export function collectMails(company: Company, history: Iterable<DemoRecord>, sentCount: number): Mail[] {
  const mails: Mail[] = [];
  let sent = 0;
  for (const { record, occurredAtMs } of history) {
    const logRecord = record as LogRecord;
    if (logRecord.RecordType === 2 && logRecord.Operation === 'Send' && sent++ >= sentCount) continue;
    const mail = readMail(company, logRecord, occurredAtMs);
    if (mail !== null) mails.push(mail);
  }
  return mails;
}

function readMail(company: Company, logRecord: LogRecord, sentMs: number): Mail | null {
  const usual = { sentMs, senderIp: null, threat: null, action: 'delivered', matched: null } as const;
  if (logRecord.RecordType === 28) {
    return mail(company, logRecord.InternetMessageId ?? '', {
      ...usual,
      subject: logRecord.Subject ?? '',
      sender: logRecord.P1Sender ?? '',
      senderIp: logRecord.SenderIp ?? null,
      recipients: logRecord.Recipients ?? [],
      direction: 'inbound',
      threat: 'phish',
      location: 'inbox',
      networkMessageId: logRecord.NetworkMessageId ?? '',
    });
  }
  if (logRecord.RecordType === 13 && logRecord.ExchangeMetaData) {
    const { From, To, MessageID, Subject } = logRecord.ExchangeMetaData;
    const [policy] = logRecord.PolicyDetails ?? [];
    const matched = policy === undefined ? null : { policyId: policy.PolicyId, policyName: policy.PolicyName };
    const members = {
      subject: Subject,
      sender: From,
      recipients: To,
      direction: 'outbound',
      location: 'sentItems',
    } as const;
    return mail(company, MessageID, { ...usual, ...members, matched });
  }
  if (logRecord.RecordType !== 2 || logRecord.Operation !== 'Send' || !logRecord.Item) return null;
  const recipients = [derivePick(company.employees, logRecord.Item.InternetMessageId).userPrincipalName];
  return mail(company, logRecord.Item.InternetMessageId, {
    ...usual,
    subject: logRecord.Item.Subject,
    sender: logRecord.UserId ?? '',
    recipients,
    direction: 'intraOrg',
    location: 'inbox',
  });
}

/** Unwanted mails that only alerts refer to. The last subject contains a right-to-left override. */
export function createUnwantedMails(company: Company, endMs: number): Mail[] {
  return unwanted.map(([subject, sender, threat], index) => {
    const to = derivePick(company.employees, subject, 'recipient');
    return mail(company, `<${deriveGuid(company.plan.azureTenantId, subject)}@${sender.split('@')[1]}>`, {
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
  members: Omit<Mail, 'id' | 'internetMessageId' | 'networkMessageId'> & { networkMessageId?: string },
): Mail {
  const { azureTenantId } = company.plan;
  return {
    networkMessageId: deriveGuid(azureTenantId, 'delivery', internetMessageId),
    ...members,
    internetMessageId,
    id: computeEmailId(internetMessageId),
  };
}

/** The recipients that are employees. */
export function findRecipients(company: Company, { recipients }: Mail): Person[] {
  return company.employees.filter((person) => recipients.includes(person.userPrincipalName));
}

import type { AlertEmail, AlertFile, SecurityAlert } from '@tenantscope/contract';
import { isAddress, isEmail, readCountry, readFilePath, readMd5 } from '../texts.ts';
import { compact } from './event.ts';
import { describeSystem } from './log-objects.ts';

const verdicts: Readonly<Record<string, readonly [number, string]>> = {
  unknown: [0, 'Unknown'],
  suspicious: [4, 'Suspicious'],
  noThreatsFound: [5, 'Benign'],
};

/** A verdict that the schema does not list, such as malicious, has the name that the provider gives it. */
function describeVerdict(verdict: string | null) {
  if (verdict === null) return {};
  const [verdict_id, caption] = (Object.hasOwn(verdicts, verdict) ? verdicts[verdict] : undefined) ?? [99, verdict];
  return { verdict_id, verdict: caption };
}

/** Users, devices, files, addresses and mails of an alert, each a piece of evidence. */
export const describeEvidence = ({ users, devices, files, ips, emails }: SecurityAlert) => [
  ...users.map(({ id, name, userPrincipalName, verdict }) => ({
    user: compact({
      uid: id,
      name: userPrincipalName ?? name ?? id,
      display_name: name,
      email_addr: isEmail(userPrincipalName) ? userPrincipalName : null,
    }),
    ...describeVerdict(verdict),
  })),
  ...devices.map(({ id, name, os, azureAdDeviceId, verdict }) => ({
    device: compact({
      type_id: 0,
      uid: id,
      name: name ?? id,
      hostname: name,
      uid_alt: azureAdDeviceId === id ? null : azureAdDeviceId,
      os: describeSystem(os),
    }),
    ...describeVerdict(verdict),
  })),
  ...files.map((file) => ({ file: describeFile(file), ...describeVerdict(file.verdict) })),
  ...ips
    .filter(({ id }) => isAddress(id))
    .map(({ id, country, verdict }) => ({
      src_endpoint: compact({ ip: id, location: compact({ country: readCountry(country).code }) }),
      ...describeVerdict(verdict),
    })),
  ...emails.flatMap((email) => describeMail(email)),
];

const algorithms = { md5: [1, 'MD5'], sha1: [2, 'SHA-1'], sha256: [3, 'SHA-256'] } as const;

function describeFile(file: AlertFile) {
  const { id, name, sha1, sha256, size } = file;
  const { path, folder } = readFilePath(file);
  const hashes = Object.entries({ sha256, sha1, md5: readMd5(file) }).flatMap(([kind, value]) => {
    const [algorithm_id, algorithm] = algorithms[kind as keyof typeof algorithms];
    return value === null ? [] : [{ algorithm_id, algorithm, value }];
  });
  return compact({ name: name ?? id, type_id: 1, path, parent_folder: folder, size, hashes, uid: id });
}

/** A mail without a valid sender and recipient is left to the observables. */
function describeMail({ id, sender, recipient, subject, internetMessageId, verdict }: AlertEmail) {
  const from = isEmail(sender) ? sender : null;
  const to = isEmail(recipient) ? [recipient] : [];
  if (from === null && to.length === 0) return [];
  return [
    { email: compact({ uid: id, from, to, subject, message_uid: internetMessageId }), ...describeVerdict(verdict) },
  ];
}

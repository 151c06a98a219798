import type { AlertEmail, AlertFile, SecurityAlert } from '@tenantscope/contract';
import { isAddress, isEmail } from '../texts.ts';
import { compact } from './event.ts';
import { describeSystem } from './log-objects.ts';

/** Users, devices, files, addresses and mails of an alert, each a piece of evidence. */
export const describeEvidence = ({ users, devices, files, ips, emails }: SecurityAlert) => [
  ...users.map(({ id, name, userPrincipalName, verdict }) => ({
    user: compact({
      uid: id,
      name: userPrincipalName ?? name ?? id,
      display_name: name,
      email_addr: isEmail(userPrincipalName) ? userPrincipalName : null,
    }),
    ...compact({ verdict }),
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
    ...compact({ verdict }),
  })),
  ...files.map((file) => ({ file: describeFile(file), ...compact({ verdict: file.verdict }) })),
  ...ips
    .filter(({ id }) => isAddress(id))
    .map(({ id, country, verdict }) => ({
      src_endpoint: compact({ ip: id, location: compact({ country }) }),
      ...compact({ verdict }),
    })),
  ...emails.flatMap((email) => describeMail(email)),
];

const algorithms = { sha1: [2, 'SHA-1'], sha256: [3, 'SHA-256'] } as const;

function describeFile({ id, name, path, sha1, sha256, size }: AlertFile) {
  const hashes = Object.entries({ sha256, sha1 }).flatMap(([kind, value]) => {
    const [algorithm_id, algorithm] = algorithms[kind as keyof typeof algorithms];
    return value === null ? [] : [{ algorithm_id, algorithm, value }];
  });
  return compact({ name: name ?? id, type_id: 1, path, size, hashes, uid: id });
}

/** A mail without a valid sender and recipient is left to the observables. */
function describeMail({ id, sender, recipient, subject, internetMessageId, verdict }: AlertEmail) {
  const from = isEmail(sender) ? sender : null;
  const to = isEmail(recipient) ? [recipient] : [];
  if (from === null && to.length === 0) return [];
  return [{ email: compact({ uid: id, from, to, subject, message_uid: internetMessageId }), ...compact({ verdict }) }];
}

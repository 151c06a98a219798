import type { ActorType } from '@tenantscope/contract';
import type { Actor } from '../activity/activity.ts';
import type { RowReader } from '../activity/row-reader.ts';
import { unknownActor } from './table-reading.ts';

/**
 * The account in the columns `AccountObjectId`, `AccountUpn`, `AccountSid`, … with a prefix such as `InitiatingProcess`.
 * Local accounts have a name, a domain and a SID only.
 */
export function readAccount(row: RowReader, prefix: string): Actor {
  const column = (name: string) => `${prefix}Account${name}`;
  const sid = row.columns[column('Sid')];
  const id = row.text(column('ObjectId'), column('Sid'), column('Id'), column('Upn'), column('Name'));
  const name = row.text(column('Upn'), column('DisplayName'), column('Name'));
  if (id === null && name === null) return unknownActor;
  const type = isService(sid, row.columns[column('Domain')]) ? 'system' : readPersonType(name ?? id ?? '');
  return { id, name, type };
}

/** A guest in any spelling, else a user. */
export function readPersonType(name: string): ActorType {
  return guest.test(name) ? 'guest' : 'user';
}

/** Accounts of Windows itself: the local system and its services, virtual accounts, and the account of the computer. */
function isService(sid: unknown, domain: unknown): boolean {
  return (
    (typeof sid === 'string' && serviceSid.test(sid)) || (typeof domain === 'string' && serviceDomain.test(domain))
  );
}

const guest = /#ext#|^urn:spo:guest#/i;
/** 18 to 20: system, local and network service; 80 services, 90 window manager, 96 font driver host. */
const serviceSid = /^S-1-5-(?:18|19|20|(?:80|90|96)-[\d-]+)$/;
const serviceDomain = /^(?:nt authority|nt service|window manager|font driver host)$/i;

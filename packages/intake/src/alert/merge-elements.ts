import {
  type AlertApp,
  type AlertDevice,
  type AlertEmail,
  type AlertFile,
  type AlertGroup,
  type AlertIp,
  type AlertUser,
  alertElementsMax,
} from '@tenantscope/contract';
import type { AlertElements } from './alert.ts';

interface Element {
  readonly id: string;
  readonly roles?: readonly string[];
  readonly verdict?: string | null;
}

/** An element as found in evidence; without an id it is dropped. */
export type FoundElement<One extends Element> = Omit<One, 'id'> & { readonly id: string | null };

/** What one piece of evidence is about. */
export interface FoundElements {
  readonly users?: readonly FoundElement<AlertUser>[];
  readonly groups?: readonly FoundElement<AlertGroup>[];
  readonly emails?: readonly FoundElement<AlertEmail>[];
  readonly apps?: readonly FoundElement<AlertApp>[];
  readonly devices?: readonly FoundElement<AlertDevice>[];
  readonly files?: readonly FoundElement<AlertFile>[];
  readonly ips?: readonly FoundElement<AlertIp>[];
}

/** All pieces of the evidence of an alert. */
export function collectElements(found: readonly FoundElements[]): AlertElements {
  return {
    users: mergeElements(found.flatMap(({ users }) => users ?? [])),
    groups: mergeElements(found.flatMap(({ groups }) => groups ?? [])),
    emails: mergeElements(found.flatMap(({ emails }) => emails ?? [])),
    apps: mergeElements(found.flatMap(({ apps }) => apps ?? [])),
    devices: mergeElements(nameInDirectory(found.flatMap(({ devices }) => devices ?? []))),
    files: mergeElements(found.flatMap(({ files }) => files ?? [])),
    ips: mergeElements(found.flatMap(({ ips }) => ips ?? [])),
  };
}

/** A file names its device by the id in Defender alone: it is the device that other evidence names by both ids. */
function nameInDirectory(devices: readonly FoundElement<AlertDevice>[]): readonly FoundElement<AlertDevice>[] {
  const directoryIds = new Map<string, string>();
  for (const { azureAdDeviceId, defenderDeviceId } of devices) {
    if (azureAdDeviceId !== null && defenderDeviceId !== null) directoryIds.set(defenderDeviceId, azureAdDeviceId);
  }
  if (directoryIds.size === 0) return devices;
  return devices.map((device) => ({ ...device, id: directoryIds.get(device.defenderDeviceId ?? '') ?? device.id }));
}

/**
 * Merges elements by id, in the order of first mention. Later evidence fills in what earlier evidence leaves null; roles are
 * combined; the most severe verdict wins.
 */
export function mergeElements<One extends Element>(found: readonly FoundElement<One>[]): One[] {
  const byId = new Map<string, One>();
  for (const element of found) {
    if (element.id === null) continue;
    const existing = byId.get(element.id);
    if (existing !== undefined) byId.set(element.id, merge(existing, element as One));
    else if (byId.size < alertElementsMax) byId.set(element.id, element as One);
  }
  return [...byId.values()];
}

/** A user with nothing but an address. */
export function toAddressUser(address: string): AlertUser {
  return { id: address, name: null, userPrincipalName: address, roles: [], verdict: null };
}

function merge<One extends Element>(existing: One, addition: One): One {
  const merged: { [name: string]: unknown } = Object.fromEntries(Object.entries(existing));
  for (const [name, value] of Object.entries(addition)) merged[name] ??= value;
  if (existing.roles !== undefined) merged.roles = [...new Set([...existing.roles, ...(addition.roles ?? [])])];
  if (addition.verdict !== undefined) merged.verdict = pickGraver(existing.verdict ?? null, addition.verdict);
  return merged as unknown as One;
}

function pickGraver(one: string | null, other: string | null): string | null {
  return verdicts.indexOf(other ?? '') > verdicts.indexOf(one ?? '') ? other : (one ?? other);
}

/** From harmless to severe; an unlisted verdict never replaces a listed one. */
const verdicts = ['unknown', 'noThreatsFound', 'suspicious', 'malicious'];

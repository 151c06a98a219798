import {
  type AlertDevice,
  type AlertFile,
  type AlertIp,
  type AlertUser,
  formatTime,
  readAddress,
} from '@tenantscope/contract';
import { firstGuid, firstId } from '../field/guid.ts';
import { toEpochMs } from '../field/time.ts';
import { firstText, type Json, toInteger, toList, toText } from '../json/value.ts';
import type { FoundElement } from './merge-elements.ts';

/** Roles and verdict that a provider gives a piece of evidence. */
export interface Judgement {
  readonly roles: string[];
  readonly verdict: string | null;
}

export const noJudgement: Judgement = { roles: [], verdict: null };

type Found = Readonly<Record<string, Json | undefined>>;

export function foundUser(
  { azureAdUserId, sid, address, name, displayName }: Found,
  judgement = noJudgement,
): FoundElement<AlertUser> {
  const userPrincipalName = toText(address);
  return {
    id: firstId(azureAdUserId, sid, userPrincipalName, name),
    name: firstText(displayName, name),
    userPrincipalName,
    ...judgement,
  };
}

/** By its id in the directory, which the device entity has, else by its id in Defender, else by its name. */
export function foundDevice(
  { azureAdDeviceId, defenderDeviceId, name, os, osVersion }: Found,
  judgement = noJudgement,
): FoundElement<AlertDevice> {
  const inDirectory = firstGuid(azureAdDeviceId);
  const system = toText(os);
  const version = toText(osVersion);
  return {
    id: inDirectory ?? firstText(defenderDeviceId, name),
    name: toText(name),
    azureAdDeviceId: inDirectory,
    defenderDeviceId: toText(defenderDeviceId),
    os: system === null || version === null || version === system ? system : `${system} ${version}`,
    ...judgement,
  };
}

/** By its hash, else by its place. MD5 is no member of a file: it is the id where a provider has nothing better. */
export function foundFile(
  { name, path, sha256, sha1, md5, size }: Found,
  judgement = noJudgement,
): FoundElement<AlertFile> {
  const hashes = { sha256: toText(sha256)?.toLowerCase() ?? null, sha1: toText(sha1)?.toLowerCase() ?? null };
  const parts = [toText(path), toText(name)].filter((part) => part !== null);
  const place = parts.join(parts[0]?.includes('/') ? '/' : '\\');
  return {
    id: hashes.sha256 ?? hashes.sha1 ?? toText(md5)?.toLowerCase() ?? (place || null),
    name: toText(name),
    path: toText(path),
    ...hashes,
    size: toInteger(size),
    ...judgement,
  };
}

/** Null as id where the text is no address. */
export function foundIp(
  address: Json | undefined,
  country: Json | undefined,
  judgement = noJudgement,
): FoundElement<AlertIp> {
  const text = toText(address);
  return { id: text === null ? null : readAddress(text), country: toText(country), ...judgement };
}

export function formatReceivedTime(value: Json | undefined): string | null {
  const ms = toEpochMs(value);
  return ms === null ? null : formatTime(ms);
}

export function toTexts(value: Json | undefined): string[] {
  return toList(value).flatMap((each) => toText(each) ?? []);
}

import { createHash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const prefix = 'tscope_live_';
const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const randomLength = 43;
const checksumLength = 6;
const displayLength = 8;

/** Finds values in the form of a key inside any text. */
export const secretPattern = /tscope_live_[0-9A-Za-z]{49}/;
const wholeSecret = /^tscope_live_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;

/** 256 random bits and their checksum, in the alphabet that a double click selects whole. */
export function makeSecret(): string {
  const random = base62(BigInt(`0x${randomBytes(32).toString('hex')}`), randomLength);
  return `${prefix}${random}${computeChecksum(random)}`;
}

/** Whether a text has the form of a key and its checksum fits: a typo or a guess costs no look-up. */
export function isWellFormedSecret(text: string): boolean {
  const found = wholeSecret.exec(text);
  return found !== null && computeChecksum(found[1] as string) === found[2];
}

/** What is stored of a key. 256 random bits need no salt and no slow hash. */
export function hashSecret(secret: string): Buffer {
  return createHash('sha256').update(secret).digest();
}

/** The part of a key that may be shown again, to tell keys apart. */
export const readKeyDisplay = (secret: string): string => secret.slice(prefix.length, prefix.length + displayLength);

const computeChecksum = (random: string): string => base62(BigInt(crc32(random)), checksumLength);

function base62(value: bigint, length: number): string {
  let rest = value;
  let out = '';
  while (rest > 0n) {
    out = digits.charAt(Number(rest % 62n)) + out;
    rest /= 62n;
  }
  return out.padStart(length, '0');
}

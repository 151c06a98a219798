import { isIP } from 'node:net';
import { readAddress } from '@tenantscope/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstAddress } from '../src/field/address.ts';

test.each([
  ['203.0.113.7', '203.0.113.7'],
  [' 203.0.113.7 ', '203.0.113.7'],
  ['203.0.113.7:52431', '203.0.113.7'],
  ['[1.2.2.3]:7972', '1.2.2.3'],
  ['[2001:db8::7]', '2001:db8::7'],
  ['[2001:db8::7]:443', '2001:db8::7'],
  ['2A02:CF40:ADD:4002:91F2:A9B2:E09A:6FC6', '2a02:cf40:add:4002:91f2:a9b2:e09a:6fc6'],
  ['2001:0db8:0000:0000:0000:0000:0000:0001', '2001:db8::1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:0:0:1:0:0:0:1', '2001:0:0:1::1'],
  ['::', '::'],
  ['::1', '::1'],
  ['fe80::1%eth0', 'fe80::1'],
  ['[fe80::1%25eth0]:80', 'fe80::1'],
  ['::ffff:10.11.0.229', '10.11.0.229'],
  ['::FFFF:0a0b:00e5', '10.11.0.229'],
  ['ffff:10.11.0.229', '10.11.0.229'],
  ['64:ff9b::192.0.2.33', '64:ff9b::c000:221'],
  ['MAILBOX1 (10.90.0.1)', '10.90.0.1'],
  ['[MAILBOX1 (10.90.0.1)]', '10.90.0.1'],
  ['MAILBOX1 (2001:db8::7)', '2001:db8::7'],
  ['MAILBOX1 (10.90.0.1:25)', '10.90.0.1'],
])('the text %s contains the address %s', (text, address) => {
  expect(readAddress(text)).toBe(address);
});

test.each([
  '',
  '<null>',
  'unknown',
  'Not Available',
  'localhost',
  'DB6PR04MB3206 (15.20.4129.032)',
  '2a02',
  '1.2.3',
  '1.2.3.4.5',
  '256.1.1.1',
  '010.1.1.1',
  '1.2.3.4:port',
  '2001:db8::7::1',
  '[]',
  '()',
  '% ',
])('the text %s contains no address', (text) => {
  expect(readAddress(text)).toBeNull();
});

test('the first member with an address is used, whatever the other members contain', () => {
  expect(firstAddress(undefined, null, '', 7, 'Not Available', '[2001:db8::7]:1', '1.2.3.4')).toBe('2001:db8::7');
  expect(firstAddress({ ip: '1.2.3.4' }, ['1.2.3.4'])).toBeNull();
});

test.each([
  ['20.92.177.18, 162.158.2.18, 147.243.116.119', '20.92.177.18'],
  ['unknown, [2001:DB8::7]:443', '2001:db8::7'],
  ['203.0.113.7:52431;10.0.0.1', '203.0.113.7'],
  ['unknown, ,;', null],
])('of the list %s the first address is %s', (text, address) => {
  expect(firstAddress(text)).toBe(address);
});

test('every address has one canonical text, whatever its notation and wrapping', () => {
  const wrap = fc.constantFrom(
    (ip: string) => ip,
    (ip: string) => `[${ip}]:443`,
    (ip: string) => `HOST (${ip})`,
    (ip: string) => `[HOST (${ip.toUpperCase()})]`,
  );
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), wrap, (ip, wrapped) => {
      const address = readAddress(wrapped(ip)) as string;
      expect(isIP(address)).not.toBe(0);
      expect(readAddress(address)).toBe(address);
      expect(readAddress(ip)).toBe(address);
      expect(address).toBe(canonical(ip));
    }),
  );
});

test('the parser never throws and returns only valid addresses', () => {
  fc.assert(fc.property(fc.string(), (text) => isIP(readAddress(text) ?? '::') !== 0));
});

/** The address as the URL standard writes it, with IPv4 inside IPv6 taken out. */
function canonical(ip: string): string {
  if (isIP(ip) === 4) return ip;
  const host = new URL(`http://[${ip}]/`).hostname.slice(1, -1);
  const [, high, low] = /^::ffff:([0-9a-f]+):([0-9a-f]+)$/.exec(host) ?? [];
  if (high === undefined || low === undefined) return host;
  return [high, low]
    .map((group) => Number.parseInt(group, 16))
    .flatMap((group) => [group >> 8, group & 255])
    .join('.');
}

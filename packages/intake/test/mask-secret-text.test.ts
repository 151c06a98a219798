import { expect, test } from 'vitest';
import { maskSecretText } from '../src/field/mask-secret-text.ts';

const value = 'abcdefghijklmnop';
const jwt = `eyJ${value}.${value}.${value}`;

test.each([
  '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
  jwt,
  ...['tscope_live_', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'sk-', 'xoxa-', 'xoxb-', 'xoxp-', 'xoxr-'],
  ...['xoxs-', 'AIza', 'glpat-', 'npm_'],
  'AKIAABCDEFGHIJKLMNOP',
  'ASIAABCDEFGHIJKLMNOP',
])('a key that begins like %s is masked alone and inside of prose', (start) => {
  const key = start.length > 16 ? start : start + value;
  expect(maskSecretText(key)).toBe('[removed]');
  expect(maskSecretText(`the value ${key}`)).toBe('the value [removed]');
});

test.each(['sig', 'signature', 'token', 'access_token', 'id_token', 'code', 'key', 'SIG', 'Code'])(
  'the value of the parameter %s of a URL is masked',
  (name) => {
    expect(maskSecretText(`https://contoso.example/a?x=1&${name}=z9`)).toBe(
      `https://contoso.example/a?x=1&${name}=[removed]`,
    );
    expect(maskSecretText(`?${name}=z9`)).toBe(`?${name}=[removed]`);
  },
);

const names = 'password passphrase passwd pwd secret client_secret shared-secret apikey api_key access-key account_key';
const tokens = 'access_token auth-token refreshtoken sas_token bearer';
test.each(`${names} ${tokens}`.split(' ').flatMap((name) => [name, name.toUpperCase()]))(
  'what is assigned to %s is masked',
  (name) => {
    expect(maskSecretText(`${name}: hunter22`)).toBe(`${name}: [removed]`);
    expect(maskSecretText(`set "${name}"="hunter22", then save`)).toBe(`set "${name}"="[removed]", then save`);
  },
);

test.each([
  'https://contoso.example/sites/finance/report.xlsx',
  'Mozilla/5.0 (Windows NT 10.0)',
  'the keyboard = loud',
])('%s has no secret', (text) => {
  expect(maskSecretText(text)).toBe(text);
});

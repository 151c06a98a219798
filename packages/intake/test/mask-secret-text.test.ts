import { expect, test } from 'vitest';
import { maskSecretText } from '../src/field/mask-secret-text.ts';

const value = 'abcdefghijklmnop';
const jwt = `eyJ${value}.${value}.${value}`;

test.each([
  '-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----',
  jwt,
  ...['tscope_live_', 'ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_', 'github_pat_', 'sk-', 'xoxa-', 'xoxb-', 'xoxp-', 'xoxr-'],
  ...['xoxs-', 'xapp-', 'AIza', 'GOCSPX-', 'ya29.', 'glpat-', 'npm_'],
  'AKIAABCDEFGHIJKLMNOP',
  'ASIAABCDEFGHIJKLMNOP',
])('a key that begins like %s is masked alone and inside of prose', (start) => {
  const key = start.length > 16 ? start : start + value;
  expect(maskSecretText(key)).toBe('[removed]');
  expect(maskSecretText(`the value ${key}`)).toBe('the value [removed]');
});

const urlParameters =
  'sig signature token access_token id_token refresh_token client_secret password pwd api_key code key SIG Code';
test.each(urlParameters.split(' '))('the value of the parameter %s of a URL is masked', (name) => {
  expect(maskSecretText(`https://contoso.example/a?x=1&${name}=z9`)).toBe(
    `https://contoso.example/a?x=1&${name}=[removed]`,
  );
  expect(maskSecretText(`?${name}=z9`)).toBe(`?${name}=[removed]`);
  expect(maskSecretText(`/a?${name}=z9&state=on`)).toBe(`/a?${name}=[removed]&state=on`);
});

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
  ['curl -H "Authorization: Basic YWRhOkh1bnRlcg==" x', 'curl -H "Authorization: Basic [removed]" x'],
  ['Authorization: SSWS 00abcdef', 'Authorization: SSWS [removed]'],
  ['https://ada:Hunter22@files.contoso.example/x', 'https://ada:[removed]@files.contoso.example/x'],
  ['git clone https://:Hunter:22@git.contoso.example', 'git clone https://:[removed]@git.contoso.example'],
  [`set ${value.slice(0, 3)}8Q~${value}${value}ab`, 'set [removed]'],
  [`https://hooks.slack.com/services/T0/B0/${value}`, 'https://hooks.slack.com/services/[removed]'],
  [
    `https://contoso.webhook.office.com/webhookb2/1-a@2-b/IncomingWebhook/${value}/3-c`,
    'https://contoso.webhook.office.com/webhookb2/1-a@2-b/IncomingWebhook/[removed]',
  ],
  ['https://contoso.example/a#id_token=z9&x=1', 'https://contoso.example/a#id_token=[removed]&x=1'],
])('%s is masked', (text, shown) => {
  expect(maskSecretText(text)).toBe(shown);
});

test.each([
  ['Server=db;Uid=sa;Pwd=sa1;', 'Server=db;Uid=sa;Pwd=[removed];'],
  ['pwd=x', 'pwd=[removed]'],
  ['set password="abc" now', 'set password="[removed]" now'],
  ['Password: ab12, then save', 'Password: [removed], then save'],
  ['passwd = 12345', 'passwd = [removed]'],
])('a short password is masked: %s', (text, masked) => {
  expect(maskSecretText(text)).toBe(masked);
});

test.each([
  'Password: reset by ada',
  'password: null',
  'Expire password: 90 days',
  'ResetPassword=true',
  'password=no; retries=1',
  'StrongPassword=False',
  'PasswordLength=8',
  'token: x1',
  'the error code=0x8007',
])('%s has no short password', (text) => {
  expect(maskSecretText(text)).toBe(text);
});

test.each([
  ['net user bo Hunter22! /add', 'net user bo [removed] /add'],
  ['"C:\\Windows\\net.exe" user "Bo Li" "two words" /add', '"C:\\Windows\\net.exe" user "Bo Li" [removed] /add'],
  ['cmd.exe /c "net1 user bo Hunter22 && whoami"', 'cmd.exe /c "net1 user bo [removed] && whoami"'],
  ['{"CommandLine":"cmd /c \\"net user bo x\\""}', '{"CommandLine":"cmd /c \\"net user bo [removed]\\""}'],
  ['net use Z: \\\\srv\\c$ /user:bo Hunter22', 'net use Z: \\\\srv\\c$ /user:bo [removed]'],
  ['sqlcmd -S srv -U sa -P Hunter22 -Q x', 'sqlcmd -S srv -U sa -P [removed] -Q x'],
  ['mysql -u root -pHunter22 db', 'mysql -u root -p[removed] db'],
  ['plink.exe -ssh bo@h -pw Hunter22 ls', 'plink.exe -ssh bo@h -pw [removed] ls'],
  ['PsExec64.exe \\\\h -u bo -p Hunter22 cmd', 'PsExec64.exe \\\\h -u bo -p [removed] cmd'],
  ['sshpass -p x ssh h', 'sshpass -p [removed] ssh h'],
  ['schtasks /create /tn x /ru bo /rp x', 'schtasks /create /tn x /ru bo /rp [removed]'],
  ['cmdkey /add:h /user:bo /pass:x', 'cmdkey /add:h /user:bo /pass:[removed]'],
  ['curl -s -u "bo:x y" https://h', 'curl -s -u "bo:[removed]" https://h'],
  ['curl -ubo:x https://h', 'curl -ubo:[removed] https://h'],
])('the password of a program is masked: %s', (text, masked) => {
  expect(maskSecretText(text)).toBe(masked);
});

test.each([
  'net user bo * /add',
  'net user bo /domain',
  'net use Z: \\\\srv\\c$ /delete',
  'the net user count grew by 5',
  'mysqldump -u root -p db',
  'curl --url https://contoso.example -p -o x',
  'https://contoso.example/sites/finance/report.xlsx',
  'https://contoso.example:8443/mail/ada@contoso.example',
  'https://contoso.example:8443?user=ada@contoso.example',
  'basic training for Authorization',
  'Mozilla/5.0 (Windows NT 10.0)',
  'the keyboard = loud',
])('%s has no secret', (text) => {
  expect(maskSecretText(text)).toBe(text);
});

test('a long text of beginnings of tokens stays, with the keys in it masked', () => {
  const beginnings = 'eyJ'.repeat(300_000);
  expect(maskSecretText(beginnings)).toBe(beginnings);
  expect(maskSecretText(`${beginnings}.${value}`)).toBe(`${beginnings}.${value}`);
  expect(maskSecretText(`eyJ${value}-ghp_${value}`)).toBe(`eyJ${value}-[removed]`);
  expect(maskSecretText(`${beginnings} ${jwt}`)).toBe(`${beginnings} [removed]`);
});

test.each([
  ['-Name "x" -Password "Hunter22!pass"', '-Name "x" -Password [removed]'],
  ['-Password "two words" -Name x', '-Password [removed] -Name x'],
  ['-Password "a""b`"c" -Name x', '-Password [removed] -Name x'],
  ["-NewPassword 'it''s x' -Name x", '-NewPassword [removed] -Name x'],
  ['-Password:x -Name x', '-Password:[removed] -Name x'],
  ['curl --client-secret x -o y', 'curl --client-secret [removed] -o y'],
  ['pwsh -Command "New-LocalUser bo -Password pw1"', 'pwsh -Command "New-LocalUser bo -Password [removed]"'],
  ['{"Command":"x -Password \\"a b\\" -Name y"}', '{"Command":"x -Password [removed] -Name y"}'],
  ['-Password (ConvertTo-SecureString "x" -Force) -Name y', '-Password [removed] -Name y'],
  [
    '$p = ConvertTo-SecureString -String "x" -AsPlainText',
    '$p = ConvertTo-SecureString -String [removed] -AsPlainText',
  ],
  ['-Password "cut off', '-Password [removed]'],
])('the value of a parameter is masked: %s', (text, masked) => {
  expect(maskSecretText(text)).toBe(masked);
});

const pairs = [
  { Name: 'Identity', Value: 'bo' },
  { Name: 'Password', Value: 'a "b" \\' },
  { key: 'clientSecret', value: 7 },
  { Password: 'two words', Name: 'x', token: 'a', pin: { apiKey: 12, secretCount: 3 }, credentials: [{ keyId: 'k' }] },
  { Name: 'AccessToken', Type: 'list', OldValue: ['x', ']'], NewValue: { a: 'x' } },
  { Name: 'ResetPassword', Value: 'True' },
  { Value: 'a "b" \\', Name: 'Password' },
  { OldValue: 7, NewValue: 'x', Type: 'text', DisplayName: 'apiKey' },
  { OldValue: 'x', Name: 'Password', NewValue: 'y' },
  { Value: { Name: 'Password', Value: 'x' }, Name: 'Identity' },
  { Value: '7', Name: 'Identity', Password: 'x' },
];
const maskedPairs = [
  { Name: 'Identity', Value: 'bo' },
  { Name: 'Password', Value: '[removed]' },
  { key: 'clientSecret', value: '[removed]' },
  {
    ...{ Password: '[removed]', Name: 'x', token: '[removed]', pin: { apiKey: '[removed]', secretCount: 3 } },
    credentials: [{ keyId: 'k' }],
  },
  { Name: 'AccessToken', Type: 'list', OldValue: '[removed]', NewValue: '[removed]' },
  { Name: 'ResetPassword', Value: 'True' },
  { Value: '[removed]', Name: 'Password' },
  { OldValue: '[removed]', NewValue: '[removed]', Type: 'text', DisplayName: 'apiKey' },
  { OldValue: '[removed]', Name: 'Password', NewValue: '[removed]' },
  { Value: { Name: 'Password', Value: '[removed]' }, Name: 'Identity' },
  { Value: '7', Name: 'Identity', Password: '[removed]' },
];
test('values are masked by the names next to them, at three depths of JSON in JSON', () => {
  const nest = (value: unknown, depth: number): string =>
    JSON.stringify(depth === 0 ? value : { text: nest(value, depth - 1) });
  for (const depth of [0, 1, 2, 3]) {
    expect(maskSecretText(nest(pairs, depth))).toBe(nest(maskedPairs, depth));
  }
  expect(maskSecretText('[{"Name": "Password", "Value": "cut o')).toBe('[{"Name": "Password", "Value": "[removed]"');
});

test.each([
  '-Password -Reset',
  'uses -Name and -Confirm $false, no key',
  '-ResetPassword $true',
  '{"Name":"Token","Value":null}',
])('%s has no value to mask', (text) => {
  expect(maskSecretText(text)).toBe(text);
});

test.each([
  '-Password "',
  "-Password '",
  '-Password (',
  '-Password ""',
  '"Name":"Password",',
  '"Name":"Password","Value":[',
  '"Name":[',
  `"Name":"'Name':'`,
  '"token":1',
  'net user "',
  'net use \\\\\\\\',
  'sqlcmd ',
  'curl -u ',
  '"Value":1,"Type":"x",',
  '"Value":"x","a":"',
  '"Value":"x","a":[',
  '"Value":"\\"Value\\":\\"',
  '\\',
  '"',
  ' ',
  '"Value":"',
])('a megabyte of %s is read in one pass', (beginning) => {
  expect(maskSecretText(`"Name":"Password"${beginning.repeat(1_000_000 / beginning.length)}`)).toContain('"Name"');
});

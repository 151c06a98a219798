import { expect, test } from 'vitest';
import { maskFreeText, translateMasks } from '../src/evidence/personal-data/mask-personal-data.ts';

test.each([
  ['PESEL', '44051401359'],
  ['PESEL of a person born after 2000', '02270803624'],
  ['Polish identity card', 'ABA300000'],
  ['Polish identity card with a space', 'aba 300000'],
  ['Polish passport', 'ZS0000177'],
  ['German tax id', '86095742719'],
  ['French NIR', '2 55 08 14 168 025 38'],
  ['Spanish DNI', '12345678Z'],
  ['Spanish NIE', 'X-1234567-L'],
  ['Italian codice fiscale', 'RSSMRA85T10A562S'],
  ['Swedish personnummer', '811218-9876'],
  ['Finnish henkilötunnus', '131052-308T'],
  ['Czech rodné číslo', '736028/5163'],
  ['UK NINO', 'AB123456C'],
  ['US SSN', '219-09-9999'],
])('a %s is masked', (_, id) => {
  expect(maskFreeText(`The client (${id}), please.`)).toBe('The client ([national id removed]), please.');
});

test.each([
  ['an order number of 11 digits', '44051401358'],
  ['11 digits whose month does not exist', '44134401359'],
  ['a card number that fails its check', 'ABA300001'],
  ['a DNI with another letter', '12345678A'],
  ['a date and time', '2026-11-23 18:21'],
  ['a telephone number', '+48 22 555 12 34'],
  ['a version', 'v1.2.3-456'],
  ['an id with a valid number inside', 'x44051401359'],
])('%s is not masked', (_, text) => {
  expect(maskFreeText(`See ${text} there`)).toBe(`See ${text} there`);
});

test.each([
  ['anna.kowalska@contoso.example'],
  ["o'neil+agents@contoso.example"],
  ['ada_fabrikam.com#EXT#@contoso.onmicrosoft.com'],
  ['zażółć@gęślą.example'],
])('the address %s is masked', (address) => {
  expect(maskFreeText(`Forward to <${address}>.`)).toBe('Forward to <[mail address removed]>.');
});

test('secrets are masked too, and a text without personal data is unchanged', () => {
  expect(maskFreeText('password: hunter22, ask ada@contoso.example')).toBe(
    'password: [removed], ask [mail address removed]',
  );
  expect(maskFreeText('Answer @mentions in 30 seconds')).toBe('Answer @mentions in 30 seconds');
});

test('hostile texts of a megabyte are masked in two seconds of processor time', { tags: 'exhaustive' }, () => {
  const started = process.cpuUsage();
  for (const unit of ['a@', '1', '@', 'ab 12 ', '1-', '@a.', '1 23 45 ', "'#"])
    maskFreeText(unit.repeat(1_048_576 / unit.length));
  const { user, system } = process.cpuUsage(started);
  expect(user + system).toBeLessThan(2_000_000);
});

test('masks of a Polish page are Polish', () => {
  const masked = maskFreeText('Ask ada@contoso.example, PESEL 44051401359, password: hunter2.');
  expect(translateMasks(masked)).not.toContain('removed');
  expect(translateMasks(masked)).toMatch(/^Ask \[usunięto adres e-mail\], PESEL \[usunięto numer identyfikacyjny\]/);
});

import { maskedText } from './mask-secrets.ts';

/**
 * Masks passwords that programs take by place or by a short switch: `net user bo x /add`, `sqlcmd -U sa -P x`, `mysql -px`,
 * `curl -u bo:x`. They are masked only after the name of such a program.
 */
export function maskProgramPasswords(text: string): string {
  if (!switchHint.test(text) || !programHint.test(text)) return text;
  return patterns.reduce((masked, pattern) => masked.replace(pattern, `$1${maskedText}`), text);
}

/** Both are a part of every match of the patterns below. The first is found faster, and few texts have it. */
const switchHint = /\s(?:use|-p|-u|--user|\/r?p)/i;
const programHint = /net1?(?:\.exe)?["']?\s+use|sqlcmd|osql|mysql|plink|pscp|psexec|sshpass|schtasks|cmdkey|curl/i;

const word = '(?:\\\\?"[^"]*"|[^\\s"]+)';
/** No switch, and not the star at which a program prompts. */
const password = '(?![/*-])(?:\\\\?"[^"]*"|[^\\s"&|<>]*[^\\s"&|<>\\\\])';
/** Words between a program and its switch; bounded, since the search begins at each name. */
const between = '(?:\\.exe)?["\']?\\s[^\\r\\n&|]{0,256}?(?<=\\s)';
/** The program is the first word of a command. */
const net = '(?<=^|[\\\\/"\'&|;]\\s{0,8}|/c\\s{1,8})net1?(?:\\.exe)?["\']?\\s+';
const curlUser = `\\bcurl${between}(?:-u\\s*|--user[\\s=]+)`;

const patterns: readonly RegExp[] = [
  new RegExp(`(${net}user\\s+(?!/)${word}\\s+)${password}(?=\\\\?["']?\\s*(?:$|[/&|"']))`, 'gi'),
  new RegExp(`(${net}use\\s+(?:\\w:\\s+|\\*\\s+)?\\\\\\\\${word}(?:\\s+/\\S+){0,4}\\s+)${password}`, 'gi'),
  new RegExp(`(\\b(?:sqlcmd|osql)${between}-P\\s*)${password}`, 'g'),
  new RegExp(`(\\bmysql(?:dump|admin)?${between}-p)(?=\\S)${password}`, 'g'),
  new RegExp(`(\\b(?:plink|pscp)${between}-pw\\s+)${password}`, 'gi'),
  new RegExp(`(\\bpsexec(?:64)?${between}-p\\s+)${password}`, 'gi'),
  new RegExp(`(\\bsshpass${between}-p\\s*)${password}`, 'gi'),
  new RegExp(`(\\bschtasks${between}/r?p\\s+)${password}`, 'gi'),
  new RegExp(`(\\bcmdkey${between}/pass:)${password}`, 'gi'),
  new RegExp(`(${curlUser}\\\\?"[^:"]{1,128}:)[^"\\\\]+`, 'gi'),
  new RegExp(`(${curlUser}[^\\s:"]{1,128}:)${password}`, 'gi'),
];

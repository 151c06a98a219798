import { maskSecretText } from '@tenantscope/intake/mask-secret-text';
import { maskedText } from '@tenantscope/intake/mask-secrets';
import { nationalIdForms } from './national-ids.ts';

const addressMask = '[mail address removed]';
const nationalIdMask = '[national id removed]';

/** Also the sign-in names of guests, such as `ada_fabrikam.com#EXT#@contoso.onmicrosoft.com`. */
export const addressPattern = /[\p{L}\p{N}._%+'#~-]{1,128}@[\p{L}\p{N}](?:[\p{L}\p{N}.-]{0,253}[\p{L}\p{N}])?/gu;

/**
 * Masks secrets, mail addresses and national identification numbers in a text that makers of agents wrote. Digests in the
 * pack are those of the original text.
 */
export function maskFreeText(text: string): string {
  const withoutSecrets = maskSecretText(text);
  const withoutAddresses = withoutSecrets.includes('@')
    ? withoutSecrets.replace(addressPattern, addressMask)
    : withoutSecrets;
  if (!/\d/.test(withoutAddresses)) return withoutAddresses;
  return nationalIdForms.reduce(
    (masked, { pattern, isValid }) => masked.replace(pattern, (found) => (isValid(found) ? nationalIdMask : found)),
    withoutAddresses,
  );
}

const polishMasks: readonly (readonly [mask: string, polish: string])[] = [
  [addressMask, '[usunięto adres e-mail]'],
  [nationalIdMask, '[usunięto numer identyfikacyjny]'],
  [maskedText, '[usunięto]'],
];

/** A masked text of a pack for a Polish page. */
export const translateMasks = (text: string): string =>
  polishMasks.reduce((translated, [mask, polish]) => translated.replaceAll(mask, polish), text);

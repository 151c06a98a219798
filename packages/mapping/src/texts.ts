import { isIP } from 'node:net';

/** As the schema defines addresses: longer ones have a zone. */
const addressMax = 40;
export const isAddress = (text: string | null): text is string =>
  text !== null && text.length <= addressMax && isIP(text) !== 0;

const mailbox = /^[a-zA-Z0-9!#$%&'*+\-/=?^_`{|}~.]+@[a-zA-Z0-9-]+\.[a-zA-Z0-9.-]+$/;
export const isEmail = (text: string | null): text is string => text !== null && mailbox.test(text);

const countryCode = /^[A-Z]{2}$/;

/** Providers write countries as codes or as names. */
export function readCountry(country: string | null | undefined): { code?: string; name?: string } {
  if (!country) return {};
  return countryCode.test(country) ? { code: country } : { name: country };
}

const md5 = /^[0-9a-f]{32}$/i;

/** The id of a file of an alert is its MD5 where the provider has no other hash. */
export const readMd5 = (file: { readonly id: string }): string | null => (md5.test(file.id) ? file.id : null);

/** Providers write the folder of a file, and some its whole path. */
export function readFilePath({ name, path }: { readonly name: string | null; readonly path: string | null }) {
  const isWhole =
    path !== null && name !== null && /[\\/]/.test(path.at(-name.length - 1) ?? '') && path.endsWith(name);
  return isWhole ? { path, folder: null } : { path: null, folder: path };
}

import { isIP } from 'node:net';

/** As the schema defines addresses: longer ones have a zone. */
const addressMax = 40;
export const isAddress = (text: string | null): text is string =>
  text !== null && text.length <= addressMax && isIP(text) !== 0;

const mailbox = /^[a-zA-Z0-9!#$%&'*+\-/=?^_`{|}~.]+@[a-zA-Z0-9-]+\.[a-zA-Z0-9.-]+$/;
export const isEmail = (text: string | null): text is string => text !== null && mailbox.test(text);

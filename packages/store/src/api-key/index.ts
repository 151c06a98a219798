export {
  connectKeyDirectory,
  type EndedKey,
  type KeyDirectory,
  type KeyRecord,
  type KeyUsage,
  type KeyUse,
} from './key-directory.ts';
export { hashSecret, isWellFormedSecret, makeSecret, secretPattern } from './secret.ts';

export { fromBase64url, toBase64url } from './base64url.ts';
export { canonicalize, canonicalizeObject, type Json, type JsonObject, NotCanonicalError } from './canonical.ts';
export { type ChainBreak, type ChainLink, type ChainVerdict, verifyChain } from './chain.ts';
export { digestJson, digestMemberNames, isDigest, sha256Hex, uuidV8FromDigest } from './digest.ts';
export { decryptWith, encryptFor, generateRecipientKey, type RecipientKey } from './encryption.ts';
export type { Fault } from './fault.ts';
export { InvalidKeyError, type KeySet, type PublicKey, parseJwks } from './jwks.ts';
export {
  createIntegrity,
  createManifest,
  type Integrity,
  type ManifestEntry,
  manifestMembers,
  type Signature,
} from './manifest.ts';
export { type SignatureVerdict, signDetached, verifyDetached } from './signature.ts';
export { generateSigningKey, parseSigningKey, type SigningKey } from './signing-key.ts';
export { type PackVerdict, verifyPack } from './verify-pack.ts';

export { fromBase64url, toBase64url } from './base64url.ts';
export { canonical, canonicalObject, type Json, type JsonObject, NotCanonical } from './canonical.ts';
export { type ChainBreak, type ChainVerdict, type Link, verifyChain } from './chain.ts';
export { digestOf, isDigest, sha256Hex, uuidV8FromDigest } from './digest.ts';
export { type KeySet, type PublicKey, readJwks, UnusableKey } from './jwks.ts';
export {
  type Integrity,
  integrityOf,
  type ManifestEntry,
  manifestMembers,
  manifestOf,
  type Signature,
} from './manifest.ts';
export { type SignatureVerdict, signDetached, verifyDetached } from './signature.ts';
export { makeSigningKey, readSigningKey, type SigningKey } from './signing-key.ts';
export { type Fault, type PackVerdict, verifyPack } from './verify-pack.ts';

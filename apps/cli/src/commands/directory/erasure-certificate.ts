import { readFile } from 'node:fs/promises';
import { dayMs, productVersion } from '@tenantscope/contract';
import {
  canonicalize,
  type JsonObject,
  type KeySet,
  parseSigningKey,
  type SigningKey,
  signDetached,
  verifyDetached,
} from '@tenantscope/proof';
import type { Erasure, Tenant } from '@tenantscope/store/admin';
import { CommandError } from '../../command-error.ts';
import { currentOperator } from '../../connections/admin-connection.ts';
import { readPublicKeys } from '../../input/public-keys.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatFields } from '../../output/table.ts';
import type { TopicRetention } from './kafka-retention.ts';

const certificateType = 'tenantscope.erasure_certificate';

export interface ErasureFacts {
  readonly tenant: Pick<Tenant, 'id' | 'organizationId' | 'closedAt' | 'erasedAt'>;
  readonly erasure: Erasure;
  readonly topics: readonly TopicRetention[];
  readonly backupDays: number;
}

/**
 * What was deleted and when copies outside of the databases end. The signature is a detached JWS by EdDSA over the RFC 8785 form of `certificate`, as
 * those of evidence packs.
 */
export async function createCertificate({ tenant, erasure, topics, backupDays }: ErasureFacts, key: SigningKey) {
  const finishedMs = Date.parse(erasure.finishedAt);
  const addDays = (days: number) => new Date(finishedMs + days * dayMs).toISOString();
  const deleted = topics.filter(({ isCompacted }) => !isCompacted);
  // Of an unknown retention, as of an unlimited one, no end is certified.
  const longest = Math.max(0, ...deleted.map(({ retentionDays }) => retentionDays ?? Number.POSITIVE_INFINITY));
  const certificate = {
    type: certificateType,
    version: '1',
    tenantId: tenant.id,
    organizationId: tenant.organizationId,
    closedAt: tenant.closedAt,
    begunAt: erasure.begunAt,
    finishedAt: erasure.finishedAt,
    erasedBy: currentOperator(),
    productVersion,
    tables: erasure.tables.map(({ table, rows }) => ({ table, rows })),
    retained: [
      'id, organization and times of the tenant, so that its records are dropped',
      'names and times of its revoked keys, without their hashes being usable',
      'the audit log of its organization, which names administrators and what they changed',
    ],
    kafka: {
      // Topics are shared by tenants: their records end with the retention of each topic.
      until: Number.isFinite(longest) ? addDays(longest) : null,
      topics: topics.map(({ cluster, topic, retentionDays, isCompacted, isUnknown }) => ({
        cluster,
        topic,
        retentionDays,
        isCompacted,
        isUnknown,
      })),
    },
    backups: { days: backupDays, until: addDays(backupDays) },
  } satisfies JsonObject;
  const signature = {
    format: 'JWS',
    alg: 'EdDSA',
    kid: key.kid,
    value: await signDetached(canonicalize(certificate), key),
  };
  return { certificate, signature };
}

export async function readSigningKey(file: string): Promise<SigningKey> {
  try {
    return await parseSigningKey((await readFile(file, 'utf8')).trim());
  } catch (error) {
    throw new CommandError(`${file} cannot be used as a signing key: ${(error as Error).message}`);
  }
}

/** Verifies a certificate offline. */
export async function verifyCertificate(file: string, options: { keys: string }): Promise<CommandResult> {
  const keys = await readPublicKeys(options.keys);
  const read = await readCertificate(file);
  const verdict = await checkSignature(read, keys);
  if (verdict !== null) return { document: { file, valid: false }, text: '', problems: [verdict] };
  const { tenantId, finishedAt } = read.certificate as { tenantId: string; finishedAt: string };
  const fields = {
    tenant: tenantId,
    finishedAt,
    key: read.kid,
    verdict: 'the signature is valid for one of the given keys',
  };
  return { document: { file, valid: true, ...fields }, text: formatFields(Object.entries(fields)) };
}

interface ReadCertificate {
  readonly certificate: JsonObject;
  readonly value: string;
  readonly kid: string;
}

async function readCertificate(file: string): Promise<ReadCertificate> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}`);
  });
  const read = parseCertificate(text);
  if (read === null) throw new CommandError(`${file} is not a certificate of erasure, or was altered`);
  return read;
}

/** Null unless the text has exactly the members that were written: one that is repeated, or added, is not covered by the signature. */
function parseCertificate(text: string): ReadCertificate | null {
  try {
    const { certificate, signature } = JSON.parse(text);
    const { kid, value } = signature;
    const written = JSON.stringify({ certificate, signature: { format: 'JWS', alg: 'EdDSA', kid, value } });
    const isWritten =
      written === text.replace(whiteSpace, '$1') && typeof kid === 'string' && typeof value === 'string';
    return isWritten && certificate.type === certificateType ? { certificate, value, kid } : null;
  } catch {
    return null;
  }
}

/** Between tokens; strings are matched first. */
const whiteSpace = /("(?:[^"\\]|\\.)*")|\s+/g;

async function checkSignature({ certificate, value, kid }: ReadCertificate, keys: KeySet): Promise<string | null> {
  // Of the named key alone: the signature names its key too.
  const named = { keys: keys.keys.filter((key) => key.kid === kid) };
  const verdict = await verifyDetached(value, canonicalize(certificate), named);
  if (verdict === 'valid') return null;
  if (verdict === 'unknownKey') return `no key ${kid} among the given ones`;
  return 'the signature is not one of this certificate: it was altered';
}

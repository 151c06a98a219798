import { setTimeout as sleep } from 'node:timers/promises';
import { isDigest, type JsonObject, type KeySet, verifyChain, verifyDetached } from '@tenantscope/proof';
import type { Admin, ListedSnapshot, StoredSnapshot } from '@tenantscope/store/admin';
import { CommandError, usageError } from '../../command-error.ts';
import { currentOperator, findOpenTenant, findTenant, withAdmin } from '../../connections/admin-connection.ts';
import type { CommandContext } from '../../context.ts';
import { parseInteger } from '../../input/option-parsers.ts';
import { readPublicKeys } from '../../input/public-keys.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { formatFields, formatTable } from '../../output/table.ts';

const pollMs = 250;

/** Requests a snapshot and waits until the jobs process has taken it. */
export async function takeSnapshot(
  options: { tenant: string; wait: string },
  context: CommandContext,
): Promise<CommandResult> {
  const waitMs = parseInteger(options.wait, '--wait', { from: 1, to: 3_600 }) * 1_000;
  return withAdmin(context.environment, async (admin) => {
    const { id: tenantId } = await findOpenTenant(admin, options.tenant);
    const { id } = await admin.snapshots.request(tenantId, currentOperator());
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(pollMs)) {
      const { state, snapshotId, failure } = await admin.snapshots.readRequest(tenantId, id);
      if (state === 'failed') throw new CommandError(failure ?? 'the snapshot could not be taken');
      const taken = snapshotId && (await admin.snapshots.find(tenantId, snapshotId));
      if (taken) return { document: taken, text: formatFields(Object.entries(taken)) };
    }
    throw new CommandError(
      `the snapshot was not taken within ${options.wait} s; check that a jobs process (apps/jobs) is running. The request stays queued`,
    );
  });
}

export async function listSnapshots(
  options: { tenant: string; limit: string },
  context: CommandContext,
): Promise<CommandResult> {
  const limit = parseInteger(options.limit, '--limit', { from: 1, to: 1_000 });
  const found = await withAdmin(context.environment, async (admin) =>
    admin.snapshots.list((await findTenant(admin, options.tenant)).id, limit),
  );
  const text = formatTable(
    found,
    [
      ['taken at', (one) => one.takenAt],
      ['week', (one) => one.period],
      ['late', (one) => (one.late ? 'late' : null)],
      ['taken by', (one) => one.takenBy],
      ['sha256', (one) => one.sha256],
    ],
    'No snapshots.',
  );
  return { document: { data: found }, text };
}

export interface VerifyOptions {
  readonly tenant: string;
  readonly head?: string;
  readonly keys?: string;
}

const reasonMessages = {
  altered: 'was altered: its digest does not match its content',
  notLinked: 'does not link to the snapshot before it: one of the two was altered, or one between them is missing',
  tailMissing: 'is not the last one: the chain does not contain the digest given by --head',
} as const;

const signatureMessages = {
  invalid: 'has a signature that is not valid for these keys and its digest',
  missing: 'is not signed, although an earlier one is: it may have been rewritten',
} as const;

/** Recomputes every digest from the first snapshot. Exit status 0 means that a signature was verified. */
export async function verifySnapshots(options: VerifyOptions, context: CommandContext): Promise<CommandResult> {
  const head = options.head?.trim() ?? null;
  if (head !== null && !isDigest(head)) throw usageError('--head must be a sha256: 64 lower-case hexadecimal digits');
  const keys = options.keys === undefined ? null : await readPublicKeys(options.keys);
  const { tenantId, seen, verdict, signatures } = await withAdmin(context.environment, async (admin) => {
    const { id } = await findTenant(admin, options.tenant);
    const chain = walkChain(admin, id, keys);
    return { tenantId: id, verdict: await verifyChain(chain.links(), head), ...chain };
  });
  const at = verdict.whole ? undefined : (seen[verdict.broken.index] ?? seen.at(-1));
  const broken = verdict.whole
    ? null
    : { id: at?.id ?? null, takenAt: at?.takenAt ?? null, period: at?.period ?? null, reason: verdict.broken.reason };
  const newest = verdict.whole ? verdict.head : null;
  const problems = [
    ...(broken === null ? [] : [`${describeSnapshot(broken)} ${reasonMessages[broken.reason]}`]),
    ...(signatures?.refused ?? []).map((one) => `${describeSnapshot(one)} ${signatureMessages[one.reason]}`),
  ];
  return {
    document: { tenantId, whole: verdict.whole, snapshots: verdict.links, head: newest, broken, signatures },
    text: problems.length === 0 ? formatIntactChain(verdict.links, newest, head !== null, signatures) : '',
    problems,
    unchecked: findUnchecked(signatures),
  };
}

/** What remains unverified when no signature was: undefined if one was. */
function findUnchecked(signatures: Signatures | null): string | undefined {
  if (signatures === null) return 'signatures not checked: pass the public keys with --keys';
  return signatures.valid > 0 ? undefined : 'no snapshot is signed: the origin of the chain cannot be verified';
}

interface Signatures {
  valid: number;
  /** Snapshots before the first signed one. */
  unsigned: number;
  readonly refused: { id: string; takenAt: string; period: string | null; reason: 'invalid' | 'missing' }[];
}

/** Iterates over the links of the chain, and collects the headings and signature counts for the result. */
function walkChain(admin: Admin, tenantId: string, keys: KeySet | null) {
  const seen: ListedSnapshot[] = [];
  const signatures: Signatures | null = keys && { valid: 0, unsigned: 0, refused: [] };
  async function* links() {
    for await (const row of admin.snapshots.chain(tenantId)) {
      const { document: _, ...heading } = row;
      seen.push(heading);
      if (keys && signatures) await checkSignature(heading, keys, signatures);
      yield { body: signedBody(row), sha256: row.sha256 };
    }
  }
  return { seen, signatures, links };
}

/**
 * The content that the digest covers. If a column or any byte of the document differs from what was written together, the empty body is returned,
 * which has a different digest.
 */
function signedBody({ document, sha256, signature, ...facts }: StoredSnapshot): JsonObject {
  try {
    const { status } = JSON.parse(document) as { status: JsonObject };
    const { id, takenAt, trigger, takenBy, period, late, catalogueVersion, previousSha256 } = facts;
    const sealed = { id, takenAt, trigger, takenBy, period, late, catalogueVersion, previousSha256 };
    return JSON.stringify({ ...sealed, sha256, signature, status }) === document ? { ...sealed, status } : {};
  } catch {
    return {};
  }
}

/** After the first signed snapshot every one must be signed: otherwise a rewritten end would pass without a signature. */
async function checkSignature(of: ListedSnapshot, keys: KeySet, signatures: Signatures): Promise<void> {
  const { id, takenAt, period, signature, sha256 } = of;
  const refuse = (reason: 'invalid' | 'missing') => signatures.refused.push({ id, takenAt, period, reason });
  if (signature === null) {
    if (signatures.valid + signatures.refused.length > 0) refuse('missing');
    else signatures.unsigned += 1;
  } else if ((await verifyDetached(signature, sha256, keys)) === 'valid') signatures.valid += 1;
  else refuse('invalid');
}

const describeSnapshot = ({
  id,
  takenAt,
  period,
}: {
  id: string | null;
  takenAt: string | null;
  period: string | null;
}): string =>
  id === null
    ? 'the chain, which is empty,'
    : `the snapshot ${id} of ${takenAt}${period === null ? '' : ` (${period})`}`;

function formatIntactChain(
  count: number,
  head: string | null,
  headGiven: boolean,
  signatures: Signatures | null,
): string {
  const signed = signatures
    ? ` ${formatCount(signatures.valid, 'signature is', 'signatures are')} valid, ${formatCount(signatures.unsigned, 'snapshot is', 'snapshots are')} unsigned.`
    : '';
  if (head === null) return 'No snapshots.';
  const end = headGiven
    ? 'the given digest is in the chain'
    : 'to detect a truncated end, pass a digest recorded elsewhere (--head)';
  return `${count === 1 ? 'The snapshot is' : `All ${count} snapshots are`} intact; ${end}.${signed}\nhead  ${head}`;
}

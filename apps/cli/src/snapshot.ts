import { setTimeout as sleep } from 'node:timers/promises';
import { isDigest, type JsonObject, type KeySet, verifyChain, verifyDetached } from '@tenantscope/proof';
import type { Admin, ListedSnapshot, StoredSnapshot } from '@tenantscope/store';
import { findTenant, operator, withAdmin } from './admin.ts';
import type { Answer } from './answer.ts';
import { wholeNumber } from './arguments.ts';
import { misused, Refusal } from './failure.ts';
import { readPublicKeys } from './public-keys.ts';
import type { Surroundings } from './surroundings.ts';
import { listing, table } from './table.ts';

const pollMs = 250;

/** Asks for a snapshot and waits until the jobs process has taken it. */
export async function takeSnapshot(options: { tenant: string; wait: string }, around: Surroundings): Promise<Answer> {
  const waitMs = wholeNumber(options.wait, '--wait', { from: 1, to: 3_600 }) * 1_000;
  return withAdmin(around.environment, async (admin) => {
    const { id: tenantId } = await findTenant(admin, options.tenant);
    const { id } = await admin.snapshots.request(tenantId, operator());
    for (const deadline = Date.now() + waitMs; Date.now() < deadline; await sleep(pollMs)) {
      const { state, snapshotId, failure } = await admin.snapshots.showRequest(id);
      if (state === 'failed') throw new Refusal(failure ?? 'The snapshot could not be taken.');
      const taken = snapshotId && (await admin.snapshots.find(tenantId, snapshotId));
      if (taken) return { document: taken, text: listing(Object.entries(taken)) };
    }
    throw new Refusal(
      `nobody has taken the snapshot within ${options.wait} s: does a jobs process (apps/jobs) run? The request stays and is met when one does`,
    );
  });
}

export async function listSnapshots(options: { tenant: string; limit: string }, around: Surroundings): Promise<Answer> {
  const limit = wholeNumber(options.limit, '--limit', { from: 1, to: 1_000 });
  const found = await withAdmin(around.environment, async (admin) =>
    admin.snapshots.list((await findTenant(admin, options.tenant)).id, limit),
  );
  const text = table(
    found,
    [
      ['taken at', (one) => one.takenAt],
      ['week', (one) => one.period],
      ['late', (one) => (one.late ? 'late' : null)],
      ['taken by', (one) => one.takenBy],
      ['sha256', (one) => one.sha256],
    ],
    'There is no snapshot yet.',
  );
  return { document: { data: found }, text };
}

export interface VerifyOptions {
  readonly tenant: string;
  readonly head?: string;
  readonly keys?: string;
}

const reasons = {
  altered: 'was altered: its digest is not that of its content',
  notLinked: 'does not follow the one before it: one of the two was altered, or one between them is missing',
  tailMissing: 'is not the last one there was: the digest given by --head is missing',
} as const;

/** Computes every digest again, from the first snapshot on. */
export async function verifySnapshots(options: VerifyOptions, around: Surroundings): Promise<Answer> {
  const head = options.head?.trim() ?? null;
  if (head !== null && !isDigest(head)) throw misused('--head must be a sha256: 64 lower-case hexadecimal digits');
  const keys = options.keys === undefined ? null : await readPublicKeys(options.keys);
  const { tenantId, seen, verdict, signatures } = await withAdmin(around.environment, async (admin) => {
    const { id } = await findTenant(admin, options.tenant);
    const walk = walkChain(admin, id, keys);
    return { tenantId: id, verdict: await verifyChain(walk.links(), head), ...walk };
  });
  const at = verdict.whole ? undefined : (seen[verdict.broken.index] ?? seen.at(-1));
  const broken = verdict.whole
    ? null
    : { id: at?.id ?? null, takenAt: at?.takenAt ?? null, period: at?.period ?? null, reason: verdict.broken.reason };
  const newest = verdict.whole ? verdict.head : null;
  const problems = [
    ...(broken === null ? [] : [`${nameOf(broken)} ${reasons[broken.reason]}`]),
    ...(signatures?.refused ?? []).map(
      (one) => `${nameOf(one)} bears a signature that is not by these keys or not of its digest`,
    ),
  ];
  return {
    document: { tenantId, whole: verdict.whole, snapshots: verdict.links, head: newest, broken, signatures },
    text: verdict.whole ? wholeWords(verdict.links, newest, head !== null, signatures) : '',
    problems,
  };
}

interface Signatures {
  valid: number;
  unsigned: number;
  readonly refused: { id: string; takenAt: string; period: string | null }[];
}

/** The chain as links, and beside it what a report needs: who stood where, and what became of the signatures. */
function walkChain(admin: Admin, tenantId: string, keys: KeySet | null) {
  const seen: ListedSnapshot[] = [];
  const signatures: Signatures | null = keys && { valid: 0, unsigned: 0, refused: [] };
  async function* links() {
    for await (const row of admin.snapshots.chain(tenantId)) {
      const { document: _, ...heading } = row;
      seen.push(heading);
      if (keys && signatures) await judgeSignature(heading, keys, signatures);
      yield { body: bodyOf(row), sha256: row.sha256 };
    }
  }
  return { seen, signatures, links };
}

/**
 * What the digest is over. Where the columns, or any byte of the document, say something else than what was written together, there is no such body,
 * and the empty one has another digest.
 */
function bodyOf({ document, sha256, signature, ...facts }: StoredSnapshot): JsonObject {
  try {
    const { status } = JSON.parse(document) as { status: JsonObject };
    const { id, takenAt, trigger, takenBy, period, late, catalogueVersion, previousSha256 } = facts;
    const sealed = { id, takenAt, trigger, takenBy, period, late, catalogueVersion, previousSha256 };
    return JSON.stringify({ ...sealed, sha256, signature, status }) === document ? { ...sealed, status } : {};
  } catch {
    return {};
  }
}

async function judgeSignature(of: ListedSnapshot, keys: KeySet, signatures: Signatures): Promise<void> {
  if (of.signature === null) signatures.unsigned += 1;
  else if ((await verifyDetached(of.signature, of.sha256, keys)) === 'valid') signatures.valid += 1;
  else signatures.refused.push({ id: of.id, takenAt: of.takenAt, period: of.period });
}

const nameOf = ({
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

function wholeWords(count: number, head: string | null, headGiven: boolean, signatures: Signatures | null): string {
  const signed = signatures
    ? ` ${signatures.valid} signatures are valid, ${signatures.unsigned} snapshots bear none.`
    : ' Signatures were not checked (--keys).';
  if (head === null) return 'There is no snapshot yet.';
  const end = headGiven
    ? 'and the given digest is in it'
    : 'a cut end shows only against a digest noted elsewhere (--head)';
  return `All ${count} snapshots fit; ${end}.${signed}\nhead  ${head}`;
}

import { buffer } from 'node:stream/consumers';
import { type LogReceipt, listLogReceipts, parseTime } from '@tenantscope/contract';
import { digestJson, digestMemberNames } from '@tenantscope/proof';
import { CommandError, usageError } from '../../command-error.ts';
import { fetchFromApi } from '../../connections/api-client.ts';
import type { CommandContext } from '../../context.ts';
import { openInputs } from '../../input/input-sources.ts';
import type { CommandResult } from '../../output/command-result.ts';
import { formatCount } from '../../output/count.ts';
import { formatFields } from '../../output/table.ts';
import { type ReceivedHour, type ReceivedRows, readReceivedRows } from './received-hours.ts';

export interface VerifyReceiptsOptions {
  readonly receipts?: string;
  readonly from?: string;
  readonly to?: string;
  readonly tenant?: string;
  readonly url?: string;
}

const hourLength = '2026-11-01T00'.length;
const dayLength = '2026-11-01'.length;
const shownFaults = 50;

/** Compares a file with receipts, hour by hour. Exit status 0 means that every row of the receipts is in the file, unaltered and in order, and no other. */
export async function verifyReceipts(
  name: string,
  options: VerifyReceiptsOptions,
  context: CommandContext,
): Promise<CommandResult> {
  const [from, to] = [parseHour(options.from, '--from'), parseHour(options.to, '--to')];
  const receipts = await readReceipts(options, context);
  const [first] = receipts;
  if (first === undefined) throw new CommandError('there is no receipt: the first one is written after the first day');
  const [source] = await openInputs([name], context.input);
  if (source === undefined) throw new CommandError(`${name} cannot be read`);
  const received = await readReceivedRows(source.content, first.tenantId, name).finally(() => source.handle?.close());
  const start = from ?? [...received.hours.keys()].sort()[0] ?? '';
  const isCompared = (hour: string) => hour >= start && (to === null || hour <= to);
  const outcome = await compare(receipts, received.hours, isCompared);
  const faults = [...(await checkChain(receipts)), ...outcome.faults];
  if (received.disorderedLine !== null)
    faults.push(`line ${received.disorderedLine}: the row is before the row of an earlier line`);
  const document = { tenantId: first.tenantId, ...describe(received, outcome), faults };
  const problems = faults.slice(0, shownFaults);
  if (faults.length > shownFaults) problems.push(`and ${faults.length - shownFaults} more`);
  return {
    document,
    text: faults.length > 0 ? '' : formatFields(Object.entries(document).slice(0, -1).map(toField)),
    problems,
    unchecked:
      outcome.otherLayout > 0
        ? `the rows of ${formatCount(outcome.otherLayout, 'hour')} have other members than the service sent when it wrote the receipts: their ids are verified, their content is not`
        : undefined,
  };
}

const toField = ([name, value]: [string, unknown]): [string, string] => [name, String(value)];

function describe({ repeated, others }: ReceivedRows, { rows, hours, open }: Comparison) {
  return { hours, rows, rowsWithoutReceipt: open, repeatedRows: repeated, rowsOfOtherTenants: others };
}

function parseHour(text: string | undefined, option: string): string | null {
  if (text === undefined) return null;
  const ms = parseTime(text);
  if (ms === null) throw usageError(`${option} must be a time, for example 2026-11-01T00:00:00Z`);
  return new Date(ms).toISOString().slice(0, hourLength);
}

/** In the order of their days. */
async function readReceipts(options: VerifyReceiptsOptions, context: CommandContext): Promise<LogReceipt[]> {
  const { receipts: name, from, to, tenant, url } = options;
  const body = name === undefined ? await requestReceipts() : await readFile(name);
  const data = (body as { data?: unknown } | null)?.data;
  if (!Array.isArray(data) || !data.every((one) => listLogReceipts.record.safeParse(one).success))
    throw new CommandError(`${name ?? 'the response'} has no receipts: expected the response of /logs/receipts`);
  return (data as LogReceipt[]).toSorted((one, other) => (one.day < other.day ? -1 : 1));

  function requestReceipts() {
    const access = { ...(url === undefined ? {} : { url }), ...(tenant === undefined ? {} : { tenant }) };
    if (from === undefined) throw usageError('pass --from, or the saved response of /logs/receipts with --receipts');
    return fetchFromApi(listLogReceipts.path, { from, to }, access, context);
  }
  async function readFile(file: string): Promise<unknown> {
    const [source] = await openInputs([file], context.input);
    try {
      return source === undefined ? null : JSON.parse((await buffer(source.content)).toString());
    } catch {
      return null;
    } finally {
      await source?.handle?.close();
    }
  }
}

async function checkChain(receipts: readonly LogReceipt[]): Promise<string[]> {
  const faults: string[] = [];
  let previous: LogReceipt | null = null;
  for (const receipt of receipts) {
    const { sha256, ...content } = receipt;
    if ((await digestJson(content)) !== sha256) faults.push(`receipt of ${receipt.day}: its digest does not match it`);
    if (previous !== null && receipt.previousSha256 !== previous.sha256)
      faults.push(`receipt of ${receipt.day}: it does not follow the receipt of ${previous.day}`);
    previous = receipt;
  }
  return faults;
}

interface Comparison {
  readonly faults: string[];
  /** Hours and rows that were found as in the receipts. */
  hours: number;
  rows: number;
  /** Rows of days without a receipt, and of hours that are not compared. */
  open: number;
  /** Hours whose content is not comparable. */
  otherLayout: number;
}

type Hour = LogReceipt['hours'][number];

async function compare(
  receipts: readonly LogReceipt[],
  received: ReceivedRows['hours'],
  isCompared: (hour: string) => boolean,
): Promise<Comparison> {
  const result: Comparison = { faults: [], hours: 0, rows: 0, open: 0, otherLayout: 0 };
  const expected = new Map<string, Hour & Pick<LogReceipt, 'layout'>>();
  for (const { hours, layout } of receipts)
    for (const hour of hours) expected.set(hour.hour.slice(0, hourLength), { ...hour, layout });
  const days = new Set(receipts.map(({ day }) => day));
  for (const key of [...new Set([...expected.keys(), ...received.keys()])].sort()) {
    const [own, hour] = [received.get(key), expected.get(key)];
    if (!isCompared(key) || !days.has(key.slice(0, dayLength))) {
      result.open += own?.rowCount ?? 0;
      continue;
    }
    const fault = await compareHour(own, hour);
    if (fault === 'other layout') result.otherLayout += 1;
    else if (fault !== null) result.faults.push(`${key}:00Z: ${fault}`);
    if (fault !== null && fault !== 'other layout') continue;
    result.hours += 1;
    result.rows += own?.rowCount ?? 0;
  }
  return result;
}

async function compareHour(
  own: ReceivedHour | undefined,
  hour: (Hour & Pick<LogReceipt, 'layout'>) | undefined,
): Promise<string | null> {
  const [has, should] = [own?.rowCount ?? 0, hour?.rowCount ?? 0];
  if (has !== should) return `${formatCount(has, 'row')} instead of ${should}`;
  if (own === undefined || hour === undefined) return null;
  if (own.ids.digest('hex') !== hour.idsSha256) return 'rows are other ones, or in another order';
  if (own.rows.digest('hex') === hour.rowsSha256) return null;
  const layout = await digestMemberNames(Object.fromEntries(own.members.map((member) => [member, null])));
  return layout === hour.layout ? 'a row was altered' : 'other layout';
}

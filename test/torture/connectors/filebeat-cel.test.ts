import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { eventually } from '../../installation/eventually.ts';
import { isLong } from '../random.ts';
import { connectorFile } from './configuration-files.ts';
import { startConnectorFixture } from './connector-fixture.ts';
import { buildConnector } from './connector-program.ts';
import type { Delivered } from './describe-connector.ts';
import { faults, startFaultProxy } from './fault-proxy.ts';

interface CelInput {
  readonly state: { readonly first: string };
  readonly program: string;
}

/** What an evaluation returns, and the next one is given. */
interface State {
  readonly url: string;
  readonly key: string;
  readonly first: string;
  readonly cursor?: { readonly token: string };
  readonly events?: readonly { readonly message: string }[] | { readonly error: { readonly message: string } };
  readonly want_more?: boolean;
}

const execute = promisify(execFile);
const evaluationMs = 60_000;

describe.runIf(isLong)('the program of the CEL input of the page of Elastic', { tags: ['torture'] }, () => {
  const stack = new AsyncDisposableStack();
  afterAll(() => stack.disposeAsync());

  test('reads every row once and in order, and after a failed response continues at its cursor', async () => {
    // It evaluates the programs of Filebeat's CEL input; the input itself, which repeats requests, is not in it.
    const mito = await buildConnector('mito', 'github.com/elastic/mito/cmd/mito');
    const fixture = await startConnectorFixture(stack);
    const tenant = await fixture.createTenant();
    await using proxy = await startFaultProxy(fixture.baseUrl, 3);
    const directory = join(fixture.directory, 'cel');
    await mkdir(directory);
    const [input] = parse(await readFile(connectorFile('elastic', 'filebeat-cel.yml'), 'utf8'))[
      'filebeat.inputs'
    ] as CelInput[];
    if (input === undefined) throw new Error('the file has no input');
    await writeFile(join(directory, 'program.cel'), input.program);
    let state: State = { url: `${proxy.url}/logs`, key: tenant.key, first: input.state.first };
    const evaluateOnce = async (): Promise<State> => {
      await writeFile(join(directory, 'state.json'), JSON.stringify(state));
      const given = ['-data', join(directory, 'state.json'), '-max_executions', '1', join(directory, 'program.cel')];
      const { stdout } = await execute(mito, given, { timeout: evaluationMs, maxBuffer: 1 << 26 });
      return JSON.parse(stdout) as State;
    };

    const ids: string[] = [];
    const responses = new Set<string>();
    const writing = tenant.startWriting();
    const evaluate = async () => {
      const next = await evaluateOnce().catch((error: Error) => error);
      // The input reports a program that failed as an error and evaluates it again with the same state.
      if (next instanceof Error) return;
      const { events = [], ...following } = next;
      if ('error' in events) {
        responses.add(events.error.message.replace(/.* /, ''));
        expect(next.cursor).toEqual(state.cursor);
      } else ids.push(...events.map(({ message }) => (JSON.parse(message) as Delivered).id));
      state = following;
    };
    while (!faults.every((fault) => proxy.counts()[fault] > 0)) await evaluate();
    await writing.stop();
    await eventually('every row is read', 120_000, async () => {
      // The last rows are ingested meanwhile.
      await sleep(3_000);
      await evaluate();
      return ids.length >= (await tenant.stored()).logs.length;
    });
    const { logs } = await tenant.stored();
    expect(new Set(ids)).toEqual(new Set(logs));
    expect(ids).toHaveLength(logs.length);
    expect([...responses].sort()).toEqual(['429', '500', '503']);
  }, 1_200_000);
});

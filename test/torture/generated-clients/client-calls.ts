import { execFile, spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Operation, operations } from '@tenantscope/contract';
import { expect } from 'vitest';
import { type DemoCompany, startDemoCompany } from '../../installation/demo-company.ts';

interface Call {
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** The served document and the calls that a generated client makes on the data of a demo company. */
export interface ClientCalls extends AsyncDisposable {
  readonly directory: string;
  /** The file of the document. */
  readonly document: string;
  /** Runs a program that reads calls and writes a line for each, null or the error; returns those that failed. */
  findFailures(command: readonly string[], environment?: Readonly<Record<string, string>>): Promise<readonly string[]>;
}

export async function prepareClientCalls(): Promise<ClientCalls> {
  await using stack = new AsyncDisposableStack();
  const company = stack.use(await startDemoCompany());
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-generated-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  const document = join(directory, 'openapi.json');
  await writeFile(document, await (await fetch(`${company.baseUrl}/openapi.json`)).text());
  const calls = (
    await Promise.all((operations as readonly Operation[]).map((operation) => listCalls(company, operation)))
  ).flat();
  const owned = stack.move();
  return {
    directory,
    document,
    findFailures: (command, environment = {}) => findFailures(company, calls, command, environment),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Of every operation: without parameters, with a list of a closed vocabulary, and in each view of rows. */
async function listCalls(company: DemoCompany, operation: Operation): Promise<readonly Call[]> {
  const id = await company.findId(operation);
  const path = id === undefined ? {} : { id };
  const closed = Object.entries(operation.parameters).flatMap(([name, parameter]) =>
    parameter.kind === 'choices' ? [{ [name]: parameter.allowed.slice(0, 2) }] : [],
  );
  const { view } = operation.parameters;
  const views = view?.kind === 'choice' ? view.allowed.map((one) => ({ view: one })) : [];
  const lists = operation.kind === 'list' ? [{ limit: 2 }, ...closed, ...views] : [{}, ...closed];
  return lists.map((given) => ({ operation: operation.name, arguments: { ...path, ...given } }));
}

async function findFailures(
  company: DemoCompany,
  calls: readonly Call[],
  [program = '', ...args]: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  const child = spawn(program, [...args, company.baseUrl, company.key], {
    env: { PATH: process.env.PATH, ...environment },
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const errors = text(child.stderr);
  child.stdin.on('error', () => {});
  child.stdin.end(calls.map((call) => `${JSON.stringify(call)}\n`).join(''));
  const results = (await text(child.stdout)).split('\n').slice(0, -1);
  expect(results.length, await errors).toBe(calls.length);
  return results.flatMap((line, index) => {
    const error = JSON.parse(line) as string | null;
    return error === null ? [] : [`${JSON.stringify(calls[index])}: ${error}`];
  });
}

/** Rejects with what the program wrote. */
export async function runTool(
  command: readonly string[],
  options: { readonly cwd?: string; readonly env?: NodeJS.ProcessEnv } = {},
): Promise<string> {
  const [program = '', ...args] = command;
  const result = await promisify(execFile)(program, args, { maxBuffer: 1 << 27, ...options }).catch(
    (cause: Error & { stdout?: string; stderr?: string }) => {
      throw new Error(`${program}: ${cause.stdout}\n${cause.stderr}`.slice(-20_000), { cause });
    },
  );
  return result.stdout;
}

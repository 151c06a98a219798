// @module-tag torture
import { execFile, spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { type Operation, operations } from '@tenantscope/contract';
import { findJava, findProgram } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type DemoCompany, startDemoCompany } from '../../installation/demo-company.ts';
import { preparePython } from '../../mcp/python-environment.ts';

// Clients that openapi-generator generates from the served document call every operation on the data of a demo company.

const execute = promisify(execFile);
const timeout = 600_000;

interface Call {
  readonly operation: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

let company: DemoCompany;
let directory: string;
let python: string;
let calls: readonly Call[];

beforeAll(async () => {
  const prepared = await preparePython('openapi-generator');
  if ('missing' in prepared) throw new Error(prepared.missing);
  ({ python } = prepared);
  company = await startDemoCompany();
  directory = await mkdtemp(join(tmpdir(), 'tenantscope-generated-'));
  const document = await (await fetch(`${company.baseUrl}/openapi.json`)).text();
  await writeFile(join(directory, 'openapi.json'), document);
  calls = (await Promise.all((operations as readonly Operation[]).map(listCalls))).flat();
}, timeout);
afterAll(async () => {
  await rm(directory, { recursive: true, force: true });
  await company?.[Symbol.asyncDispose]();
});

/** Of every operation: without parameters, with a list of a closed vocabulary, and its examples. */
async function listCalls(operation: Operation): Promise<readonly Call[]> {
  const id = await company.findId(operation);
  const path = id === undefined ? {} : { id };
  const closed = Object.entries(operation.parameters).flatMap(([name, parameter]) =>
    parameter.kind === 'choices' ? [{ [name]: parameter.allowed.slice(0, 2) }] : [],
  );
  const lists = operation.kind === 'list' ? [{ limit: 2 }, ...closed] : [{}, ...closed];
  return lists.map((given) => ({ operation: operation.name, arguments: { ...path, ...given } }));
}

async function generate(generator: string, properties: string): Promise<string> {
  const output = join(directory, generator);
  const { stdout } = await execute(python, ['-c', 'import openapi_generator_cli as o; print(o.__path__[0])']);
  const jar = join(stdout.trim(), 'openapi-generator.jar');
  const input = ['-i', join(directory, 'openapi.json'), '-o', output];
  const args = ['generate', '-g', generator, ...input, '--additional-properties', properties];
  await execute(await findJava(), ['-Xmx1g', '-jar', jar, ...args], { maxBuffer: 1 << 27 });
  return output;
}

/** Runs the program with the calls; returns those that failed, with the error. */
async function findFailures(command: readonly string[], environment: Record<string, string> = {}) {
  const [program = '', ...args] = command;
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

test('the Python client of openapi-generator calls every operation', { timeout }, async () => {
  const output = await generate('python', 'packageName=tenantscope_generated');
  const program = join(import.meta.dirname, 'python_calls.py');
  expect(await findFailures([python, program], { PYTHONPATH: output, PYTHONDONTWRITEBYTECODE: '1' })).toEqual([]);
});

test('the Go client of openapi-generator calls every operation', { timeout }, async () => {
  const go = findProgram('go');
  if (go === null) throw new Error('Go is not installed');
  const output = await generate('go', 'packageName=generated,isGoSubmodule=false,withGoMod=false');
  const program = join(output, 'calls', 'main.go');
  await mkdir(dirname(program));
  await copyFile(join(import.meta.dirname, 'calls.go'), program);
  await writeFile(join(output, 'go.mod'), 'module tenantscope.example/generated\n\ngo 1.21\n');
  await rm(join(output, 'test'), { recursive: true, force: true });
  const options = { cwd: output, env: { ...process.env, CGO_ENABLED: '0' }, maxBuffer: 1 << 26 };
  await execute(go, ['build', '-o', join(output, 'caller'), './calls'], options);
  expect(await findFailures([join(output, 'caller')])).toEqual([]);
});

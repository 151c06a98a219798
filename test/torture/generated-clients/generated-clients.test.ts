// @module-tag torture
import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { checkout, findJava, findProgram } from '@tenantscope/local';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { preparePython } from '../../mcp/python-environment.ts';
import { fetchPackages } from '../npm-packages.ts';
import { type ClientCalls, prepareClientCalls, runTool } from './client-calls.ts';

// Clients that generators write from the served document call every operation on the data of a demo company.

const timeout = 600_000;
const oapiCodegen = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';
const ogen = 'github.com/ogen-go/ogen/cmd/ogen@v1.25.0';
const typescriptGenerators = [
  '@hey-api/openapi-ts@0.95.0',
  'openapi-typescript@7.13.0',
  'orval@7.13.2',
  'swagger-typescript-api@13.13.0',
  'typescript@5.9.3',
];

let calls: ClientCalls;

beforeAll(async () => {
  calls = await prepareClientCalls();
}, timeout);
afterAll(() => calls?.[Symbol.asyncDispose]());

const caller = (name: string): string => join(import.meta.dirname, name);

async function findPython(name: string): Promise<string> {
  const prepared = await preparePython(name);
  if ('missing' in prepared) throw new Error(prepared.missing);
  return prepared.python;
}

async function runOpenapiGenerator(generator: string, properties: string): Promise<string> {
  const python = await findPython('openapi-generator');
  const output = join(calls.directory, generator);
  const folder = await runTool([python, '-c', 'import openapi_generator_cli as o; print(o.__path__[0])']);
  const jar = join(folder.trim(), 'openapi-generator.jar');
  const input = ['-i', calls.document, '-o', output];
  const args = ['generate', '-g', generator, ...input, '--additional-properties', properties];
  await runTool([await findJava(), '-Xmx1g', '-jar', jar, ...args]);
  return output;
}

/** Runs Go in the folder of a module. */
async function runGo(cwd: string, ...args: readonly string[]): Promise<void> {
  const go = findProgram('go');
  if (go === null) throw new Error('Go is not installed');
  await runTool([go, ...args], { cwd, env: { ...process.env, CGO_ENABLED: '0', GOBIN: join(calls.directory, 'bin') } });
}

async function addGoCaller(module: string, name: string): Promise<void> {
  await mkdir(join(module, 'calls'));
  await copyFile(caller(name), join(module, 'calls', 'main.go'));
}

test('the Python client of openapi-generator calls every operation', { timeout }, async () => {
  const output = await runOpenapiGenerator('python', 'packageName=tenantscope_generated');
  const environment = { PYTHONPATH: output, PYTHONDONTWRITEBYTECODE: '1' };
  const command = [await findPython('openapi-generator'), caller('openapi_generator_calls.py')];
  expect(await calls.findFailures(command, environment)).toEqual([]);
});

test('the Go client of openapi-generator calls every operation', { timeout }, async () => {
  const output = await runOpenapiGenerator('go', 'packageName=generated,isGoSubmodule=false,withGoMod=false');
  await addGoCaller(output, 'openapi_generator_calls.go');
  await writeFile(join(output, 'go.mod'), 'module tenantscope.example/generated\n\ngo 1.21\n');
  await rm(join(output, 'test'), { recursive: true, force: true });
  await runGo(output, 'mod', 'tidy');
  await runGo(output, 'build', '-o', join(output, 'caller'), './calls');
  expect(await calls.findFailures([join(output, 'caller')])).toEqual([]);
});

test('the Go client of oapi-codegen calls every operation', { timeout }, async () => {
  const output = join(calls.directory, 'oapi-codegen');
  await mkdir(output);
  await runGo(output, 'install', oapiCodegen);
  const args = ['-generate', 'types,client', '-package', 'generated', '-o', join(output, 'client.go'), calls.document];
  await runTool([join(calls.directory, 'bin', 'oapi-codegen'), ...args]);
  await addGoCaller(output, 'oapi_codegen_calls.go');
  await writeFile(join(output, 'go.mod'), 'module tenantscope.example/generated\n\ngo 1.24\n');
  await runGo(output, 'mod', 'tidy');
  await runGo(output, 'build', '-o', join(output, 'caller'), './calls');
  expect(await calls.findFailures([join(output, 'caller')])).toEqual([]);
});

test('the Go client of ogen calls every operation', { timeout }, async () => {
  const output = join(calls.directory, 'ogen');
  await mkdir(output);
  await runGo(output, 'install', ogen);
  const args = ['--target', output, '--package', 'generated', calls.document];
  await runTool([join(calls.directory, 'bin', 'ogen'), ...args]);
  await addGoCaller(output, 'ogen_calls.go');
  await writeFile(join(output, 'go.mod'), 'module tenantscope.example/generated\n\ngo 1.26\n');
  await runGo(output, 'mod', 'tidy');
  await runGo(output, 'build', '-o', join(output, 'caller'), './calls');
  expect(await calls.findFailures([join(output, 'caller')])).toEqual([]);
});

test('the Python client of openapi-python-client calls every operation', { timeout }, async () => {
  const python = await findPython('openapi-python-client');
  const args = [
    '--path',
    calls.document,
    '--output-path',
    join(calls.directory, 'tenantscope_client'),
    '--meta',
    'none',
  ];
  // Its own formatter is not installed: warnings do not matter, an operation that is left out fails below.
  await runTool([python, '-m', 'openapi_python_client', 'generate', ...args]);
  const environment = { PYTHONPATH: calls.directory, PYTHONDONTWRITEBYTECODE: '1' };
  expect(await calls.findFailures([python, caller('openapi_python_client_calls.py')], environment)).toEqual([]);
});

test('clients of four generators for TypeScript compile, and that of @hey-api/openapi-ts calls every operation', {
  timeout,
}, async () => {
  const packages = await fetchPackages('typescript-generators', typescriptGenerators);
  const output = join(calls.directory, 'typescript');
  await mkdir(output);
  const compilerOptions = {
    ...{ strict: true, target: 'es2024', lib: ['es2024', 'dom'], types: [] },
    ...{ module: 'nodenext', rootDir: '.', outDir: 'compiled' },
  };
  await writeFile(join(output, 'package.json'), '{ "type": "module" }');
  await writeFile(join(output, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  const run = (name: string, ...args: readonly string[]) =>
    runTool([process.execPath, join(packages, name), ...args], { cwd: output });
  await run('@hey-api/openapi-ts/bin/run.js', '--input', calls.document, '--output', 'hey-api');
  await run('openapi-typescript/bin/cli.js', calls.document, '--output', 'openapi-typescript.ts');
  await run('orval/dist/bin/orval.js', '--input', calls.document, '--output', 'orval.ts', '--client', 'fetch');
  await run('swagger-typescript-api/dist/cli.mjs', 'generate', '--path', calls.document, '--output', 'swagger');
  await runTool([process.execPath, join(checkout, 'node_modules', 'typescript', 'bin', 'tsc')], { cwd: output });
  const client = join(output, 'compiled', 'hey-api');
  expect(await calls.findFailures([process.execPath, caller('hey-api-calls.mjs'), client])).toEqual([]);
});

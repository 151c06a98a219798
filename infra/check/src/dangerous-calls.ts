import { getCiphers, getHashes } from 'node:crypto';
import { type Finding, lineAt } from './sources.ts';
import { isNode, type Node, type ParsedFile, walk } from './syntax.ts';

/** Code that runs in a service, its browser part included. */
const productPath = /^(?:apps|packages)\/[^/]+\/(?:src|api|web)\//;
const browserPath = /^apps\/console\/web\//;

/** Modules that start processes or run text as code; of node:v8 the functions that read objects of any type. */
const refusedModules = new Set(['child_process', 'vm', 'inspector']);
const refusedNames = new Set(['deserialize', 'Deserializer', 'DefaultDeserializer']);

/** Where a guessable number is enough: pauses between attempts and the order of equal choices. */
const guessable = new Set([
  'apps/collect/src/collection/retry-delay.ts',
  'apps/collect/src/collection/stream-run.ts',
  'apps/ingest/src/retry.ts',
  'apps/jobs/src/fallback-executor.ts',
  'packages/client/src/requester.ts',
]);

/** SHA-1 where a standard or a provider prescribes it for names: UUIDs of version 5 (RFC 9562). Nothing is protected by it. */
const namedBySha1 = new Set(['packages/compliance/src/export/oscal.ts', 'packages/intake/src/entity/email-id.ts']);
/** AES-256-CTR under a synthetic nonce, with an HMAC over the result: equal cursors have equal texts. */
const cipherOfCursors = 'apps/api/src/records/cursor.ts';

const ciphers = new Set(getCiphers());
const hashes = new Set(getHashes().map((name) => name.toLowerCase()));

/** Calls in product code by which input could become code, a process or a request elsewhere, or a secret could be guessed. */
export function checkDangerousCalls(file: ParsedFile): Finding[] {
  const { path, text } = file;
  if (!productPath.test(path)) return [];
  const findings: Finding[] = [];
  walk(file.program, (node) => {
    for (const message of problemsOf(node, path)) findings.push({ path, line: lineAt(text, node.start), message });
  });
  return findings;
}

function problemsOf(node: Node, path: string): string[] {
  if (node.type === 'ImportSpecifier' || node.type === 'ImportDeclaration' || node.type === 'ImportExpression')
    return importProblems(node);
  if (node.type === 'MemberExpression' && isName(node.object, 'Math') && isName(node.property, 'random'))
    return guessable.has(path) ? [] : ['Math.random can be guessed; use node:crypto, or list the file'];
  if (node.type === 'Literal' && typeof node.value === 'string' && ciphers.has(node.value.toLowerCase()))
    return node.value === 'aes-256-gcm' || (node.value === 'aes-256-ctr' && path === cipherOfCursors)
      ? []
      : [`the cipher ${node.value} is not AES-256-GCM`];
  if (node.type === 'CallExpression' || node.type === 'NewExpression') return callProblems(node, path);
  return [];
}

function importProblems(node: Node): string[] {
  if (node.type === 'ImportSpecifier')
    return isNode(node.imported) && refusedNames.has(String(node.imported.name))
      ? [`${node.imported.name} creates objects of any type; parse JSON instead`]
      : [];
  const specifier = isNode(node.source) ? String(node.source.value).replace(/^node:/, '') : '';
  return refusedModules.has(specifier) ? [`product code must not import ${specifier}`] : [];
}

function callProblems({ callee, arguments: given }: Node, path: string): string[] {
  const [first, second] = (Array.isArray(given) ? given : []).filter(isNode);
  const name = isNode(callee) ? String(isNode(callee.property) ? callee.property.name : callee.name) : '';
  if (isName(callee, 'eval') || isName(callee, 'Function')) return [`${name} runs text as code`];
  if (isName(callee, 'fetch') && !browserPath.test(path) && !refusesRedirects(second))
    return ["fetch follows redirects to any address; set redirect to 'error' or 'manual'"];
  const algorithm = first?.type === 'Literal' ? String(first.value).toLowerCase() : null;
  const isHashing = name === 'createHash' || name === 'createHmac' || (name === 'hash' && hashes.has(algorithm ?? ''));
  if (!isHashing || algorithm === 'sha256' || (algorithm === 'sha1' && namedBySha1.has(path))) return [];
  return [`${name} must name sha256`];
}

const isName = (node: unknown, name: string): boolean =>
  isNode(node) && node.type === 'Identifier' && node.name === name;

const refusesRedirects = (options: Node | undefined): boolean =>
  Array.isArray(options?.properties) &&
  options.properties.some(
    (property) =>
      isNode(property) &&
      isName(property.key, 'redirect') &&
      isNode(property.value) &&
      ['error', 'manual'].includes(String(property.value.value)),
  );

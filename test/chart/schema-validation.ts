import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { preparePython } from '../mcp/python-environment.ts';
import type { KubernetesObject } from './rendered-chart.ts';

const execute = promisify(execFile);

/** The oldest version that the chart supports, and the newest one that the validator contains. */
const versions = ['1.27', '1.37'] as const;

/** Kinds of operators, whose schemas are not part of Kubernetes. */
const isForeign = ({ apiVersion }: KubernetesObject) => /^[\w-]+\.(?!.*k8s\.io\/)/.test(apiVersion);

/** What the schemas of Kubernetes refuse, unknown members included; or the reason why the validator is missing. */
export async function findSchemaErrors(
  objects: readonly KubernetesObject[],
): Promise<{ readonly found: readonly string[] } | { readonly missing: string }> {
  const prepared = await preparePython('kubernetes-validate');
  if ('missing' in prepared) return prepared;
  const directory = await mkdtemp(join(tmpdir(), 'tenantscope-manifests-'));
  try {
    const files = objects
      .filter((object) => !isForeign(object))
      .map((object, index) => ({ object, path: join(directory, `${index}-${object.kind}.json`) }));
    for (const { object, path } of files) await writeFile(path, JSON.stringify(object));
    const paths = files.map(({ path }) => path);
    const found = await Promise.all(versions.map((version) => validate(prepared.python, version, paths)));
    return { found: found.flat() };
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function validate(python: string, version: string, paths: readonly string[]): Promise<readonly string[]> {
  // Not the script of the package, which names the directory in which it was installed.
  const args = ['-m', 'kubernetes_validate', '--strict', '--kubernetes-version', version, ...paths];
  return execute(python, args, { maxBuffer: 1 << 26 }).then(
    () => [],
    ({ code, stdout, stderr, message }: { code?: unknown; stdout: string; stderr: string; message: string }) => {
      const output = `${stdout}${stderr}`.trim();
      if (typeof code !== 'number' || output === '') throw new Error(`the validator failed: ${message}`);
      return [`${version}: ${output}`];
    },
  );
}

import { join } from 'node:path';
import { type GoPrograms, provideGoPrograms } from './go-programs.ts';

const programs: GoPrograms = {
  name: 'helm',
  pins: 'helm',
  packages: { helm: 'helm.sh/helm/v3/cmd/helm' },
  listLinkerValues,
  buildTimeoutMs: 1_500_000,
};

/** Helm of the version that `helm/go.mod` pins, or the reason why there is none. */
export async function provideHelm(options: { build: boolean }): Promise<{ helm: string } | { missing: string }> {
  const provided = await provideGoPrograms(programs, options);
  return 'missing' in provided ? provided : { helm: join(provided.directory, 'helm') };
}

/** Helm's own Makefile sets these. Without them it takes 1.20 for the version of Kubernetes of `helm template` and `helm lint`. */
function listLinkerValues(module: string): readonly string[] {
  const [, version] = /helm\.sh\/helm\/v3 (v\S+)/.exec(module) ?? [];
  const [, minor] = /k8s\.io\/client-go v0\.(\d+)\./.exec(module) ?? [];
  if (!version || !minor) throw new Error('go.mod pins neither Helm nor the client of Kubernetes');
  return [
    `internal/version.version=${version}`,
    ...['pkg/lint/rules', 'pkg/chartutil'].flatMap((name) => [
      `${name}.k8sVersionMajor=1`,
      `${name}.k8sVersionMinor=${minor}`,
    ]),
  ].map((value) => `helm.sh/helm/v3/${value}`);
}

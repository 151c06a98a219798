import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DebianPackage } from './debian-system.ts';

/** A package as npm notes it in the lock file of an installed tree. */
interface InstalledPackage {
  readonly version?: string;
  readonly license?: string;
  readonly integrity?: string;
  /** A workspace: part of the product itself. */
  readonly link?: boolean;
}

interface Component {
  readonly type: 'library' | 'platform';
  readonly 'bom-ref': string;
  readonly name: string;
  readonly version: string;
  readonly purl: string;
  readonly hashes?: readonly { readonly alg: string; readonly content: string }[];
  readonly licenses?: readonly { readonly expression: string }[];
}

/**
 * The software bill of materials of the image, CycloneDX 1.6 JSON: the npm packages that are installed in `nodeModules`, Node.js and the Debian
 * packages. Its time is that of the commit and its serial number that of the content, so that two builds are equal.
 */
export async function createSbom(
  nodeModules: string,
  { version, debian, epochSeconds }: { version: string; debian: readonly DebianPackage[]; epochSeconds: number },
): Promise<string> {
  // `npm sbom` omits the direct dependencies of workspaces (npm 11.19); this file lists what was installed.
  const { packages } = JSON.parse(await readFile(join(nodeModules, '.package-lock.json'), 'utf8')) as {
    packages: Record<string, InstalledPackage>;
  };
  const npm = Object.entries(packages).flatMap(([path, installed]) => describeNpmPackage(path, installed));
  const components = [...npm, describeNode(), ...debian.map(describeDebianPackage)];
  const unique = [...new Map(components.map((component) => [component['bom-ref'], component])).values()];
  const product = { type: 'application', 'bom-ref': 'tenantscope', name: 'tenantscope', version };
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${formatUuid(JSON.stringify([product, unique]))}`,
    version: 1,
    metadata: { timestamp: new Date(epochSeconds * 1_000).toISOString(), component: product },
    components: unique,
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
}

function describeNpmPackage(path: string, { version, license, integrity, link }: InstalledPackage): Component[] {
  const at = path.lastIndexOf('node_modules/');
  if (link || version === undefined || at < 0) return [];
  const name = path.slice(at + 'node_modules/'.length);
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`;
  const hashes = integrity?.startsWith('sha512-')
    ? [{ alg: 'SHA-512', content: Buffer.from(integrity.slice('sha512-'.length), 'base64').toString('hex') }]
    : [];
  const licenses = license === undefined ? [] : [{ expression: license }];
  return [{ type: 'library', 'bom-ref': purl, name, version, purl, hashes, licenses }];
}

function describeNode(): Component {
  const { node } = process.versions;
  const purl = `pkg:generic/node@${node}`;
  return { type: 'platform', 'bom-ref': purl, name: 'node', version: node, purl };
}

function describeDebianPackage({ name, version }: DebianPackage): Component {
  const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?distro=debian-12`;
  return { type: 'library', 'bom-ref': purl, name, version, purl };
}

/** A version 8 UUID (RFC 9562) of a digest. */
function formatUuid(content: string): string {
  const hex = createHash('sha256').update(content).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return parts.join('-');
}

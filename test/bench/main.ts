import { exitWithUsage, readPositiveNumber, readScriptArguments } from '@tenantscope/local';
import { benchCollect } from './collect.ts';
import { benchDocuments } from './documents.ts';
import { benchImport } from './import/import.ts';
import { benchIngestion } from './ingestion.ts';
import { startBenchInstallation } from './installation.ts';
import { benchLarge } from './large/large.ts';
import { benchSealed } from './large/sealed.ts';
import { benchLatency } from './latency.ts';
import { describeMachine, readLoadAverage } from './machine.ts';
import { benchNoisyNeighbor } from './noisy-neighbor.ts';
import { benchReads } from './reads.ts';
import { formatMarkdown, type Section, writeReport } from './report.ts';
import { benchTenants } from './tenants.ts';
import { benchTools } from './tools.ts';

// Measures speed on this machine, relative to a baseline. Two benchmarks are run only by their names: `large` writes gigabytes, which stay.
const usage = `npm run bench -- [ingestion|import|collect|reads|tools|documents|latency|noisy-neighbor|tenants …]
  [--records N] [--lines N] [--rows N] [--tenants N] [--repetitions N] [--neighbor-load F] [--profile DIRECTORY]
npm run bench -- large [--rows N] [--repetitions N] [--fresh]
npm run bench -- sealed [--rows N] [--repetitions N]`;
const { values, positionals } = readScriptArguments(usage, {
  allowPositionals: true,
  options: {
    records: { type: 'string', default: '100000' },
    lines: { type: 'string', default: '500000' },
    rows: { type: 'string' },
    tenants: { type: 'string', default: '100000' },
    repetitions: { type: 'string', default: '3' },
    'neighbor-load': { type: 'string', default: '1' },
    profile: { type: 'string' },
    fresh: { type: 'boolean', default: false },
  },
});
const benchNames = [
  'ingestion',
  'import',
  'collect',
  'reads',
  'tools',
  'documents',
  'latency',
  'noisy-neighbor',
  'tenants',
  'large',
  'sealed',
];
const unknown = positionals.filter((word) => !benchNames.includes(word));
if (unknown.length > 0) exitWithUsage(`unknown benchmark ${unknown.join(', ')}`, usage);
const alone = positionals.find((name) => name === 'large' || name === 'sealed');
if (alone !== undefined && positionals.length > 1) exitWithUsage(`the benchmark ${alone} is run alone`, usage);
const isEnabled = (name: string) => positionals.length === 0 || positionals.includes(name);
const readNumber = (name: 'records' | 'lines' | 'rows' | 'tenants' | 'repetitions' | 'neighbor-load', absent = 0) =>
  values[name] === undefined ? absent : readPositiveNumber(usage, name, values[name]);
const repetitions = readNumber('repetitions');
const [records, lines, tenants] = [readNumber('records'), readNumber('lines'), readNumber('tenants')];
const rows = readNumber('rows', alone === 'large' ? 20_000_000 : 1_000_000);
const neighborLoad = readNumber('neighbor-load');

const log = (line: string) => console.error(line);
const loadBefore = readLoadAverage();
const { postgresVersion, sections } = await measure();
const machine = await describeMachine(postgresVersion, loadBefore);
console.log(formatMarkdown(machine, sections));
for (const file of await writeReport(machine, sections)) log(file);

interface Measurement {
  postgresVersion: string;
  sections: Section[];
}

async function measure(): Promise<Measurement> {
  if (alone === undefined) return measureInstallation();
  return alone === 'sealed'
    ? benchSealed({ rows, repetitions }, log)
    : benchLarge({ rows, repetitions, fresh: values.fresh }, log);
}

async function measureInstallation(): Promise<Measurement> {
  const sections: Section[] = [];
  await using installation = await startBenchInstallation(values.profile ?? null);
  let topRate: number | null = null;
  if (isEnabled('ingestion')) {
    const ingestion = await benchIngestion(installation, { records, repetitions }, log);
    sections.push(ingestion.section);
    topRate = ingestion.topRate;
  }
  if (isEnabled('import')) sections.push(await benchImport(installation, { lines, repetitions }, log));
  if (isEnabled('collect')) sections.push(await benchCollect(installation, { records, repetitions }, log));
  if (isEnabled('reads')) sections.push(...(await benchReads(installation, { rows, repetitions }, log)));
  if (isEnabled('tools')) sections.push(await benchTools(installation, { repetitions }, log));
  if (isEnabled('documents')) sections.push(await benchDocuments(installation, { rows, repetitions }, log));
  if (isEnabled('latency')) sections.push(await benchLatency(installation, { topRate, durationMs: 20_000 }, log));
  if (isEnabled('noisy-neighbor'))
    sections.push(...(await benchNoisyNeighbor(installation, { repetitions, neighborLoad }, log)));
  if (isEnabled('tenants')) sections.push(await benchTenants(installation, { tenants }, log));
  return { postgresVersion: installation.postgresVersion, sections };
}

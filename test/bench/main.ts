import { parseArgs } from 'node:util';
import { benchDocuments } from './documents.ts';
import { benchIngestion } from './ingestion.ts';
import { startBenchInstallation } from './installation.ts';
import { benchLatency } from './latency.ts';
import { describeMachine, readLoadAverage } from './machine.ts';
import { benchNoisyNeighbor } from './noisy-neighbor.ts';
import { benchReads } from './reads.ts';
import { formatMarkdown, type Section, writeReport } from './report.ts';
import { benchTools } from './tools.ts';

// `npm run bench [-- ingestion|reads|tools|documents|latency|noisy-neighbor …] [--records N] [--rows N] [--repetitions N] [--profile DIRECTORY]`:
// measures speed on this machine, relative to a baseline.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '1000000' },
    repetitions: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
});
const benchNames = ['ingestion', 'reads', 'tools', 'documents', 'latency', 'noisy-neighbor'];
const unknown = positionals.filter((word) => !benchNames.includes(word));
if (unknown.length > 0) throw new Error(`unknown benchmark ${unknown.join(', ')}; allowed: ${benchNames.join(', ')}`);
const isEnabled = (name: string) => positionals.length === 0 || positionals.includes(name);

const log = (line: string) => console.error(line);
const loadBefore = readLoadAverage();
const sections: Section[] = [];
await using installation = await startBenchInstallation(values.profile ?? null);
let topRate: number | null = null;
if (isEnabled('ingestion')) {
  const ingestion = await benchIngestion(
    installation,
    { records: Number(values.records), repetitions: Number(values.repetitions) },
    log,
  );
  sections.push(ingestion.section);
  topRate = ingestion.topRate;
}
if (isEnabled('reads')) {
  const options = { rows: Number(values.rows), repetitions: Number(values.repetitions) };
  sections.push(...(await benchReads(installation, options, log)));
}
if (isEnabled('tools')) sections.push(await benchTools(installation, { repetitions: Number(values.repetitions) }, log));
if (isEnabled('documents')) {
  const options = { rows: Number(values.rows), repetitions: Number(values.repetitions) };
  sections.push(await benchDocuments(installation, options, log));
}
if (isEnabled('latency')) sections.push(await benchLatency(installation, { topRate, durationMs: 20_000 }, log));

if (isEnabled('noisy-neighbor'))
  sections.push(...(await benchNoisyNeighbor(installation, { repetitions: Number(values.repetitions) }, log)));

const machine = await describeMachine(installation.postgresVersion, loadBefore);
console.log(formatMarkdown(machine, sections));
for (const file of await writeReport(machine, sections)) log(file);

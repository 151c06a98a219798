import { parseArgs } from 'node:util';
import { benchDocuments } from './documents.ts';
import { benchIngestion } from './ingestion.ts';
import { install } from './installation.ts';
import { benchLatency } from './latency.ts';
import { describeMachine, load } from './machine.ts';
import { benchReads } from './reads.ts';
import { inMarkdown, type Section, writeReport } from './report.ts';
import { benchTools } from './tools.ts';

// `npm run bench [-- ingestion|reads|tools|documents|latency …] [--records N] [--rows N] [--rounds N] [--profile DIRECTORY]`: how fast, beside what, on this machine.
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    records: { type: 'string', default: '100000' },
    rows: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '3' },
    profile: { type: 'string' },
  },
});
const known = ['ingestion', 'reads', 'tools', 'documents', 'latency'];
const unknown = positionals.filter((word) => !known.includes(word));
if (unknown.length > 0) throw new Error(`there is no bench ${unknown.join(', ')}; there are ${known.join(', ')}`);
const wanted = (name: string) => positionals.length === 0 || positionals.includes(name);

const say = (line: string) => console.error(line);
const loadBefore = load();
const sections: Section[] = [];
await using installation = await install(values.profile ?? null);
let topRate: number | null = null;
if (wanted('ingestion')) {
  const ingestion = await benchIngestion(
    installation,
    { records: Number(values.records), rounds: Number(values.rounds) },
    say,
  );
  sections.push(ingestion.section);
  topRate = ingestion.topRate;
}
if (wanted('reads')) {
  const options = { rows: Number(values.rows), rounds: Number(values.rounds) };
  sections.push(...(await benchReads(installation, options, say)));
}
if (wanted('tools')) sections.push(await benchTools(installation, { rounds: Number(values.rounds) }, say));
if (wanted('documents')) {
  const options = { rows: Number(values.rows), rounds: Number(values.rounds) };
  sections.push(await benchDocuments(installation, options, say));
}
if (wanted('latency')) sections.push(await benchLatency(installation, { topRate, durationMs: 20_000 }, say));

const machine = await describeMachine(installation.postgresVersion, loadBefore);
console.log(inMarkdown(machine, sections));
for (const file of await writeReport(machine, sections)) say(file);

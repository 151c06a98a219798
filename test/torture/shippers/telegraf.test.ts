import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { checkout, findProgram } from '@tenantscope/local';
import { describeFileShipper } from './file-shipper.ts';
import { readPageBlock, substitute } from './page-blocks.ts';

const module = 'github.com/influxdata/telegraf/cmd/telegraf@v1.37.2';
/** Telegraf's tags for a program with these plugins only: 40 MB instead of 280. */
const plugins = 'custom,inputs.tail,outputs.kafka,parsers.value,serializers.template';

describeFileShipper({
  name: 'Telegraf',
  variants: ['record'],
  findProgram: findTelegraf,
  async configure({ directory, brokers, topic }) {
    const file = join(directory, 'telegraf.conf');
    const configuration = substitute(await readPageBlock('telegraf.md', 'telegraf'), {
      'kafka.example.com:9092': brokers,
      '/var/lib/telegraf/okta.state': join(directory, 'state'),
      '/var/log/okta/*.ndjson': join(directory, '*.ndjson'),
      'okta.telegraf': topic,
    });
    await writeFile(file, configuration);
    return ['--config', file];
  },
  readLine: (value) => value,
});

/** Telegraf of the PATH, or one that Go compiles once: ten minutes of one core. */
async function findTelegraf(): Promise<string> {
  const found = findProgram('telegraf');
  if (found) return found;
  const directory = join(checkout, '.tenantscope', 'cache', 'telegraf-1.37.2');
  const built = join(directory, 'telegraf');
  if (existsSync(built)) return built;
  const go = findProgram('go');
  if (!go)
    throw new Error('Telegraf not found. Install it, or Go 1.25 or later, which compiles it, and add it to PATH.');
  console.error('compiling Telegraf …');
  const env = { ...process.env, GOBIN: directory, GOFLAGS: '-p=1' };
  await promisify(execFile)(go, ['install', '-tags', plugins, module], { env, maxBuffer: 1 << 26 });
  return built;
}

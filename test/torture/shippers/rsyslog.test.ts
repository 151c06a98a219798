import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findProgram, requireProgram } from '@tenantscope/local';
import { describeFileShipper } from './file-shipper.ts';
import { readPageBlock, substitute } from './page-blocks.ts';

describeFileShipper({
  name: 'rsyslog',
  /** The templates of the page. */
  variants: ['record', 'message'],
  findProgram: () =>
    requireProgram(findRsyslog, {
      what: 'rsyslog with omkafka',
      packages: ['rsyslog', 'rsyslog-kafka'],
      instead: 'PATH',
    }),
  async configure({ variant, directory, brokers, topic }) {
    const file = join(directory, 'rsyslog.conf');
    const configuration = substitute(await readPageBlock('rsyslog.md', 'rsyslog'), {
      'kafka.example.com:9092': brokers,
      '/var/spool/tenantscope-rsyslog': directory,
      '/var/log/okta/*.ndjson': join(directory, '*.ndjson'),
      'okta.rsyslog': topic,
      'template="record"': `template="${variant}"`,
    });
    await writeFile(file, configuration);
    return ['-n', '-f', file, '-i', join(directory, 'pid')];
  },
  readLine: (value, variant) => (variant === 'record' ? value : JSON.parse(value).message),
});

function findRsyslog(): string | null {
  const found = findProgram('rsyslogd') ?? (existsSync('/usr/sbin/rsyslogd') ? '/usr/sbin/rsyslogd' : null);
  const modules = ['x86_64-linux-gnu', 'aarch64-linux-gnu'].map((system) => `/usr/lib/${system}/rsyslog/omkafka.so`);
  return modules.some(existsSync) ? found : null;
}

import { readdirSync, readFileSync } from 'node:fs';
import { startServices } from '@tenantscope/local';

// A run for other tests to kill: PostgreSQL and Redis in the given directory; says which processes they are and which guard them.
const [directory = ''] = process.argv.slice(2);
const { postgresService, redisService } = await startServices({ directory, only: ['postgres', 'redis'] });
const services = [postgresService.pid, redisService.pid];
const guards = readdirSync('/proc')
  .filter((pid) => isGuard(pid))
  .map(Number);
console.log(JSON.stringify({ services, guards }));
setInterval(() => undefined, 1000);

function isGuard(pid: string): boolean {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return words[0] === 'sh' && words[3] === 'watcher' && services.includes(Number(words[4]));
  } catch {
    return false;
  }
}

import { readdirSync, readFileSync } from 'node:fs';
import { startServices } from '@tenantscope/local';

// A run for other tests to kill: PostgreSQL and Redis in the given directory. It prints their process ids and those of their guards.
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
    const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return args[0] === 'sh' && args[3] === 'guard' && services.includes(Number(args[4]));
  } catch {
    return false;
  }
}

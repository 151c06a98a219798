import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { RunningService } from '@tenantscope/local';

/**
 * Restarts PostgreSQL with its files dropped from the cache of the operating system. Other processes keep theirs. Returns false where that is not
 * possible, without a restart.
 */
export async function restartCold(service: RunningService, dataDirectory: string): Promise<boolean> {
  const drop = () =>
    promisify(execFile)(
      'find',
      [
        dataDirectory,
        '-type',
        'f',
        '-size',
        '+0',
        '-exec',
        'dd',
        'if={}',
        'iflag=nocache',
        'count=0',
        'status=none',
        ';',
      ],
      { maxBuffer: 16 * 1_048_576 },
    );
  if (service.pid === null) return false;
  const isPossible = await drop().then(
    () => true,
    () => false,
  );
  if (!isPossible) return false;
  await service.stop();
  await drop();
  await service.restart();
  return true;
}

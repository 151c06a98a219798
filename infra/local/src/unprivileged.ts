import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface User {
  name: string;
  uid: number;
  gid: number;
}

/** The user a server that refuses root runs as when we are root; null when we are not and it can run as ourselves. */
export function unprivilegedUser(): User | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const wanted of ['postgres', 'nobody']) {
    const [name, , uid, gid] = users.find((line) => line.startsWith(`${wanted}:`))?.split(':') ?? [];
    if (name !== undefined) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL refuses to run as root, and there is neither a user postgres nor a user nobody to run it as',
  );
}

/** Whether a user may reach what lies in this directory: a checkout may stand below one that only root can enter. */
export function canEnter(directory: string, user: User): boolean {
  const { mode, uid, gid } = statSync(directory);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  const parent = dirname(directory);
  return (mode & bit) !== 0 && (parent === directory || canEnter(parent, user));
}

import { readFileSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

export interface SystemUser {
  name: string;
  uid: number;
  gid: number;
}

/** As root: the user for a server that refuses to run as root. Otherwise null: it can run as the current user. */
export function findUnprivilegedUser(): SystemUser | null {
  if (process.getuid?.() !== 0) return null;
  const users = readFileSync('/etc/passwd', 'utf8').split('\n');
  for (const candidate of ['postgres', 'nobody']) {
    const [name, , uid, gid] = users.find((line) => line.startsWith(`${candidate}:`))?.split(':') ?? [];
    if (name !== undefined) return { name, uid: Number(uid), gid: Number(gid) };
  }
  throw new Error(
    'PostgreSQL cannot run as root. Create a system user named postgres, or set TENANTSCOPE_POSTGRES_URL to an external server.',
  );
}

/** Whether a user can access files in this directory: a checkout may be below one that only root can enter. */
export function canAccessDirectory(directory: string, user: SystemUser): boolean {
  const { mode, uid, gid } = statSync(directory);
  const bit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
  const parent = dirname(directory);
  return (mode & bit) !== 0 && (parent === directory || canAccessDirectory(parent, user));
}

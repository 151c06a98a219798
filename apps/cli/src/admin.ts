import { userInfo } from 'node:os';
import { type Admin, connectAdmin, type Tenant } from '@tenantscope/store';
import { guid } from './arguments.ts';
import { onDatabase } from './database-failure.ts';
import type { Environment } from './environment.ts';
import { adminUrls } from './settings.ts';

/** Lends the operator's connections for one piece of work. */
export async function withAdmin<Result>(
  environment: Environment,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const urls = adminUrls(environment);
  const variable =
    urls.control === urls.models ? 'TENANTSCOPE_ADMIN_DATABASE_URL' : 'TENANTSCOPE_ADMIN_[CONTROL_]DATABASE_URL';
  return onDatabase(urls.models, variable, async () => {
    await using admin = await connectAdmin(urls, operator());
    return await work(admin);
  });
}

/** The tenant that `--tenant` names by its service id or its upstream id. */
export async function findTenant(admin: Admin, text: string): Promise<Tenant> {
  return admin.tenants.find(guid(text, '--tenant'));
}

/** Who sits at the command line, as audits and snapshots name them. */
export function operator(): string {
  return `cli:${userInfo().username}`;
}

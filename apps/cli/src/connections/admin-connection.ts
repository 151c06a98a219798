import { userInfo } from 'node:os';
import { type Admin, connectAdmin, type Tenant } from '@tenantscope/store/admin';
import { CommandError } from '../command-error.ts';
import { parseGuid } from '../input/option-parsers.ts';
import { readAdminUrls } from './connection-settings.ts';
import { withDatabaseErrors } from './database-errors.ts';
import type { Environment } from './environment.ts';

/** Runs work with the operator's database connections. */
export async function withAdmin<Result>(
  environment: Environment,
  work: (admin: Admin) => Promise<Result>,
): Promise<Result> {
  const urls = readAdminUrls(environment);
  const variable =
    urls.control === urls.models ? 'TENANTSCOPE_ADMIN_DATABASE_URL' : 'TENANTSCOPE_ADMIN_[CONTROL_]DATABASE_URL';
  return withDatabaseErrors([urls.models, urls.control], variable, async () => {
    await using admin = await connectAdmin(urls, currentOperator());
    return await work(admin);
  });
}

/** The tenant that `--tenant` names by its service id or its upstream id. */
export async function findTenant(admin: Admin, text: string): Promise<Tenant> {
  return admin.tenants.find(parseGuid(text, '--tenant'));
}

/** As findTenant, for commands that add to a tenant. What is added to a closed one would be dropped, or outlive its erasure. */
export async function findOpenTenant(admin: Admin, text: string): Promise<Tenant> {
  const tenant = await findTenant(admin, text);
  if (tenant.closedAt !== null)
    throw new CommandError(`the tenant ${tenant.id} is closed; "tenantscope tenant offboard" shows its state`);
  return tenant;
}

/** The operator at the command line, as recorded by the audit log and snapshots: the name of the user, or its number where it has none, as in containers. */
export function currentOperator(): string {
  try {
    return `cli:${userInfo().username}`;
  } catch {
    return `cli:uid-${process.getuid?.()}`;
  }
}

import type { ActivityContext } from '../activity.ts';

/** The common members of every Management Activity API record. */
interface Common {
  readonly recordType: number;
  readonly operation: string;
  readonly workload: string;
  readonly resultStatus?: string;
}

/** A record of the Management Activity API by the person of the context; `rest` adds members and replaces common ones. */
export function managementRecord(
  context: ActivityContext,
  common: Common,
  rest: Record<string, unknown>,
): Record<string, unknown> {
  return {
    CreationTime: zonelessTime(context.atMs),
    Id: context.random.guid(),
    Operation: common.operation,
    OrganizationId: context.company.plan.azureTenantId,
    RecordType: common.recordType,
    ...(common.resultStatus === undefined ? {} : { ResultStatus: common.resultStatus }),
    UserKey: context.person.puid,
    UserType: context.person.isAdmin ? 2 : 0,
    Version: 1,
    Workload: common.workload,
    ClientIP: context.address,
    UserId: context.person.userPrincipalName,
    ...rest,
  };
}

/** UTC seconds without a zone designator, as the API writes them. */
export function zonelessTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19);
}

export function named(members: Record<string, string>): { Name: string; Value: string }[] {
  return Object.entries(members).map(([Name, Value]) => ({ Name, Value }));
}

import type { Scene } from '../scene.ts';

/** What every record of the Management Activity API says. */
interface Common {
  readonly recordType: number;
  readonly operation: string;
  readonly workload: string;
  readonly resultStatus?: string;
}

/** A record of the Management Activity API by the person of the scene; `rest` adds members and replaces common ones. */
export function managementRecord(scene: Scene, common: Common, rest: Record<string, unknown>): Record<string, unknown> {
  return {
    CreationTime: zonelessTime(scene.atMs),
    Id: scene.chance.guid(),
    Operation: common.operation,
    OrganizationId: scene.company.plan.azureTenantId,
    RecordType: common.recordType,
    ...(common.resultStatus === undefined ? {} : { ResultStatus: common.resultStatus }),
    UserKey: scene.person.puid,
    UserType: scene.person.isAdmin ? 2 : 0,
    Version: 1,
    Workload: common.workload,
    ClientIP: scene.address,
    UserId: scene.person.userPrincipalName,
    ...rest,
  };
}

/** Seconds, in UTC without saying so: as the API writes them. */
export function zonelessTime(atMs: number): string {
  return new Date(atMs).toISOString().slice(0, 19);
}

export function named(members: Record<string, string>): { Name: string; Value: string }[] {
  return Object.entries(members).map(([Name, Value]) => ({ Name, Value }));
}

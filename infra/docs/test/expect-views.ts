import { type AuditLogEvent, type Detection, rowViewSchemas, type SecurityAlert } from '@tenantscope/contract';
import {
  type EcsDocument,
  type OcsfEvent,
  toEcsAlert,
  toEcsDetection,
  toEcsLog,
  toOcsfAlert,
  toOcsfDetection,
  toOcsfLog,
} from '@tenantscope/mapping';
import { expect } from 'vitest';
import { findFieldViolations, findLostMembers } from './ecs-validator.ts';
import { findViolations } from './ocsf-validator.ts';

interface Views<Row> {
  readonly ocsf: (row: Row) => OcsfEvent;
  readonly ecs: (row: Row) => EcsDocument;
}

export const logViews: Views<AuditLogEvent> = { ocsf: toOcsfLog, ecs: toEcsLog };
export const detectionViews: Views<Detection> = { ocsf: toOcsfDetection, ecs: toEcsDetection };
export const alertViews: Views<SecurityAlert> = { ocsf: toOcsfAlert, ecs: toEcsAlert };

/** Both views of a row are valid by their published schemas and by those of the OpenAPI document, and that of ECS loses no member. Returns the event of OCSF. */
export function expectValidViews<Row extends object>({ ocsf, ecs }: Views<Row>, row: Row): OcsfEvent {
  const [event, document] = [ocsf(row), ecs(row)];
  expect(findViolations(event), JSON.stringify([row, event])).toEqual([]);
  expect(rowViewSchemas.ocsf.safeParse(event).error).toBeUndefined();
  expect(rowViewSchemas.ecs.safeParse(document).error).toBeUndefined();
  // Clients tell the forms of a row apart by members that one of them alone declares.
  const { ocsf: events, ecs: documents } = rowViewSchemas;
  expect(listUndeclared({ ...row, ...documents.shape }, event, events.shape)).toEqual([]);
  expect(listUndeclared({ ...row, ...events.shape }, document, documents.shape)).toEqual([]);
  expect(findFieldViolations(document), JSON.stringify([row, document])).toEqual([]);
  expect(findLostMembers(row, document), JSON.stringify([row, document])).toEqual([]);
  return event;
}

const listUndeclared = (others: object, form: object, declared: object): string[] =>
  Object.keys(form).filter((name) => name in others && !(name in declared));

// @module-tag exhaustive
import { existsSync, readFileSync } from 'node:fs';
import { type AlertFormatName, alertFormats, readRecords, toEventType } from '@tenantscope/intake';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listResults, listStates, parseDocument } from './alert-message.ts';
import { context, tenantId } from './message.ts';

/** Published records of others, which stay outside the repository. */
const folder = new URL('../../../../shared/real-data/', import.meta.url);
const isThere = existsSync(new URL('index.json', folder));
const title = isThere ? 'on published alerts' : 'SKIPPED: ../shared/real-data is missing beside the checkout';

interface IndexedFile {
  readonly path: string;
  readonly format: string;
  readonly records: number;
  readonly expected?: string;
}

const anyTenant = { ...context, findTenant: () => ({ azureTenantId: null }) };

function linesOf(path: string): string[] {
  const text = readFileSync(new URL(path.replace(/^dev\//, ''), folder), 'utf8');
  return text.split('\n').filter((line) => line !== '');
}

function read(format: string, line: string) {
  const headers = { ce_type: toEventType(format), ce_tenantid: tenantId };
  return readRecords('rawAlert', { key: null, value: Buffer.from(line), headers }, anyTenant);
}

/** Formats whose records are activity, of which some report alerts. */
const ofActivity = ['o365.management-activity', 'm365d.advanced-hunting'];

const isAlert = (line: string) => (JSON.parse(line) as { RecordType?: unknown }).RecordType === 40;

describe.skipIf(!isThere)(title, { tags: ['shared-records'] }, () => {
  const index = isThere
    ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as { files: IndexedFile[] })
    : { files: [] };
  const files = index.files.map((file) => ({ ...file, name: file.path.slice(file.path.lastIndexOf('/') + 1) }));
  const named = files.filter(
    ({ format }) => !ofActivity.includes(format) && alertFormats.includes(format as AlertFormatName),
  );
  const others = files.filter(({ path, format }) => /\/alerts\//.test(path) && !alertFormats.includes(format as never));

  describe.each(['UTC', 'America/New_York'])('with the process in %s', (zone) => {
    const zoneOfTheProcess = process.env.TZ;
    beforeAll(() => {
      process.env.TZ = zone;
    });
    afterAll(() => {
      if (zoneOfTheProcess === undefined) delete process.env.TZ;
      else process.env.TZ = zoneOfTheProcess;
    });

    test('every record of a named format gives a state, and rawData is unchanged', () => {
      expect(named).toHaveLength(8);
      for (const { path, format, records, name } of named) {
        const lines = linesOf(path);
        expect(lines).toHaveLength(records);
        lines.forEach((line, position) => {
          const outcomes = read(format, line);
          const why = `${name} ${position}`;
          expect(listResults(outcomes), why).toEqual([expectedRejections[why] ?? 'state']);
          const payload = JSON.parse(line) as { alerts?: unknown };
          const isExpanded = typeof payload.alerts === 'object' && !Array.isArray(payload.alerts);
          const alert = isExpanded ? payload.alerts : payload;
          for (const state of listStates(outcomes)) expect(parseDocument(state).rawData, why).toEqual(alert);
        });
      }
    });

    test("the alerts agree with the expectations of the collectors' authors", () => {
      let compared = 0;
      for (const { path, format, expected, name } of named) {
        if (expected === undefined || name.startsWith('panther')) continue;
        const lines = linesOf(path);
        linesOf(expected).forEach((line, position) => {
          const [state] = listStates(read(format, lines[position] as string));
          const expected = readExpected(JSON.parse(line) as Ecs);
          const why = `${name} ${position}`;
          expect(state === undefined, why).toBe(expected === null && !onlyOurs.includes(why));
          if (state === undefined || expected === null) return;
          expect({ id: state.id, ...parseDocument(state) }, why).toMatchObject(expected);
          compared++;
        });
      }
      expect(compared).toBe(30);
    });
  });

  test("the severity is the provider's, and a record without an alert has no severity", () => {
    const [panther] = named.filter(({ name }) => name.startsWith('panther'));
    const severities = linesOf(panther?.path as string).map((line) => {
      const [state] = listStates(read('graph.security.alert', line));
      return state?.columns.severity ?? null;
    });
    expect(severities).toEqual(['medium', 'high', 'informational', null]);
  });

  test('every format of the folder of alerts is read', () => {
    expect(others).toEqual([]);
  });

  test('of the rows of advanced hunting those of AlertInfo and AlertEvidence give a state', () => {
    const lines = files
      .filter(({ format }) => format === 'm365d.advanced-hunting')
      .flatMap(({ path }) => linesOf(path));
    for (const line of lines) {
      const { category } = JSON.parse(line) as { category: string };
      const isState = category === 'AdvancedHunting-AlertInfo' || category === 'AdvancedHunting-AlertEvidence';
      expect(listResults(read('m365d.advanced-hunting', line))).toEqual([isState ? 'state' : 'SCHEMA_VIOLATION']);
    }
    expect(lines).toHaveLength(38);
  });

  test('every record of type 40 gives a state, and repeated records give the same state', () => {
    const lines = files
      .filter(({ format }) => format === 'o365.management-activity')
      .flatMap(({ path }) => linesOf(path).filter(isAlert));
    const outcomes = lines.flatMap((line) => read('o365.management-activity', line));
    expect(new Set(listResults(outcomes))).toEqual(new Set(['state']));
    expect(outcomes).toHaveLength(124);
    const states = listStates(outcomes);
    expect(new Set(states.map(({ id }) => id)).size).toBe(5);
    expect(new Set(states.map(({ digest }) => digest.toString('hex'))).size).toBe(5);
  });

  test('an id contains the time at which the alert was raised, at most three minutes before its first event', () => {
    const raised = files
      .filter(({ format }) => format === 'o365.management-activity')
      .flatMap(({ path }) => linesOf(path).filter(isAlert))
      .map((line) => {
        const event = JSON.parse(line) as { AlertId: string; CreationTime: string };
        const [state] = listStates(
          read('o365.management-activity', JSON.stringify({ ...event, Operation: 'AlertUpdated' })),
        );
        const { createdDateTime } = parseDocument(state as NonNullable<typeof state>);
        return Date.parse(`${event.CreationTime}Z`) - Date.parse(createdDateTime as string);
      });
    expect(raised.every((ms) => ms >= 0 && ms <= 180_000)).toBe(true);
  });
});

/** One record of advanced hunting among the alerts, and one answer without any. */
const expectedRejections: Record<string, string> = {
  'panther.graph.security.alert.ndjson 3': 'SCHEMA_VIOLATION',
  'elastic-integrations.graph.security.incident.ndjson 7': 'EMPTY_PAYLOAD',
  'elastic-integrations.m365d.incidents-legacy.ndjson 1': 'EMPTY_PAYLOAD',
  // A result of a compliance standard, which has no time at all.
  'elastic-integrations.defender-for-cloud.alert.ndjson 0': 'MISSING_TIMESTAMP',
  // The types of the members in place of their values.
  'msdocs-graph-2021.graph.security.alert.legacy.ndjson 0': 'INVALID_TIMESTAMP',
};

/** An incident without alerts, which the other collector drops. */
const onlyOurs = ['elastic-integrations.m365d.incidents-legacy.ndjson 0'];

type Fields = Readonly<Record<string, string | undefined>>;

interface Ecs {
  readonly event: Fields;
  readonly m365_defender?: {
    readonly alert?: Fields;
    readonly incident?: { readonly alert?: Fields };
    readonly alerts?: Fields;
    readonly incidentId?: string;
    readonly incidentName?: string;
  };
  readonly message?: string;
  readonly microsoft?: { readonly defender_endpoint: Fields };
  readonly microsoft_defender_cloud?: {
    readonly event: {
      readonly display_name?: string;
      readonly severity?: string;
      readonly system?: { readonly alert_id: string };
      readonly properties?: { readonly display_name?: string };
    };
  };
  readonly google_workspace?: { readonly alert: Fields & { readonly metadata: Fields } };
}

/** Null where nothing is expected. Members that the expected output leaves out are null in ours. */
function readExpected(ecs: Ecs | null): Record<string, string | null> | null {
  const graph = ecs?.m365_defender?.alert ?? ecs?.m365_defender?.incident?.alert;
  const google = ecs?.google_workspace?.alert;
  if (graph !== undefined) {
    return orNull({
      id: graph.id,
      // One title ends in an invisible space, which becomes visible here.
      title: graph.title?.replaceAll('\u200b', '\\u{200B}'),
      severity: graph.severity,
      status: graph.status,
      category: graph.category,
      serviceSource: graph.service_source,
      detectionSource: graph.detection_source,
      assignedTo: graph.assigned_to,
      threatDisplayName: graph.threat_display_name,
      threatFamilyName: graph.threat_family_name,
      createdDateTime: graph.created_datetime,
      lastUpdateDateTime: graph.last_update_datetime,
      resolvedDateTime: graph.resolved_datetime,
      firstActivityDateTime: graph.first_activity_datetime,
      lastActivityDateTime: graph.last_activity_datetime,
    });
  }
  if (google === undefined) return ecs === null ? null : readOtherExpected(ecs);
  return orNull({
    id: google.id,
    title: google.type,
    category: google.source,
    severity: google.metadata.severity?.toLowerCase(),
    status: google.metadata.status === 'NOT_STARTED' ? 'new' : 'unexpected',
    assignedTo: google.metadata.assignee,
    createdDateTime: google.create_time,
    lastUpdateDateTime: google.update_time,
    firstActivityDateTime: google.start_time,
    lastActivityDateTime: google.end_time,
  });
}

/** These authors give some members only, in the provider's spelling. Null for a result without a time. */
function readOtherExpected(ecs: Ecs): Record<string, string | null> | null {
  const { event, message, microsoft_defender_cloud: cloud, m365_defender: incident } = ecs;
  if (cloud !== undefined) {
    const { system, severity, properties } = cloud.event;
    if (system === undefined) return properties?.display_name === undefined ? null : { title: properties.display_name };
    return orNull({ id: system.alert_id, title: cloud.event.display_name, severity: severity?.toLowerCase() });
  }
  const alert = ecs.microsoft?.defender_endpoint ?? incident?.alerts;
  if (alert === undefined) {
    return incident?.incidentName === undefined
      ? null
      : orNull({ id: incident.incidentId, title: incident.incidentName });
  }
  return orNull({
    id: event.id,
    title: message,
    category: event.action,
    assignedTo: alert.assignedTo,
    incidentId: alert.incidentId,
    createdDateTime: toMilliseconds(alert.creationTime ?? event.created),
    firstActivityDateTime: toMilliseconds(event.start),
    lastActivityDateTime: toMilliseconds(event.end),
    lastUpdateDateTime: toMilliseconds(alert.lastUpdatedTime ?? alert.lastUpdateTime),
    resolvedDateTime: toMilliseconds(alert.resolvedTime),
  });
}

function toMilliseconds(time: string | undefined): string | undefined {
  return time === undefined ? undefined : new Date(time.replace(/(\.\d{3})\d*/, '$1')).toISOString();
}

function orNull(members: Fields): Record<string, string | null> {
  return Object.fromEntries(Object.entries(members).map(([name, value]) => [name, value ?? null]));
}

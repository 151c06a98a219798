import {
  type Detection,
  type List,
  type ListContinuation,
  type ListStart,
  listDetectionLogs,
  listLogs,
  type OperationInput,
  parseTime,
  type Window,
} from '@tenantscope/contract';
import {
  agents,
  apps,
  detections,
  devices,
  files,
  type LogsFilterValues,
  type ReadModels,
  type Resource,
  readRecord,
  sites,
} from '@tenantscope/store/read';
import { type Caller, requireSlotOwner, requireTenantId } from '../auth/caller.ts';
import type { OperationResult } from '../invoke.ts';
import { listTimeoutMs } from '../limits.ts';
import { recordNotFound } from './get.ts';
import { formatWindow, handleList, type ListSource, type PageQuery, type ReadDependencies } from './list.ts';
import { unboundedWindow } from './list-query.ts';
import { logViews, readLogs, resolveUser } from './log-source.ts';

/** Pages of the log under the name and path of the operation. */
const { name, path } = listDetectionLogs;
const pages: List = { ...listLogs, name, path };

/** Reads the events behind a detection, page by page. The first page decides the episode and the aliases of the entity; the cursor keeps them. */
export async function handleDetectionLogs(
  sources: ReadDependencies,
  caller: Caller,
  { id, ...input }: OperationInput<typeof listDetectionLogs>,
): Promise<OperationResult> {
  const detection = await readDetection(sources, caller, id);
  const source: ListSource = {
    feed: 'logs',
    hasRetention: true,
    views: logViews,
    about: id,
    describe: ({ occurredAt }) => ({ episode: formatWindow(occurredAt ?? unboundedWindow) }),
    async resolveFilters(models, { filters, ...query }) {
      const entity = await addOtherIds(models, { ...query, filters: selectEntity(detection) }, detection);
      return { ...filters, ...renameFilters(await resolveUser(models, { ...query, filters: entity })) };
    },
    read(models, query) {
      const { filters, anyOf } = splitFilters(query.filters);
      return readLogs(models, query, filters, anyOf);
    },
  };
  const started: ListStart | ListContinuation =
    input.cursor === null ? { ...input, windows: { occurredAt: readEpisode(detection) } } : input;
  return handleList(sources, pages, source, caller, started);
}

/** A detection that does not exist, and one of another tenant, give the same error. */
async function readDetection(
  { models, readLimiter }: ReadDependencies,
  caller: Caller,
  id: string,
): Promise<Detection> {
  const signal = caller.disconnectSignal();
  const document = await readLimiter.run(requireSlotOwner(caller), signal, (runStatement) =>
    runStatement(() =>
      readRecord(models, detections, { tenantId: requireTenantId(caller), id, timeoutMs: listTimeoutMs, signal }),
    ),
  );
  if (document === null) throw recordNotFound();
  return JSON.parse(document) as Detection;
}

const readEpisode = ({ openedAt, lastSeenAt }: Detection): Window => ({
  fromMs: parseTime(openedAt),
  toMs: lastSeenAt ? parseTime(lastSeenAt) : null,
});

/** How a row names its entity. One of these filters must match. A map: producers name types freely, and "constructor" is a member of every object. */
const filtersByEntity = new Map<string | null, readonly (keyof LogsFilterValues)[]>([
  ['user', ['user']],
  ['agent', ['user', 'applicationId', 'targetId']],
  ['app', ['user', 'applicationId', 'targetId']],
  ['device', ['deviceId', 'targetId']],
]);

/** The filters of a detection's entity, one of which a row must match; none for the whole tenant. */
export function selectEntity({ entity }: Pick<Detection, 'entity'>): PageQuery['filters'] {
  if (entity?.id == null) return {};
  const names = filtersByEntity.get(entity.type) ?? ['targetId'];
  return Object.fromEntries(names.map((filter) => [filter, [entity.id as string]]));
}

/** Entities that events also name by other ids than theirs. The filter `user` finds these itself. */
const renamedEntities = new Map<string | undefined, Resource>([
  ['agent', agents],
  ['app', apps],
  ['device', devices],
  ['file', files],
  ['site', sites],
]);
const idMembers = ['id', 'appId', 'agentIdentityId', 'deviceId', 'managedDeviceId'] as const;

type NamedEntity = { readonly [Name in (typeof idMembers)[number]]?: string | null } & {
  readonly aliases?: Readonly<Record<string, string | null>> | null;
};

/** Adds the other ids of the entity to the values of its filters. */
export async function addOtherIds(
  models: ReadModels,
  { tenantId, filters, timeoutMs, signal }: Pick<PageQuery, 'tenantId' | 'filters' | 'timeoutMs' | 'signal'>,
  { entity }: Pick<Detection, 'entity'>,
): Promise<PageQuery['filters']> {
  const resource = renamedEntities.get(entity?.type ?? undefined);
  if (resource === undefined || entity?.id == null) return filters;
  const document = await readRecord(models, resource, { tenantId, id: entity.id, timeoutMs, signal });
  const record = JSON.parse(document ?? '{}') as NamedEntity;
  const ids = [...idMembers.map((name) => record[name]), ...Object.values(record.aliases ?? {})];
  const others = ids.filter((id) => id != null);
  return Object.fromEntries(
    Object.entries(filters).map(([name, values]) =>
      name === 'user' ? [name, values] : [name, [...new Set([...values, ...others])]],
    ),
  );
}

/** In a cursor the filters of the entity are next to those of the client. */
const prefix = 'entity:';

const renameFilters = (filters: PageQuery['filters']): PageQuery['filters'] =>
  Object.fromEntries(Object.entries(filters).map(([filter, values]) => [prefix + filter, values]));

function splitFilters(all: PageQuery['filters']): { filters: LogsFilterValues; anyOf: LogsFilterValues } {
  const entries = Object.entries(all);
  const own = entries.filter(([filter]) => !filter.startsWith(prefix));
  const entity = entries.filter(([filter]) => filter.startsWith(prefix));
  return {
    filters: Object.fromEntries(own),
    anyOf: Object.fromEntries(entity.map(([filter, values]) => [filter.slice(prefix.length), values])),
  };
}

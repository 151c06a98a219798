import type { Incident } from '@tenantscope/store';

type Members = Readonly<Record<string, unknown>>;

export interface Affected {
  readonly type: 'user' | 'group' | 'email' | 'app' | 'agent' | 'file' | 'other';
  readonly id: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly verdict: string | null;
}

/** What is told of an incident, from its document. */
export interface IncidentParts {
  readonly title: string | null;
  readonly status: string | null;
  readonly firstActivityAt: string | null;
  readonly lastActivityAt: string | null;
  readonly resolvedAt: string | null;
  readonly affected: readonly Affected[];
}

export function partsOf({ kind, document }: Incident): IncidentParts {
  const told = parsed(document);
  return kind === 'alert' ? ofAlert(told) : ofDetection(told);
}

function ofAlert(told: Members): IncidentParts {
  const listed = (name: string) => members(told[name]);
  return {
    title: text(told.title),
    status: text(told.status),
    firstActivityAt: text(told.firstActivityDateTime),
    lastActivityAt: text(told.lastActivityDateTime),
    resolvedAt: text(told.resolvedDateTime),
    affected: [
      ...listed('users').map((one) => affected('user', one, one.name ?? one.userPrincipalName)),
      ...listed('groups').map((one) => affected('group', one, one.name)),
      ...filesOf(told.rawData),
      ...listed('apps').map((one) => affected(one.kind === 'agent' ? 'agent' : 'app', one, one.name)),
      ...listed('emails').map((one) => affected('email', one, one.subject ?? one.recipient)),
    ],
  };
}

function ofDetection(told: Members): IncidentParts {
  const detector = object(told.detector);
  const entity = object(told.entity);
  const type = text(entity.type);
  const known = type === 'user' || type === 'app' || type === 'agent' || type === 'file' || type === 'group';
  return {
    title: text(detector.name) ?? text(detector.id),
    status: text(told.status),
    firstActivityAt: text(told.openedAt),
    lastActivityAt: text(told.lastSeenAt),
    resolvedAt: text(told.resolvedAt),
    affected: text(entity.id) === null ? [] : [affected(known ? type : 'other', entity, entity.name)],
  };
}

/** Files stand in the provider's own evidence alone. */
function filesOf(rawData: unknown): Affected[] {
  return members(object(rawData).evidence).flatMap((one) => {
    const details = object(one.fileDetails);
    const name = text(details.fileName) ?? text(one.fileName);
    if (name === null) return [];
    const id = text(details.sha256) ?? text(details.filePath) ?? name;
    return [affected('file', { ...one, id }, name)];
  });
}

function affected(type: Affected['type'], one: Members, name: unknown): Affected {
  return {
    type,
    id: text(one.id) ?? text(name) ?? '',
    name: text(name),
    roles: Array.isArray(one.roles) ? one.roles.filter((role) => typeof role === 'string') : [],
    verdict: text(one.verdict),
  };
}

/** Documents were written by this service; what its provider sent inside is theirs. */
function parsed(document: string): Members {
  return object(JSON.parse(document));
}

const object = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const members = (value: unknown): Members[] => (Array.isArray(value) ? value.map(object) : []);
const text = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

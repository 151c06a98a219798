import type { Incident } from '@tenantscope/store/compliance';

type Members = Readonly<Record<string, unknown>>;

export interface AffectedEntity {
  readonly type: 'user' | 'group' | 'email' | 'app' | 'agent' | 'file' | 'other';
  readonly id: string;
  readonly name: string | null;
  readonly roles: readonly string[];
  readonly verdict: string | null;
}

/** The details of an incident, from its document. */
export interface IncidentDetails {
  readonly title: string | null;
  readonly status: string | null;
  /** When the provider created it, where it reports that. */
  readonly createdAt: string | null;
  readonly firstActivityAt: string | null;
  readonly lastActivityAt: string | null;
  readonly resolvedAt: string | null;
  readonly affected: readonly AffectedEntity[];
}

export function parseIncident(incident: Incident): IncidentDetails {
  const document = parseDocument(incident.document);
  return incident.kind === 'alert' ? parseAlert(document) : parseDetection(document);
}

function parseAlert(document: Members): IncidentDetails {
  const listed = (name: string) => toObjects(document[name]);
  return {
    title: toText(document.title),
    status: toText(document.status),
    createdAt: toText(document.createdDateTime),
    firstActivityAt: toText(document.firstActivityDateTime),
    lastActivityAt: toText(document.lastActivityDateTime),
    resolvedAt: toText(document.resolvedDateTime),
    affected: [
      ...listed('users').map((one) => toAffected('user', one, one.name ?? one.userPrincipalName)),
      ...listed('groups').map((one) => toAffected('group', one, one.name)),
      ...listFiles(document.rawData),
      ...listed('apps').map((one) => toAffected(one.kind === 'agent' ? 'agent' : 'app', one, one.name)),
      ...listed('emails').map((one) => toAffected('email', one, one.subject ?? one.recipient)),
    ],
  };
}

function parseDetection(document: Members): IncidentDetails {
  const detector = toObject(document.detector);
  const entity = toObject(document.entity);
  const type = toText(entity.type);
  const isListed = type === 'user' || type === 'app' || type === 'agent' || type === 'file' || type === 'group';
  return {
    title: toText(detector.name) ?? toText(detector.id),
    status: toText(document.status),
    createdAt: null,
    firstActivityAt: toText(document.openedAt),
    lastActivityAt: toText(document.lastSeenAt),
    resolvedAt: toText(document.resolvedAt),
    affected: toText(entity.id) === null ? [] : [toAffected(isListed ? type : 'other', entity, entity.name)],
  };
}

/** Files are only in the provider's own evidence. */
function listFiles(rawData: unknown): AffectedEntity[] {
  return toObjects(toObject(rawData).evidence).flatMap((one) => {
    const details = toObject(one.fileDetails);
    const name = toText(details.fileName) ?? toText(one.fileName);
    if (name === null) return [];
    const id = toText(details.sha256) ?? toText(details.filePath) ?? name;
    return [toAffected('file', { ...one, id }, name)];
  });
}

function toAffected(type: AffectedEntity['type'], one: Members, name: unknown): AffectedEntity {
  return {
    type,
    id: toText(one.id) ?? toText(name) ?? '',
    name: toText(name),
    roles: Array.isArray(one.roles) ? one.roles.filter((role) => typeof role === 'string') : [],
    verdict: toText(one.verdict),
  };
}

/** Documents are written by this service; `rawData` inside is the provider's. */
function parseDocument(document: string): Members {
  return toObject(JSON.parse(document));
}

const toObject = (value: unknown): Members => (typeof value === 'object' && value !== null ? (value as Members) : {});
const toObjects = (value: unknown): Members[] => (Array.isArray(value) ? value.map(toObject) : []);
const toText = (value: unknown): string | null => (typeof value === 'string' && value !== '' ? value : null);

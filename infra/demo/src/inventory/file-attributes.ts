import type { Agent, App, Company, File, Person } from '../company.ts';
import { type InfoType, listInfoTypes } from '../info-types.ts';
import { deriveNumber } from '../random.ts';

export interface FoundInfo {
  readonly type: InfoType;
  readonly count: number;
}

/** The owner of a file: in a OneDrive its user, on a site always the same employee of its department. */
export function findFileOwner(company: Company, file: File): Person {
  const personal = company.employees.find(
    (person) => file.workload === 'OneDrive' && person.displayName === file.site.name,
  );
  return personal ?? derivePick(listColleagues(company, file.site.department), file.id, 'owner');
}

export function listColleagues({ employees }: Company, department: string): readonly Person[] {
  const colleagues = employees.filter((person) => person.department === department);
  return colleagues.length === 0 ? employees : colleagues;
}

/** What sensitive content was found in a file: more where its label says so. */
export function findSensitiveInfo(company: Company, file: File): readonly FoundInfo[] {
  const kinds = listInfoTypes(company.plan);
  const most =
    file.label === 'Highly Confidential' ? 4 : file.label === 'Confidential' ? 2 : file.workload === 'OneDrive' ? 0 : 1;
  const found = Array.from({ length: deriveNumber(most + 1, file.id, 'kinds') }, (_, index) => ({
    type: derivePick(kinds, file.id, 'kind', String(index)),
    count: 1 + deriveNumber(60, file.id, 'count', String(index)),
  }));
  return found.filter(({ type }, index) => found.findIndex((other) => other.type === type) === index);
}

/** The kinds of sensitive content in files, and in how many of them each is. */
export function countSensitiveInfo(company: Company, files: readonly File[]) {
  const counts = new Map<string, { id: string; name: string; fileCount: number }>();
  for (const { type } of files.flatMap((file) => findSensitiveInfo(company, file))) {
    const entry = counts.get(type.id) ?? { id: type.id, name: type.name, fileCount: 0 };
    counts.set(type.id, { ...entry, fileCount: entry.fileCount + 1 });
  }
  return [...counts.values()];
}

/** Files in which content of a kind was found. */
export function listFilesContaining(company: Company, type: InfoType): readonly File[] {
  return company.files.filter((file) => findSensitiveInfo(company, file).some((found) => found.type.id === type.id));
}

export interface Sharing {
  readonly scope: 'private' | 'specificPeople' | 'organization' | 'anyone';
  readonly guests: readonly Person[];
}

/** How far a file is shared; guests are let in where a file has no label. */
export function deriveSharing(company: Company, file: File): Sharing {
  const share = deriveNumber(20, file.id, 'sharing');
  const guests = file.label === null && share >= 16 ? [derivePick(company.guests, file.id, 'guest')] : [];
  if (share === 19 || (share === 18 && file.label === null)) return { scope: 'anyone', guests };
  if (share >= 14) return { scope: guests.length > 0 ? 'specificPeople' : 'organization', guests };
  return { scope: share >= 8 || file.workload === 'SharePoint' ? 'specificPeople' : 'private', guests };
}

/** Agents that can read a file: those made for its site, and those that may read everything. */
export function listReadingAgents({ agents }: Company, file: File): readonly Agent[] {
  return agents.filter((agent) => agent.marks.includes('wide') || agent.files.includes(file));
}

/** AI apps that can read a file: all files but those of OneDrives. */
export function listReadingApps({ apps }: Company, file: File): readonly App[] {
  return file.workload === 'OneDrive'
    ? []
    : apps.filter((app) => app.aiCategory !== null && app.aiCategory !== 'modelProvider');
}

export function listReadableFiles(company: Company, agent: Agent): readonly File[] {
  return company.files.filter((file) => listReadingAgents(company, file).includes(agent));
}

/** Labels of the upper two steps encrypt. */
export function isProtected({ label, site }: File): boolean {
  return label === 'Highly Confidential' || (label === 'Confidential' && site.department !== 'Sales');
}

/** Declared restrictions: no access to card numbers, no AI access to passports and custom types, no restriction on project codes. */
export function findRestriction({ name, kind, isCustom }: InfoType): 'none' | 'monitored' | 'noAiAccess' | 'noAccess' {
  if (name === 'Credit Card Number') return 'noAccess';
  if (name === 'EU Passport Number' || (isCustom && kind !== 'entity')) return 'noAiAccess';
  return kind === 'credential' ? 'monitored' : 'none';
}

export function derivePick<Item>(items: readonly Item[], ...names: readonly string[]): Item {
  const found = items[deriveNumber(items.length, ...names)];
  if (found === undefined) throw new RangeError('nothing to choose from');
  return found;
}

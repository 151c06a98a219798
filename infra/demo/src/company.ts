import type { AgentMark, AgentPlatform, AiCategory, AppKind, CompanyPlan, Label, PersonPlan } from './company-plan.ts';
import { createCompanyLaptop, createPersonalComputer, createPhone, type Device } from './devices.ts';
import { deriveGuid, deriveNumber } from './random.ts';

export interface Person {
  readonly id: string;
  readonly displayName: string;
  readonly userPrincipalName: string;
  readonly department: string | null;
  readonly title: string | null;
  /** The identifier of a person in older Microsoft records: 16 hexadecimal digits. */
  readonly puid: string;
  readonly mailboxGuid: string;
  readonly googleProfileId: string;
  readonly oktaId: string;
  readonly isAdmin: boolean;
  readonly isGuest: boolean;
  readonly isRemote: boolean;
  /** The home tenant of a guest; the company's tenant for employees. */
  readonly homeTenantId: string;
  readonly homeAddress: string;
  readonly devices: readonly Device[];
}

export interface Site {
  readonly id: string;
  readonly webId: string;
  readonly listId: string;
  readonly name: string;
  readonly url: string;
  readonly department: string;
}

export interface File {
  readonly id: string;
  readonly name: string;
  readonly extension: string;
  readonly folder: string;
  readonly url: string;
  readonly sizeBytes: number;
  readonly label: Label | null;
  readonly labelId: string | null;
  readonly site: Site;
  readonly workload: 'SharePoint' | 'OneDrive';
}

export interface App {
  readonly appId: string;
  readonly servicePrincipalId: string;
  readonly name: string;
  readonly publisher: string;
  readonly kind: AppKind;
  readonly aiCategory: AiCategory | null;
  readonly address: string;
}

export interface Agent {
  readonly id: string;
  readonly appId: string;
  readonly servicePrincipalId: string;
  readonly name: string;
  readonly platform: AgentPlatform;
  readonly marks: readonly AgentMark[];
  readonly creator: Person;
  readonly files: readonly File[];
}

/** The users and objects of a company. The same plan always gives the same ids. */
export interface Company {
  readonly plan: CompanyPlan;
  readonly employees: readonly Person[];
  readonly admins: readonly Person[];
  readonly guests: readonly Person[];
  readonly sites: readonly Site[];
  readonly files: readonly File[];
  readonly apps: readonly App[];
  readonly agents: readonly Agent[];
  readonly officeAddress: string;
  readonly sharePointHost: string;
}

export function createCompany(plan: CompanyPlan): Company {
  const employees = plan.employees.map((person) => createEmployee(plan, person));
  const guests = plan.guests.map(([name, domain]) => createGuest(plan, name, domain));
  const sites = plan.sites.map(({ name, department }) => createSharedSite(plan, name, department));
  const shared = plan.sites.flatMap(({ name, files }, index) =>
    files.map(([file, folder, label]) => createFile(plan, sites[index] ?? missing(name), file, folder, label ?? null)),
  );
  const personal = employees.flatMap((person) => {
    const site = personalSite(plan, person);
    return personalFiles.map((file) => createFile(plan, site, file, 'Documents', null));
  });
  return {
    plan,
    employees,
    guests,
    sites,
    admins: employees.filter((person) => person.isAdmin),
    files: [...shared, ...personal],
    apps: plan.apps.map(([name, publisher, kind, aiCategory]) => ({
      name,
      publisher,
      kind,
      aiCategory: aiCategory ?? null,
      appId: deriveGuid(plan.azureTenantId, 'app', name),
      servicePrincipalId: deriveGuid(plan.azureTenantId, 'service principal', name),
      address: `198.51.100.${200 + deriveNumber(50, name)}`,
    })),
    agents: plan.agents.map((agent) => ({
      name: agent.name,
      platform: agent.platform,
      marks: agent.marks ?? [],
      id: deriveGuid(plan.azureTenantId, 'agent', agent.name),
      appId: deriveGuid(plan.azureTenantId, 'agent app', agent.name),
      servicePrincipalId: deriveGuid(plan.azureTenantId, 'agent service principal', agent.name),
      creator: findPerson(employees, agent.creator),
      files: shared.filter((file) => file.site.name === agent.site),
    })),
    officeAddress: `192.0.2.${1 + deriveNumber(250, plan.name)}`,
    sharePointHost: sharePointHost(plan),
  };
}

const personalFiles = ['Notes.docx', 'Draft.docx', 'To do.xlsx'];

/** The person with this name; throws if the plan has no such person. */
export function findPerson(employees: readonly Person[], name: string): Person {
  return employees.find((person) => person.displayName === name) ?? missing(name);
}

function createEmployee(plan: CompanyPlan, [name, department, title, ...marks]: PersonPlan): Person {
  const upn = `${mailName(name)}@${plan.domain}`;
  const computer = marks.includes('byod') ? createPersonalComputer(upn, name) : createCompanyLaptop(upn, plan.name);
  return {
    ...createIdentity(plan, name, upn),
    department,
    title,
    isAdmin: marks.includes('admin'),
    isGuest: false,
    isRemote: marks.includes('remote'),
    homeTenantId: plan.azureTenantId,
    devices: deriveNumber(2, upn, 'has a phone') === 0 ? [computer] : [computer, createPhone(upn, name)],
  };
}

function createGuest(plan: CompanyPlan, name: string, domain: string): Person {
  const home = `${mailName(name)}@${domain}`;
  return {
    ...createIdentity(plan, name, `${home.replace('@', '_')}#EXT#@${plan.domain}`),
    department: null,
    title: null,
    isAdmin: false,
    isGuest: true,
    isRemote: true,
    homeTenantId: deriveGuid('home tenant', domain),
    devices: [createPersonalComputer(home, name)],
  };
}

function createIdentity(plan: CompanyPlan, displayName: string, userPrincipalName: string) {
  const names = [plan.azureTenantId, userPrincipalName];
  return {
    id: deriveGuid(...names, 'user'),
    displayName,
    userPrincipalName,
    puid: `1003200${deriveGuid(...names, 'puid')
      .replaceAll('-', '')
      .slice(0, 9)
      .toUpperCase()}`,
    mailboxGuid: deriveGuid(...names, 'mailbox'),
    googleProfileId: String(10n ** 20n + BigInt(deriveNumber(10 ** 12, ...names, 'google'))),
    oktaId: `00u${deriveGuid(...names, 'okta')
      .replaceAll('-', '')
      .slice(0, 17)}`,
    homeAddress: `198.51.100.${1 + deriveNumber(190, ...names, 'home')}`,
  };
}

function createSharedSite(plan: CompanyPlan, name: string, department: string): Site {
  return createSite(plan, name, department, `https://${sharePointHost(plan)}/sites/${name.replaceAll(' ', '')}`);
}

function personalSite(plan: CompanyPlan, person: Person): Site {
  const account = person.userPrincipalName.replaceAll(/[@.]/g, '_');
  const url = `https://${sharePointHost(plan).replace('.', '-my.')}/personal/${account}`;
  return createSite(plan, person.displayName, person.department ?? '', url);
}

function createSite(plan: CompanyPlan, name: string, department: string, url: string): Site {
  const [id, webId, listId] = ['site', 'web', 'list'].map((part) => deriveGuid(plan.azureTenantId, part, url)) as [
    string,
    string,
    string,
  ];
  return { id, webId, listId, name, url, department };
}

function createFile(plan: CompanyPlan, site: Site, name: string, folder: string, label: Label | null): File {
  const isPersonal = site.url.includes('/personal/');
  return {
    id: deriveGuid(plan.azureTenantId, 'file', site.url, name),
    name,
    extension: name.slice(name.lastIndexOf('.') + 1),
    folder: isPersonal ? folder : `Shared Documents/${folder}`,
    url: `${site.url}/${isPersonal ? '' : 'Shared Documents/'}${folder}/${name}`,
    sizeBytes: 4_000 + deriveNumber(4_000_000, site.url, name),
    label,
    labelId: label === null ? null : deriveGuid(plan.azureTenantId, 'label', label),
    site,
    workload: isPersonal ? 'OneDrive' : 'SharePoint',
  };
}

function sharePointHost(plan: CompanyPlan): string {
  return `${plan.domain.slice(0, plan.domain.indexOf('.'))}.sharepoint.test`;
}

function mailName(name: string): string {
  return name.toLowerCase().replaceAll(' ', '.');
}

function missing(name: string): never {
  throw new Error(`the plan has no entry named ${name}`);
}

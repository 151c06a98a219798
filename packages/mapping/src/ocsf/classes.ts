/** The classes of OCSF that events use: number, names, activities, and where they differ in what they may contain. */
interface OcsfClass {
  readonly uid: number;
  readonly caption: string;
  readonly category: readonly [uid: number, caption: string];
  readonly activities: Readonly<Record<string, number>>;
  /** Attributes of the class that not every class has. */
  readonly attributes: readonly ('src_endpoint' | 'http_request' | 'resources')[];
}

const findings = [2, 'Findings'] as const;
const iam = [3, 'Identity & Access Management'] as const;
const network = [4, 'Network Activity'] as const;
const application = [6, 'Application Activity'] as const;

const others = { Unknown: 0, Other: 99 };

export const ocsfClasses = {
  base: {
    uid: 0,
    caption: 'Base Event',
    category: [0, 'Uncategorized'],
    activities: others,
    attributes: [],
  },
  detectionFinding: {
    uid: 2004,
    caption: 'Detection Finding',
    category: findings,
    activities: { ...others, Create: 1, Update: 2, Close: 3 },
    attributes: ['resources'],
  },
  accountChange: {
    uid: 3001,
    caption: 'Account Change',
    category: iam,
    activities: {
      ...others,
      Create: 1,
      Enable: 2,
      'Password Change': 3,
      'Password Reset': 4,
      Disable: 5,
      Delete: 6,
      Lock: 9,
      'MFA Factor Enable': 10,
      'MFA Factor Disable': 11,
      Unlock: 12,
    },
    attributes: ['src_endpoint', 'http_request'],
  },
  authentication: {
    uid: 3002,
    caption: 'Authentication',
    category: iam,
    activities: { ...others, Logon: 1, Logoff: 2 },
    attributes: ['src_endpoint', 'http_request'],
  },
  entityManagement: {
    uid: 3004,
    caption: 'Entity Management',
    category: iam,
    activities: { ...others, Create: 1, Read: 2, Update: 3, Delete: 4, Enable: 8, Disable: 9 },
    attributes: ['src_endpoint', 'http_request'],
  },
  userAccess: {
    uid: 3005,
    caption: 'User Access Management',
    category: iam,
    activities: { ...others, 'Assign Privileges': 1, 'Revoke Privileges': 2 },
    attributes: ['src_endpoint', 'http_request', 'resources'],
  },
  groupManagement: {
    uid: 3006,
    caption: 'Group Management',
    category: iam,
    activities: { ...others, 'Add User': 3, 'Remove User': 4, Delete: 5, Create: 6 },
    attributes: ['src_endpoint', 'http_request'],
  },
  emailActivity: {
    uid: 4009,
    caption: 'Email Activity',
    category: network,
    activities: { ...others, Send: 1, Receive: 2, Scan: 3, Trace: 4 },
    attributes: ['src_endpoint'],
  },
  applicationLifecycle: {
    uid: 6002,
    caption: 'Application Lifecycle',
    category: application,
    activities: { ...others, Install: 1, Remove: 2, Enable: 6, Disable: 7, Update: 8 },
    attributes: [],
  },
  apiActivity: {
    uid: 6003,
    caption: 'API Activity',
    category: application,
    activities: { ...others, Create: 1, Read: 2, Update: 3, Delete: 4 },
    attributes: ['src_endpoint', 'http_request', 'resources'],
  },
  fileHosting: {
    uid: 6006,
    caption: 'File Hosting Activity',
    category: application,
    activities: {
      ...others,
      Upload: 1,
      Download: 2,
      Update: 3,
      Delete: 4,
      Rename: 5,
      Copy: 6,
      Move: 7,
      Restore: 8,
      Preview: 9,
      Lock: 10,
      Unlock: 11,
      Share: 12,
      Unshare: 13,
      Open: 14,
    },
    attributes: ['src_endpoint', 'http_request'],
  },
} as const satisfies Readonly<Record<string, OcsfClass>>;

export type OcsfClassName = keyof typeof ocsfClasses;
export type ActivityName<Name extends OcsfClassName> = keyof (typeof ocsfClasses)[Name]['activities'];

export const findClass = (name: OcsfClassName): OcsfClass => ocsfClasses[name];

import { findClass, type OcsfClassName } from '../ocsf/classes.ts';
import { findRules, type RuledEvent } from '../ocsf/log-rules.ts';
import { listTexts } from './values.ts';

/** What an action is in ECS, by the class and activity that the table of actions gives it. */
interface Category {
  readonly category: readonly string[];
  /** A type of all events of the class. */
  readonly type?: string;
  /** Types by activity. */
  readonly activities?: Readonly<Record<string, string>>;
  /** The type of the other activities. */
  readonly otherwise: string;
}

const object = { Create: 'creation', Read: 'access', Update: 'change', Delete: 'deletion' };

const categories: Readonly<Record<OcsfClassName, Category>> = {
  base: { category: [], otherwise: 'info' },
  detectionFinding: { category: ['intrusion_detection'], otherwise: 'info' },
  authentication: {
    category: ['authentication'],

    activities: { Logon: 'start', Logoff: 'end' },
    otherwise: 'info',
  },
  accountChange: {
    category: ['iam'],
    type: 'user',
    activities: { Create: 'creation', Delete: 'deletion' },
    otherwise: 'change',
  },
  userAccess: { category: ['iam'], type: 'user', otherwise: 'change' },
  groupManagement: {
    category: ['iam'],
    type: 'group',
    activities: { Create: 'creation', Delete: 'deletion' },
    otherwise: 'change',
  },
  entityManagement: { category: ['configuration'], activities: object, otherwise: 'change' },
  emailActivity: { category: ['email'], otherwise: 'info' },
  applicationLifecycle: {
    category: ['configuration'],

    activities: { Install: 'creation', Remove: 'deletion' },
    otherwise: 'change',
  },
  apiActivity: { category: ['api'], activities: object, otherwise: 'info' },
  fileHosting: {
    category: ['file'],

    activities: {
      Upload: 'creation',
      Download: 'access',
      Preview: 'access',
      Open: 'access',
      Copy: 'creation',
      Restore: 'creation',
      Delete: 'deletion',
    },
    otherwise: 'change',
  },
};

/** The class of an action by the table of actions, whatever else the event has. */
export const findClassName = (event: RuledEvent): OcsfClassName => findRules(event)[0]?.class ?? 'base';

export const readCategories = (event: RuledEvent): readonly string[] => categories[findClassName(event)].category;

export function readTypes(event: RuledEvent): readonly string[] {
  const [rule] = findRules(event);
  const { type, activities, otherwise } = categories[rule?.class ?? 'base'];
  return listTexts([type, activities?.[rule?.activity ?? ''] ?? otherwise]);
}

/** Categories and types of detections and alerts. */
export const findingCategories = categories.detectionFinding.category;
export const findingTypes = [categories.detectionFinding.otherwise];

interface CategoryRow {
  readonly caption: string;
  readonly category: readonly string[];
  readonly types: readonly string[];
}

/** The table of classes for the page of the mapping. */
export const listCategories = (): CategoryRow[] =>
  Object.entries(categories).map(([name, { category, type, activities, otherwise }]) => ({
    caption: findClass(name as OcsfClassName).caption,
    category,
    types: listTexts([type, ...Object.values(activities ?? {}), otherwise]),
  }));

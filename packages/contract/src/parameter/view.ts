import { choice } from './parameter.ts';

/** How much of a document a response contains: all of it, or the same members with rows as empty lists. */
export const views = ['full', 'summary'] as const;

/** What the rows of a list are: those of the reference, or events of another schema. */
const rowViews = ['full', 'ocsf', 'ecs'] as const;
/** A view other than that of the reference. */
export type RowView = Exclude<(typeof rowViews)[number], 'full'>;

/** The parameter of lists whose rows can be events of another schema. */
export const rowView = choice(
  rowViews,
  'With ocsf, rows are events of the Open Cybersecurity Schema Framework 1.8.0 instead of the fields below; with ecs, documents of the Elastic Common Schema 9.4.0. The cursor contains the view.',
  'ocsf',
  { brief: '' },
);

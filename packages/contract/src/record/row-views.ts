import { z } from 'zod';
import type { RowView } from '../parameter/view.ts';
import { instant } from './scalar.ts';

const number = (description: string) => z.int().min(0).meta({ description });
const text = (description: string) => z.string().meta({ description });
const members = (description: string) => z.record(z.string(), z.unknown()).meta({ description });

/** What every event has, and what it has by a name of another form; other attributes depend on its class. */
const ocsfEvent = z
  .looseObject({
    category_uid: number('Category.'),
    category_name: text('Name of the category.'),
    class_uid: number('Class.'),
    class_name: text('Name of the class.'),
    activity_id: number('Activity of the class.'),
    activity_name: text('Name of the activity.'),
    type_uid: number('Class and activity.'),
    type_name: text('Name of class and activity.'),
    severity_id: number('0 unknown, 1 informational, 2 low, 3 medium, 4 high, 5 critical.'),
    severity: text('Name of the severity.'),
    time: z.int().meta({ description: 'When it happened, in epoch milliseconds.' }),
    metadata: members('Id, product, version of the schema and others.'),
    status: text('Name of the status.').optional(),
    entity: z
      .looseObject({ uid: text('Its id.').optional(), name: text('Its name.').optional() })
      .meta({ description: 'Of Entity Management: what was managed.' })
      .optional(),
  })
  .meta({
    id: 'OcsfEvent',
    description:
      'A row with view=ocsf: an event of the Open Cybersecurity Schema Framework, https://schema.ocsf.io/1.8.0. Further attributes depend on its class.',
  });

/** What every document has, and what it has by a name of another form. */
const ecsDocument = z
  .looseObject({
    '@timestamp': instant('When it happened; of records that change, when it changed.'),
    ecs: members('Version of the schema.'),
    event: members('Id, kind, dataset, category, type and others.'),
    organization: members('The tenant.'),
    // An object of members in each form that has one: by these ogen tells the forms apart.
    entity: z
      .object({ id: text('Its id.').optional(), name: text('Its name.').optional() })
      .meta({ description: 'Of a detection: whom it is about.' })
      .optional(),
  })
  .meta({
    id: 'EcsDocument',
    description:
      'A row with view=ecs: a document of the Elastic Common Schema 9.4.0. Members of the row without a field of the schema are in the object tenantscope.',
  });

/** The schemas of rows with a view other than that of the reference: what all of their rows have. */
export const rowViewSchemas = { ocsf: ocsfEvent, ecs: ecsDocument } as const satisfies Readonly<
  Record<RowView, z.ZodObject>
>;

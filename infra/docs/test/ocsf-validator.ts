import { type OcsfEvent, ocsfVersion } from '@tenantscope/mapping';
import extract from '@tenantscope/mapping/ocsf-schema.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';

const ajv = new Ajv2020({ allErrors: true, strict: false });
const validators = new Map(
  Object.values(extract.classes).map((schema) => [
    schema.properties.class_uid.const,
    ajv.compile({ ...schema, $defs: extract.$defs }),
  ]),
);

/** What is wrong with an event by the published schema, as texts; none for a valid one. */
export function findViolations(event: OcsfEvent): string[] {
  if (event.metadata.version !== ocsfVersion || extract.version !== ocsfVersion) return ['wrong version'];
  const validate = validators.get(event.class_uid);
  if (!validate) return [`unknown class ${event.class_uid}`];
  if (validate(event)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${event.class_uid} ${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

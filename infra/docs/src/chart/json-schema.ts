/** A JSON Schema, draft 7: the newest one that every Helm 3 validates with. */
export interface JsonSchema {
  readonly [keyword: string]: unknown;
}

/** An object with these members and no other. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  required: readonly string[] = [],
  patternProperties: Readonly<Record<string, JsonSchema>> = {},
): JsonSchema {
  return {
    type: 'object',
    properties,
    ...(Object.keys(patternProperties).length > 0 ? { patternProperties } : {}),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
}

export function list(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

/** An object whose member names are chosen by the operator. */
export function map(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

export function text(description: string, keywords: JsonSchema = {}): JsonSchema {
  return { description, type: 'string', ...keywords };
}

export function flag(description: string): JsonSchema {
  return { description, type: 'boolean' };
}

export function count(description: string, minimum: number, maximum: number): JsonSchema {
  return { description, type: 'integer', minimum, maximum };
}

/** Members of Kubernetes' own types are checked by its API server. */
export function kubernetesObject(description: string): JsonSchema {
  return { description, type: 'object' };
}

export function kubernetesList(description: string): JsonSchema {
  return { description, type: 'array', items: { type: 'object' } };
}

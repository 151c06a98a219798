import type { Json, JsonObject } from '@tenantscope/proof';

export const isObject = (value: Json): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

import type { Json } from '../parameter/parameter-schema.ts';

export interface SharedParameters {
  /** The value of `components.parameters`. */
  readonly components: Readonly<Record<string, Json>>;
  /** A reference to the component that equals the parameter, else the parameter. */
  readonly refer: (parameter: Json) => Json;
}

/**
 * Parameters that several operations declare with the same text: `limit` and `cursor` stand on every list. A component has the name
 * of its parameter, so of several forms of one name the most frequent is shared and the others are written out. oapi-codegen writes
 * parameters and schemas into one namespace and refuses a name that both have.
 *
 * @param taken names of schemas
 */
export function shareParameters(parameters: readonly Json[], taken: ReadonlySet<string>): SharedParameters {
  const uses = new Map<string, { readonly parameter: Json; count: number }>();
  for (const parameter of parameters) {
    const text = JSON.stringify(parameter);
    const use = uses.get(text) ?? { parameter, count: 0 };
    use.count += 1;
    uses.set(text, use);
  }
  const components: Record<string, Json> = {};
  const names = new Map<string, string>();
  const frequent = [...uses]
    .filter(([, { count }]) => count > 1)
    .toSorted(([, one], [, other]) => other.count - one.count);
  for (const [text, { parameter }] of frequent) {
    const own = componentName(String(parameter.name));
    const name = taken.has(own) ? `${own}Parameter` : own;
    if (components[name]) continue;
    components[name] = parameter;
    names.set(text, name);
  }
  return {
    components,
    refer: (parameter) => {
      const name = names.get(JSON.stringify(parameter));
      return name === undefined ? parameter : { $ref: `#/components/parameters/${name}` };
    },
  };
}

/** `X-Tenant-Id` and `updatedFrom` are `XTenantId` and `UpdatedFrom`. */
function componentName(parameter: string): string {
  return parameter
    .split('-')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

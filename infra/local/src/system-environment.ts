/** What programs need of the system: where they find others, write temporary files, and which language they use. */
export const systemVariables = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'LC_ALL', 'TZ'];

/** The environment of a program that is not part of the product: none of its settings. */
export function createSystemEnvironment(): Record<string, string> {
  return selectVariables(process.env, systemVariables);
}

/** Those of the named variables that are set. */
export function selectVariables(from: NodeJS.ProcessEnv, names: Iterable<string>): Record<string, string> {
  return Object.fromEntries([...names].flatMap((name) => (from[name] ? [[name, from[name]]] : [])));
}

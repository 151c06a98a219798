import { join } from 'node:path';
import { provideGoPrograms } from '../../chart/go-programs.ts';

const buildTimeoutMs = 1_800_000;

/** The path of a program that is built once from the Go module in the directory of that name. Throws an error that says what is missing. */
export async function buildConnector(name: string, path = '.'): Promise<string> {
  const built = await provideGoPrograms(
    {
      name,
      pins: `../torture/connectors/${name}`,
      packages: { [name]: path },
      listLinkerValues: () => [],
      buildTimeoutMs,
    },
    { build: true },
  );
  if ('missing' in built) throw new Error(built.missing);
  return join(built.directory, name);
}

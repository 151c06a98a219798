import { type ParseArgsConfig, parseArgs } from 'node:util';

/** Parses the arguments of an npm script. Others than those of `config` end the process with status 2, after the error and the usage. */
export function readScriptArguments<Config extends ParseArgsConfig>(
  usage: string,
  config: Config,
): ReturnType<typeof parseArgs<Config>> {
  try {
    return parseArgs(config);
  } catch (cause) {
    return exitWithUsage((cause as Error).message, usage);
  }
}

/** An option that is a positive number; see `readScriptArguments`. */
export function readPositiveNumber(usage: string, name: string, value: string): number {
  const number = Number(value);
  return number > 0 && Number.isFinite(number)
    ? number
    : exitWithUsage(`--${name} ${value}: must be a positive number`, usage);
}

export function exitWithUsage(error: string, usage: string): never {
  console.error(`${error}\n\n${usage}`);
  process.exit(2);
}

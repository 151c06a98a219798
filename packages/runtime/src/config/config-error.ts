/** The environment does not hold what a process needs. The message names every wrong variable and never a value. */
export class ConfigError extends Error {
  override name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`The configuration is invalid. ${problems.join('; ')}.`);
    this.problems = problems;
  }
}

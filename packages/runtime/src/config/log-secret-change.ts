import type { Log } from '../log.ts';

/** What `followSecret` and `followKey` call for each change, in the log. */
export function logSecretChange(log: Log): (variable: string, problem: string | null) => void {
  return (variable, problem) => {
    if (problem === null) log.info({ variable }, 'secret changed; using the new value');
    else log.error({ variable, problem }, 'changed secret is invalid; using the previous value');
  };
}

declare global {
  /** The setup of a file has other modules than the file. */
  var tenantscopeLiveProcesses: Map<string, () => void> | undefined;
}

/** By description, the processes of the product that tests of this worker started and that run, with what kills each. */
export function liveProcesses(): Map<string, () => void> {
  globalThis.tenantscopeLiveProcesses ??= new Map();
  return globalThis.tenantscopeLiveProcesses;
}

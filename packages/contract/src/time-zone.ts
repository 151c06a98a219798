/** Whether a tenant's days and weeks can be told by it: an IANA name that this runtime knows, such as Europe/Warsaw or UTC. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

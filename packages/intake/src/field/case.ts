/** `ServicePrincipal` → `servicePrincipal`, `URL` → `url`: providers' class names in the spelling of our enums. */
export function lowerFirst(name: string): string {
  return name.replace(/^[A-Z]+(?![a-z])|^[A-Z]/, (capitals) => capitals.toLowerCase());
}

/** `user_accounts` → `UserAccounts`. */
export function toPascalCase(name: string): string {
  return name
    .split(/[^A-Za-z0-9]+/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}

// Addresses of public rules and documents, which rate or describe an action.

export function sigma(path: string): string {
  return `https://github.com/SigmaHQ/sigma/blob/master/rules/${path}.yml`;
}

export function elastic(path: string): string {
  return `https://github.com/elastic/detection-rules/blob/main/rules/integrations/${path}.toml`;
}

export function panther(path: string): string {
  return `https://github.com/panther-labs/panther-analysis/blob/main/rules/${path}.yml`;
}

/** @param technique for example `T1098.003` */
export function attack(technique: string): string {
  return `https://attack.mitre.org/techniques/${technique.replace('.', '/')}/`;
}

export function learn(path: string): string {
  return `https://learn.microsoft.com/${path}`;
}

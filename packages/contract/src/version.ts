import packageJson from '../package.json' with { type: 'json' };

/** The version of the product: OpenAPI, MCP, evidence packs and dead letters report it. Every package has the same one. */
export const productVersion = packageJson.version;

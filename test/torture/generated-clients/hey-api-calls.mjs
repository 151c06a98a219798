// Calls operations with the client that @hey-api/openapi-ts generated; writes a line for each: null, or the error.
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const [, , folder, baseUrl, auth] = process.argv;
const sdk = await import(join(folder, 'sdk.gen.js'));
const { client } = await import(join(folder, 'client.gen.js'));
client.setConfig({ baseUrl, auth });
for await (const line of createInterface({ input: process.stdin })) {
  const { operation, arguments: given } = JSON.parse(line);
  const { id, ...query } = given;
  console.log(JSON.stringify(await call(operation, id === undefined ? { query } : { path: { id }, query })));
}

async function call(operation, options) {
  const name = operation.replace(/_./g, (part) => part[1].toUpperCase());
  try {
    const { data, error } = await sdk[name](options);
    return data === undefined ? `no data: ${JSON.stringify(error)}` : null;
  } catch (error) {
    return String(error);
  }
}

import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';

/** The token endpoint of the Microsoft identity platform, for one application with a client secret. */
export interface MicrosoftLogin {
  readonly directoryId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly path: string;
  sendToken(response: ServerResponse, body: string, scope: string): void;
  isAuthorized(authorization: string | undefined): boolean;
  /** Tokens that were handed out are refused from now on. */
  expireTokens(): void;
}

export function createMicrosoftLogin(): MicrosoftLogin {
  const tokens = new Set<string>();
  const directoryId = randomUUID();
  const clientId = randomUUID();
  const clientSecret = 'client-secret-of-the-test';
  return {
    directoryId,
    clientId,
    clientSecret,
    path: `/${directoryId}/oauth2/v2.0/token`,
    sendToken(response, body, scope) {
      const form = new URLSearchParams(body);
      if (form.get('client_secret') !== clientSecret || form.get('client_id') !== clientId) {
        sendTokenError(response, 401, 'invalid_client', 'AADSTS7000215: Invalid client secret provided.');
        return;
      }
      if (form.get('grant_type') !== 'client_credentials' || form.get('scope') !== scope) {
        sendTokenError(response, 400, 'invalid_scope', 'AADSTS1002012: The provided value for scope is not valid.');
        return;
      }
      const token = randomUUID();
      tokens.add(`Bearer ${token}`);
      response.end(JSON.stringify({ token_type: 'Bearer', expires_in: 3599, access_token: token }));
    },
    isAuthorized: (authorization) => tokens.has(authorization ?? ''),
    expireTokens: () => tokens.clear(),
  };
}

function sendTokenError(response: ServerResponse, status: number, error: string, description: string): void {
  response.writeHead(status).end(JSON.stringify({ error, error_description: description }));
}

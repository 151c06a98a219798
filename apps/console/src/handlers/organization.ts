import * as routes from '../../api/organization.ts';
import { auditContext } from '../http/audit-context.ts';
import { handle } from '../http/handler.ts';
import { HttpError } from '../http/http-error.ts';

export const changeOrganization = handle(routes.changeOrganization, async ({ store, session, input, request }) => {
  if (!session.hasEveryTenant)
    throw new HttpError('FORBIDDEN', 'Only members who see the whole organization may change this.');
  const { organizationId: id, organizationName: name } = session;
  const isChanged = await store.transaction(auditContext(session, request), (transaction) =>
    store.setKeyLifetime(transaction, id, input.keyLifetimeDays, input.expected),
  );
  if (!isChanged)
    throw new HttpError('CONFLICT', 'The setting has changed since you opened it. Nothing was changed; reload it.');
  return { organization: { id, name, keyLifetimeDays: input.keyLifetimeDays } };
});

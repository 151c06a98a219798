import type { Activity, ActivityContext } from '../activity.ts';
import { deriveGuid } from '../random.ts';

const audit = { by: 'admin', feed: 'entra', schedule: 'office hours', delay: 'minutes' } as const;

export const directoryAuditActivities: readonly Activity[] = [
  { ...audit, weight: 4, format: 'entra.audit.azuremonitor', record: (context) => exported(context, change(context)) },
  { ...audit, weight: 3, format: 'entra.audit.graph', record: change },
  {
    ...audit,
    weight: 4,
    format: 'entra.audit.azuremonitor',
    schedule: 'any hour',
    record: (context) => exported(context, provisioned(context)),
  },
];

interface Resource {
  readonly id: string;
  readonly displayName: string;
  readonly type: string;
  readonly userPrincipalName?: string;
}

interface Change {
  readonly activity: string;
  readonly category: string;
  readonly property: string;
  target(context: ActivityContext): Resource;
}

const changes: readonly Change[] = [
  { activity: 'Update user', category: 'UserManagement', property: 'Department', target: chooseUser },
  { activity: 'Change user license', category: 'UserManagement', property: 'AssignedLicense', target: chooseUser },
  { activity: 'Update group', category: 'GroupManagement', property: 'Description', target: chooseGroup },
  { activity: 'Update device', category: 'Device', property: 'DisplayName', target: chooseDevice },
  { activity: 'Update conditional access policy', category: 'Policy', property: 'State', target: accessPolicy },
];

function chooseUser({ random, company }: ActivityContext): Resource {
  const { id, displayName, userPrincipalName } = random.pick(company.employees);
  return { id, displayName, userPrincipalName, type: 'User' };
}

function chooseGroup({ random, company }: ActivityContext): Resource {
  const displayName = random.pick(company.plan.groups);
  return { id: deriveGuid(company.plan.azureTenantId, 'group', displayName), displayName, type: 'Group' };
}

function chooseDevice({ random, company }: ActivityContext): Resource {
  const { id, name } = random.pick(random.pick(company.employees).devices);
  return { id, displayName: name, type: 'Device' };
}

function accessPolicy({ company }: ActivityContext): Resource {
  const displayName = 'Second factor outside the office';
  return { id: deriveGuid(company.plan.azureTenantId, 'policy', displayName), displayName, type: 'Policy' };
}

/** A change by an administrator, as Microsoft Graph lists it (directoryAudit). */
function change(context: ActivityContext) {
  const { random, person } = context;
  const { activity, category, property, target } = random.pick(changes);
  return {
    ...entry(context, activity, category),
    initiatedBy: {
      app: null,
      user: {
        id: person.id,
        displayName: person.displayName,
        userPrincipalName: person.userPrincipalName,
        ipAddress: context.address,
        roles: [],
      },
    },
    targetResources: [
      { ...target(context), modifiedProperties: [{ displayName: property, oldValue: null, newValue: '"changed"' }] },
    ],
    additionalDetails: [{ key: 'User-Agent', value: context.device.userAgent }],
  };
}

/** A change made by an application. */
function provisioned(context: ActivityContext) {
  const app = context.random.pick(context.company.apps);
  return {
    ...entry(context, 'Update service principal', 'ApplicationManagement'),
    initiatedBy: {
      user: null,
      app: {
        appId: app.appId,
        displayName: app.name,
        servicePrincipalId: app.servicePrincipalId,
        servicePrincipalName: null,
      },
    },
    targetResources: [
      { id: app.servicePrincipalId, displayName: app.name, type: 'ServicePrincipal', modifiedProperties: [] },
    ],
    additionalDetails: [{ key: 'AppId', value: app.appId }],
  };
}

function entry({ random, atMs }: ActivityContext, activity: string, category: string) {
  const correlationId = random.guid();
  return {
    id: `Directory_${correlationId}_${random.hex(5).toUpperCase()}_${random.between(1_000_000, 9_999_999)}`,
    category,
    correlationId,
    result: random.bool(0.04) ? 'failure' : 'success',
    resultReason: '',
    activityDisplayName: activity,
    activityDateTime: new Date(atMs).toISOString(),
    loggedByService: 'Core Directory',
    operationType: 'Update',
  };
}

function exported(context: ActivityContext, properties: ReturnType<typeof entry>) {
  const tenantId = context.company.plan.azureTenantId;
  return {
    time: properties.activityDateTime,
    resourceId: `/tenants/${tenantId}/providers/Microsoft.aadiam`,
    operationName: properties.activityDisplayName,
    operationVersion: '1.0',
    category: 'AuditLogs',
    tenantId,
    resultSignature: 'None',
    durationMs: 0,
    callerIpAddress: context.address,
    correlationId: properties.correlationId,
    identity: context.person.displayName,
    Level: 4,
    properties,
  };
}

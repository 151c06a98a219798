import { guidOf } from '../chance.ts';
import type { Activity, Scene } from '../scene.ts';

const audit = { by: 'admin', feed: 'entra', rhythm: 'office hours', delay: 'minutes' } as const;

export const directoryAuditActivities: readonly Activity[] = [
  { ...audit, weight: 4, format: 'entra.audit.azuremonitor', record: (scene) => exported(scene, change(scene)) },
  { ...audit, weight: 3, format: 'entra.audit.graph', record: change },
  {
    ...audit,
    weight: 4,
    format: 'entra.audit.azuremonitor',
    rhythm: 'any hour',
    record: (scene) => exported(scene, provisioned(scene)),
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
  target(scene: Scene): Resource;
}

const changes: readonly Change[] = [
  { activity: 'Update user', category: 'UserManagement', property: 'Department', target: somebody },
  { activity: 'Change user license', category: 'UserManagement', property: 'AssignedLicense', target: somebody },
  { activity: 'Update group', category: 'GroupManagement', property: 'Description', target: someGroup },
  { activity: 'Update device', category: 'Device', property: 'DisplayName', target: someDevice },
  { activity: 'Update conditional access policy', category: 'Policy', property: 'State', target: accessPolicy },
];

function somebody({ chance, company }: Scene): Resource {
  const { id, displayName, userPrincipalName } = chance.pick(company.people);
  return { id, displayName, userPrincipalName, type: 'User' };
}

function someGroup({ chance, company }: Scene): Resource {
  const displayName = chance.pick(company.plan.groups);
  return { id: guidOf(company.plan.azureTenantId, 'group', displayName), displayName, type: 'Group' };
}

function someDevice({ chance, company }: Scene): Resource {
  const { id, name } = chance.pick(chance.pick(company.people).devices);
  return { id, displayName: name, type: 'Device' };
}

function accessPolicy({ company }: Scene): Resource {
  const displayName = 'Second factor outside the office';
  return { id: guidOf(company.plan.azureTenantId, 'policy', displayName), displayName, type: 'Policy' };
}

/** A change by an administrator, as Microsoft Graph lists it (directoryAudit). */
function change(scene: Scene) {
  const { chance, person } = scene;
  const { activity, category, property, target } = chance.pick(changes);
  return {
    ...entry(scene, activity, category),
    initiatedBy: {
      app: null,
      user: {
        id: person.id,
        displayName: person.displayName,
        userPrincipalName: person.userPrincipalName,
        ipAddress: scene.address,
        roles: [],
      },
    },
    targetResources: [
      { ...target(scene), modifiedProperties: [{ displayName: property, oldValue: null, newValue: '"changed"' }] },
    ],
    additionalDetails: [{ key: 'User-Agent', value: scene.device.userAgent }],
  };
}

/** A change that an application makes by itself. */
function provisioned(scene: Scene) {
  const app = scene.chance.pick(scene.company.apps);
  return {
    ...entry(scene, 'Update service principal', 'ApplicationManagement'),
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

function entry({ chance, atMs }: Scene, activity: string, category: string) {
  const correlationId = chance.guid();
  return {
    id: `Directory_${correlationId}_${chance.hex(5).toUpperCase()}_${chance.between(1_000_000, 9_999_999)}`,
    category,
    correlationId,
    result: chance.is(0.04) ? 'failure' : 'success',
    resultReason: '',
    activityDisplayName: activity,
    activityDateTime: new Date(atMs).toISOString(),
    loggedByService: 'Core Directory',
    operationType: 'Update',
  };
}

function exported(scene: Scene, properties: ReturnType<typeof entry>) {
  const tenantId = scene.company.plan.azureTenantId;
  return {
    time: properties.activityDateTime,
    resourceId: `/tenants/${tenantId}/providers/Microsoft.aadiam`,
    operationName: properties.activityDisplayName,
    operationVersion: '1.0',
    category: 'AuditLogs',
    tenantId,
    resultSignature: 'None',
    durationMs: 0,
    callerIpAddress: scene.address,
    correlationId: properties.correlationId,
    identity: scene.person.displayName,
    Level: 4,
    properties,
  };
}

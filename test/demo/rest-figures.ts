/** Rows of the lists of the API, by feed. */
export type RestRows = Readonly<Record<string, readonly Row[]>>;
// biome-ignore lint/suspicious/noExplicitAny: rows are read as any client reads them, without the types of the contract.
type Row = any;
type Figures = Readonly<Record<string, number>>;

const dayMs = 86_400_000;
const severe = ['high', 'critical', null, 'unknown'];
const count = (rows: readonly Row[], is: (row: Row) => unknown): number => rows.filter((row) => is(row)).length;
const sum = (rows: readonly Row[], name: string): number => rows.reduce((total, row) => total + (row[name] ?? 0), 0);
/** When an alert was created, or what it is about began. */
const readCreation = (alert: Row): string | null => alert.createdDateTime ?? alert.firstActivityDateTime;
const parse = (time: string | null): number => (time === null ? Number.NaN : Date.parse(time));

/** Figures of the status as an auditor counts them in the rows of the lists, without a record or a statement of the product. */
export function countFigures(rows: RestRows, nowMs: number): Readonly<Record<string, Figures>> {
  const list = (feed: string) => rows[feed] ?? [];
  const isWithin = (time: string | null, fromDays: number, toDays = 0) =>
    parse(time) >= nowMs - fromDays * dayMs && parse(time) <= nowMs - toDays * dayMs;
  return {
    ...countAccounts(list('users'), nowMs),
    ...countDevices(list('devices'), nowMs),
    ...countFiles(list('files')),
    ...countActions(list('actions'), isWithin),
    ...countNotifications(list('notifications'), isWithin),
    ...countAlerts(list('security-alerts'), isWithin),
    ...countDetections(list('detections'), isWithin),
    ...countAgents(list('agents')),
    ...countApps(list('apps'), nowMs),
    ...countPlaces(list('sites'), list('groups'), list('files')),
    ...countFindings(list('security-alerts'), list('detections'), isWithin),
    'ops.evidence.snapshots': { snapshots: count(list('compliance/snapshots'), (one) => isWithin(one.takenAt, 90)) },
  };
}

type Within = (time: string | null, fromDays: number, toDays?: number) => boolean;

function countAccounts(users: readonly Row[], nowMs: number): Record<string, Figures> {
  const enabled = users.filter((one) => one.accountEnabled !== false);
  const isGuest = (one: Row) => one.userType === 'guest' || one.isExternal === true;
  const members = enabled.filter((one) => !isGuest(one));
  const administers = (one: Row) => one.isAdmin === true || one.roles?.length > 0;
  const hasUnknownRoles = (one: Row) => one.isAdmin === null && one.roles === null;
  const admins = enabled.filter((one) => administers(one) || hasUnknownRoles(one));
  const isOld = (one: Row) => one.createdAt === null || parse(one.createdAt) < nowMs - 30 * dayMs;
  const signedInMs = (one: Row) =>
    Math.max(...[one.lastSignInAt, one.lastNonInteractiveSignInAt].map((time) => (time ? parse(time) : 0)));
  const isInactive = (one: Row) => signedInMs(one) < nowMs - 90 * dayMs;
  const guests = enabled.filter((one) => isGuest(one) && isOld(one));
  const oldMembers = members.filter(isOld);
  return {
    'iam.mfa.members': { members: members.length, mfaRegistered: count(members, (one) => one.mfaRegistered) },
    'iam.mfa.admins': {
      admins: admins.length,
      mfaRegistered: count(admins, (one) => administers(one) && one.mfaRegistered),
    },
    'iam.admins.phishing_resistant': { admins: admins.length },
    'iam.admins.global_count': {
      enabledMembers: count(enabled, (one) => !isGuest(one) || (one.roles === null && one.isAdmin !== false)),
    },
    'iam.accounts.inactive': { members: oldMembers.length, inactive: count(oldMembers, isInactive) },
    'iam.guests.inactive': { guests: guests.length, inactive: count(guests, isInactive) },
    'ai.copilot.governed_users': { licensedUsers: count(enabled, (one) => one.hasCopilotLicense !== false) },
    'iam.risky_users.handled': {
      riskyUsers: count(
        users,
        (one) => one.riskLevel === 'high' && ['atRisk', 'confirmedCompromised', null].includes(one.riskState),
      ),
    },
  };
}

function countDevices(devices: readonly Row[], nowMs: number): Record<string, Figures> {
  const managed = devices.filter((one) => one.isManaged !== false);
  const isCompliant = (one: Row) =>
    one.isManaged && one.isCompliant && [null, 'compliant'].includes(one.complianceState);
  return {
    'dev.compliant': { managed: managed.length, compliant: count(managed, isCompliant) },
    'dev.encrypted': { managed: managed.length, encrypted: count(managed, (one) => one.isManaged && one.isEncrypted) },
    'dev.stale': {
      managed: managed.length,
      stale: count(managed, (one) => !one.isManaged || !(parse(one.lastSyncAt) >= nowMs - 30 * dayMs)),
    },
  };
}

function countFiles(files: readonly Row[]): Record<string, Figures> {
  const sensitive = files.filter((one) => one.sensitiveInfoTypes?.length > 0 || one.sensitiveInfoTypeCount > 0);
  const sensitiveFiles = sensitive.length;
  const inReach = sensitive.filter((one) => one.aiAppReachCount !== 0 || one.agentReachCount !== 0);
  return {
    'ai.data.sensitive_reach_protected': {
      sensitiveInReach: inReach.length,
      unprotected: count(inReach, (one) => !one.isProtected),
    },
    'data.labels.coverage': {
      sensitiveFiles,
      labeled: count(sensitive, (one) => one.sensitivityLabelName || one.sensitivityLabelId),
    },
    'data.links.anonymous': { sensitiveFiles, anonymous: count(sensitive, (one) => one.hasAnonymousLink !== false) },
    'data.sharing.external': { sensitiveFiles, external: count(sensitive, (one) => one.externalUserCount !== 0) },
  };
}

function countActions(actions: readonly Row[], isWithin: Within): Record<string, Figures> {
  const real = actions.filter((one) => !one.isSimulated);
  const recent = real.filter((one) => isWithin(one.createdAt, 90));
  const open = real.filter((one) => ['staged', 'approved', 'applied'].includes(one.rollupRung));
  return {
    'ops.remediation.on_time': { dueActions: count(real, (one) => isWithin(one.dueAt, 90)) },
    'ops.remediation.failures': { itemsTotal: sum(recent, 'itemsTotal'), failedItems: sum(recent, 'failedCount') },
    'ops.remediation.overdue': { open: open.length, overdue: count(open, (one) => isWithin(one.dueAt, 10_000)) },
  };
}

function countNotifications(notifications: readonly Row[], isWithin: Within): Record<string, Figures> {
  const recent = notifications.filter((one) => isWithin(one.createdAt, 30));
  const suppressed = notifications.filter((one) => one.decision === 'suppressed' && isWithin(one.createdAt, 90));
  const countDecisions = (decision: string) => count(recent, (one) => one.decision === decision);
  return {
    'ops.notify.delivery': {
      sent: countDecisions('sent'),
      failed: countDecisions('failed'),
      suppressed: countDecisions('suppressed'),
    },
    'ops.notify.suppression_explained': {
      suppressed: suppressed.length,
      withReason: count(suppressed, (one) => one.reason?.trim()),
    },
  };
}

function countAlerts(alerts: readonly Row[], isWithin: Within): Record<string, Figures> {
  const high = alerts.filter((one) => severe.includes(one.severity));
  const open = high.filter((one) => one.isResolved !== true);
  return {
    'ops.alerts.triage_24h': { highAlerts: count(high, (one) => isWithin(readCreation(one), 30, 1)) },
    'ops.alerts.resolution_7d': { highAlerts: count(high, (one) => isWithin(readCreation(one), 60, 7)) },
    'ops.alerts.backlog': {
      openHigh: open.length,
      older7d: count(open, (one) => isWithin(readCreation(one), 10_000, 7)),
    },
  };
}

function countDetections(detections: readonly Row[], isWithin: Within): Record<string, Figures> {
  const episodes = detections.filter((one) => one.details?.level !== 'informational' && isWithin(one.openedAt, 60, 7));
  return {
    'ops.detections.resolution': {
      episodes: episodes.length,
      resolved: count(episodes, (one) => parse(one.resolvedAt) - parse(one.openedAt) <= 7 * dayMs),
    },
  };
}

function countAgents(agents: readonly Row[]): Record<string, Figures> {
  const active = agents.filter(
    (one) =>
      one.evidence !== 'auditOnly' && !one.isBlocked && ['published', 'deployed', null].includes(one.lifecycleStatus),
  );
  const listed = agents.filter((one) => one.evidence !== 'auditOnly');
  const ownActive = active.filter((one) => one.publisherType !== 'microsoft');
  return {
    'ai.agents.inventory_fresh': { agentsTotal: listed.length },
    'ai.agents.store_shelf': {
      shelfAgents: count(
        listed,
        (one) =>
          ['some', 'all', null].includes(one.availableTo) &&
          !['some', 'all'].includes(one.deployedTo) &&
          !one.isBlocked &&
          one.lifecycleStatus !== 'blocked',
      ),
    },
    'ai.agents.accountable_person': { agentsActive: active.length },
    'ai.agents.no_orphans': { agentsActive: active.length },
    'ai.agents.authentication_required': { agentsPublished: active.length },
    'ai.agents.least_privilege': { agentsActive: active.length },
    'ai.agents.scoped_availability': {
      agentsActive: ownActive.length,
      openToAll: count(ownActive, (one) => one.availableTo === 'all'),
    },
    'ai.agents.verified_publisher': {
      externalAgents: count(
        active,
        (one) => one.publisherType === 'external' || one.publisherType === null || one.kind === 'thirdParty',
      ),
    },
  };
}

function countPlaces(sites: readonly Row[], groups: readonly Row[], files: readonly Row[]): Record<string, Figures> {
  const sensitive = files.filter((one) => one.sensitiveInfoTypes?.length > 0 || one.sensitiveInfoTypeCount > 0);
  const sitesOfFiles = new Set(sensitive.map(({ siteId }) => siteId?.toLowerCase()));
  const isSensitive = ({ id, sensitiveFileCount }: Row) =>
    sensitiveFileCount > 0 || [id, ...id.split(',')].some((name) => sitesOfFiles.has(name.toLowerCase()));
  return {
    'data.sites.owned': { sites: count(sites, (one) => one.isArchived !== true) },
    'data.sites.overshared': { sensitiveSites: count(sites, isSensitive) },
    'iam.groups.owned': { groups: count(groups, (one) => ['microsoft365', null].includes(one.groupType)) },
  };
}

function countFindings(alerts: readonly Row[], detections: readonly Row[], isWithin: Within): Record<string, Figures> {
  const alerted = detections.filter((one) => one.details?.level !== 'informational');
  const recent = [
    ...alerted.filter((one) => isWithin(one.openedAt, 90)).map(({ kind }) => kind !== ''),
    ...alerts
      .filter((one) => isWithin(readCreation(one), 90))
      .map((one) => Boolean(one.category && one.firstActivityDateTime && one.createdDateTime)),
  ];
  return {
    'ops.incident.timeline_recorded': {
      findings: recent.length,
      complete: recent.filter((isComplete) => isComplete).length,
    },
  };
}

function countApps(apps: readonly Row[], nowMs: number): Record<string, Figures> {
  const grants = ['delegatedPermissionCount', 'applicationPermissionCount', 'resourceGrantCount', 'userConsentCount'];
  const isUnreported = (one: Row) => one.hasAdminConsent === null && grants.every((name) => one[name] === null);
  const hasAccess = (one: Row) => one.hasAdminConsent || grants.some((name) => one[name] > 0);
  const accessing = apps.filter((one) => hasAccess(one) || isUnreported(one));
  const foreign = accessing.filter((one) => one.appType === 'thirdParty' || one.appType === null);
  const ai = accessing.filter((one) => one.isAiApp !== false);
  const isPrivileged = (one: Row) =>
    one.highPrivilegePermissionCount === null ? one.hasWriteAccess !== false : one.highPrivilegePermissionCount > 0;
  const privileged = foreign.filter((one) => one.hasTenantWideReach !== false && isPrivileged(one));
  return {
    'ai.apps.accountable': { aiApps: ai.length, withAccountable: count(ai, (one) => one.accountableId) },
    'iam.apps.register_complete': { apps: foreign.length },
    'iam.apps.unused_grants': { apps: count(foreign, (one) => !(parse(one.createdAt) > nowMs - 90 * dayMs)) },
    'iam.apps.unverified_high_privilege': {
      privilegedApps: privileged.length,
      unverified: count(privileged, (one) => one.isVerifiedPublisher !== true),
    },
  };
}

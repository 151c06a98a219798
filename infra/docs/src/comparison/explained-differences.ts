/** Where a value of ours is not the expected one, and why. */
export interface ExplainedDifference {
  /** The file's name without its folder. */
  readonly file: string;
  readonly paths: readonly string[];
  /** Counted from 0, `3,5-7`. */
  readonly lines: string;
  readonly reason: string;
}

const management = 'elastic-integrations.o365.management-activity';
const hunting = 'elastic-integrations.m365d.advanced-hunting';
const incident = 'elastic-integrations.graph.security.incident';
const legacyIncident = 'elastic-integrations.m365d.incidents-legacy';
const googleAlert = 'elastic-integrations.google.alertcenter.alert';

export const explainedDifferences: readonly ExplainedDifference[] = [
  {
    file: management,
    paths: ['event.action'],
    lines: '16,188',
    reason: 'the origin renames two operations; a row has the operation as recorded',
  },
  {
    file: management,
    paths: ['event.action'],
    lines: '36-37',
    reason: 'the origin retains the space that ends the operation',
  },
  {
    file: management,
    paths: ['event.outcome'],
    lines: '100-112,114,188-189,195-208',
    reason: 'the origin takes a record without a result for a success; the outcome of a row is null',
  },
  {
    file: management,
    paths: ['event.outcome'],
    lines: '113,115-116',
    reason: 'the origin takes a blocking rule for a failure; a rule that matched is neither a success nor a failure',
  },
  {
    file: management,
    paths: ['event.outcome'],
    lines: '74',
    reason: 'the record has the error FlowTokenExpired next to the result Succeeded: a failure in ours',
  },
  {
    file: hunting,
    paths: ['event.action'],
    lines: '3,5-6,10,12,26',
    reason: 'the origin renames some actions; a row has the action as recorded',
  },
  {
    file: hunting,
    paths: ['dll.path', 'process.executable'],
    lines: '26',
    reason: 'joined from the folder and the name of the file, which the row has separately',
  },
  {
    file: hunting,
    paths: ['process.executable'],
    lines: '1',
    reason: 'the first word of the command line',
  },
  {
    file: hunting,
    paths: ['network.protocol'],
    lines: '21',
    reason: 'read from the name of the action, FtpConnectionInspected',
  },
  {
    file: hunting,
    paths: ['related.user'],
    lines: '7,23',
    reason: 'inside details.LoggedOnUsers, a list as JSON text',
  },
  {
    file: hunting,
    paths: ['related.ip'],
    lines: '9',
    reason: 'inside details.DnsAddresses and details.IPAddresses, lists as JSON text',
  },
  {
    file: hunting,
    paths: ['source.port'],
    lines: '30',
    reason: 'the port 0 of a sign-in without a port',
  },
  {
    file: incident,
    paths: ['related.hosts', 'related.user'],
    lines: '0-2,4-6',
    reason:
      'domains, SIDs, names of senders and the users signed in to a device are in rawData: users are those of the evidence',
  },
  {
    file: incident,
    paths: ['user.name'],
    lines: '1-2,4',
    reason: 'users signed in to a device are in rawData: users are those of the evidence',
  },
  {
    file: incident,
    paths: ['email.subject'],
    lines: '5',
    reason: 'a byte order mark alone, which is no text',
  },
  {
    file: 'elastic-integrations.graph.security.alert',
    paths: ['related.hosts'],
    lines: '0',
    reason: 'the domain of an account is in rawData',
  },
  {
    file: 'elastic-integrations.defender-for-cloud.alert',
    paths: ['related.hosts'],
    lines: '3',
    reason: 'the domain of a host is in rawData',
  },
  {
    file: legacyIncident,
    paths: ['event.severity'],
    lines: '2',
    reason: 'the severity of the incident, which is higher than that of the alert',
  },
  {
    file: legacyIncident,
    paths: ['host.name', 'related.hosts'],
    lines: '2',
    reason: 'the anonymised record has two names for one device id: one device in ours',
  },
  {
    file: 'elastic-integrations.entra.audit.azuremonitor',
    paths: ['source.address'],
    lines: '1',
    reason: 'text that is no address is in the raw record alone',
  },
  {
    file: 'elastic-integrations.entra.provisioning.azuremonitor',
    paths: ['event.duration'],
    lines: '1',
    reason: "overflow of 32 bits in the origin's product of milliseconds and a million",
  },
  {
    file: 'elastic-integrations.graph.activity.azuremonitor',
    paths: ['event.duration'],
    lines: '0-3',
    reason: "overflow of 32 bits in the origin's product of milliseconds and a million",
  },
  {
    file: 'elastic-integrations.entra.signin.azuremonitor',
    paths: ['geo.location.lat', 'geo.location.lon'],
    lines: '0-16',
    reason: 'zeros of sign-ins without an address and a place: no coordinates in ours',
  },
  {
    file: 'elastic-integrations.entra.signin.azuremonitor',
    paths: ['event.outcome'],
    lines: '28',
    reason: 'error 50140 interrupts a sign-in with a prompt to the user: neither a success nor a failure',
  },
  {
    file: 'elastic-integrations.o365.management-activity',
    paths: ['event.outcome'],
    lines: '75,78',
    reason: 'an error that ends in Interrupt requests a second factor: neither a success nor a failure',
  },
  {
    file: googleAlert,
    paths: ['related.hash'],
    lines: '0',
    reason: 'MD5 hashes of the subject and the text of a mail are in rawData',
  },
  {
    file: googleAlert,
    paths: ['related.user', 'source.user.email'],
    lines: '7',
    reason: 'a placeholder that is no address',
  },
  {
    file: googleAlert,
    paths: ['user.email'],
    lines: '1',
    reason: 'a placeholder that is no address',
  },
  {
    file: googleAlert,
    paths: ['rule.name'],
    lines: '5',
    reason: 'the resource name of the rule is in rawData',
  },
  {
    file: 'elastic-integrations.google.reports.activity.split',
    paths: ['event.outcome'],
    lines: '234',
    reason: 'the origin expects another word for a passed challenge; the record has `Challenge Passed.`',
  },
  {
    file: 'elastic-integrations.okta.system-log',
    paths: ['user_agent.os.name'],
    lines: '7',
    reason: 'the record names the system Mac OS X (iPhone); the origin reads the text of the user agent',
  },
];

/** Records that the service rejects although the origin expects something of them. */
export const explainedRejections: readonly Omit<ExplainedDifference, 'paths'>[] = [
  {
    file: management,
    lines: '175-186,192',
    reason: 'MISSING_ACTION: the origin removed the operation to test one member; it becomes a dead letter',
  },
  {
    file: 'elastic-integrations.defender-for-cloud.alert',
    lines: '0',
    reason: 'MISSING_TIMESTAMP: a result of a compliance standard without any time; it becomes a dead letter',
  },
];

/** The lines of `3,5-7`. */
export function listLines(lines: string): number[] {
  return lines.split(',').flatMap((range) => {
    const [first = Number.NaN, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}

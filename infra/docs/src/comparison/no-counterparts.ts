/** Paths that nothing in ours corresponds to. The first entry that fits counts. */
interface NoCounterpart {
  readonly format: RegExp;
  readonly path: RegExp;
  readonly reason: string;
}

const any = /./;
const alerts = /^(?:graph\.security|mde|m365d\.incidents-legacy|defender-for-cloud|google\.alertcenter)/;

const ownMembers =
  /^(?:o365|google_workspace|okta|azure|m365_defender|microsoft|microsoft_defender_cloud|entityanalytics_entra_id)\./;

export const noCounterparts: readonly NoCounterpart[] = [
  {
    format: alerts,
    path: ownMembers,
    reason: "the record's members under names of the origin: an alert has the record whole as rawData",
  },
  {
    format: /^elastic\.entityanalytics/,
    path: ownMembers,
    reason: "the object's members under names of the origin, a second time",
  },
  { format: any, path: ownMembers, reason: "the record's members under names of the origin: measured by member below" },
  {
    format: any,
    path: /^(?:ecs|tags|data_stream|labels|asset\.(?:category|type))\b|^event\.(?:kind|category|type|timezone)$/,
    reason: 'terms of the schema of the origin, constant for a kind of record',
  },
  {
    format: any,
    path: /^(?:(?:source|client|destination|host|server)\.)?(?:geo|as)\./,
    reason: "looked up in the origin's test database of addresses; a row has the place that its record states",
  },
  {
    format: any,
    path: /^user_agent\.(?:name|version|device\.name|os\.\w+)$/,
    reason: 'read from the text of the user agent, which the row has unchanged',
  },
  {
    format: any,
    path: /^observer\.(?:vendor|product)$|^cloud\.(?:provider|service\.name)$|^threat\.framework$|^host\.os\.type$/,
    reason: 'constants of the origin',
  },
  {
    format: any,
    path: /^network\.(?:type|direction)$|^process\.(?:args|args_count|Ext\.api\.name)$|^registry\.path$|^email\.direction$/,
    reason: 'computed by the origin from other values, which the row has',
  },
  {
    format: any,
    path: /^url\.extension$|\.(?:registered_domain|top_level_domain|subdomain)$/,
    reason: 'parts of an address, which the row has as a whole',
  },
  {
    format: /^o365\./,
    path: /^(?:organization|host)\.name$/,
    reason: "configured in the origin for a tenant's id",
  },
  {
    format: any,
    path: /^(?:cloud\.account|organization)\.id$/,
    reason: "the provider's tenant; a record has the service's",
  },
  {
    format: /^graph\.security\.incident$|^m365d\.incidents-legacy$/,
    path: /^@timestamp$|^event\.created$|^message$/,
    reason: 'of the incident; an alert has its own',
  },
  { format: alerts, path: /^event\.duration$/, reason: 'computed by the origin from the first and the last activity' },
  { format: alerts, path: /^event\.action$/, reason: 'whether an antivirus has prevented what it found: in rawData' },
  {
    format: alerts,
    path: /^(?:process|container|network|url)\./,
    reason:
      'of processes, containers, connections and addresses an alert names the file or the IP address; else rawData',
  },
  { format: alerts, path: /^(?:user|host)\.domain$/, reason: 'domains of accounts and computers are in rawData' },
  {
    format: /^google\.reports/,
    path: /^event\.duration$/,
    reason: 'computed by the origin from the start and the end, which are parameters in details',
  },
  { format: /^exchange\./, path: /^event\.(?:start|end)$/, reason: 'the window of the query that found the record' },
  {
    format: /^elastic\.entityanalytics/,
    path: /^@timestamp$|^event\.action$|^asset\.status$/,
    reason: "of the collector's envelope",
  },
  {
    format: /^elastic\.entityanalytics/,
    path: /\.group\.(?:id|name)$/,
    reason: "of the collector's envelope: Microsoft Graph gives memberships separately",
  },
  {
    format: /^elastic\.entityanalytics/,
    path: /^user\.(?:first_name|last_name|phone|work\.location_name)$/,
    reason: 'a user has the display name and the country, no telephone numbers or places of work',
  },
];

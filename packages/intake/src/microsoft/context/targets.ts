import { type EventTarget, targetsMax } from '@tenantscope/contract';
import { readAccountName } from '../../activity/account-name.ts';
import { isObject, type Json, type JsonObject, toObject, toText } from '../../json/value.ts';
import { readDirectoryTargets } from './directory-targets.ts';
import { firstScalar } from './scalar.ts';

/**
 * Every target that a record names, in its order: objects of the directory, members, items, recipients, whom something is
 * shared with, and whom a cmdlet or the permissions of a folder give rights. The resource is not repeated.
 */
export function readTargets(record: JsonObject): EventTarget[] {
  const targets = readDirectoryTargets(record.Target);
  for (const list of targetLists) {
    const value = record[list.member];
    if (Array.isArray(value)) addElements(targets, value, list);
  }
  if (isObject(record.ExchangeMetaData)) addRecipients(targets, record.ExchangeMetaData);
  if (record.TargetUserOrGroupName !== undefined) addShared(targets, record);
  for (const member of accountMembers) addAccount(targets, record[member]);
  if (isObject(record.Item)) addAccount(targets, toObject(record.Item.ParentFolder).MemberUpn);
  if (Array.isArray(record.Parameters)) addTrustees(targets, record.Parameters);
  return targets;
}

/** A list of targets, and the members of its elements; an element may also be a text. */
interface TargetList {
  readonly member: string;
  readonly ids: readonly string[];
  readonly names: readonly string[];
  readonly types: readonly string[];
}

function addElements(targets: EventTarget[], elements: readonly Json[], list: TargetList): void {
  for (const element of elements) {
    // One more than are served: the limit is applied and reported where the row is built.
    if (targets.length > targetsMax) return;
    if (isObject(element)) {
      const id = firstScalar(element, list.ids);
      const name = firstScalar(element, list.names);
      if (id !== null || name !== null) targets.push({ id, name, type: firstScalar(element, list.types) });
    } else {
      const id = toText(element);
      if (id !== null) targets.push({ id, name: null, type: null });
    }
  }
}

function addRecipients(targets: EventTarget[], mail: JsonObject): void {
  for (const member of ['To', 'CC', 'BCC']) {
    const value = mail[member];
    if (Array.isArray(value)) addElements(targets, value, addresses);
  }
}

/** A person has a UPN or address there, a group its name. */
function addShared(targets: EventTarget[], record: JsonObject): void {
  const name = toText(record.TargetUserOrGroupName);
  if (name === null) return;
  const account = readAccountName(name);
  const id = account?.account ?? name;
  targets.push({
    id: id.includes('@') ? id : null,
    name: account?.name ?? name,
    type: toText(record.TargetUserOrGroupType),
  });
}

function addAccount(targets: EventTarget[], value: Json | undefined): void {
  const name = toText(value);
  if (name !== null) targets.push({ id: name, name, type: null });
}

/** Whom a cmdlet gives or takes rights or membership, after the object in question. */
function addTrustees(targets: EventTarget[], parameters: readonly Json[]): void {
  let hasTrustee = false;
  for (const parameter of parameters) {
    if (isObject(parameter) && trusteeParameters.has(toText(parameter.Name) ?? '')) hasTrustee = true;
  }
  if (!hasTrustee) return;
  for (const parameter of parameters) {
    if (!isObject(parameter) || targets.length > targetsMax) continue;
    const name = toText(parameter.Name) ?? '';
    if (name !== 'Identity' && !trusteeParameters.has(name)) continue;
    const value = parameter.Value;
    addElements(targets, Array.isArray(value) ? value : [value ?? null], addresses);
  }
}

const addresses: TargetList = {
  member: '',
  ids: ['Address', 'Id', 'Name'],
  names: ['DisplayName'],
  types: [],
};
/** Whose messages a moderator of Yammer deletes, with whom a flow is shared, and to whom the quarantine releases a mail. */
const accountMembers = ['TargetUserId', 'RecipientUPN', 'ReleaseTo'];
const targetLists: readonly TargetList[] = [
  { member: 'Members', ids: ['UPN', 'Id', 'MemberId'], names: ['DisplayName', 'UPN'], types: ['Type', 'UserType'] },
  { member: 'AffectedItems', ids: ['InternetMessageId', 'Id'], names: ['Subject'], types: ['Type'] },
  { ...addresses, member: 'Recipients' },
  {
    member: 'SharingInformation',
    ids: ['RecipientEmail', 'ObjectId'],
    names: ['RecipientName', 'RecipientEmail'],
    types: ['RecipientType'],
  },
  { member: 'MembershipInformation', ids: ['MemberEmail'], names: ['MemberEmail'], types: [] },
  { ...addresses, member: 'Receivers' },
  { member: 'UserAssignments', ids: ['Id', 'UPN'], names: ['DisplayName', 'Name'], types: ['Type'] },
  { member: 'AddedIdentities', ids: ['Id', 'UPN'], names: ['DisplayName', 'Name'], types: ['Type'] },
  { member: 'RemovedIdentities', ids: ['Id', 'UPN'], names: ['DisplayName', 'Name'], types: ['Type'] },
];
const trusteeParameters: ReadonlySet<string> = new Set([
  'Delegate',
  'GrantSendOnBehalfTo',
  'Member',
  'Members',
  'Trustee',
  'User',
]);

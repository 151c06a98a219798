import { isObject, type Json } from '../json/value.ts';
import type { AlertElements } from './alert.ts';
import { formatReceivedTime, foundDevice, foundFile, foundIp, foundUser, type Judgement } from './found-elements.ts';
import { Members } from './members.ts';
import { collectElements, type FoundElements } from './merge-elements.ts';

/**
 * Elements of the entities of Defender for Cloud and Sentinel. An entity holds others, or refers to them by `$ref`: what is
 * referred to is an entity of the list too, or was held before.
 */
export function readAzureEntities(entities: readonly Json[]): AlertElements {
  const found: FoundElements[] = [];
  for (const entity of entities.slice(0, entitiesMax)) addEntity(found, entity, 0);
  return collectElements(found);
}

function addEntity(found: FoundElements[], value: Json | undefined, depth: number): void {
  if (depth > depthMax || found.length > entitiesMax) return;
  if (Array.isArray(value)) {
    for (const each of value) addEntity(found, each, depth + 1);
  } else if (isObject(value)) {
    const entity = new Members(value);
    const read = readers.get(entity.text('type')?.toLowerCase().replaceAll('-', '') ?? '');
    if (read !== undefined) found.push(read(entity, { roles: [], verdict: entity.text('verdict') }));
    for (const member of Object.values(value)) {
      if (typeof member === 'object') addEntity(found, member, depth + 1);
    }
  }
}

function readAccount(entity: Members, judgement: Judgement): FoundElements {
  const name = entity.text('name');
  const suffix = entity.text('upnsuffix');
  const address = name === null || suffix === null || name.includes('@') ? null : `${name}@${suffix}`;
  return {
    users: [
      foundUser(
        {
          azureAdUserId: entity.text('aaduserid'),
          sid: entity.text('sid'),
          address: address ?? entity.text('upn', 'userprincipalname') ?? (name?.includes('@') ? name : null),
          name,
          displayName: entity.text('displayname'),
        },
        judgement,
      ),
    ],
  };
}

function readHost(entity: Members, judgement: Judgement): FoundElements {
  const name = entity.text('fqdn', 'hostname', 'netbiosname');
  const domain = entity.text('dnsdomain');
  return {
    devices: [
      foundDevice(
        {
          azureAdDeviceId: entity.text('aaddeviceid'),
          defenderDeviceId: entity.text('mdatpdeviceid'),
          name: name === null || domain === null || name.includes('.') ? name : `${name}.${domain}`,
          os: entity.text('osfamily'),
          osVersion: entity.text('osversion'),
        },
        judgement,
      ),
    ],
  };
}

function readFile(entity: Members, judgement: Judgement): FoundElements {
  const hashes = new Map<string, string>();
  for (const each of entity.list('filehashes').filter(isObject)) {
    const hash = new Members(each);
    hashes.set(hash.text('algorithm')?.toLowerCase() ?? '', hash.text('value') ?? '');
  }
  return {
    files: [
      foundFile(
        {
          name: entity.text('name'),
          path: entity.text('directory'),
          sha256: hashes.get('sha256'),
          sha1: hashes.get('sha1'),
          md5: hashes.get('md5'),
          size: entity.text('sizeinbytes', 'size'),
        },
        judgement,
      ),
    ],
  };
}

function readMailbox(entity: Members, judgement: Judgement): FoundElements {
  return {
    users: [
      foundUser(
        {
          azureAdUserId: entity.text('aadid', 'externaldirectoryobjectid'),
          address: entity.text('upn', 'mailboxprimaryaddress'),
          displayName: entity.text('displayname'),
        },
        judgement,
      ),
    ],
  };
}

function readMail(entity: Members, { verdict }: Judgement): FoundElements {
  const networkMessageId = entity.text('networkmessageid');
  const internetMessageId = entity.text('internetmessageid');
  return {
    emails: [
      {
        id: networkMessageId ?? internetMessageId,
        internetMessageId,
        networkMessageId,
        subject: entity.text('subject'),
        sender: entity.text('p2sender', 'sender', 'p1sender'),
        recipient: entity.text('recipient'),
        receivedAt: formatReceivedTime(entity.get('receiveddate') ?? entity.get('receivedate')),
        deliveryAction: entity.text('deliveryaction'),
        verdict,
      },
    ],
    ips: [foundIp(entity.text('senderip'), null)],
  };
}

function readApp(entity: Members, kind: string, { verdict }: Judgement): FoundElements {
  const appId = entity.text('appid', 'oauthappid', 'clientid');
  const name = entity.text('appname', 'oauthappname', 'name');
  return { apps: [{ id: entity.text('oauthobjectid') ?? appId, appId, name, kind, verdict }] };
}

const readers = new Map<string, (entity: Members, judgement: Judgement) => FoundElements>([
  ['account', readAccount],
  ['host', readHost],
  ['file', readFile],
  [
    'filehash',
    (entity, judgement) => ({
      files: [foundFile({ [entity.text('algorithm')?.toLowerCase() ?? '']: entity.text('value') }, judgement)],
    }),
  ],
  [
    'ip',
    (entity, judgement) => ({
      ips: [foundIp(entity.text('address'), entity.object('location').text('countrycode'), judgement)],
    }),
  ],
  ['mailbox', readMailbox],
  ['mailmessage', readMail],
  ['cloudapplication', (entity, judgement) => readApp(entity, 'cloudApplication', judgement)],
  ['oauthapplication', (entity, judgement) => readApp(entity, 'oauthApplication', judgement)],
  [
    'securitygroup',
    (entity, judgement) => ({
      groups: [
        {
          id: entity.text('aadid', 'objectguid', 'sid'),
          name: entity.text('displayname', 'distinguishedname'),
          ...judgement,
        },
      ],
    }),
  ],
]);

/** A process holds its file, its account and its parent, which holds the same. */
const depthMax = 6;
/** Lists show a hundred elements of each kind. */
const entitiesMax = 5_000;

import type {
  ConsoleLetter,
  ConsoleLetterRequest,
  FeedLane,
  ListedPerson,
  ListedSession,
  PlaygroundRun,
  Role,
  SourceProgress,
  UsedKey,
  UsedKeyDetail,
} from '@tenantscope/store';
import type { AskedOperation as DeclaredOperation } from '../src/playground-operations.ts';

/** What the console's server answers, by its own types. Nothing of it is code. */
export interface WaysIn {
  readonly oidc: { readonly name: string } | null;
  readonly local: boolean;
  readonly passkey: boolean;
  readonly demo: boolean;
  /** Why the round at the identity provider that just ended was refused. */
  readonly refused?: { readonly message: string };
}

export interface Me {
  readonly person: {
    readonly id: string;
    readonly name: string;
    readonly role: Role;
    readonly source: 'oidc' | 'local' | 'demo';
    /** Whether it sees the whole organization, not some tenants of it. */
    readonly hasEveryTenant: boolean;
  };
  readonly organization: { readonly id: string; readonly name: string; readonly keyLifetimeDays: number | null };
  readonly tenants: readonly { readonly id: string; readonly name: string; readonly azureTenantId: string | null }[];
  readonly api: { readonly baseUrl: string; readonly mcpUrl: string };
  readonly demo: boolean;
}

export type { UseBucket } from '@tenantscope/store';
export type Key = UsedKey;
export interface Keys {
  readonly counts: Readonly<Record<KeyView, number>>;
  readonly keys: readonly Key[];
}
/** The answer to a new key: the only place its secret is ever in. */
export interface MadeKey {
  readonly key: UsedKeyDetail;
  readonly secret: string;
  /** What the api says that the key sees; null where it did not answer. */
  readonly test: {
    readonly status: number;
    readonly scopes: readonly string[];
    readonly tenants: readonly string[];
  } | null;
}
export type KeyDetail = { readonly key: UsedKeyDetail; readonly replaced: UsedKeyDetail | null };
export type KeyView = 'active' | 'expiring' | 'unused' | 'ended' | 'playground';

export interface Settled {
  readonly state: 'settled' | 'late' | 'unproven';
  readonly settledTo: string | null;
  readonly lagMs: number;
  readonly worst: { readonly feed: FeedName; readonly lagMs: number; readonly standsStill: boolean } | null;
  readonly parked: number;
  /** Whether the api answers anybody at all, however far feeds are. */
  readonly apiAnswers: boolean;
}

export type FeedName =
  | 'logs'
  | 'detections'
  | 'policyScans'
  | 'notifications'
  | 'actions'
  | 'securityAlerts'
  | 'entities'
  | 'agentEvidence'
  | 'compliance';

export interface Feed {
  readonly feed: FeedName;
  readonly state: 'settled' | 'late' | 'stopped' | 'unproven';
  readonly settledTo: string | null;
  readonly lagMs: number;
  /** The lag, or longer where records lie in Kafka unread. */
  readonly lateMs: number;
  readonly unread: number | null;
  readonly parked: number;
  readonly lanes: readonly Lane[];
  readonly hour: Hour;
}

export type Lane = FeedLane & {
  readonly lagMs: number;
  readonly lateMs: number;
  readonly unread: number | null;
  readonly isRead: boolean;
};

/** Minute by minute; null where no ingestion ran. */
export interface Hour {
  readonly from: string;
  readonly lagMs: readonly (number | null)[];
  readonly rows: readonly (number | null)[];
  readonly rowsPerMinute: number | null;
  readonly isQuiet: boolean;
}

export type Source = SourceProgress & {
  readonly feed: FeedName;
  readonly state: 'heard' | 'quiet' | 'silent';
  readonly heardAt: string;
};

export interface Feeds {
  readonly databaseNow: string;
  readonly apiAnswers: boolean;
  readonly parked: number;
  readonly feeds: readonly Feed[];
  readonly sources: readonly Source[];
}

export type { AskedParameter, AskedWindow, Lead } from '../src/playground-operations.ts';
export type AskedOperation = DeclaredOperation & { readonly isAllowed: boolean };

export interface Operations {
  readonly scopes: readonly string[];
  readonly operations: readonly AskedOperation[];
}

export type Letter = ConsoleLetter;
export type LetterRequest = ConsoleLetterRequest;
export interface Letters {
  readonly reasons: readonly {
    readonly reason: string;
    readonly count: number;
    readonly firstAt: string;
    readonly lastAt: string;
  }[];
  readonly topics: readonly { readonly topic: string; readonly count: number }[];
  readonly letters: readonly Letter[];
  readonly nextCursor: string | null;
}
interface Shown {
  readonly encoding: 'utf8' | 'base64';
  readonly text: string;
  readonly bytes: number;
}
export type OpenedLetter = Letter & {
  readonly producedAt: string | null;
  readonly key: Shown | null;
  readonly value: Shown | null;
  readonly headers: readonly { readonly name: string; readonly value: Shown | null }[];
};

/** What a person can prove itself by; never the secret. */
export interface Proof {
  readonly id: string;
  readonly kind: string;
  readonly name: string | null;
  readonly createdAt: string;
  readonly usedAt: string | null;
}

export interface Audit {
  readonly events: readonly AuditEvent[];
  readonly nextCursor: string | null;
  /** The newest event of all; for administrators. */
  readonly head: { readonly number: number; readonly sha256: string | null; readonly at: string | null } | null;
}

export interface AuditVerdict {
  readonly through: number;
  readonly brokenAt: number | null;
  readonly fault: 'missing' | 'altered' | 'notLinked' | 'cut' | 'added' | null;
  readonly sha256: string | null;
  readonly verifiedAt: string;
}

export interface AuditEvent {
  readonly sha256: string;
  readonly number: number;
  readonly at: string;
  readonly actor: string;
  readonly actorName: string | null;
  /** Whose account a failed sign-in was tried with, where somebody has it. */
  readonly accountName: string | null;
  readonly requestId: string | null;
  readonly address: string | null;
  readonly act: string;
  readonly subjectType: string;
  readonly subjectId: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
}

export type OwnSession = ListedSession & { readonly isThis: boolean };

export type { ListedPerson, PlaygroundRun, Role };

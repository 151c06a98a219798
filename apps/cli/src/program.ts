import { Command } from 'commander';
import type { Answer } from './answer.ts';
import type { AttestOptions } from './attest.ts';
import type { AuditOptions } from './audit.ts';
import type { DeadLetterFilter } from './dead-letters.ts';
import { redact } from './failure.ts';
import type { ImportOptions } from './import.ts';
import type { KeyOptions, KeyOwner } from './key.ts';
import type { ReportOptions } from './report.ts';
import type { VerifyOptions } from './snapshot.ts';
import type { Surroundings } from './surroundings.ts';
import type { TenantOptions } from './tenant.ts';
import type { VerifyPackOptions } from './verify.ts';

type Work = (around: Surroundings) => Promise<Answer>;
export type Run = (work: Work, options: { json?: boolean }) => Promise<void>;

/**
 * Every command with its words. What a command does is loaded when it is called, so that none waits for the drivers of another.
 */
export function declareProgram(run: Run): Command {
  const program = new Command('tenantscope')
    .description("The operator's hands: migrations, tenants, keys, imports, dead letters, lanes.")
    .exitOverride()
    .configureOutput({
      outputError: (text, write) => write(redact(text.replace(/^error: /, 'tenantscope: ')).concat('\n')),
    })
    .showHelpAfterError(false);

  leaf(program, 'migrate', 'make or bring up to date roles, tables and topics')
    .option('--add-partitions', 'add partitions where an existing topic has fewer than planned')
    .action((options: { addPartitions?: boolean; json?: boolean }) =>
      run(async (around) => (await import('./migrate.ts')).migrateAll(options, around), options),
    );

  const organization = program.command('org').description('organizations, whose keys read all their tenants');
  leaf(organization, 'create', 'create an organization')
    .requiredOption('--name <name>', 'name shown to people')
    .action((options: { name: string; json?: boolean }) =>
      run(async (around) => (await import('./org.ts')).createOrganization(options, around), options),
    );
  leaf(organization, 'list', 'list the organizations').action((options: { json?: boolean }) =>
    run(async (around) => (await import('./org.ts')).listOrganizations(around), options),
  );

  const tenant = program.command('tenant').description('tenants, whose activity is read');
  leaf(tenant, 'create', 'create a tenant, with API access unless --plan none')
    .requiredOption('--name <name>', 'name shown to people')
    .option('--org <id>', 'organization it belongs to (none by default)')
    .option('--azure-tenant-id <guid>', 'its id in the upstream identity platform')
    .option('--plan <plan>', 'api or none', 'api')
    .option('--time-zone <zone>', 'where its weeks begin, an IANA name', 'UTC')
    .action((options: TenantOptions & { json?: boolean }) =>
      run(async (around) => (await import('./tenant.ts')).createTenant(options, around), options),
    );
  leaf(tenant, 'list', 'list the tenants')
    .option('--org <id>', 'only those of one organization')
    .action((options: { org?: string; json?: boolean }) =>
      run(async (around) => (await import('./tenant.ts')).listTenants(options, around), options),
    );
  leaf(tenant, 'set-plan', 'open or close the API for a tenant')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--plan <plan>', 'api or none')
    .action((options: { tenant: string; plan: string; json?: boolean }) =>
      run(async (around) => (await import('./tenant.ts')).setPlan(options, around), options),
    );

  const key = program.command('key').description('API keys');
  leaf(key, 'create', 'create a key and show its secret, this once')
    .requiredOption('--name <name>', 'name shown to people')
    .requiredOption('--scopes <a,b>', 'what it may read; «all» for everything')
    .option('--tenant <id>', 'tenant it is bound to: service id or upstream id')
    .option('--org <id>', 'organization whose every tenant it reads')
    .option('--expires-at <time>', 'ISO 8601, or epoch seconds (never by default)')
    .action((options: KeyOptions & { json?: boolean }) =>
      run(async (around) => (await import('./key.ts')).createKey(options, around), options),
    );
  leaf(key, 'list', 'list keys, without secrets')
    .option('--tenant <id>', 'only those bound to one tenant')
    .option('--org <id>', 'only those of one organization')
    .action((options: KeyOwner & { json?: boolean }) =>
      run(async (around) => (await import('./key.ts')).listKeys(options, around), options),
    );
  leaf(key, 'revoke', 'end a key: its next request answers 401')
    .argument('<id>', 'id of the key, as listed')
    .action((id: string, options: { json?: boolean }) =>
      run(async (around) => (await import('./key.ts')).revokeKey(id, around), options),
    );

  leaf(program, 'import', 'publish records, one JSON document a line')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--format <format>', 'what wrote the records, for example o365.management-activity')
    .argument('<file...>', 'files of lines; - is standard input')
    .action((files: string[], options: ImportOptions & { json?: boolean }) =>
      run(async (around) => (await import('./import.ts')).importFiles(files, options, around), options),
    );

  const letters = program
    .command('dead-letters')
    .description('records that could not be written down, kept byte for byte');
  leaf(letters, 'list', 'list dead letters, newest first')
    .option('--limit <number>', 'at most so many, up to 1000', '50')
    .option('--tenant <id>', 'only those of one tenant')
    .option('--reason <reason>', 'only those set aside for one reason')
    .option('--state <state>', 'parked, replayed, settled or discarded')
    .action((options: DeadLetterFilter & { json?: boolean }) =>
      run(async (around) => (await import('./dead-letters.ts')).listDeadLetters(options, around), options),
    );
  leaf(letters, 'show', 'show one with its original bytes')
    .argument('<id>', 'id of the dead letter')
    .action((id: string, options: { json?: boolean }) =>
      run(async (around) => (await import('./dead-letters.ts')).showDeadLetter(id, around), options),
    );
  leaf(letters, 'replay', 'publish the originals again')
    .argument('<id...>', 'ids of dead letters')
    .action((ids: string[], options: { json?: boolean }) =>
      run(async (around) => (await import('./dead-letters.ts')).replayDeadLetters(ids, around), options),
    );
  leaf(letters, 'discard', 'give up on dead letters; they stay readable')
    .argument('<id...>', 'ids of dead letters')
    .action((ids: string[], options: { json?: boolean }) =>
      run(async (around) => (await import('./dead-letters.ts')).discardDeadLetters(ids, around), options),
    );

  const snapshots = program.command('snapshot').description('compliance snapshots, and whether their chain is whole');
  leaf(snapshots, 'take', 'have a snapshot taken now, and wait for it')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--wait <seconds>', 'how long to wait for it', '60')
    .action((options: { tenant: string; wait: string; json?: boolean }) =>
      run(async (around) => (await import('./snapshot.ts')).takeSnapshot(options, around), options),
    );
  leaf(snapshots, 'list', 'list snapshots, newest first')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--limit <number>', 'at most so many, up to 1000', '50')
    .action((options: { tenant: string; limit: string; json?: boolean }) =>
      run(async (around) => (await import('./snapshot.ts')).listSnapshots(options, around), options),
    );
  leaf(snapshots, 'verify', 'compute the whole chain again and name the first snapshot that does not fit')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--head <digest>', 'a sha256 noted earlier, which must still be in the chain')
    .option('--keys <file>', 'JWKS with the public keys of the signatures')
    .action((options: VerifyOptions & { json?: boolean }) =>
      run(async (around) => (await import('./snapshot.ts')).verifySnapshots(options, around), options),
    );

  leaf(program, 'attest', 'put down what a person vouches for about a requirement')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--requirement <key>', 'key of the requirement, for example ai.attest.literacy')
    .requiredOption('--verdict <verdict>', 'compliant, partial, non_compliant or not_applicable')
    .option('--justification <text>', 'why; not_applicable needs it')
    .option('--valid-until <time>', 'ISO 8601, or epoch seconds (as long as the catalogue says by default)')
    .option('--by <name>', 'who vouches for it (whoever is logged in by default)')
    .action((options: AttestOptions & { json?: boolean }) =>
      run(async (around) => (await import('./attest.ts')).attest(options, around), options),
    );

  leaf(program, 'report', 'render a report through the API, as Markdown or as a page to print')
    .argument('<template>', 'id of the template, for example executive-summary')
    .option('--framework <key>', 'for framework-readiness, for example nis2')
    .option('--from <time>', 'start of the period (the default of the template)')
    .option('--to <time>', 'end of the period (now by default)')
    .option('--lang <lang>', 'en or pl')
    .option('--incident <id>', 'for incident-timeline: id of a detection or security alert')
    .option('--html <file>', 'write a page that stands by itself; - is standard output')
    .option('--url <url>', 'base address of the API (TENANTSCOPE_URL); the key is read from TENANTSCOPE_KEY')
    .option('--tenant <id>', 'tenant to read, for a key of an organization')
    .action((template: string, options: ReportOptions & { json?: boolean }) =>
      run(async (around) => (await import('./report.ts')).renderReport(template, options, around), options),
    );

  leaf(program, 'verify', 'check an evidence pack, byte by byte, without any service')
    .argument('<file>', 'the answer as it came; - is standard input')
    .option('--keys <jwks>', 'JWKS with the public keys, as served at /evidence/jwks.json')
    .action((file: string, options: VerifyPackOptions & { json?: boolean }) =>
      run(async (around) => (await import('./verify.ts')).verifyFile(file, options, around), options),
    );

  const administration = program.command('console').description('the console, where people sign in');
  leaf(administration, 'set-up', 'print a token that makes one administrator, once')
    .option('--org <id>', 'organization (the only one by default)')
    .action((options: { org?: string; json?: boolean }) =>
      run(async (around) => (await import('./console.ts')).setUpConsole(options, around), options),
    );

  const audit = program.command('audit').description('what administrators did, and whether its chain is whole');
  leaf(audit, 'list', 'list what was done, newest first')
    .option('--org <id>', 'organization (the only one by default); «installation» for what concerns none')
    .option('--limit <number>', 'at most so many, up to 1000', '50')
    .action((options: AuditOptions & { limit: string; json?: boolean }) =>
      run(async (around) => (await import('./audit.ts')).listAudit(options, around), options),
    );
  leaf(audit, 'verify', 'compute the whole chain again and name the first event that does not fit')
    .argument('[file]', 'an export of the console instead, checked without any service; - for standard input')
    .option('--org <id>', 'organization (the only one by default); «installation» for what concerns none')
    .action((file: string | undefined, options: AuditOptions & { json?: boolean }) =>
      run(
        async (around) =>
          file === undefined
            ? (await import('./audit.ts')).verifyAudit(options, around)
            : (await import('./audit-file.ts')).verifyAuditFile(file, around),
        options,
      ),
    );

  const lanes = program.command('lanes').description('where ingestion stands in each topic-partition');
  leaf(lanes, 'list', 'list the lanes').action((options: { json?: boolean }) =>
    run(async (around) => (await import('./lanes.ts')).listLanes(around), options),
  );
  leaf(lanes, 'resume', 'let a stopped lane go on')
    .argument('<topic/partition>', 'as listed, for example tenantscope.raw.activity.v1/3')
    .action((lane: string, options: { json?: boolean }) =>
      run(async (around) => (await import('./lanes.ts')).resumeLane(lane, around), options),
    );

  leaf(program, 'status', 'how far each feed is complete, and what waits for somebody').action(
    (options: { json?: boolean }) => run(async (around) => (await import('./status.ts')).showStatus(around), options),
  );
  return program;
}

function leaf(parent: Command, name: string, description: string): Command {
  return parent.command(name).description(description).option('--json', 'print one JSON document');
}

import type { Command } from 'commander';
import { declareCommand, type JsonOption, type Run } from '../declaration.ts';
import type { OffboardOptions } from './offboard.ts';
import type { MoveOptions, TenantOptions } from './tenant.ts';
import type { CellMoveOptions } from './tenant-move.ts';

export function declareTenantCommands(program: Command, run: Run): void {
  const tenant = program.command('tenant').description('manage tenants');
  declareCommand(tenant, 'create', 'create a tenant')
    .requiredOption('--name <name>', 'display name')
    .option('--org <id>', 'organization that the tenant belongs to')
    .option('--azure-tenant-id <guid>', 'tenant id in the upstream identity platform')
    .option('--plan <plan>', '"api" for API access, or "none"', 'api')
    .option('--time-zone <zone>', 'IANA time zone in which weeks begin', 'UTC')
    .option('--cell <name>', 'cell whose database has its records; "tenant move" changes it', 'default')
    .action((options: TenantOptions & JsonOption) =>
      run(async (context) => (await import('./tenant.ts')).createTenant(options, context), options),
    );
  declareCommand(tenant, 'list', 'list tenants')
    .option('--org <id>', 'only tenants of this organization')
    .action((options: { org?: string } & JsonOption) =>
      run(async (context) => (await import('./tenant.ts')).listTenants(options, context), options),
    );
  declareCommand(tenant, 'set-plan', 'enable or disable API access for a tenant')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--plan <plan>', '"api" for API access, or "none"')
    .action((options: { tenant: string; plan: string } & JsonOption) =>
      run(async (context) => (await import('./tenant.ts')).setPlan(options, context), options),
    );
  declareCommand(tenant, 'rename', 'rename a tenant')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .requiredOption('--name <name>', 'new display name')
    .action((options: { tenant: string; name: string } & JsonOption) =>
      run(async (context) => (await import('./tenant.ts')).renameTenant(options, context), options),
    );
  for (const [name, description, isSuspended] of [
    ['suspend', 'refuse its keys with 403 until it is resumed; its records are stored as before', true],
    ['resume', 'accept the keys of a suspended tenant again', false],
  ] as const)
    declareCommand(tenant, name, description)
      .requiredOption('--tenant <id>', 'service id or upstream id')
      .action((options: { tenant: string } & JsonOption) =>
        run(
          async (context) => (await import('./tenant.ts')).setSuspended(options.tenant, isSuspended, context),
          options,
        ),
      );
  declareCommand(tenant, 'retention', 'show or change for how many days the log of a tenant is stored')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--days <days>', 'at least 183 and at most those of the installation, or "default"; older rows are deleted')
    .action((options: { tenant: string; days?: string } & JsonOption) =>
      run(async (context) => (await import('./tenant-retention.ts')).changeRetention(options, context), options),
    );
  for (const [name, description] of [
    ['add-provider-id', 'add an id by which records of a source binding with --tenant-from name the tenant'],
    ['remove-provider-id', 'remove such an id'],
  ] as const)
    declareCommand(tenant, name, description)
      .argument('<id>', 'for example the host of an Okta organization or the customer id of Google Workspace')
      .requiredOption('--tenant <id>', 'service id or upstream id')
      .action((id: string, options: { tenant: string } & JsonOption) =>
        run(
          async (context) => (await import('./provider-ids.ts')).changeProviderIds(name, id, options, context),
          options,
        ),
      );
  declareCommand(tenant, 'move', 'move a tenant to another organization, whose keys then read it, or to another cell')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--org <id>', 'organization that the tenant moves to, or "none"')
    .option('--retain-keys', 'with --org: retain the keys of the tenant; without it they are revoked', false)
    .option('--cell <name>', 'cell that the tenant moves to; an interrupted move is continued')
    .option('--max-pause <seconds>', 'with --cell: longest wait of new records that a move begins with', '2')
    .option('--cancel', 'give up a move to another cell that has not changed the cell yet', false)
    .option('--confirm', 'erase the rows that a move has left in the former cell; this cannot be undone', false)
    .option('--yes', 'move it; without it the command shows what would change', false)
    .action((options: MoveOptions & CellMoveOptions & JsonOption) =>
      run(async (context) => {
        const { isCellMove, moveToCell } = await import('./tenant-move.ts');
        if (isCellMove(options)) return moveToCell(options, context);
        return (await import('./tenant.ts')).moveTenant(options, context);
      }, options),
    );
  declareCommand(tenant, 'offboard', 'show how far a tenant is offboarded, or close, reopen or erase it')
    .requiredOption('--tenant <id>', 'service id or upstream id')
    .option('--close', 'end its keys and drop its records from now on', false)
    .option('--reopen', 'undo --close; its keys stay revoked', false)
    .option('--erase', 'delete the data of a closed tenant; this cannot be undone', false)
    .option('--certificate <file>', 'new file for the certificate of erasure')
    .option('--signing-key <file>', 'the Ed25519 key that signs it: that of evidence packs')
    .option('--backup-days <days>', 'age at which the oldest backup is deleted')
    .action((options: OffboardOptions & JsonOption) =>
      run(async (context) => (await import('./offboard.ts')).offboardTenant(options, context), options),
    );
  declareCommand(tenant, 'verify-erasure', 'verify a certificate of erasure offline')
    .argument('<file>', 'the certificate')
    .requiredOption('--keys <file>', 'public keys, as the API publishes them (JWKS)')
    .action((file: string, options: { keys: string } & JsonOption) =>
      run(async () => (await import('./erasure-certificate.ts')).verifyCertificate(file, options), options),
    );
}

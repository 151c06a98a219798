import { grantsAdministration, hasEnded, listsAsUser } from '../azure-conditions.ts';
import { elastic, sigma } from '../references.ts';
import type { SeverityRule } from '../severity-rule.ts';

/** Operations of Azure's activity log. Each has several records, of which the one with the result counts. */
export const azureRules: readonly SeverityRule[] = [
  {
    severity: 'high',
    actions: ['Microsoft.Authorization/elevateAccess/action'],
    when: hasEnded,
    reason: 'a Global Administrator gains access to all subscriptions',
    source: sigma('cloud/azure/activity_logs/azure_subscription_permissions_elevation_via_activitylogs'),
  },
  {
    severity: 'high',
    actions: ['Microsoft.Authorization/roleAssignments/write'],
    when: grantsAdministration,
    reason: 'the role may assign every role, its own included',
    source: elastic('azure/privilege_escalation_azure_rbac_administrator_roles_assigned'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.Authorization/roleAssignments/write', 'Microsoft.Authorization/roleDefinitions/write'],
    when: hasEnded,
    reason: 'an account gains rights in a subscription',
    source: sigma('cloud/azure/activity_logs/azure_granting_permission_detection'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.Insights/diagnosticSettings/delete', 'Microsoft.Network/networkWatchers/delete'],
    when: hasEnded,
    reason: 'later events are not logged',
    source: elastic('azure/defense_evasion_insights_diagnostic_settings_deletion'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.EventHub/namespaces/eventhubs/delete'],
    when: hasEnded,
    reason: 'logs that are sent through the event hub are lost',
    source: elastic('azure/defense_evasion_event_hub_deletion'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.Security/alertsSuppressionRules/write'],
    when: hasEnded,
    reason: 'alerts are dismissed without being seen',
    source: sigma('cloud/azure/activity_logs/azure_suppression_rule_created'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.Compute/virtualMachines/runCommand/action'],
    when: hasEnded,
    reason: 'a command runs with all rights in a virtual machine',
    source: elastic('azure/execution_command_virtual_machine'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.Storage/storageAccounts/listKeys/action'],
    when: listsAsUser,
    reason: 'a key gives all rights to the data without a further sign-in',
    source: elastic('azure/credential_access_azure_storage_account_keys_accessed'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.KeyVault/vaults/accessPolicies/write'],
    when: hasEnded,
    reason: 'another account may read the secrets of a vault',
    source: sigma('cloud/azure/activity_logs/azure_keyvault_modified_or_deleted'),
  },
  {
    severity: 'medium',
    actions: ['Microsoft.Resources/subscriptions/resourceGroups/delete'],
    when: hasEnded,
    reason: 'all resources of a group are deleted',
    source: elastic('azure/impact_resource_group_deletion'),
  },
];

import type { Company, Person } from '../company.ts';
import { memoize } from '../memoize.ts';
import { deriveNumber } from '../random.ts';

export interface License {
  readonly skuId: string;
  readonly partNumber: string;
  readonly name: string;
  readonly isAi: boolean;
  readonly total: number;
  readonly holders: readonly Person[];
  readonly services: readonly string[];
}

/** The licenses of a company and their holders. */
export const listLicenses = memoize(({ employees, admins }: Company): readonly License[] => {
  const some = (of: number, name: string) => employees.filter(({ id }) => deriveNumber(of, id, name) === 0);
  return [
    sku('06ebc4ee-1bb5-47dd-8120-11324bc54e06', 'SPE_E5', 'Microsoft 365 E5', employees, [
      'EXCHANGE_S_ENTERPRISE',
      'SHAREPOINTENTERPRISE',
      'TEAMS1',
    ]),
    sku(
      '639dec6b-bb19-468b-871c-c5c441c4b0cb',
      'Microsoft_365_Copilot',
      'Microsoft 365 Copilot',
      some(2, 'copilot'),
      ['M365_COPILOT_APPS', 'M365_COPILOT_TEAMS'],
      true,
    ),
    sku(
      '9a1f1a3b-8c0e-4a57-93b5-2d5f3c1e7b60',
      'MICROSOFT_COPILOT_STUDIO',
      'Microsoft Copilot Studio',
      some(7, 'studio'),
      ['COPILOT_STUDIO'],
      true,
    ),
    sku('84a661c4-e949-4bd2-a560-ed7766fcaf2b', 'AAD_PREMIUM_P2', 'Microsoft Entra ID P2', admins, ['AAD_PREMIUM_P2']),
    sku('f8a1db68-be16-40ed-86d5-cb42ce701560', 'POWER_BI_PRO', 'Power BI Pro', some(3, 'reports'), ['BI_AZURE_P2']),
    sku('c5928f49-12ba-48f7-ada3-0d743a3601d5', 'VISIOCLIENT', 'Visio Plan 2', some(8, 'drawings'), ['VISIOONLINE']),
    sku('53818b1b-4a27-454b-8896-0dba576410e6', 'PROJECTPROFESSIONAL', 'Project Plan 3', some(9, 'projects'), [
      'PROJECT_PROFESSIONAL',
    ]),
    sku('f30db892-07e9-47e9-837c-80727f46fd3d', 'FLOW_FREE', 'Power Automate Free', some(4, 'flows'), [
      'FLOW_P2_VIRAL',
    ]),
    sku('4b9405b0-7788-4568-add1-99614e613b69', 'EXCHANGESTANDARD', 'Exchange Online (Plan 1)', some(12, 'mail only'), [
      'EXCHANGE_S_STANDARD',
    ]),
  ];
});

function sku(
  skuId: string,
  partNumber: string,
  name: string,
  holders: readonly Person[],
  services: readonly string[],
  isAi = false,
): License {
  return { skuId, partNumber, name, isAi, holders, services, total: holders.length + 2 + deriveNumber(6, partNumber) };
}

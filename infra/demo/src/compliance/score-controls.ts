/** A control of the vendor's score. */
export interface Control {
  readonly id: string;
  readonly title: string;
  readonly category: 'Identity' | 'Data' | 'Device' | 'Apps';
  readonly service: string;
  readonly points: number;
  /** Whether it is scored by the share of users or objects that it covers. */
  readonly isGradual: boolean;
  readonly threats: readonly string[];
  readonly advice: string;
}

const control = (
  id: string,
  title: string,
  [category, service]: readonly [Control['category'], string],
  points: number,
  advice: string,
  isGradual = false,
): Control => ({ id, title, category, service, points, isGradual, advice, threats: threatsOf[category] });

const threatsOf = {
  Identity: ['Account Breach', 'Elevation of Privilege'],
  Data: ['Data Exfiltration', 'Data Spillage'],
  Device: ['Malicious Insider', 'Account Breach'],
  Apps: ['Account Breach', 'Data Exfiltration'],
} as const;

const identity = ['Identity', 'AzureAD'] as const;
const exchange = ['Apps', 'EXO'] as const;
const data = ['Data', 'MIP'] as const;
const device = ['Device', 'Intune'] as const;

export const controls: readonly Control[] = [
  control(
    'MFARegistrationV2',
    'Second factors for all users',
    identity,
    9,
    'Have everybody register a second factor.',
    true,
  ),
  control(
    'AdminMFAV2',
    'Second factors for administrators',
    identity,
    10,
    'Require a second factor of every role.',
    true,
  ),
  control(
    'BlockLegacyAuthentication',
    'Old protocols cannot sign in',
    identity,
    8,
    'Block them by conditional access.',
  ),
  control('SigninRiskPolicy', 'Risky sign-ins are stopped', identity, 7, 'Require a second factor at medium risk.'),
  control('UserRiskPolicy', 'Risky users change their password', identity, 7, 'Require a new password at high risk.'),
  control('OneAdmin', 'More than one global administrator', identity, 1, 'Name a second one.'),
  control('IntegratedApps', 'Users cannot consent to unverified apps', identity, 4, 'Ask an administrator to consent.'),
  control('exo_mailforwarding', 'Mail is not forwarded outside', exchange, 5, 'Switch automatic forwarding off.'),
  control('mdo_safelinks', 'Links in mail are checked when opened', exchange, 9, 'Switch Safe Links on.'),
  control(
    'mdo_safeattachments',
    'Attachments are opened in a sandbox first',
    exchange,
    8,
    'Switch Safe Attachments on.',
  ),
  control('mip_autolabel', 'Sensitive files are labelled by themselves', data, 6, 'Turn on automatic labelling.', true),
  control('dlp_datalossprevention', 'Rules keep sensitive data in', data, 6, 'Extend the rules to all sites.', true),
  control('spo_external_sharing', 'Sites are shared with named guests alone', data, 5, 'Close links for anyone.'),
  control(
    'intune_compliance',
    'Devices have to comply',
    device,
    8,
    'Mark devices without a policy as not compliant.',
    true,
  ),
  control('intune_encryption', 'Disks are encrypted', device, 7, 'Require encryption.', true),
];

import { azureRules } from './rules/azure-rules.ts';
import { directoryRules } from './rules/directory-rules.ts';
import { exchangeRules } from './rules/exchange-rules.ts';
import { googleRules } from './rules/google-rules.ts';
import { oktaRules } from './rules/okta-rules.ts';
import { signInRules } from './rules/sign-in-rules.ts';
import { suiteRules } from './rules/suite-rules.ts';
import type { SeverityRule } from './severity-rule.ts';

/** The most severe rule that applies wins; the order within one severity does not matter. A change of the tables increments `normaliserVersion`. */
export const severityRules: readonly SeverityRule[] = [
  ...directoryRules,
  ...exchangeRules,
  ...suiteRules,
  ...signInRules,
  ...oktaRules,
  ...googleRules,
  ...azureRules,
];

/** Keys of the registered frameworks, in parameters and responses. */
export const frameworkKeys = [
  'eu_ai_act',
  'nis2',
  'ksc',
  'kribsi',
  'gdpr',
  'dora',
  'iso_42001',
  'iso_27001',
  'soc_2',
  'nist_csf_2',
  'hipaa',
] as const;

export type FrameworkKey = (typeof frameworkKeys)[number];

/** Aliases accepted in parameters; responses use the key. */
export const frameworkAliases: Readonly<Record<string, FrameworkKey>> = {
  ai_act: 'eu_ai_act',
  nis_2: 'nis2',
  pl_ksc: 'ksc',
  pl_kribsi: 'kribsi',
  pl_ai_act: 'kribsi',
  rodo: 'gdpr',
  iso42001: 'iso_42001',
  iso27001: 'iso_27001',
  soc2: 'soc_2',
  nist_csf: 'nist_csf_2',
  nist_csf_2_0: 'nist_csf_2',
};

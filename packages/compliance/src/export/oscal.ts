import { createHash } from 'node:crypto';
import type { ComplianceStatus, RequirementStatus } from '@tenantscope/contract';
import { requirementCatalogue } from '../catalogue/requirement.ts';
import { findAttestationEnd } from '../status/attestation-status.ts';
import { countApplicable, toWholePercent } from '../status/framework-status.ts';

const oscalVersion = '1.2.1';

/** The namespace of our property names, as OSCAL demands for names of one's own. */
const namespace = 'urn:tenantscope:oscal';

type Property = { readonly name: string; readonly value: string; readonly ns: string; readonly class?: string };

/** What OSCAL says of our statuses; a requirement that is not evaluated has no finding. */
const states: Readonly<Record<string, { readonly state: string; readonly reason: string }>> = {
  met: { state: 'satisfied', reason: 'pass' },
  at_risk: { state: 'not-satisfied', reason: 'other' },
  not_met: { state: 'not-satisfied', reason: 'fail' },
};

/**
 * The status as OSCAL assessment results. Controls are the requirements of the catalogue, by key; their articles are
 * properties. Ids follow from the content, so that the same status gives the same document.
 */
export function writeOscal(status: ComplianceStatus): string {
  const content = createHash('sha256').update(JSON.stringify(status)).digest('hex');
  const id = (name: string): string => deriveUuid(`${content}/${name}`);
  const evaluated = status.requirements.filter((one) => Object.hasOwn(states, one.status));
  const applicable = status.requirements.filter(({ evaluation }) => evaluation !== 'not_applicable');
  const selection = describeSelection(status.requirements.length);
  const result = {
    uuid: id('result'),
    title: 'Compliance status',
    description: `Requirements of the catalogue ${status.catalogueVersion}, evaluated by the rules ${status.evaluatorVersion}.`,
    start: status.generatedAt,
    end: status.generatedAt,
    ...unlessEmpty('props', listReadiness(status)),
    'reviewed-controls': {
      'control-selections': [describeControls(applicable, selection === null)],
    },
    ...unlessEmpty(
      'observations',
      evaluated.map((one) => describeObservation(one, id)),
    ),
    ...unlessEmpty(
      'findings',
      evaluated.map((one) => describeFinding(one, id)),
    ),
    ...unlessBlank('remarks', [selection ?? [], status.limitations].flat().join('\n\n')),
  };
  return JSON.stringify({
    'assessment-results': {
      uuid: id('document'),
      metadata: {
        title: 'Compliance status',
        'last-modified': status.generatedAt,
        version: status.catalogueVersion,
        'oscal-version': oscalVersion,
      },
      'import-ap': { href: `#${id('plan')}` },
      results: [result],
      'back-matter': {
        resources: [
          {
            uuid: id('plan'),
            title: 'Assessment plan',
            description:
              'The requirements, thresholds and articles of the catalogue, as listed in the compliance status of Tenantscope.',
          },
        ],
      },
    },
  });
}

/** Of a part of the catalogue, which a request has selected: without it a reader could take the part for the whole. */
const describeSelection = (count: number): string | null =>
  count === requirementCatalogue.length
    ? null
    : `The request selected ${count} of the ${requirementCatalogue.length} requirements. Properties of readiness are those of all.`;

/** OSCAL has no selection of nothing. */
function describeControls(applicable: readonly RequirementStatus[], isWhole: boolean) {
  if (applicable.length > 0) return { 'include-controls': applicable.map(({ key }) => ({ 'control-id': key })) };
  return { ...(isWhole ? {} : { description: nothingSelected }), 'include-all': {} };
}

const nothingSelected = 'The request selected no requirement that applies.';

const unlessBlank = (name: string, text: string) => (text === '' ? {} : { [name]: text });

function describeObservation(one: RequirementStatus, id: (name: string) => string) {
  const { key, title, description, evaluatedAt, attestation, metricsJson, findingsUrl } = one;
  const isAttested = one.evaluation === 'attested';
  const metrics = Object.entries(metricsJson).flatMap(([name, value]) =>
    value === null ? [] : [property(name, String(value), 'metric')],
  );
  const expires = isAttested && attestation ? findAttestationEnd(attestation) : null;
  return {
    uuid: id(`observation/${key}`),
    title,
    description,
    ...unlessEmpty('props', metrics),
    methods: [isAttested ? 'EXAMINE' : 'TEST'],
    ...(findingsUrl === null ? {} : { links: [{ href: findingsUrl, rel: 'findings' }] }),
    collected: (isAttested ? attestation?.attestedAt : null) ?? evaluatedAt,
    ...(expires === null ? {} : { expires }),
  };
}

function describeFinding(one: RequirementStatus, id: (name: string) => string) {
  const { key, title, description, status, reason, exceptions, articles } = one;
  return {
    uuid: id(`finding/${key}`),
    title,
    description,
    props: [
      property('status', status),
      ...(reason === null ? [] : [property('reason', reason)]),
      ...(exceptions === null ? [] : [property('status-without-exceptions', exceptions.statusWithout)]),
      ...articles.map((article) => property('article', article.id, article.framework)),
    ],
    target: { type: 'objective-id', 'target-id': key, status: states[status] },
    'related-observations': [{ 'observation-uuid': id(`observation/${key}`) }],
  };
}

function listReadiness({ frameworks }: ComplianceStatus): Property[] {
  return frameworks
    .filter(({ selected, readinessPercent }) => selected && readinessPercent !== null)
    .flatMap((one) => {
      const { key, readinessPercent, metCount, metWithExceptionsCount } = one;
      const without = toWholePercent(metCount - metWithExceptionsCount, countApplicable(one));
      return [
        property('readiness-percent', String(readinessPercent), key),
        ...(metWithExceptionsCount === 0
          ? []
          : [property('readiness-percent-without-exceptions', String(without), key)]),
      ];
    });
}

const property = (name: string, value: string, className?: string): Property => ({
  name,
  value,
  ns: namespace,
  ...(className === undefined ? {} : { class: className }),
});

/** OSCAL has no empty lists. */
const unlessEmpty = <Item>(name: string, items: readonly Item[]): Readonly<Record<string, readonly Item[]>> =>
  items.length === 0 ? {} : { [name]: items };

/** A UUID of version 5, as OSCAL demands 4 or 5 (RFC 9562: SHA-1 of a namespace and a name). */
function deriveUuid(name: string): string {
  const digest = createHash('sha1').update(uuidNamespace).update(name).digest().subarray(0, 16);
  digest[6] = ((digest[6] ?? 0) & 0x0f) | 0x50;
  digest[8] = ((digest[8] ?? 0) & 0x3f) | 0x80;
  const hex = digest.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}

/** The namespace for URLs, since the names are of our own. */
const uuidNamespace = Buffer.from('6ba7b8119dad11d180b400c04fd430c8', 'hex');

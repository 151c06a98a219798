/** A metric that an expression reads, with the labels that it matches. */
export interface MetricUse {
  readonly name: string;
  readonly labels: readonly string[];
}

const selector = /\b((?:tenantscope|nodejs|process)_\w+|up)\b\s*(?:\{([^}]*)\})?/g;
const matcher = /(\w+)\s*(?:=~|!~|!=|=)/g;
const grouping = /\b(?:by|without|on|ignoring|group_left|group_right)\s*\(([^)]*)\)/g;
/** Of each scrape, whatever the metric. */
const targetLabels = ['job', 'instance'];

/** The metrics of a PromQL expression; label matchers may not contain a brace. */
function findMetricUses(expression: string): MetricUse[] {
  return [...expression.replace(grouping, '').matchAll(selector)].map(([, name = '', matchers = '']) => ({
    name,
    labels: [...matchers.replace(/"[^"]*"/g, '""').matchAll(matcher)].map(([, label = '']) => label),
  }));
}

/** The labels by which an expression groups or joins. */
function findGroupingLabels(expression: string): string[] {
  return [...expression.matchAll(grouping)].flatMap(([, list = '']) =>
    list
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );
}

interface ExposedMetrics {
  readonly product: readonly { readonly name: string; readonly type: string; readonly labels: readonly string[] }[];
  readonly node: readonly { readonly name: string }[];
}

/** What an expression reads that no process exposes: metrics, and labels that these metrics do not have. */
export function findUnknownNames(expression: string, { product, node }: ExposedMetrics): string[] {
  const labelsOf = new Map<string, readonly string[]>([['up', []]]);
  // The type of a metric of Node.js is not known here: each may be a histogram.
  for (const { name } of node) for (const part of ['', '_bucket', '_sum', '_count']) labelsOf.set(name + part, []);
  for (const { name, type, labels } of product) {
    if (type !== 'histogram') labelsOf.set(name, labels);
    else for (const part of ['bucket', 'sum', 'count']) labelsOf.set(`${name}_${part}`, [...labels, ...leOf(part)]);
  }
  const uses = findMetricUses(expression);
  const unknown = uses.flatMap(({ name, labels }) => {
    const own = labelsOf.get(name);
    if (own === undefined) return [name];
    return labels
      .filter((label) => !own.includes(label) && !targetLabels.includes(label))
      .map((label) => `${name}{${label}}`);
  });
  const available = new Set([...targetLabels, ...uses.flatMap(({ name }) => labelsOf.get(name) ?? [])]);
  return [...unknown, ...findGroupingLabels(expression).filter((label) => !available.has(label))];
}

const leOf = (part: string): readonly string[] => (part === 'bucket' ? ['le'] : []);

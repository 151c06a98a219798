/** A unit of Grafana. */
export type PanelUnit = 's' | 'reqps' | 'short' | 'percentunit' | 'bytes' | 'bool';

export interface Panel {
  readonly title: string;
  readonly unit: PanelUnit;
  /** Legend and PromQL expression of each line; the legend may contain labels as {{label}}. */
  readonly lines: readonly (readonly [legend: string, expression: string])[];
}

export interface Dashboard {
  /** File name and Grafana's uid, without the product's prefix. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const columns = 24;
const panelWidth = 8;
const panelHeight = 8;
// biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of Grafana.
const datasource = { type: 'prometheus', uid: '${datasource}' };

/** Grafana's JSON model: panels in rows of three, with a data source that is chosen on the dashboard. */
export function renderDashboard({ name, title, panels }: Dashboard): string {
  const model = {
    uid: `tenantscope-${name}`,
    title: `Tenantscope: ${title}`,
    tags: ['tenantscope'],
    editable: false,
    schemaVersion: 39,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: { list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Data source' }] },
    panels: panels.map((panel, index) => ({
      id: index + 1,
      type: 'timeseries',
      title: panel.title,
      datasource,
      gridPos: {
        x: (index * panelWidth) % columns,
        y: Math.floor((index * panelWidth) / columns) * panelHeight,
        w: panelWidth,
        h: panelHeight,
      },
      fieldConfig: { defaults: { unit: panel.unit, min: 0 }, overrides: [] },
      targets: panel.lines.map(([legend, expression], line) => ({
        refId: String.fromCharCode('A'.charCodeAt(0) + line),
        datasource,
        expr: expression,
        legendFormat: legend,
      })),
    })),
  };
  return `${JSON.stringify(model, null, 2)}\n`;
}

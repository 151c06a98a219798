import { parse } from 'yaml';

/** The parameters of one request of a configuration. */
export interface ConfiguredRequest {
  readonly list: string;
  readonly parameters: Readonly<Record<string, string>>;
}

type Read = (text: string) => readonly ConfiguredRequest[];

/** A time that a product puts in the place of a variable. */
const time = '2026-11-01T00:00:00.000Z';
const asTime = (value: string) => (/^[a-zA-Z0-9,:.-]*$/.test(value) ? value : time);
const lastSegment = (path: string) => /([a-z-]+)'?\)?\]?$/.exec(path)?.[1] ?? path;

/** Query strings as they are written out, for the list of the file. */
const queryStrings =
  (list: string): Read =>
  (text) =>
    [...text.matchAll(/\b(sort=[\w=&]+)/g)].map(([, query]) => ({
      list,
      parameters: Object.fromEntries(new URLSearchParams(query)),
    }));

interface NamedValue {
  readonly name: string;
  readonly value: string;
}
const ofPairs = (pairs: readonly NamedValue[]) =>
  Object.fromEntries(
    pairs.map(({ name, value }) => [name, name === 'cursor' ? '0' : asTime(value.replace(/^'(.*)'$/, '$1'))]),
  );

interface AirbyteStream {
  readonly retriever: {
    readonly requester: { readonly path: string; readonly request_parameters: Record<string, string> };
  };
  readonly incremental_sync: Readonly<Record<'start_time_option' | 'end_time_option', { readonly field_name: string }>>;
}

/** How the requests of each file that polls are read from it. */
export const requestReaders: Readonly<Record<string, Read>> = {
  'benthos/logs.yaml': queryStrings('logs'),
  'benthos/detections.yaml': queryStrings('detections'),
  'elastic/filebeat-cel.yml': queryStrings('logs'),
  'elastic/filebeat-httpjson.yml': queryStrings('logs'),
  'dlt/tenantscope_source.py': (text) =>
    [...text.matchAll(/^ {4}"([a-z-]+)": (\{.*\}),$/gm)].map(([, list = '', parameters = '']) => ({
      list,
      parameters: JSON.parse(parameters) as Record<string, string>,
    })),
  'splunk/TA-tenantscope/bin/tenantscope.py': (text) =>
    [...text.matchAll(/^(LOGS|STATES) = (\{.*\})$/gm)].flatMap(([, kind, values = '']) => {
      const { sort, start } = JSON.parse(values) as { sort: string; start: string };
      const lists =
        kind === 'LOGS' ? ['logs'] : ['detections', 'security-alerts', 'policy-scans', 'notifications', 'actions'];
      return lists.map((list) => ({
        list,
        parameters: {
          sort,
          [start]: time,
          limit: '1000',
          ...(list === 'detections' ? { includeInfoTier: 'true' } : {}),
        },
      }));
    }),
  'airbyte/manifest.yaml': (text) =>
    (parse(text).streams as AirbyteStream[]).map(
      ({ retriever: { requester }, incremental_sync: { start_time_option, end_time_option } }) => ({
        list: lastSegment(requester.path),
        parameters: {
          ...requester.request_parameters,
          limit: '1000',
          [start_time_option.field_name]: time,
          [end_time_option.field_name]: time,
        },
      }),
    ),
  'sentinel/template.json': (text) =>
    JSON.parse(text)
      .resources.filter(({ kind }: { kind?: string }) => kind === 'RestApiPoller')
      .map(
        ({
          properties: { request, paging },
        }: {
          properties: {
            request: { apiEndpoint: string; queryParameters: Record<string, string> };
            paging: { nextPageParaName: string };
          };
        }) => ({
          list: lastSegment(request.apiEndpoint),
          parameters: {
            ...Object.fromEntries(
              Object.entries(request.queryParameters).map(([name, value]) => [name, asTime(value)]),
            ),
            [paging.nextPageParaName]: '0',
          },
        }),
      ),
  'cribl/collector.json': (text) => [
    { list: 'logs', parameters: ofPairs(JSON.parse(text).collector.conf.collectRequestParams) },
  ],
  'qradar/workflow.xml': (text) => [
    {
      list: 'logs',
      parameters: ofPairs(
        [...text.matchAll(/<QueryParameter name="(\w+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => ({
          name,
          value,
        })),
      ),
    },
  ],
  'tines/story.json': (text) => [
    {
      list: 'detections',
      parameters: Object.fromEntries(
        Object.entries(JSON.parse(text).agents[0].options.payload as Record<string, string>).map(([name, value]) => [
          name,
          asTime(value),
        ]),
      ),
    },
  ],
  'n8n/workflow.json': (text) => [
    {
      list: 'detections',
      parameters: ofPairs(
        JSON.parse(text).nodes.find(({ name }: { name: string }) => name === 'Read detections').parameters
          .queryParameters.parameters,
      ),
    },
  ],
};

import { product } from '@tollgate/contract';
import { choice, integer, secret, text, toggle, type Variable } from './kinds.ts';
import type { Sampler } from '../../services/site/traces/index.ts';

/** A comma list of `name=value` with percent-encoded values, as in OpenTelemetry. */
const pairs = (variable: Variable<string>): Variable<Record<string, string>> => ({
  ...variable,
  fallback: {},
  parse: (value) =>
    Object.fromEntries(
      variable
        .parse(value)
        .split(',')
        .filter((pair) => pair.trim() !== '')
        .map(parsePair),
    ),
});

function parsePair(pair: string): [string, string] {
  const found = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(pair);
  if (!found) throw new Error('must be name=value pairs, separated by commas');
  const [, name = '', value = ''] = found;
  return [name, decoded(value)];
}

/** An invalid escape stays unchanged. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value;
  }
}

/** Checked here, because an invalid address would only show when the first span is lost. */
const address = (variable: Variable<string>): Variable<string> => ({
  ...variable,
  parse(value) {
    if (!/^https?:$/.test(URL.parse(value)?.protocol ?? ''))
      throw new Error('must be an http or https address');
    return value;
  },
});

/** A fraction between 0 and 1. */
const ratio = (variable: Variable<string>): Variable<number> => ({
  ...variable,
  fallback: Number(variable.fallback),
  parse(value) {
    if (!/^\d*\.?\d+$/.test(value) || Number(value) > 1) throw new Error('must be a number from 0 to 1');
    return Number(value);
  },
});

/** Traces of calls, with the variable names and meanings of OpenTelemetry. */
export const traceVariables = {
  otelDisabled: toggle('OTEL_SDK_DISABLED', {
    fallback: false,
    meaning: 'Switches traces off whatever else is set.',
  }),
  tracesExporter: choice<'otlp' | 'none'>('OTEL_TRACES_EXPORTER', {
    fallback: 'otlp',
    words: ['otlp', 'none'],
    meaning: '`none` switches traces off.',
  }),
  otlpEndpoint: address(
    text('OTEL_EXPORTER_OTLP_ENDPOINT', {
      fallback: '',
      shownDefault: '',
      meaning:
        'OTLP/HTTP address of an OpenTelemetry collector, to which `/v1/traces` is added; switches traces on ([how](deploy.md#traces)).',
    }),
  ),
  otlpTracesEndpoint: address(
    text('OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', {
      fallback: '',
      shownDefault: '',
      meaning: 'The same for traces alone, with nothing added.',
    }),
  ),
  otlpHeaders: pairs(
    secret('OTEL_EXPORTER_OTLP_TRACES_HEADERS', {
      fallback: '',
      minLength: 0,
      aliases: ['OTEL_EXPORTER_OTLP_HEADERS'],
      meaning: 'Headers for the collector, `name=value`, separated by commas.',
    }),
  ),
  otlpProtocol: choice<'http/protobuf' | 'http/json'>('OTEL_EXPORTER_OTLP_TRACES_PROTOCOL', {
    fallback: 'http/protobuf',
    words: ['http/protobuf', 'http/json'],
    aliases: ['OTEL_EXPORTER_OTLP_PROTOCOL'],
    shownDefault: '',
    meaning: 'How spans are sent: http/protobuf, which is the default, or http/json. gRPC is not spoken.',
  }),
  otlpTimeoutMs: integer('OTEL_EXPORTER_OTLP_TRACES_TIMEOUT', {
    fallback: 10_000,
    min: 1,
    max: 60_000,
    aliases: ['OTEL_EXPORTER_OTLP_TIMEOUT'],
    meaning: 'Longest wait for the collector, in ms.',
  }),
  tracesSampler: choice<Sampler>('OTEL_TRACES_SAMPLER', {
    fallback: 'parentbased_always_on',
    words: [
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ],
    meaning:
      "Which calls are traced: `traceidratio` takes a part; with `parentbased_` a caller's `traceparent` decides.",
  }),
  tracesRatio: ratio(
    text('OTEL_TRACES_SAMPLER_ARG', {
      fallback: '1',
      meaning: 'The part that `traceidratio` takes, from 0 to 1.',
    }),
  ),
  otelServiceName: text('OTEL_SERVICE_NAME', {
    fallback: product.id,
    meaning: 'The name of this service in traces.',
  }),
  otelResource: pairs(
    text('OTEL_RESOURCE_ATTRIBUTES', {
      fallback: '',
      shownDefault: '',
      meaning: 'Further attributes of this process in traces, `name=value`, separated by commas.',
    }),
  ),
  spanQueue: integer('OTEL_BSP_MAX_QUEUE_SIZE', {
    fallback: 2048,
    min: 1,
    max: 1_000_000,
    meaning: 'Most spans in memory; what comes beyond is dropped and counted.',
  }),
  spanBatch: integer('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', {
    fallback: 512,
    min: 1,
    max: 100_000,
    meaning: 'Most spans that are sent at once.',
  }),
  spanDelayMs: integer('OTEL_BSP_SCHEDULE_DELAY', {
    fallback: 5_000,
    min: 1,
    max: 600_000,
    meaning: 'Longest wait of a span before it is sent, in ms.',
  }),
  capturesContent: toggle('OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT', {
    fallback: false,
    meaning: 'Puts the content of requests and answers into spans, for all readers of traces.',
  }),
};

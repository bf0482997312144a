import { inputTokens, outputTokens, product, type Usage } from '@tollgate/contract';
import { AggregatorRegistry, Counter, Gauge, Histogram, Registry, collectDefaultMetrics } from 'prom-client';

/** Counted data of one settled call. Times are Unix ms. */
interface MeasuredCall {
  model: string;
  channelId: number;
  isStream: boolean;
  endReason: string;
  usage: Usage;
  startedAt: number;
  /** 0 without a first byte. */
  firstByteAt: number;
  endedAt: number;
  tries: readonly { channelId: number; reason?: string }[];
  /** Set for a response of a realtime session; `tries` are then those of the session. */
  realtimeSession?: string | undefined;
}

/** Times of an answer of a channel, in ms; undefined if unknown. */
interface ChannelTimes {
  firstMs?: number;
  wholeMs?: number;
  stream?: { tokens: number; ms: number };
}

/** Figures that are read at each request of the metrics. */
interface Readings {
  /** Calls between their hold and their settlement. */
  inFlight: number;
  /** Bytes of request bodies in memory. */
  bodyBytes: number;
  /** Log rows that wait for their move to the log database; absent in processes that do not move rows. */
  waitingLog?: { rows: number; oldestSeconds: number } | undefined;
}

/** The figures of a process in the form sent to another one. */
export type Figures = readonly object[];

export interface Metrics {
  /** Counts a settled call. Never throws. */
  settled(call: MeasuredCall, chargedQuota: number): void;
  /** Counts a refusal of a call. */
  refused(blame: string, status: number): void;
  /** Counts the end of an attempt on a channel: `succeeded`, or the class of its failure. */
  attempted(channelId: number, outcome: string): void;
  /** Counts the times of a channel's answer. */
  answered(channelId: number, times: ChannelTimes): void;
  /** Counts the results of the spans of traced calls. */
  spans(outcome: string, spans: number): void;
  /** The figures of this process, for output by another one. */
  figures(readings: Readings): Promise<Figures>;
  /** All figures in Prometheus' text format, including those of other processes, and its media type. */
  print(readings: Readings, others?: readonly Figures[]): Promise<{ contentType: string; text: string }>;
}

/** Model names of channels are few, but their wildcards admit any number. */
const mostModels = 500;
const other = 'other';
/** Each channel has about thirty series. */
const mostChannels = 200;

const callSeconds = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600];

/**
 * The metrics of this process by the conventions of Prometheus: base units, `_total` for counters. Labels are bounded:
 * providers, models up to 500, channels up to 200, statuses and our own codes; never a user, a key or an address.
 *
 * @param provider - The name of a channel's provider; '' if the channel was deleted.
 */
export function createMetrics(provider: (channelId: number) => string): Metrics {
  const registers = [new Registry()] as [Registry];
  collectDefaultMetrics({ register: registers[0] });
  const counters = {
    ...callCounters(registers),
    ...failureCounters(registers),
    ...channelCounters(registers),
  };
  const gauges = gaugesOf(registers);
  const known = firstNames(mostModels);
  const channels = firstNames(mostChannels);
  const read = ({ inFlight, bodyBytes, waitingLog }: Readings): Promise<Figures> => {
    gauges.inFlight.set(inFlight);
    gauges.bodyBytes.set(bodyBytes);
    setOrRemove(gauges.waitingLogRows, waitingLog?.rows);
    setOrRemove(gauges.waitingLogSeconds, waitingLog?.oldestSeconds);
    return registers[0].getMetricsAsJSON();
  };
  return {
    settled(call, chargedQuota) {
      const by = { provider: provider(call.channelId) };
      const model = known(call.model);
      const kind = { ...by, stream: String(call.isStream) };
      counters.requests.inc({ ...by, model, outcome: call.endReason });
      counters.seconds.observe(kind, (call.endedAt - call.startedAt) / 1000);
      if (call.firstByteAt > 0) counters.firstByte.observe(kind, (call.firstByteAt - call.startedAt) / 1000);
      counters.tokens.inc({ ...by, model, direction: 'input' }, inputTokens(call.usage));
      counters.tokens.inc({ ...by, model, direction: 'output' }, outputTokens(call.usage));
      counters.quota.inc({ ...by, model }, chargedQuota);
      if (call.realtimeSession !== undefined) return;
      for (const { channelId, reason } of call.tries)
        if (reason !== undefined) counters.failedTries.inc({ provider: provider(channelId) });
    },
    refused: (blame, status) => counters.refusals.inc({ blame, status: String(status) }),
    attempted: (channelId, outcome) =>
      counters.channelAttempts.inc({ channel: channels(`${channelId}`), outcome }),
    answered(channelId, { firstMs, wholeMs, stream }) {
      const by = { channel: channels(`${channelId}`) };
      if (firstMs !== undefined) counters.channelFirst.observe(by, firstMs / 1000);
      if (wholeMs !== undefined) counters.channelWhole.observe(by, wholeMs / 1000);
      if (!stream) return;
      counters.channelTokens.inc(by, stream.tokens);
      counters.channelSeconds.inc(by, stream.ms / 1000);
    },
    spans: (outcome, spans) => counters.spans.inc({ outcome }, spans),
    figures: read,
    async print(readings, others = []) {
      const own = await read(readings);
      const all = others.length > 0 ? AggregatorRegistry.aggregate([own, ...others]) : registers[0];
      return { contentType: registers[0].contentType, text: await all.metrics() };
    },
  };
}

/** A label for the first `most` names; all further ones share a label. */
function firstNames(most: number): (name: string) => string {
  const names = new Set<string>();
  return (name) => {
    if (!names.has(name) && names.size >= most) return other;
    names.add(name);
    return name;
  };
}

/** An unknown figure is omitted. */
function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove();
  else gauge.set(value);
}

const callCounters = (registers: [Registry]) => ({
  requests: new Counter({
    name: `${product.id}_relay_requests_total`,
    help: 'Relay calls that were settled, by why their answer ended.',
    labelNames: ['provider', 'model', 'outcome'],
    registers,
  }),
  seconds: new Histogram({
    name: `${product.id}_relay_request_duration_seconds`,
    help: 'From the arrival of a relay call to its settlement.',
    labelNames: ['provider', 'stream'],
    buckets: callSeconds,
    registers,
  }),
  firstByte: new Histogram({
    name: `${product.id}_relay_time_to_first_byte_seconds`,
    help: 'From the arrival of a relay call to the first byte of its answer.',
    labelNames: ['provider', 'stream'],
    buckets: callSeconds,
    registers,
  }),
  tokens: new Counter({
    name: `${product.id}_relay_tokens_total`,
    help: 'Tokens that were billed, cached ones among the input.',
    labelNames: ['provider', 'model', 'direction'],
    registers,
  }),
  quota: new Counter({
    name: `${product.id}_relay_charged_quota_total`,
    help: 'Quota units that were charged; 500,000 are one US dollar.',
    labelNames: ['provider', 'model'],
    registers,
  }),
});

const channelSeconds = [0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

const channelCounters = (registers: [Registry]) => ({
  channelAttempts: new Counter({
    name: `${product.id}_channel_attempts_total`,
    help: 'Attempts on a channel: succeeded, or the class of their failure. Faults of callers are not among them.',
    labelNames: ['channel', 'outcome'],
    registers,
  }),
  channelFirst: new Histogram({
    name: `${product.id}_channel_first_byte_seconds`,
    help: 'From the start of an attempt to the first byte of its answer.',
    labelNames: ['channel'],
    buckets: channelSeconds,
    registers,
  }),
  channelWhole: new Histogram({
    name: `${product.id}_channel_answer_seconds`,
    help: 'From the start of an attempt to the end of its complete answer.',
    labelNames: ['channel'],
    buckets: channelSeconds,
    registers,
  }),
  channelTokens: new Counter({
    name: `${product.id}_channel_stream_tokens_total`,
    help: 'Output tokens of complete streams; divided by the seconds of streams, the speed of a channel.',
    labelNames: ['channel'],
    registers,
  }),
  channelSeconds: new Counter({
    name: `${product.id}_channel_stream_seconds_total`,
    help: 'Time from the first byte to the end of complete streams.',
    labelNames: ['channel'],
    registers,
  }),
});

const failureCounters = (registers: [Registry]) => ({
  failedTries: new Counter({
    name: `${product.id}_relay_failed_tries_total`,
    help: 'Tries on a channel that failed before another one answered.',
    labelNames: ['provider'],
    registers,
  }),
  refusals: new Counter({
    name: `${product.id}_relay_refusals_total`,
    help: 'Refusals and failures that callers were told, by whose fault they are.',
    labelNames: ['blame', 'status'],
    registers,
  }),
  spans: new Counter({
    name: `${product.id}_trace_spans_total`,
    help: 'Spans of traced calls that were sent, or dropped because they were too many or the collector took none.',
    labelNames: ['outcome'],
    registers,
  }),
});

const gaugesOf = (registers: [Registry]) => ({
  inFlight: new Gauge({
    name: `${product.id}_relay_requests_in_flight`,
    help: 'Relay calls under way.',
    registers,
  }),
  bodyBytes: new Gauge({
    name: `${product.id}_relay_request_body_bytes`,
    help: 'Request bodies in memory.',
    registers,
  }),
  waitingLogRows: new Gauge({
    name: `${product.id}_log_archive_waiting_rows`,
    help: 'Rows of the log that have not moved to the database of LOG_SQL_DSN yet; 100,000 where there are more.',
    registers,
  }),
  waitingLogSeconds: new Gauge({
    name: `${product.id}_log_archive_oldest_waiting_seconds`,
    help: 'Age of the row of the log that moves next to the database of LOG_SQL_DSN.',
    registers,
  }),
});

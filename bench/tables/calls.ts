import { product } from '@tollgate/contract';
import { budgets } from './budgets.ts';
import type { Growth } from '../cases/growth.ts';
import { type ChoiceCost, choiceSizes } from '../cases/choice.ts';
import type { MeterCost } from '../cases/meter.ts';
import { type TlsCosts, tlsCases } from '../cases/tls.ts';
import type { TraceCost } from '../cases/traces.ts';
import type { WorkersCost } from '../cases/workers.ts';
import type { Translated } from '../cases/translated.ts';
import { type Throughput, throughputCases } from '../cases/throughput.ts';
import { type Protocol, protocols } from '../parts/protocols.ts';
import { type StreamMode, streams } from '../parts/subject.ts';
import { round, table, verdict } from './markdown.ts';
import type { Report } from './types.ts';

// Processor time of a call, by kind of call.

/** Events of the measured call's stream. */
const eventsOfCall = 100;

/** A ratio, with its aim and the verdict if it has one. */
function judge(part: Throughput | undefined, whole: Throughput | undefined, aim: number | undefined): string {
  if (!part || !whole) return '–';
  const ratio = part.cpuUsPerRequest / whole.cpuUsPerRequest;
  const verdictOfAim = aim === undefined ? '' : ` (≤ ${aim}: ${verdict(ratio, aim)})`;
  return `${round(ratio, 2)}${verdictOfAim}`;
}

/** Processor time of each subject, and the ratios that have aims. */
export function throughputTable({ throughput }: Report): string {
  const rows = throughputCases.flatMap(({ id, label }) => {
    const found = throughput[id];
    if (!found) return [];
    const { nginx, node, floor: money, gateway, beside } = found;
    const times = [nginx, node, money, gateway, ...(beside ? [beside] : [])];
    return [
      [
        label,
        ...times.map((cost) => (cost ? `${round(cost.cpuUsPerRequest)} µs` : '–')),
        judge(gateway, nginx, budgets.ratioToNginx[id]),
        judge(gateway, money, budgets.ratioToMoney[id]),
        judge(money, node, budgets.moneyToNode[id]),
        ...(beside ? [judge(beside, nginx, undefined)] : []),
      ],
    ];
  });
  const names = ['nginx', 'bare Node', 'money alone', product.name];
  const ratios = [`${product.name} ÷ nginx`, `${product.name} ÷ money alone`, 'money alone ÷ bare Node'];
  const hasBeside = Object.values(throughput).some(({ beside }) => beside);
  const head = hasBeside ? [...names, 'beside', ...ratios, 'beside ÷ nginx'] : [...names, ...ratios];
  return table(['CPU per request', ...head], rows);
}

export function translatedTable(costs: Translated): string {
  const aim = budgets.translatedToPassed;
  const names = Object.keys(protocols) as Protocol[];
  const rows = (Object.keys(streams) as StreamMode[]).map((mode) => {
    const passed = costs[mode][streams[mode].passes];
    const ratios = names.map((name) => costs[mode][name] / passed);
    return [
      streams[mode].label,
      `${round(passed, 2)} µs`,
      ...ratios.map((ratio) => (ratio === 1 ? 'passes' : round(ratio, 2))),
      `≤ ${aim}`,
      verdict(Math.max(...ratios), aim),
    ];
  });
  const translated = names.map((name) => `to ${protocols[name].label}`);
  return table(['upstream’s stream', 'CPU per event that passes', ...translated, 'aim', 'met'], rows);
}

/** Cost of tracing beside a gateway without traces. */
export function tracesTable({ cases, share }: TraceCost): string {
  const aim = budgets.tracesShareOfCall;
  const label = (id: string): string => throughputCases.find((each) => each.id === id)?.label ?? id;
  const names: Record<string, string> = { off: 'none', tenth: 'a tenth', all: 'all' };
  return table(
    ['case', 'calls that are traced', 'CPU per call', 'more', 'aim', 'met'],
    Object.entries(cases).flatMap(([id, found]) =>
      Object.entries(found).map(([name, { cpuUsPerRequest }]) => {
        const more = share[id]![name]!;
        const judged = name === 'tenth';
        return [
          label(id),
          names[name] ?? name,
          `${round(cpuUsPerRequest)} µs`,
          name === 'off' ? '' : `${round(more * 100)} %`,
          judged ? `≤ ${aim * 100} %` : '',
          judged ? verdict(more, aim) : '',
        ];
      }),
    ),
  );
}

/** Cost of the hold guard beside a stream without one, and its share of a whole call if one was measured. */
export function meterTable(cost: MeterCost, { throughput }: Report): string {
  const whole = throughput['once']?.['gateway']?.cpuUsPerRequest;
  const share = whole === undefined ? undefined : ((cost.passed - cost.unguarded) * eventsOfCall) / whole;
  const aim = budgets.meterShareOfCall;
  const row = (label: string, kind: keyof MeterCost): string[] => [
    label,
    `${round(cost[kind], 2)} µs`,
    round(cost[kind] / cost.unguarded, 2),
  ];
  return table(
    ['direct stream', 'CPU per event', 'ratio', 'share of a call', 'aim', 'met'],
    [
      [...row('no guard of the balance', 'unguarded'), '', '', ''],
      [
        ...row('the balance has plenty', 'passed'),
        share === undefined ? '–' : `${round(share * 100)} %`,
        `≤ ${aim * 100} %`,
        share === undefined ? '–' : verdict(share, aim),
      ],
      [...row('read event by event', 'held'), '', '', ''],
    ],
  );
}

/** The choice of a channel among few and many, by policy. */
export function choiceTable(cost: ChoiceCost): string {
  const aim = budgets.choiceGrowth;
  return table(
    ['choice of a channel', `among ${choiceSizes.few}`, `among ${choiceSizes.many}`, 'ratio', 'aim', 'met'],
    Object.entries(cost).map(([policy, { few, many }]) => [
      policy,
      `${round(few)} ns`,
      `${round(many)} ns`,
      round(many / few, 2),
      `≤ ${aim}`,
      verdict(many / few, aim),
    ]),
  );
}

/** Engines over TLS, and the floor without it; medians, and the least of the windows in brackets. */
export function tlsTable({ streams, open, throughput }: TlsCosts): string {
  const rows = Object.entries(open).map(([name, seen]) => [
    name === 'floor' ? 'money alone, no TLS' : name,
    ...tlsCases.flatMap(({ id }) => {
      const { [name]: cost, floor } = throughput[id] ?? {};
      if (!cost || !floor) return ['–', '–'];
      const least = Math.min(...cost.windows);
      const ratio = cost.cpuUsPerRequest / floor.cpuUsPerRequest;
      return [`${round(cost.cpuUsPerRequest)} µs (${round(least)})`, round(ratio, 2)];
    }),
    `${round(seen.bytesPerStream / 1_024)} KB`,
    `${round(seen.cpuUsPerEvent)} µs`,
  ]);
  const cases = tlsCases.flatMap(({ label }) => [label, 'ratio']);
  return table(['CPU over TLS', ...cases, `${streams} open streams`, 'per event'], rows);
}

/** Throughput of several processes beside one, and the cost of a call for them. */
export function workersTable({ cases, share }: WorkersCost): string {
  const rows = Object.entries(cases).flatMap(([id, found]) =>
    Object.entries(found).map(([count, { cpuUsPerRequest, requestsPerSecond }]) => {
      const one = found['1']!;
      return [
        throughputCases.find((row) => row.id === id)!.label,
        count,
        round(requestsPerSecond, 0),
        round(requestsPerSecond / one.requestsPerSecond, 2),
        `${round(cpuUsPerRequest)} µs`,
        round(cpuUsPerRequest / one.cpuUsPerRequest, 2),
      ];
    }),
  );
  return table(
    [
      share === undefined ? 'on all cores' : `${share} of a core each`,
      'workers',
      'req/s',
      'of one process',
      'CPU per request',
      'of one process',
    ],
    rows,
  );
}

/** Costs with large amounts and with small ones. */
export const growthTable = (growth: readonly Growth[]): string =>
  table(
    ['growth', 'few', 'many', 'CPU with few', 'with many', 'ratio', 'aim', 'met'],
    growth.map(({ label, few, many, fewUs, manyUs, ratio }) => [
      label,
      few.toLocaleString('en'),
      many.toLocaleString('en'),
      `${round(fewUs)} µs`,
      `${round(manyUs)} µs`,
      round(ratio, 2),
      `≤ ${budgets.growth}`,
      verdict(ratio, budgets.growth),
    ]),
  );

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Latency } from './cases/latency.ts';
import type { LedgerResult } from './cases/ledger.ts';
import type { LogPages } from './cases/logs.ts';
import type { MeterCost } from './cases/meter.ts';
import type { OpenStreams } from './cases/streams.ts';
import type { OpenTasks } from './cases/tasks.ts';
import { type TlsCosts, tlsCases } from './cases/tls.ts';
import type { TraceCost } from './cases/traces.ts';
import type { Translated } from './cases/translated.ts';
import { type Throughput, throughputCases } from './cases/throughput.ts';
import { type Protocol, protocols } from './parts/protocols.ts';
import { type StreamMode, streams } from './parts/subject.ts';

/** Everything one run found; a part that was not asked for is absent. */
export interface Report {
  machine: { cpu: string; cores: number; memoryGb: number; kernel: string; node: string; load: number };
  date: string;
  command: string;
  throughput: Record<string, Record<string, Throughput>>;
  translated?: Translated;
  meter?: MeterCost;
  tls?: TlsCosts;
  traces?: TraceCost;
  latency?: Record<string, Latency>;
  streams?: { count: number; subjects: Record<string, OpenStreams> };
  ledger?: LedgerResult[];
  tasks?: OpenTasks;
  logs?: LogPages;
}

interface Budgets {
  ratioToNginx: Record<string, number>;
  translatedToPassed: number;
  meterShareOfCall: number;
  tracesShareOfCall: number;
  addedLatencyMs: { p50: number; p99: number };
  bytesPerStream: number;
  logPageMs: number;
  openTasks: { coreShare: number; megabytes: number };
}

const budgets = JSON.parse(readFileSync(join(import.meta.dirname, 'budgets.json'), 'utf8')) as Budgets;

/** The machine this runs on, as far as a reader needs it to judge the figures. */
export const describeMachine = (): Report['machine'] => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.version,
  // Before the run begins; above a few tenths, others' work is in the figures, in latencies most of all.
  load: loadavg()[0] ?? 0,
});

type Row = readonly string[];

/** Lines of a Markdown table, padded so that they can be read in a terminal too. */
function table(head: Row, rows: readonly Row[]): string {
  const widths = head.map((cell, index) =>
    Math.max(cell.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (row: Row) => `| ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(head), `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`, ...rows.map(line)].join(
    '\n',
  );
}

/** Events of the stream that a call is measured with. */
const eventsOfCall = 100;

const round = (value: number, digits = 1): string => value.toFixed(digits);
const verdict = (value: number, aim: number): string => (value <= aim ? 'yes' : 'no');

function throughputTable({ throughput }: Report): string {
  const rows = throughputCases
    .filter(({ id }) => throughput[id])
    .map(({ id, label }) => {
      const { nginx, node, floor: money, gateway } = throughput[id] ?? {};
      const ratio = nginx && gateway ? gateway.cpuUsPerRequest / nginx.cpuUsPerRequest : undefined;
      const floor = nginx && node ? node.cpuUsPerRequest / nginx.cpuUsPerRequest : undefined;
      const least = nginx && money ? money.cpuUsPerRequest / nginx.cpuUsPerRequest : undefined;
      const aim = budgets.ratioToNginx[id] ?? Number.NaN;
      return [
        label,
        nginx ? `${round(nginx.cpuUsPerRequest)} µs` : '–',
        node ? `${round(node.cpuUsPerRequest)} µs` : '–',
        money ? `${round(money.cpuUsPerRequest)} µs` : '–',
        gateway ? `${round(gateway.cpuUsPerRequest)} µs` : '–',
        floor === undefined ? '–' : round(floor, 2),
        least === undefined ? '–' : round(least, 2),
        ratio === undefined ? '–' : round(ratio, 2),
        `≤ ${aim}`,
        ratio === undefined ? '–' : verdict(ratio, aim),
        nginx ? round(nginx.requestsPerSecond, 0) : '–',
        gateway ? round(gateway.requestsPerSecond, 0) : '–',
      ];
    });
  return table(
    [
      'CPU per request',
      'nginx',
      'bare Node',
      'money alone',
      'Tollgate',
      'bare ratio',
      'money ratio',
      'ratio',
      'aim',
      'met',
      'nginx req/s',
      'Tollgate req/s',
    ],
    rows,
  );
}

function translatedTable(costs: Translated): string {
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

/** What tracing costs beside a gateway that traces nothing. */
function tracesTable({ cases, share }: TraceCost): string {
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

/** What watching the balance costs beside a stream that nobody watches, and of a whole call where one was measured. */
function meterTable(cost: MeterCost, { throughput }: Report): string {
  const whole = throughput['once']?.['gateway']?.cpuUsPerRequest;
  const share = whole === undefined ? undefined : ((cost.passed - cost.unwatched) * eventsOfCall) / whole;
  const aim = budgets.meterShareOfCall;
  const row = (label: string, kind: keyof MeterCost): string[] => [
    label,
    `${round(cost[kind], 2)} µs`,
    round(cost[kind] / cost.unwatched, 2),
  ];
  return table(
    ['direct stream', 'CPU per event', 'ratio', 'share of a call', 'aim', 'met'],
    [
      [...row('nobody watches the balance', 'unwatched'), '', '', ''],
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

function latencyTable({ direct, ...others }: Record<string, Latency>): string {
  if (!direct) return '';
  const rows = Object.entries(others).map(([name, { p50Ms, p99Ms }]) => {
    const [p50, p99] = [p50Ms - direct.p50Ms, p99Ms - direct.p99Ms];
    const { addedLatencyMs: aim } = budgets;
    const isOurs = name === 'gateway';
    return [
      isOurs ? 'Tollgate' : name,
      `${round(p50, 2)} ms`,
      `${round(p99, 2)} ms`,
      isOurs ? `≤ ${aim.p50}, ≤ ${aim.p99}` : '',
      isOurs ? verdict(Math.max(p50 / aim.p50, p99 / aim.p99), 1) : '',
    ];
  });
  return table(['latency added at a fixed rate', 'p50', 'p99', 'aim', 'met'], rows);
}

function streamsTable({ count, subjects }: NonNullable<Report['streams']>): string {
  const rows = Object.entries(subjects).map(([name, seen]) => [
    name === 'gateway' ? 'Tollgate' : name,
    `${round(seen.bytesPerStream / 1_024)} KB`,
    `${round(seen.totalBytes / 2 ** 20, 0)} MB`,
    `${round(seen.cpuUsPerEvent)} µs`,
    name === 'gateway' ? `≤ ${budgets.bytesPerStream / 1_024} KB` : '',
    name === 'gateway' ? verdict(seen.bytesPerStream, budgets.bytesPerStream) : '',
  ]);
  return table([`${count} open slow streams`, 'per stream', 'resident', 'CPU per event', 'aim', 'met'], rows);
}

/** Engines over TLS, and the floor without it; medians, and the least of the windows in brackets. */
function tlsTable({ streams, open, throughput }: TlsCosts): string {
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

const ledgerTable = (results: readonly LedgerResult[]): string =>
  table(
    ['ledger alone, SQLite', 'callers', 'hold + settle per second', 'p50', 'p99'],
    results.map((row) => [
      row.label,
      String(row.callers),
      round(row.pairsPerSecond, 0),
      `${round(row.p50Ms, 2)} ms`,
      `${round(row.p99Ms, 2)} ms`,
    ]),
  );

/** What tasks that are open and wait cost a process that does nothing else. */
function tasksTable({ count, coreShare, bytes, askedPerSecond }: OpenTasks): string {
  const { openTasks: aim } = budgets;
  const megabytes = bytes / 2 ** 20;
  return table(
    [`${count.toLocaleString('en')} open tasks`, 'figure', 'aim', 'met'],
    [
      [
        'of a core',
        `${round(coreShare * 100)} %`,
        `≤ ${aim.coreShare * 100} %`,
        verdict(coreShare, aim.coreShare),
      ],
      ['memory', `${round(megabytes, 0)} MB`, `≤ ${aim.megabytes} MB`, verdict(megabytes, aim.megabytes)],
      ['asked for in a second', round(askedPerSecond, 0), '', ''],
    ],
  );
}

const logsTable = ({ rows, ms }: LogPages): string =>
  table(
    [`log of ${rows.toLocaleString('en')} rows`, 'time', 'aim', 'met'],
    Object.entries(ms).map(([name, value]) => [
      name,
      `${round(value)} ms`,
      `≤ ${budgets.logPageMs} ms`,
      verdict(value, budgets.logPageMs),
    ]),
  );

/** The report as text that can be pasted into docs/performance.md. */
export function render(report: Report): string {
  const { machine } = report;
  return [
    `${report.date}, ${machine.cpu}, ${machine.cores} cores, ${machine.memoryGb} GB, Linux ${machine.kernel}, Node ${machine.node}, load ${machine.load.toFixed(1)} before the run`,
    `\`${report.command}\``,
    Object.keys(report.throughput).length > 0 ? throughputTable(report) : '',
    report.translated ? translatedTable(report.translated) : '',
    report.meter ? meterTable(report.meter, report) : '',
    report.tls ? tlsTable(report.tls) : '',
    report.traces ? tracesTable(report.traces) : '',
    report.latency ? latencyTable(report.latency) : '',
    report.streams ? streamsTable(report.streams) : '',
    report.ledger ? ledgerTable(report.ledger) : '',
    report.tasks ? tasksTable(report.tasks) : '',
    report.logs ? logsTable(report.logs) : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

const document = join(import.meta.dirname, '..', 'docs', 'performance.md');
const recorded = /(<!-- bench -->\n)[\s\S]*(\n<!-- \/bench -->)/;

/** Puts the report where docs/performance.md keeps the newest one. Throws when the place is gone. */
export function record(report: Report): void {
  const text = readFileSync(document, 'utf8');
  if (!recorded.test(text)) throw new Error('docs/performance.md has no place for the figures');
  writeFileSync(
    document,
    text.replace(recorded, (_all, begin: string, end: string) => `${begin}\n${render(report)}\n${end}`),
  );
}

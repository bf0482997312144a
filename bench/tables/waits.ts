import { product } from '@tollgate/contract';
import { budgets } from './budgets.ts';
import type { Latency, LatencyMode, Percentiles } from '../cases/latency.ts';
import type { LedgerResult } from '../cases/ledger.ts';
import type { LogPages, PageMs } from '../cases/logs.ts';
import type { Waits } from '../cases/retention.ts';
import type { StartCost } from '../cases/start.ts';
import type { OpenTasks } from '../cases/tasks.ts';
import { round, table, verdict } from './markdown.ts';
import type { Report } from './types.ts';

// Waiting times of callers, and the cost of open streams and tasks.

const latencyLabels: Record<LatencyMode, string> = {
  json: 'to an answer that comes at once',
  thinking: 'to a stream that begins after 200 ms and ends after 400',
};

/** Latency added to direct calls to the upstream. The aims are relative to the latency of money alone in the same run. */
export function latencyTable(mode: LatencyMode, { direct, ...others }: Record<string, Latency>): string {
  if (!direct) return '';
  const added = (seen: Percentiles, of: Percentiles): [number, number] => [
    seen.p50Ms - of.p50Ms,
    seen.p99Ms - of.p99Ms,
  ];
  const { floor: money } = others;
  const aim = budgets.addedMsBesideMoney;
  const rows = Object.entries(others).map(([name, { first, end }]) => {
    const [p50, p99] = name === 'gateway' && money ? added(end, money.end) : [];
    const isJudged = p50 !== undefined && p99 !== undefined;
    return [
      displayNames[name] ?? name,
      ...[...added(first, direct.first), ...added(end, direct.end)].map((ms) => `${round(ms, 2)} ms`),
      isJudged ? `${round(p50, 2)} and ${round(p99, 2)} ms` : '',
      isJudged ? `≤ ${aim.p50} and ${aim.p99} ms` : '',
      isJudged ? verdict(Math.max(p50 / aim.p50, p99 / aim.p99), 1) : '',
    ];
  });
  const head = ['first byte, p50', 'p99', 'end, p50', 'p99', 'beside money alone', 'aim', 'met'];
  return table([`added ${latencyLabels[mode]}`, ...head], rows);
}

const displayNames: Record<string, string> = {
  gateway: product.name,
  node: 'bare Node',
  floor: 'money alone',
};

export function streamsTable({ count, subjects }: NonNullable<Report['streams']>): string {
  const rows = Object.entries(subjects).map(([name, seen]) => [
    displayNames[name] ?? name,
    `${round(seen.bytesPerStream / 1_024)} KB`,
    `${round(seen.totalBytes / 2 ** 20, 0)} MB`,
    `${round(seen.cpuUsPerEvent)} µs`,
    name === 'gateway' ? `≤ ${budgets.bytesPerStream / 1_024} KB` : '',
    name === 'gateway' ? verdict(seen.bytesPerStream, budgets.bytesPerStream) : '',
  ]);
  return table([`${count} open slow streams`, 'per stream', 'resident', 'CPU per event', 'aim', 'met'], rows);
}

export const ledgerTable = (results: readonly LedgerResult[]): string =>
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

/** Cost of open, waiting tasks for an otherwise idle process. */
export function tasksTable({ count, coreShare, bytes, askedPerSecond }: OpenTasks): string {
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

/** The aim for ten million rows is three times that for one million. */
export function logsTable({ database, seeded, summed, busy }: LogPages): string {
  const { rows } = seeded;
  const aim = rows > 1_000_000 ? budgets.longLogPageMs : budgets.logPageMs;
  const cells = (page: PageMs | undefined) =>
    page
      ? [
          `${round(page.median)} ms`,
          `${round(page.least)} ms`,
          `${round(page.cpu)} ms`,
          verdict(page.median, aim),
        ]
      : ['', '', '', ''];
  const head = [
    `log of ${rows.toLocaleString('en')} rows on ${database}, aim ${aim} ms`,
    `median, load ${round(summed.load)}`,
    'least',
    'processor',
    'met',
    `median with ${busy.rows.toLocaleString('en')} rows of ${round(busy.seconds / 60)} minutes not summed, load ${round(busy.load)}`,
    'least',
    'processor',
    'met',
  ];
  const lines = Object.entries(summed.ms).map(([name, page]) => [
    name,
    ...cells(page),
    ...cells(busy.ms[name]),
  ]);
  return table(head, lines);
}

/** Calls beside the deletion of old rows. */
export function retentionTable({ database, retention }: LogPages): string {
  const { alone, beside, deleted, seconds } = retention;
  const line = (label: string, waits: Waits) => [
    label,
    round(waits.pairsPerSecond, 0),
    ...[waits.p50Ms, waits.p99Ms, waits.worstMs].map((ms) => `${round(ms)} ms`),
  ];
  const perSecond = `${round(deleted / seconds, 0)} of ${deleted.toLocaleString('en')} rows a second`;
  return table(
    [`hold and settlement on ${database}`, 'a second', 'p50', 'p99', 'longest'],
    [line('nothing is deleted', alone), line(`deleted beside them: ${perSecond}`, beside)],
  );
}

const startNames: Record<string, string> = {
  node: 'Node that does nothing',
  sources: `${product.name} from its sources, compiled files kept`,
  first: `${product.name} (npm start, the archive), compiled anew`,
  gateway: `${product.name} (npm start, the archive)`,
};

/** Resident memory of one idle process, and the duration of a start. */
export const startTable = (cost: StartCost): string =>
  table(
    ['one idle process', 'resident', 'own share', 'aim', 'met', 'start to first answer', 'aim', 'met'],
    Object.entries(cost).map(([name, { firstAnswerMs, residentBytes, ownBytes }]) => {
      const aim = budgets.idleMegabytes;
      const megabytes = residentBytes / 2 ** 20;
      return [
        startNames[name] ?? name,
        `${round(megabytes, 0)} MB`,
        `${round(ownBytes / 2 ** 20, 0)} MB`,
        name === 'node' ? '' : `≤ ${aim} MB`,
        name === 'node' ? '' : verdict(megabytes, aim),
        firstAnswerMs === null ? '' : `${round(firstAnswerMs, 0)} ms`,
        ...(name === 'gateway' && firstAnswerMs !== null
          ? [`≤ ${budgets.firstAnswerMs} ms`, verdict(firstAnswerMs, budgets.firstAnswerMs)]
          : ['', '']),
      ];
    }),
  );

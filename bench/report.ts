import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { Growth } from './cases/growth.ts';
import { type Latency, type LatencyMode, latencyModes } from './cases/latency.ts';
import type { LedgerResult } from './cases/ledger.ts';
import type { LogPages } from './cases/logs.ts';
import type { MeterCost } from './cases/meter.ts';
import type { OpenStreams } from './cases/streams.ts';
import type { StartCost } from './cases/start.ts';
import type { OpenTasks } from './cases/tasks.ts';
import type { TlsCosts } from './cases/tls.ts';
import type { TraceCost } from './cases/traces.ts';
import type { WorkersCost } from './cases/workers.ts';
import type { Translated } from './cases/translated.ts';
import type { Throughput } from './cases/throughput.ts';
import {
  growthTable,
  meterTable,
  throughputTable,
  tlsTable,
  tracesTable,
  translatedTable,
  workersTable,
} from './tables/calls.ts';
import {
  latencyTable,
  ledgerTable,
  logsTable,
  retentionTable,
  startTable,
  streamsTable,
  tasksTable,
} from './tables/waits.ts';

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
  workers?: WorkersCost;
  latency?: Record<LatencyMode, Record<string, Latency>>;
  growth?: Growth[];
  streams?: { count: number; subjects: Record<string, OpenStreams> };
  ledger?: LedgerResult[];
  tasks?: OpenTasks;
  start?: StartCost;
  logs?: LogPages;
}

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
    report.workers ? workersTable(report.workers) : '',
    ...latencyModes.map((mode) => (report.latency ? latencyTable(mode, report.latency[mode]) : '')),
    report.growth ? growthTable(report.growth) : '',
    report.streams ? streamsTable(report.streams) : '',
    report.ledger ? ledgerTable(report.ledger) : '',
    report.tasks ? tasksTable(report.tasks) : '',
    report.start ? startTable(report.start) : '',
    report.logs ? logsTable(report.logs) : '',
    report.logs ? retentionTable(report.logs) : '',
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

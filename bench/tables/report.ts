import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, release, totalmem } from 'node:os';
import { join } from 'node:path';
import { latencyModes } from '../cases/latency.ts';
import {
  choiceTable,
  growthTable,
  meterTable,
  throughputTable,
  tlsTable,
  tracesTable,
  translatedTable,
  workersTable,
} from './calls.ts';
import {
  latencyTable,
  ledgerTable,
  logsTable,
  retentionTable,
  startTable,
  streamsTable,
  tasksTable,
} from './waits.ts';
import type { Report } from './types.ts';

/** The machine's properties that a reader needs to judge the figures. */
export const describeMachine = (): Report['machine'] => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memoryGb: Math.round(totalmem() / 2 ** 30),
  kernel: release(),
  node: process.version,
  // Before the run begins. Above a few tenths, other load affects the figures, most of all latencies.
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
    report.choice ? choiceTable(report.choice) : '',
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

const document = join(import.meta.dirname, '..', '..', 'docs', 'performance.md');
const recorded = /(<!-- bench -->\n)[\s\S]*(\n<!-- \/bench -->)/;

/** Replaces the newest report in docs/performance.md. Throws if its markers are missing. */
export function record(report: Report): void {
  const text = readFileSync(document, 'utf8');
  if (!recorded.test(text)) throw new Error('docs/performance.md has no place for the figures');
  writeFileSync(
    document,
    text.replace(recorded, (_all, begin: string, end: string) => `${begin}\n${render(report)}\n${end}`),
  );
}

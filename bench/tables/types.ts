import type { ChoiceCost } from '../cases/choice.ts';
import type { Growth } from '../cases/growth.ts';
import type { Latency, LatencyMode } from '../cases/latency.ts';
import type { LedgerResult } from '../cases/ledger.ts';
import type { LogPages } from '../cases/logs.ts';
import type { MeterCost } from '../cases/meter.ts';
import type { OpenStreams } from '../cases/streams.ts';
import type { StartCost } from '../cases/start.ts';
import type { OpenTasks } from '../cases/tasks.ts';
import type { TlsCosts } from '../cases/tls.ts';
import type { TraceCost } from '../cases/traces.ts';
import type { WorkersCost } from '../cases/workers.ts';
import type { Translated } from '../cases/translated.ts';
import type { Throughput } from '../cases/throughput.ts';

/** Results of one run; parts that were not requested are absent. */
export interface Report {
  machine: { cpu: string; cores: number; memoryGb: number; kernel: string; node: string; load: number };
  date: string;
  command: string;
  throughput: Record<string, Record<string, Throughput>>;
  translated?: Translated;
  meter?: MeterCost;
  choice?: ChoiceCost;
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

import type { Log } from '../../../../lib/log.ts';
import type { EngineSettings } from './engine.ts';

/** What happens when an outage has lasted too long; each once. */
interface Limits {
  /** New money is refused from now on. */
  refuse(): void;
  /** Callers that wait for settlements get LedgerUnavailable; the settlements stay queued. */
  rejectSettlements(): void;
}

/**
 * The time during which the database does not take batches: when to try again, when new money is refused, when callers
 * that wait for settlements are refused. Runs on timers, not on the wall clock.
 */
export class Outage {
  /** True once new holds are refused at once. */
  refusing = false;
  private readonly log: Log;
  private readonly settings: EngineSettings;
  private timers: NodeJS.Timeout[] = [];
  private hasStarted = false;
  private tries = 0;

  constructor(log: Log, settings: EngineSettings) {
    this.log = log;
    this.settings = settings;
  }

  get isOngoing(): boolean {
    return this.tries > 0;
  }

  /** A batch has to wait for the database, which may be the beginning of an outage: its time counts from now. */
  start(limits: Limits): void {
    if (this.hasStarted) return;
    this.hasStarted = true;
    this.after(this.settings.reserveWaitMs, () => {
      this.refusing = true;
      limits.refuse();
    });
    this.after(this.settings.settleWaitMs, () => limits.rejectSettlements());
  }

  /** A try failed: calls `retry` after a pause; `refuse` and `rejectSettlements` when the outage has lasted too long. */
  failed(error: unknown, then: Limits & { retry(): void }): void {
    this.start(then);
    this.tries += 1;
    if (this.tries === 1) this.log.error({ err: error }, 'the ledger cannot reach its database');
    const pause = Math.min(this.settings.maxRetryMs, 10 * 2 ** Math.min(this.tries, 10));
    this.after(pause, () => then.retry());
  }

  /** A batch was taken. */
  end(): void {
    if (!this.hasStarted) return;
    if (this.tries > 0) this.log.info({ tries: this.tries }, 'the ledger reaches its database again');
    this.stop();
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
    this.hasStarted = false;
    this.tries = 0;
    this.refusing = false;
  }

  private after(ms: number, work: () => void): void {
    const timer = setTimeout(() => {
      this.timers.splice(this.timers.indexOf(timer), 1);
      work();
    }, ms);
    this.timers.push(timer);
  }
}

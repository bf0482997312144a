import type { Log } from '../../../lib/log.ts';
import type { EngineSettings } from './engine.ts';

/** What happens when an outage has lasted too long; each once. */
interface Limits {
  /** New money is refused from now on. */
  refuse(): void;
  /** Those who wait for settlements are told. */
  giveUp(): void;
}

/**
 * The time during which the database does not take batches: when to try again, when new money is refused, when those
 * who wait for settlements are told. Runs on timers, not on the wall clock.
 */
export class Outage {
  /** True once new holds are refused at once. */
  refusing = false;
  private readonly log: Log;
  private readonly settings: EngineSettings;
  private timers: NodeJS.Timeout[] = [];
  private isTimed = false;
  private tries = 0;

  constructor(log: Log, settings: EngineSettings) {
    this.log = log;
    this.settings = settings;
  }

  get lasts(): boolean {
    return this.tries > 0;
  }

  /** A batch has to wait for the database, which may be the begin of an outage: its time counts from now. */
  watch(limits: Limits): void {
    if (this.isTimed) return;
    this.isTimed = true;
    this.after(this.settings.reserveWaitMs, () => {
      this.refusing = true;
      limits.refuse();
    });
    this.after(this.settings.settleWaitMs, () => limits.giveUp());
  }

  /** A try failed: calls `again` after a pause; `refuse` and `giveUp` when the outage has lasted too long. */
  failed(error: unknown, then: Limits & { again(): void }): void {
    this.watch(then);
    this.tries += 1;
    if (this.tries === 1) this.log.error({ err: error }, 'the ledger cannot reach its database');
    const pause = Math.min(this.settings.maxRetryMs, 10 * 2 ** Math.min(this.tries, 10));
    this.after(pause, () => then.again());
  }

  /** A batch was taken. */
  over(): void {
    if (!this.isTimed) return;
    if (this.tries > 0) this.log.info({ tries: this.tries }, 'the ledger reaches its database again');
    this.stop();
  }

  stop(): void {
    for (const timer of this.timers) clearTimeout(timer);
    this.timers = [];
    this.isTimed = false;
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

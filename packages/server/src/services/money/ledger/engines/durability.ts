import { faultPoint } from '../../../../lib/fault-point.ts';
import type { Log } from '../../../../lib/log.ts';
import { WalSync } from '../../../../store/index.ts';
import { LedgerUnavailable } from '../plan/types.ts';
import { abandonBatch, acknowledge, type Batch } from './batch.ts';

/** Makes written batches durable: one sync of the WAL file for each, while the next one forms. */
export class Durability {
  private readonly wal: WalSync;
  private readonly log: Log;
  private readonly onLost: (error: Error) => void;
  /** Settles when the newest written batch is durable. */
  private lastWritten: Promise<void> = Promise.resolve();

  /** `onLost` is called when the disk refuses a sync. */
  constructor(path: string, log: Log, onLost: (error: Error) => void) {
    this.wal = new WalSync(path);
    this.log = log;
    this.onLost = onLost;
  }

  get newest(): Promise<void> {
    return this.lastWritten;
  }

  /** A batch was written: acknowledges it once it is durable. */
  written(batch: Batch): void {
    this.lastWritten = this.sync(batch);
  }

  private async sync(batch: Batch): Promise<void> {
    try {
      faultPoint('before-sync');
      await this.wal.durable();
      acknowledge(batch);
    } catch (error) {
      // What is on the disk is unknown now: take no more money until a new start reads it.
      this.log.error({ err: error }, 'the disk refused a sync: the ledger stops');
      const lost = new LedgerUnavailable(error);
      abandonBatch(batch, lost);
      this.onLost(lost);
    }
  }

  close(): Promise<void> {
    return this.wal.close();
  }
}

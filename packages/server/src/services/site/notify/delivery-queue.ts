import type { Log } from '../../../lib/log.ts';
import { PermanentFailure } from './types.ts';

/** One message to deliver. */
interface Delivery {
  /** For the log: kind of notice and user, never an address or a text. */
  about: Record<string, string | number>;
  send(): Promise<void>;
  /** Called once when the message is given up. */
  gaveUp?(): void;
}

/** Messages delivered in the background; adding one never waits. */
export interface DeliveryQueue {
  /** False if the queue is full: the message is dropped and logged. */
  add(delivery: Delivery): boolean;
  /** Resolves when no message is waiting or being delivered. */
  idle(): Promise<void>;
  /** Drops waiting messages and lets running deliveries end. */
  close(): Promise<void>;
}

export interface QueueOptions {
  log: Log;
  /** Maximum number of messages in the queue, including those that wait for a retry. */
  maxWaiting?: number;
  /** Maximum number of simultaneous deliveries: one slow receiver does not delay the others. */
  concurrency?: number;
  /** Pauses before the second, third, … attempt; after the last one the message is given up. */
  pausesMs?: readonly number[];
}

/** A bounded queue with back-off. */
export function createDeliveryQueue(options: QueueOptions): DeliveryQueue {
  return new Queue(options);
}

interface Entry {
  readonly delivery: Delivery;
  tries: number;
}

class Queue implements DeliveryQueue {
  private readonly log: Log;
  private readonly maxWaiting: number;
  private readonly concurrency: number;
  private readonly pausesMs: readonly number[];
  private readonly ready: Entry[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private readonly running = new Set<Promise<void>>();
  private idlers: (() => void)[] = [];
  private closed = false;

  constructor({
    log,
    maxWaiting = 1_000,
    concurrency = 8,
    pausesMs = [10_000, 60_000, 300_000],
  }: QueueOptions) {
    this.log = log;
    this.maxWaiting = maxWaiting;
    this.concurrency = concurrency;
    this.pausesMs = pausesMs;
  }

  add(delivery: Delivery): boolean {
    const size = this.ready.length + this.timers.size + this.running.size;
    if (this.closed || size >= this.maxWaiting) {
      this.log.warn(delivery.about, 'too many messages wait; one was dropped');
      delivery.gaveUp?.();
      return false;
    }
    this.ready.push({ delivery, tries: 0 });
    this.pump();
    return true;
  }

  idle(): Promise<void> {
    if (this.isIdle()) return Promise.resolve();
    return new Promise((resolve) => this.idlers.push(resolve));
  }

  async close(): Promise<void> {
    this.closed = true;
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.ready.length = 0;
    await Promise.all(this.running);
    this.wakeIdlers();
  }

  private isIdle(): boolean {
    return this.ready.length === 0 && this.timers.size === 0 && this.running.size === 0;
  }

  private wakeIdlers(): void {
    if (!this.isIdle()) return;
    for (const idler of this.idlers.splice(0)) idler();
  }

  private pump(): void {
    while (this.running.size < this.concurrency) {
      const entry = this.ready.shift();
      if (!entry) break;
      const run = this.deliver(entry).finally(() => {
        this.running.delete(run);
        this.pump();
        this.wakeIdlers();
      });
      this.running.add(run);
    }
  }

  private async deliver(entry: Entry): Promise<void> {
    const { delivery } = entry;
    entry.tries += 1;
    try {
      await delivery.send();
    } catch (error) {
      const pause = error instanceof PermanentFailure ? undefined : this.pausesMs[entry.tries - 1];
      const fields = { ...delivery.about, tries: entry.tries, reason: reasonOf(error) };
      if (pause === undefined || this.closed) {
        this.log.warn(fields, 'a message could not be delivered');
        delivery.gaveUp?.();
        return;
      }
      this.log.info(fields, 'a message will be tried again');
      this.wait(entry, pause);
    }
  }

  private wait(entry: Entry, pauseMs: number): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      this.ready.push(entry);
      this.pump();
    }, pauseMs);
    // A waiting message does not keep a stopped process alive.
    timer.unref();
    this.timers.add(timer);
  }
}

/** The error's message with those of its causes. */
function reasonOf(error: unknown): string {
  const words: string[] = [];
  for (let each = error; each instanceof Error && words.length < 4; each = each.cause)
    words.push(each.message);
  return words.join(': ').slice(0, 300);
}

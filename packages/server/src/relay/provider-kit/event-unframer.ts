import { type SseEvent, SseScanner } from '../../lib/sse/index.ts';
import { type RelayError, refuse, type Unframer } from '../types/index.ts';

/** Divides a vendor's bytes into its events. */
export interface EventScanner {
  /** The events that the chunk completes. Throws if they cannot be read. */
  push(chunk: Buffer): SseEvent[];
}

/** Rewrites a vendor's own stream, event by event. */
export abstract class EventUnframer implements Unframer {
  error: RelayError | undefined;
  /** An incomplete event is not passed on, and an answer without its last event is incomplete. */
  readonly isTorn = false;
  private readonly scanner: EventScanner;

  constructor(scanner: EventScanner = new SseScanner()) {
    this.scanner = scanner;
  }

  push(chunk: Buffer): Buffer | undefined {
    let text = '';
    try {
      for (const event of this.scanner.push(chunk)) text += this.written(event);
    } catch (cause) {
      this.error ??= refuse('stream_unreadable', {}, { cause });
    }
    return text === '' ? undefined : Buffer.from(text);
  }

  /** The bytes to pass on for an event; '' for none. */
  protected abstract written(event: SseEvent): string;
}

import { EventCursor } from './event-cursor.ts';
import { EventSplitter, maxEventBytes } from './event-splitter.ts';

/** One event as an object, for readers who translate every event. */
export interface SseEvent {
  name: string;
  data: string;
}

/** Turns chunks into events. Comments and events without data are omitted, as in a browser. */
export class SseScanner {
  private readonly splitter: EventSplitter;
  private readonly cursor = new EventCursor();
  private atStart = true;

  constructor(maxBytes = maxEventBytes) {
    this.splitter = new EventSplitter(maxBytes);
  }

  /** The events that the chunk completes. Throws EventTooLong. */
  push(chunk: Buffer): SseEvent[] {
    const whole = this.splitter.push(chunk);
    return whole ? this.events(whole) : [];
  }

  /** The events at the end of the stream without a blank line. A browser drops them; some vendors omit the line. */
  end(): SseEvent[] {
    const rest = this.splitter.rest();
    return rest ? this.events(rest) : [];
  }

  private events(whole: Buffer): SseEvent[] {
    const { cursor } = this;
    const events: SseEvent[] = [];
    cursor.read(whole, this.atStart);
    this.atStart = false;
    while (cursor.next()) {
      if (cursor.dataLines > 0) events.push({ name: cursor.name, data: cursor.text() });
    }
    return events;
  }
}

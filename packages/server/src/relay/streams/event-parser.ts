import { type JsonObject, parseObject } from '../../lib/json.ts';
import { EventShape } from './event-shape.ts';

/** A stream whose events keep differing in more than a few values is compared no further than this. */
const maxLessons = 32;
/** Longer events are parsed each: nothing of them is kept. */
const maxLearned = 4 * 1024;

/**
 * Parses the events of one stream. From event to event a stream says the same around a few letters of text, and to parse
 * that each time costs as much as all else that is done with an event.
 */
export class EventParser {
  /** What the last two events that were parsed one after the other have in common, if they were alike. */
  shape: EventShape | undefined;
  private last: JsonObject | undefined;
  private lessons = 0;

  /** What JSON says the data is; undefined for what is no object. Parts of it may be shared, and are frozen then. */
  parse(data: string): JsonObject | undefined {
    const leaves = this.shape?.read(data);
    return leaves ? this.shape?.eventOf(leaves) : this.learn(data);
  }

  /** Parses an event that is not of the known shape, and compares it with the one before it. */
  learn(data: string): JsonObject | undefined {
    const event = parseObject(data);
    if (!event || data.length > maxLearned || this.lessons === maxLessons) return event;
    if (this.last) {
      this.lessons += 1;
      this.shape = EventShape.learn(data, event, this.last) ?? this.shape;
    }
    this.last = event;
    return event;
  }
}

import { type JsonObject, parseObject } from '../../lib/json.ts';
import { EventShape } from './event-shape.ts';

/** If events keep differing in more than a few values, comparing stops after this many. */
const maxComparisons = 32;
/** Longer events are always parsed, and not compared. */
const maxComparedChars = 4 * 1024;

/**
 * Parses the events of one stream. Most events differ from the previous one only in a few characters of text, and
 * parsing each of them would cost as much as everything else that is done with an event.
 */
export class EventParser {
  /** The common shape of the last two parsed events, if they were alike. */
  shape: EventShape | undefined;
  private last: JsonObject | undefined;
  private comparisons = 0;

  /** The parsed data; undefined if it is not an object. Parts of it may be shared, and are frozen then. */
  parse(data: string): JsonObject | undefined {
    const leaves = this.shape?.read(data);
    return leaves ? this.shape?.eventOf(leaves) : this.parseAndCompare(data);
  }

  /** Parses an event that does not have the known shape, and compares it with the previous one. */
  parseAndCompare(data: string): JsonObject | undefined {
    const event = parseObject(data);
    if (!event || data.length > maxComparedChars || this.comparisons === maxComparisons) return event;
    if (this.last) {
      this.comparisons += 1;
      this.shape = EventShape.fromPair(data, event, this.last) ?? this.shape;
    }
    this.last = event;
    return event;
  }
}

/**
 * Server-sent events on bytes (WHATWG HTML, section 9.2): LF, CRLF or CR ends a line, a blank line ends an event.
 * `EventSplitter` cuts bytes from a socket into complete events, mostly without examining each of them;
 * `EventCursor` walks over whole events without making objects; `SseScanner` puts both together.
 * Each byte is examined a bounded number of times, however the stream is split.
 */
export { endsEvent, EventCursor, eventEnd, eventsWithin, lastEventEnd } from './event-cursor.ts';
export { EventSplitter, EventTooLong } from './event-splitter.ts';
export { type SseEvent, SseScanner } from './sse-scanner.ts';

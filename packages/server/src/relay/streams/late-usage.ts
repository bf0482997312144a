import { append, type JsonObject, parseObject, splice } from '../../lib/json.ts';

// Holds back the end of an answer until the call is settled, and adds usage that the vendor did not report.

/** A whole answer with one more member; undefined if the bytes are only its last part. */
export function addMember(answer: Buffer, name: string, value: JsonObject): Buffer | undefined {
  const parsed = parseObject(answer);
  if (!parsed) return undefined;
  const text = JSON.stringify(value);
  if (Object.hasOwn(parsed, name)) return splice(answer, new Map([[name, text]]));
  return append(answer, new Map([[name, text]]));
}

/** The data of a line of a stream; undefined if it has none, or no object. */
const dataIn = (line: string): JsonObject | undefined =>
  line.startsWith('data:') ? parseObject(line.slice(5)) : undefined;

/**
 * Bytes of a stream in which the last event with a result of `change` is replaced by it; undefined if there is no such
 * event.
 */
export function changeLastEvent(
  bytes: Buffer,
  change: (data: JsonObject) => JsonObject | undefined,
): Buffer | undefined {
  const lines = bytes.toString().split('\n');
  for (let at = lines.length - 1; at >= 0; at -= 1) {
    const line = lines[at]!;
    const data = dataIn(line);
    const changed = data && change(data);
    if (!changed) continue;
    lines[at] = `data: ${JSON.stringify(changed)}${line.endsWith('\r') ? '\r' : ''}`;
    return Buffer.from(lines.join('\n'));
  }
  return undefined;
}

/** The last event's data, among the events with an object, in bytes of a stream. */
export const lastEventIn = (bytes: Buffer | undefined): JsonObject | undefined =>
  bytes
    ?.toString()
    .split('\n')
    .map(dataIn)
    .findLast((data) => data !== undefined);

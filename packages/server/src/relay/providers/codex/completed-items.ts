import type { SseEvent } from '../../../lib/sse/index.ts';
import { type JsonObject, objectOf, objectsIn, parseObject } from '../../../lib/json.ts';
import { EventUnframer } from '../../provider-kit/index.ts';

const ends = new Set(['response.completed', 'response.incomplete']);
/** Maximum of stored answer text, in characters; above it the last event is not changed. */
const maxKept = 32 * 1024 * 1024;

/**
 * Adds the items of a response to its last event, as OpenAI does: clients read the answer there, and Codex sends an
 * empty list.
 */
export class CompletedItems extends EventUnframer {
  private readonly items: [index: number, item: JsonObject][] = [];
  /** Characters of the items. */
  private kept = 0;

  protected override written({ name, data }: SseEvent): string {
    const head = name === '' ? '' : `event: ${name}\n`;
    const lines = (this.read(name, data) ?? data).replaceAll('\n', '\ndata: ');
    return `${head}data: ${lines}\n\n`;
  }

  /** The last event with all items, if it has none; undefined if an event is unchanged. */
  private read(name: string, data: string): string | undefined {
    if (name === 'response.output_item.done') this.keep(data);
    if (!ends.has(name) || this.items.length === 0 || this.kept > maxKept) return undefined;
    const body = parseObject(data) ?? {};
    const response = objectOf(body.response);
    if (objectsIn(response.output).length > 0) return undefined;
    const output = this.items.toSorted(([a], [b]) => a - b).map(([, item]) => item);
    return JSON.stringify({ ...body, response: { ...response, output } });
  }

  private keep(data: string): void {
    this.kept += data.length;
    if (this.kept > maxKept) return;
    const { output_index: index, item } = parseObject(data) ?? {};
    this.items.push([typeof index === 'number' ? index : this.items.length, objectOf(item)]);
  }
}

import { EventSplitter, type SseEvent } from '../../../lib/sse/index.ts';
import type { EventScanner } from '../../provider-kit/index.ts';

const lineEnd = /\r\n|\r|\n/;

/**
 * The events of Zhipu's third API. Its last one tells the usage in a line `meta:`, which server-sent events do not have:
 * where there is one, it is the data of the event.
 */
export class ZhipuScanner implements EventScanner {
  private readonly splitter = new EventSplitter();

  push(chunk: Buffer): SseEvent[] {
    const whole = this.splitter.push(chunk);
    if (!whole) return [];
    return whole
      .toString()
      .split(/(?:\r\n|\r|\n){2,}/)
      .filter((block) => block.trim() !== '')
      .map(readEvent);
  }
}

function readEvent(block: string): SseEvent {
  const data: string[] = [];
  let [name, meta] = ['', ''];
  for (const line of block.split(lineEnd)) {
    const [, field, value = ''] = /^([^:]+): ?(.*)$/s.exec(line) ?? [];
    if (field === 'event') name = value.trim();
    else if (field === 'data') data.push(value);
    else if (field === 'meta') meta = value;
  }
  return { name, data: meta === '' ? data.join('\n') : meta };
}

import type { ClientSink } from '../../gateway/index.ts';
import { type SseEvent, SseScanner } from '../../lib/sse/index.ts';
import { parseObject } from '../../lib/json.ts';
import { SinkOver } from './response-sink.ts';

/**
 * A response whose stream is a JSON array instead of events: Google's answer to `:streamGenerateContent` without
 * `alt=sse`. The gateway writes events as usual; the data of each become an element, unchanged. An error during the
 * stream is an element too, and the array is always closed, so that the whole is valid JSON. An answer that is not a
 * stream, such as an error, passes unchanged.
 */
export class ArraySink extends SinkOver<ClientSink> implements ClientSink {
  private readonly unreadable: () => string;
  /** Set once the head shows that a stream follows. */
  private scanner: SseScanner | undefined;
  private hasElements = false;

  /** `unreadable` writes the error for an event that is not JSON, in the caller's language. */
  constructor(res: ClientSink, unreadable: () => string) {
    super(res);
    this.unreadable = unreadable;
  }

  override writeHead(status: number, headers: Record<string, string>): void {
    if (!headers['content-type']?.startsWith('text/event-stream')) {
      this.res.writeHead(status, headers);
      return;
    }
    this.scanner = new SseScanner();
    // The length was that of the events.
    const { 'content-length': _, ...rest } = headers;
    this.res.writeHead(status, { ...rest, 'content-type': 'application/json; charset=UTF-8' });
  }

  write(chunk: Buffer): boolean {
    if (!this.scanner) return this.res.write(chunk);
    const framed = this.frame(this.scanner, chunk);
    // A comment keeps the connection alive; in JSON a space does.
    const written = framed === '' && chunk[0] === colon ? '\n' : framed;
    return written === '' || this.res.write(Buffer.from(written));
  }

  override end(chunk?: Buffer): void {
    if (!this.scanner) {
      this.res.end(chunk);
      return;
    }
    const last = chunk ? this.frame(this.scanner, chunk) : '';
    const rest = this.elements(() => this.scanner?.end() ?? []);
    this.res.end(Buffer.from(`${last}${rest}${this.hasElements ? '\n]\n' : '[]\n'}`));
  }

  private frame(scanner: SseScanner, chunk: Buffer): string {
    return this.elements(() => scanner.push(chunk));
  }

  /**
   * The gateway writes complete events; one above every limit ends the connection, because no valid answer is
   * possible then.
   */
  private elements(read: () => SseEvent[]): string {
    try {
      return read()
        .map(({ data }) => this.element(data))
        .join('');
    } catch {
      this.res.destroy();
      return '';
    }
  }

  /** An event that is not JSON would invalidate the whole array, so it is reported as an error. */
  private element(data: string): string {
    const opening = this.hasElements ? '\n,\r\n' : '[';
    this.hasElements = true;
    if (parseObject(data)) return opening + data;
    return opening + this.unreadable();
  }
}

const colon = 0x3a;

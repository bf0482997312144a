import type { ClientSink } from '../../gateway/index.ts';
import { type SseEvent, SseScanner } from '../../lib/sse/index.ts';
import { parseObject } from '../../lib/json.ts';
import { SinkOver } from './sink-over.ts';

/**
 * A response whose stream is a JSON array instead of events: how Google answers `:streamGenerateContent` without
 * `alt=sse`. The gateway writes events as ever; the data of each becomes an element, as it comes, its bytes unchanged.
 * An error in mid-stream is an element too, and the array is closed whatever happened, so that all of it is JSON.
 * An answer that is no stream, such as a refusal, passes as it is.
 */
export class ArraySink extends SinkOver<ClientSink> implements ClientSink {
  private readonly unreadable: () => string;
  /** Set once the head says that a stream follows. */
  private scanner: SseScanner | undefined;
  private hasElements = false;

  /** `unreadable` writes the error for an event that is no JSON, in the caller's language. */
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
    // A comment keeps the connection alive; in JSON a blank does.
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

  /** The gateway writes whole events; one beyond every bound ends the connection, as nothing true can be said then. */
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

  /** What an upstream sent as an event and is no JSON would spoil the whole array: it is told as an error. */
  private element(data: string): string {
    const opening = this.hasElements ? '\n,\r\n' : '[';
    this.hasElements = true;
    if (parseObject(data)) return opening + data;
    return opening + this.unreadable();
  }
}

const colon = 0x3a;

import { type AwsFrame, AwsFrameSplitter } from '../../../lib/aws-frames.ts';
import { textOf, parseObject } from '../../../lib/json.ts';
import { type Unframer, type RelayError, refuse } from '../../types/index.ts';
import { readAwsException } from './errors.ts';

/** The Content-Type of AWS's streams. */
export const isAwsStream = (contentType: string): boolean =>
  contentType.startsWith('application/vnd.amazon.eventstream');

/** The server-sent event of a frame; undefined for none. */
export type FrameWriter = (type: string, body: Buffer) => Buffer | undefined;

/** Turns the frames of an AWS stream into server-sent events; frames of exceptions end it. */
export class AwsUnframer implements Unframer {
  error: RelayError | undefined;
  private readonly write: FrameWriter;
  private readonly secrets: readonly string[];
  private readonly splitter = new AwsFrameSplitter();

  constructor(write: FrameWriter, secrets: readonly string[]) {
    this.write = write;
    this.secrets = secrets;
  }

  get isTorn(): boolean {
    return this.splitter.isTorn;
  }

  push(chunk: Buffer): Buffer | undefined {
    const events: Buffer[] = [];
    try {
      this.splitter.push(chunk, (frame) => this.take(frame, events));
    } catch (cause) {
      this.error ??= refuse('stream_unreadable', {}, { cause });
    }
    return events.length === 0 ? undefined : Buffer.concat(events);
  }

  private take({ headers, body }: AwsFrame, events: Buffer[]): void {
    if (this.error) return;
    switch (headers[':message-type']) {
      case 'exception': {
        const words = textOf(parseObject(body)?.message) || body.toString('utf8', 0, 2_000);
        this.error = readAwsException(headers[':exception-type'] ?? '', words, this.secrets);
        return;
      }
      case 'error':
        this.error = readAwsException(
          headers[':error-code'] ?? '',
          headers[':error-message'] ?? '',
          this.secrets,
        );
        return;
      default: {
        const event = this.write(headers[':event-type'] ?? '', body);
        if (event) events.push(event);
      }
    }
  }
}

const blankLine = Buffer.from('\n\n');
const lineEnd = /\r\n|\r|\n/;

/** A server-sent event; each line of the data becomes a `data:` line. */
export function sseEvent(name: string, data: Buffer): Buffer {
  const head = `event: ${name.replace(/[\r\n]/g, '')}\ndata: `;
  if (data.includes(0x0a) || data.includes(0x0d)) {
    return Buffer.from(`${head}${data.toString().split(lineEnd).join('\ndata: ')}\n\n`);
  }
  return Buffer.concat([Buffer.from(head), data, blankLine]);
}

import type { Usage } from '@tollgate/contract';
import { SseScanner } from '../../../lib/sse/index.ts';
import { isObject, type JsonObject, objectsIn, parseObject } from '../../../lib/json.ts';
import type { AnswerEnd, AnswerPipe, DeliveredText } from '../../types/index.ts';
import { addAll } from '../../streams/index.ts';
import { responseText } from './completions.ts';

const eventOf = (body: JsonObject): string => `data: ${JSON.stringify(body)}\n\n`;

/**
 * Converts the stream of `/ai/run`, with `{response: "…"}` in each event, into the completion chunks that the next pipe
 * reads.
 */
export class RunPipe implements AnswerPipe {
  /** Always writes the chunk with the finish reason. */
  isEmpty = true;
  private readonly pipe: AnswerPipe;
  private readonly model: string;
  private readonly createdSeconds: number;
  private readonly scanner = new SseScanner();
  private usage: JsonObject | undefined;
  /** Text that was unread when the answer ended. */
  private last: DeliveredText | undefined;

  constructor(pipe: AnswerPipe, model: string, createdSeconds: number) {
    this.pipe = pipe;
    this.model = model;
    this.createdSeconds = createdSeconds;
  }

  get contentType(): string {
    return this.pipe.contentType;
  }

  get failed(): boolean {
    return this.pipe.failed;
  }

  push(chunk: Buffer): Buffer | undefined {
    if (this.failed) return undefined;
    const written = this.write(() => this.scanner.push(chunk));
    return written === '' ? undefined : this.pipe.push(Buffer.from(written));
  }

  end(broken: boolean): AnswerEnd {
    const written = broken || this.failed ? '' : this.write(() => this.scanner.end());
    const reported = this.pipe.takeText();
    const passed = written === '' ? undefined : this.pipe.push(Buffer.from(written));
    const end = this.pipe.end(broken);
    const isWhole = end.outcome === 'complete';
    const last = this.pipe.takeText();
    // Nothing more of an incomplete answer is sent.
    if (isWhole) addAll(reported, last);
    this.last = reported;
    if (!passed || !isWhole) return end;
    return { ...end, tail: end.tail ? Buffer.concat([passed, end.tail]) : passed };
  }

  takeText(): DeliveredText {
    const { last } = this;
    this.last = undefined;
    return last ?? this.pipe.takeText();
  }

  takeReport(): Usage | undefined {
    return this.pipe.takeReport?.();
  }

  private write(scan: () => ReturnType<SseScanner['push']>): string {
    try {
      return scan()
        .map(({ data }) => this.writeEvent(data))
        .join('');
    } catch {
      return eventOf({ error: { message: 'the upstream sent an event that is too long' } });
    }
  }

  private writeEvent(data: string): string {
    if (data.trim() === '[DONE]') return this.writeEnd();
    const body = parseObject(data);
    if (!body) return eventOf({ error: { message: 'the upstream sent an event that is not valid JSON' } });
    if (isObject(body.usage)) this.usage = body.usage;
    const text = responseText(body);
    if (text === undefined) {
      const error = body.error ?? objectsIn(body.errors)[0];
      return error === undefined ? '' : eventOf({ error });
    }
    if (text !== '') this.isEmpty = false;
    return text === '' ? '' : eventOf(this.chunk([{ index: 0, text, logprobs: null, finish_reason: null }]));
  }

  private writeEnd(): string {
    const last = this.chunk([{ index: 0, text: '', logprobs: null, finish_reason: 'stop' }]);
    const usage = this.usage ? eventOf({ ...this.chunk([]), usage: this.usage }) : '';
    return `${eventOf(last)}${usage}data: [DONE]\n\n`;
  }

  private chunk(choices: JsonObject[]): JsonObject {
    const { createdSeconds: created, model } = this;
    return { id: 'cmpl-workers-ai', object: 'text_completion', created, model, choices };
  }
}

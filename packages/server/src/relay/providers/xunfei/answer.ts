import { counter } from '@tollgate/contract';
import { chunkOf, type OwnReader, openaiUsage } from '../../provider-kit/index.ts';
import { type JsonObject, objectOf, objectsIn, parseObject, textOf } from '../../../lib/json.ts';
import type { SseEvent } from '../../../lib/sse/index.ts';
import type { StreamOrigin } from '../../types/index.ts';

/** The status of the last message. */
const last = 2;

/** Codes that identify the party at fault; all others are the vendor's own failures. */
const statuses: Readonly<Record<number, number>> = {
  10_003: 400,
  10_004: 400,
  10_005: 400,
  10_006: 429,
  10_007: 429,
  10_008: 503,
  10_013: 400,
  10_014: 400,
  // The application is barred, or has not bought this version.
  10_015: 403,
  10_016: 403,
  10_019: 400,
  10_110: 503,
  10_163: 400,
  10_907: 400,
  11_200: 403,
  11_201: 429,
  11_202: 429,
  11_203: 429,
  11_500: 401,
  11_501: 400,
};

/** True for the last message: the end of an answer, or a failure. */
export function isLastMessage(message: Buffer): boolean {
  const body = parseObject(message) ?? {};
  return isLast(body) || counter(objectOf(body.header).code) !== 0;
}

/** Both the head of a message and its content have the status. */
const isLast = ({ header, payload }: JsonObject): boolean =>
  [header, objectOf(payload).choices].some((part) => objectOf(part).status === last);

/** Reads the messages of a chat. */
export class SparkReader implements OwnReader {
  ended = false;
  private readonly asked: StreamOrigin;
  private hasBegun = false;

  constructor(asked: StreamOrigin) {
    this.asked = asked;
  }

  read({ data }: SseEvent): readonly JsonObject[] {
    const body = parseObject(data) ?? {};
    const { header, payload } = body;
    const { code, message, sid } = objectOf(header);
    if (counter(code) !== 0) return [failureOf(counter(code), textOf(message))];
    const { choices, usage } = objectOf(payload);
    const [piece = {}] = objectsIn(objectOf(choices).text);
    const head = { id: textOf(sid), created: this.asked.startedSeconds, model: this.asked.model };
    const [text, thoughts] = [textOf(piece.content), textOf(piece.reasoning_content)];
    const delta = {
      ...(!this.hasBegun && { role: 'assistant' }),
      ...(text !== '' && { content: text }),
      ...(thoughts !== '' && { reasoning_content: thoughts }),
    };
    this.hasBegun = true;
    this.ended = isLast(body);
    if (!this.ended) return [chunkOf(head, delta)];
    const { prompt_tokens: input, completion_tokens: output } = objectOf(objectOf(usage).text);
    return [chunkOf(head, delta, 'stop', openaiUsage(counter(input), counter(output)))];
  }
}

const failureOf = (code: number, words: string): JsonObject => ({
  error: {
    message: `${words} (${code})`,
    type: 'xunfei_error',
    code: String(code),
    status: statuses[code] ?? 502,
  },
});

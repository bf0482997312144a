import type { EventCursor } from '../../../lib/sse/index.ts';
import {
  isFilled,
  isObject,
  type Json,
  type JsonObject,
  objectOf,
  objectsIn,
  textOf,
  parseObject,
} from '../../../lib/json.ts';
import { failureIn, upstreamFailure } from '../../families/openai/index.ts';
import {
  JsonPass,
  StreamPass,
  type TextSink,
  type AnswerWire,
  contentIn,
  pass,
  type StreamWire,
  type Verdict,
} from '../../streams/index.ts';
import type { AnswerPipe, AnswerSetup, VendorMade } from '../../types/index.ts';
import { eventType } from './events.ts';
import { isSearch, readAnthropicInput, readAnthropicUsage, UsageParts } from './usage.ts';

/**
 * Parts of `message_start`, `message_delta`, `message_stop`, of `error` as an event's name or a key, and of
 * `server_tool_use`; rare ones.
 */
const markers = ['ge_', 'rror', 'r_tool'].map((mark) => Buffer.from(mark));
/** The same with the results of code that Anthropic ran. */
const markersWithCode = [...markers, Buffer.from('n_tool_')];
/** Most files of an answer that are noted. */
const maxMade = 100;

/** True for a request whose code Anthropic runs. */
const runsCode = ({ tools, container }: JsonObject): boolean =>
  isFilled(container) || objectsIn(tools).some(({ type }) => textOf(type).startsWith('code_execution'));

/** Containers and files of the code that Anthropic ran. */
class MadeByCode {
  readonly all: VendorMade[] = [];

  /** Takes a message, or a change of it. */
  noteContainer(message: Json | undefined): void {
    const id = textOf(objectOf(objectOf(message).container).id);
    if (id !== '' && !this.all.some((each) => each.id === id)) this.all.push({ id, kind: 'container' });
  }

  /** Takes a block: only the vendor writes results of its tools, and a model cannot name a file in them. */
  noteBlock(block: Json | undefined): void {
    const { type, content } = objectOf(block);
    if (!textOf(type).endsWith('code_execution_tool_result')) return;
    for (const { file_id } of objectsIn(objectOf(content).content))
      if (textOf(file_id) !== '' && this.all.length < maxMade)
        this.all.push({ id: textOf(file_id), kind: 'anthropic-file' });
  }
}
/** Names of events that do not concern us. */
const passingEvents = new Set(['content_block_delta', 'content_block_stop', 'ping']);

/** Takes the text out of an event or a whole answer. */
function readAnthropicText(body: JsonObject, sink: TextSink): void {
  if (isObject(body.delta)) readDelta(body.delta, sink);
  if (isObject(body.content_block)) readBlock(body.content_block, sink);
  if (!Array.isArray(body.content)) return;
  for (const block of body.content) if (isObject(block)) readBlock(block, sink);
  if (textOf(body.stop_reason) !== '') sink.finish();
  if (isObject(body.usage)) sink.usage(body.usage);
}

function readDelta(delta: JsonObject, sink: TextSink): void {
  sink.output(textOf(delta.text));
  sink.output(textOf(delta.partial_json));
  sink.reasoning(textOf(delta.thinking));
  if (textOf(delta.stop_reason) !== '') sink.finish();
}

/** Results of tools that the vendor ran are not output of the model; their calls are. */
function readBlock(block: JsonObject, sink: TextSink): void {
  sink.output(textOf(block.text));
  sink.reasoning(textOf(block.thinking));
  if (isObject(block.input)) {
    sink.toolCall();
    sink.output(textOf(block.name));
    // In a stream the input follows in pieces.
    if (Object.keys(block.input).length > 0) sink.output(JSON.stringify(block.input));
  }
}

/** The stream of Messages. It has no `[DONE]`: `message_stop` is the end, and is held until the settlement. */
function openStreamWire(secrets: readonly string[], code: MadeByCode | undefined): StreamWire {
  const usage = new UsageParts();
  return {
    markers: code ? markersWithCode : markers,
    readText: readAnthropicText,
    examine: (event) => examine(event, usage, secrets, code),
    ...(code && { made: () => code.all }),
    isContent: contentIn((body) => hasBlockContent(body.content_block) || hasBlockContent(body.delta)),
  };
}

/** A text block has content only if it has text; every other kind of block has content. */
function hasBlockContent(block: Json | undefined): boolean {
  const { type, ...rest } = objectOf(block);
  return isFilled(rest) || (isFilled(type) && type !== 'text' && type !== 'text_delta');
}

function examine(
  event: EventCursor,
  usage: UsageParts,
  secrets: readonly string[],
  code: MadeByCode | undefined,
): Verdict {
  if (passingEvents.has(event.name)) return pass;
  const data = event.data();
  const body = data && parseObject(data);
  if (!body) {
    if (event.name !== 'error') return pass;
    return { kind: 'error', error: upstreamFailure(502, data?.toString('utf8', 0, 2_000) ?? '', secrets) };
  }
  switch (eventType(body, event.name)) {
    case 'message_start':
      code?.noteContainer(body.message);
      return { kind: 'usage', raw: usage.start(isObject(body.message) ? body.message.usage : undefined) };
    case 'content_block_start':
      code?.noteBlock(body.content_block);
      return isSearch(objectOf(body.content_block)) ? { kind: 'usage', raw: usage.search() } : pass;
    case 'message_delta':
      code?.noteContainer(body.delta);
      return { kind: 'usage', raw: usage.delta(body.usage) };
    case 'message_stop':
      return { kind: 'end' };
    default: {
      const failure = failureIn(body, secrets);
      return failure ? { kind: 'error', error: failure } : pass;
    }
  }
}

/** Opens the reader of an answer that passes to a caller of the same protocol. */
export function openAnthropicPipe({ kind, contentType, secrets, rewrite, asked }: AnswerSetup): AnswerPipe {
  const code = asked && runsCode(asked) ? new MadeByCode() : undefined;
  if (kind === 'stream') {
    return new StreamPass('text/event-stream', {
      wire: openStreamWire(secrets, code),
      hideUsage: false,
      readUsage: readAnthropicUsage,
      readInput: readAnthropicInput,
      secrets,
    });
  }
  const wire: AnswerWire = {
    isAnswer: (body) => body.type !== 'error' && Array.isArray(body.content),
    hasContent: (body) => objectsIn(body.content).some(hasBlockContent) || isFilled(body.stop_reason),
    readFailure: (body) => failureIn(body, secrets),
    readText: readAnthropicText,
    hasText: true,
    ...(code && {
      made(body: JsonObject) {
        code.noteContainer(body);
        for (const block of objectsIn(body.content)) code.noteBlock(block);
        return code.all;
      },
    }),
  };
  return new JsonPass(contentType, { wire, readUsage: readAnthropicUsage, rewrite });
}

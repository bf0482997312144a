import { inputTokens, outputTokens, type Usage } from '@tollgate/contract';
import type {
  ChatEvent,
  FinishReason,
  AnswerName,
  ChatStreamWriter,
  WriterOptions,
} from '../../types/index.ts';
import type { Json, JsonObject } from '../../../lib/json.ts';
import { writeCitations } from './citation.ts';
import { writeFile } from './file.ts';
import { callsFunctions } from './functions.ts';
import { besideCall, writeDetails } from './thoughts.ts';

/** The head that every chunk and every answer repeats. */
export interface Head {
  id: string;
  created: number;
  model: string;
  service_tier?: string;
  system_fingerprint?: string;
}

/** Fields of every chunk, and of a whole answer. */
export const headOf = (
  event: Extract<ChatEvent, { type: 'start' }> | undefined,
  { requestId, model, createdSeconds }: AnswerName,
): Head => ({
  id: event?.id || `chatcmpl-${requestId}`,
  created: event?.createdSeconds || createdSeconds,
  model: event?.model || model,
  ...(event?.serviceTier !== undefined && { service_tier: event.serviceTier }),
  ...(event?.fingerprint !== undefined && { system_fingerprint: event.fingerprint }),
});

/** Writes neutral events as chat completion chunks, in the strict form: only fields of OpenAI's own API. */
export class OpenaiChatWriter implements ChatStreamWriter {
  private readonly options: WriterOptions;
  private prefix: string;
  /** Choices with a written first delta, which has the role. */
  private readonly begun = new Set<number>();
  /** Block of a tool call → its index among the calls of its choice. */
  private readonly toolIndex = new Map<number, number>();
  private readonly toolCount = new Map<number, number>();
  private readonly callsFunctions: boolean;
  private usage: Usage | undefined;
  /** Text of the open reasoning. */
  private thought = '';
  /** Data of the next call beside its function. */
  private besideCall: JsonObject = {};

  constructor(options: WriterOptions) {
    this.options = options;
    this.callsFunctions = callsFunctions(options.request);
    this.prefix = prefixOf(headOf(undefined, options.fallback));
  }

  write(event: ChatEvent): string {
    switch (event.type) {
      case 'start':
        this.prefix = prefixOf(headOf(event, this.options.fallback));
        return '';
      case 'text-delta':
        if (event.logprobs === undefined && this.begun.has(event.choice)) return this.word(event);
        return this.delta(event.choice, { content: event.text }, event.logprobs);
      case 'refusal-delta':
        return this.delta(event.choice, { refusal: event.text }, event.logprobs);
      case 'reasoning-delta':
        this.thought += event.text;
        return this.delta(event.choice, { reasoning_content: event.text });
      case 'reasoning-end':
        return this.writeSignature(event);
      case 'tool-input-start':
        return this.startTool(event);
      case 'tool-input-delta':
        return this.toolDelta(event.choice, event.block, { arguments: event.text });
      case 'annotation':
        return this.list(event.choice, 'annotations', writeCitations(event));
      case 'file':
        return this.delta(event.choice, writeFile(event));
      case 'usage':
        if (!event.isPartial) this.usage = event.usage;
        return '';
      case 'finish':
        return this.chunk(event.choice, {}, writtenReason(event.reason, this.callsFunctions));
      default:
        return '';
    }
  }

  end(): string {
    const usage =
      this.options.showUsage && this.usage
        ? `${this.prefix}"choices":[],"usage":${JSON.stringify(writeUsage(this.usage))}}\n\n`
        : '';
    return `${usage}data: [DONE]\n\n`;
  }

  /** The signature of reasoning is sent with its text, so that an entry is complete when a client sends it back. */
  private writeSignature(event: Extract<ChatEvent, { type: 'reasoning-end' }>): string {
    this.besideCall = besideCall(event);
    const details = writeDetails({ ...event, text: this.thought });
    this.thought = '';
    return this.list(event.choice, 'reasoning_details', details);
  }

  private list(choice: number, field: string, entries: JsonObject[]): string {
    return entries.length > 0 ? this.delta(choice, { [field]: entries }) : '';
  }

  private startTool(event: Extract<ChatEvent, { type: 'tool-input-start' }>): string {
    const index = this.toolCount.get(event.choice) ?? 0;
    this.toolCount.set(event.choice, index + 1);
    this.toolIndex.set(event.block, index);
    const call = { name: event.name, arguments: '' };
    const beside = this.besideCall;
    this.besideCall = {};
    return this.toolDelta(event.choice, event.block, call, { id: event.id, type: 'function', ...beside });
  }

  private toolDelta(choice: number, block: number, call: JsonObject, head: JsonObject = {}): string {
    const index = this.toolIndex.get(block) ?? 0;
    if (!this.callsFunctions) return this.delta(choice, { tool_calls: [{ index, ...head, function: call }] });
    return index === 0 ? this.delta(choice, { function_call: call }) : '';
  }

  /** Most events of a stream are a few letters of text, so they are written without an object in between. */
  private word({ choice, text }: { choice: number; text: string }): string {
    return `${this.prefix}"choices":[{"index":${choice},"delta":{"content":${JSON.stringify(text)}},"logprobs":null,"finish_reason":null}]}\n\n`;
  }

  private delta(choice: number, fields: JsonObject, logprobs?: Json): string {
    const first = this.begun.has(choice) ? {} : { role: 'assistant' };
    this.begun.add(choice);
    return this.chunk(choice, { ...first, ...fields }, null, logprobs);
  }

  private chunk(choice: number, delta: JsonObject, finish: string | null, logprobs: Json = null): string {
    const choices = [{ index: choice, delta, logprobs, finish_reason: finish }];
    return `${this.prefix}"choices":${JSON.stringify(choices)}}\n\n`;
  }
}

/** Common start of every chunk, up to its choices. */
const prefixOf = (head: Head): string =>
  `data: ${JSON.stringify({ object: 'chat.completion.chunk', ...head }).slice(0, -1)},`;

const reasons: Partial<Record<FinishReason['unified'], string>> = {
  stop: 'stop',
  length: 'length',
  'tool-calls': 'tool_calls',
  'content-filter': 'content_filter',
};

/** The reason in OpenAI's form; without such a form it is the vendor's own word. */
export function writtenReason(reason: FinishReason, ofFunctions: boolean): string {
  if (ofFunctions && reason.unified === 'tool-calls') return 'function_call';
  return reasons[reason.unified] ?? reason.raw;
}

/** Our counters as OpenAI's usage object, in which the details are parts of the totals. */
export function writeUsage(usage: Usage): JsonObject {
  const prompt = inputTokens(usage);
  const completion = outputTokens(usage);
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: usage.cacheRead, audio_tokens: usage.audioInput },
    completion_tokens_details: { reasoning_tokens: usage.reasoning, audio_tokens: usage.audioOutput },
  };
}

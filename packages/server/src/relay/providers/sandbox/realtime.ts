import { isObject, type Json, type JsonObject } from '../../../lib/json.ts';
import { type LocalConversation, type LocalEvent, type RealtimeEndpoint, refuse } from '../../types/index.ts';
import { type Behaviour, behaviourOf, answerText, countTokens, pieces, textsOf } from './chat.ts';

/** Longest echo, in characters. */
const maxEchoLength = 2_000;

/** Text conversations: the last message is repeated word by word, in OpenAI's newer events. */
class SandboxConversation implements LocalConversation {
  private readonly model: string;
  private readonly behaviour: Behaviour;
  private question = '';
  /** Tokens of the conversation so far, by the sandbox's own count. */
  private tokens = 0;
  private events = 0;
  private responses = 0;

  constructor(model: string, behaviour: Behaviour) {
    this.model = model;
    this.behaviour = behaviour;
  }

  greet(): JsonObject {
    return this.event('session.created', { session: this.session({}) });
  }

  hear(event: JsonObject): LocalEvent[] {
    switch (event.type) {
      case 'session.update':
        return [now(this.event('session.updated', { session: this.session(part(event.session)) }))];
      case 'conversation.item.create':
        return [now(this.remember(part(event.item)))];
      case 'response.create':
        return this.answer();
      default:
        // Sound is accepted and ignored.
        return [];
    }
  }

  private event(type: string, fields: JsonObject): JsonObject {
    this.events += 1;
    return { type, event_id: `event_${this.events}`, ...fields };
  }

  private session(asked: JsonObject): JsonObject {
    const fixed = { type: 'realtime', object: 'realtime.session', id: 'sess_sandbox', model: this.model };
    return { ...asked, ...fixed, output_modalities: ['text'] };
  }

  private remember(item: JsonObject): JsonObject {
    const text = textsOf(item.content).join(' ').slice(0, maxEchoLength);
    if (item.role !== 'assistant') this.question = text;
    this.tokens += countTokens(text);
    return this.event('conversation.item.added', { previous_item_id: null, item });
  }

  private answer(): LocalEvent[] {
    this.responses += 1;
    const id = `resp_sandbox_${this.responses}`;
    const place = { response_id: id, item_id: `item_${id}`, output_index: 0, content_index: 0 };
    const { headDelayMs, pieceDelayMs, breaks } = this.behaviour;
    const whole = pieces(answerText({ question: this.question, toolResult: undefined, tokens: this.tokens }));
    const words = breaks ? whole.slice(0, Math.ceil(whole.length / 2)) : whole;
    const created = this.event('response.created', { response: this.response(id, 'in_progress', []) });
    const spoken = words.map((delta): LocalEvent => ({
      delayMs: pieceDelayMs,
      event: this.event('response.output_text.delta', { ...place, delta }),
    }));
    const begun: LocalEvent[] = [{ delayMs: headDelayMs, event: created }, ...spoken];
    if (breaks === 'stall') return begun;
    if (breaks === 'cut') return [...begun, { delayMs: 0, event: 'cut' }];
    const text = words.join('');
    const usage = this.usageOf(words.length);
    const done = { ...this.response(id, 'completed', [{ type: 'output_text', text }]), usage };
    return [
      ...begun,
      now(this.event('response.output_text.done', { ...place, text })),
      now(this.event('response.done', { response: done })),
    ];
  }

  private response(id: string, status: string, content: Json[]): JsonObject {
    const item = {
      id: `item_${id}`,
      object: 'realtime.item',
      type: 'message',
      status,
      role: 'assistant',
      content,
    };
    return { object: 'realtime.response', id, status, output: content.length > 0 ? [item] : [], usage: null };
  }

  /** The answer becomes part of the conversation, and so of the next response's input. */
  private usageOf(spoken: number): JsonObject | null {
    const heard = this.tokens;
    this.tokens += spoken;
    if (this.behaviour.silentUsage) return null;
    return {
      total_tokens: heard + spoken,
      input_tokens: heard,
      output_tokens: spoken,
      input_token_details: { text_tokens: heard, audio_tokens: 0, cached_tokens: 0 },
      output_token_details: { text_tokens: spoken, audio_tokens: 0 },
    };
  }
}

const now = (event: JsonObject): LocalEvent => ({ delayMs: 0, event });
const part = (value: Json | undefined): JsonObject => (isObject(value) ? value : {});

/** The sandbox's sockets: no network, the same events as a vendor's. */
export const sandboxRealtime: RealtimeEndpoint = {
  url: (channel) => channel.baseUrl,
  keyInProtocol: false,
  converse(model) {
    const behaviour = behaviourOf(model);
    if (behaviour.failStatus) {
      throw refuse('sandbox_refuses', {}, { status: behaviour.failStatus });
    }
    return new SandboxConversation(model, behaviour);
  },
};

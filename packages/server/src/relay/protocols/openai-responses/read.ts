import type { SseEvent } from '../../../lib/sse/index.ts';
import {
  type FinishReason,
  type ChatStreamReader,
  type Emit,
  type RelayError,
  refuse,
} from '../../types/index.ts';
import { isObject, type JsonObject, objectOf, objectsIn, textOf, parseObject } from '../../../lib/json.ts';
import { errorEvent, failedIn, failedResponse, failureOf } from './failure.ts';
import { itemIn, itemOf, OutputReader, partOf } from './read-output.ts';
import { AnnouncedUses, madeContainer, readAnnounced, readResponsesUsage, usageIn } from './usage.ts';

const isEventType = (name: string): boolean => name.startsWith('response.') || name === 'error';

/** Requests of other protocols never name a container. */
const translatedTools = [{ type: 'code_interpreter', container: { type: 'auto' } }];

/** The event of a response in this state. */
function typeOfResponse({ status, error, usage }: JsonObject): string {
  if (isObject(error)) return 'response.failed';
  return isObject(usage) || status === 'completed' || status === 'incomplete'
    ? 'response.completed'
    : 'response.in_progress';
}

/** Reads the events of a response, or a whole one, into neutral events. Lenient: unknown events are skipped. */
export class ResponsesReader implements ChatStreamReader {
  ended = false;
  private started = false;
  private failed = false;
  private readonly output = new OutputReader();
  private readonly uses = new AnnouncedUses(undefined);

  read(event: SseEvent, emit: Emit): void {
    if (this.failed || this.ended || event.data.trim() === '[DONE]') return;
    const body = parseObject(event.data);
    if (!body) return this.fail(emit, refuse('event_not_json'));
    this.readEvent(this.typeOf(body, event.name), body, emit);
  }

  readBody(response: JsonObject, emit: Emit): void {
    const failure = failureOf(response);
    if (failure) return this.fail(emit, failure);
    // Any other object has no items; without an end it is not an answer.
    if (Array.isArray(response.output)) this.finish(response, emit);
  }

  end(emit: Emit): void {
    this.output.close(emit);
  }

  private readEvent(type: string, body: JsonObject, emit: Emit): void {
    const { output } = this;
    switch (type) {
      case 'response.created':
      case 'response.in_progress':
        return this.start(objectOf(body.response), emit);
      case 'response.output_item.added':
        this.announce(body, emit);
        return output.add(itemOf(body), itemIn(body), emit);
      case 'response.output_text.delta':
        return output.text('text', itemOf(body), partOf(body), textOf(body.delta), emit, body.logprobs);
      case 'response.refusal.delta':
        return output.text('refusal', itemOf(body), partOf(body), textOf(body.delta), emit);
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
        return output.reasoning(itemOf(body), partOf(body), textOf(body.delta), emit);
      case 'response.function_call_arguments.delta':
        return output.input(itemOf(body), textOf(body.delta), emit);
      case 'response.output_text.annotation.added':
        return output.annotation(itemOf(body), objectOf(body.annotation), emit);
      case 'response.output_item.done':
        this.announce(body, emit);
        return output.finish(itemOf(body), itemIn(body), emit);
      case 'response.completed':
      case 'response.incomplete':
        this.ended = true;
        return this.finish(objectOf(body.response), emit);
      case 'response.reasoning.search_results':
        return output.found(objectsIn(body.results));
      case 'response.failed':
      case 'response.cancelled':
        return this.failWith(failedIn(body), emit);
      case 'error':
        return this.fail(emit, errorEvent(body));
      case '':
        return isObject(body.error) ? this.fail(emit, errorEvent(body)) : undefined;
      default:
        return undefined;
    }
  }

  private announce(body: JsonObject, emit: Emit): void {
    this.emitMade(objectOf(body.item), emit);
    const raw = this.uses.note(body);
    if (raw) emit({ type: 'usage', usage: readAnnounced(raw), isPartial: true });
  }

  /** The type of an event: from its data or its name, otherwise derived from its fields. */
  private typeOf(body: JsonObject, name: string): string {
    const type = textOf(body.type);
    if (isEventType(type)) return type;
    if (isEventType(name)) return name;
    const { response, item, delta } = body;
    if (isObject(item)) return `response.output_item.${item.status === 'completed' ? 'done' : 'added'}`;
    if (typeof delta === 'string') return this.output.deltaOf(body);
    return isObject(response) ? typeOfResponse(response) : type;
  }

  private start(response: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    emit({
      type: 'start',
      id: textOf(response.id),
      model: textOf(response.model),
      createdSeconds: typeof response.created_at === 'number' ? Math.floor(response.created_at) : 0,
      ...(typeof response.service_tier === 'string' && { serviceTier: response.service_tier }),
    });
  }

  private finish(response: JsonObject, emit: Emit): void {
    this.start(response, emit);
    objectsIn(response.output).forEach((item, index) => this.output.list(index, item, emit));
    for (const item of objectsIn(response.output)) this.emitMade(item, emit);
    this.output.emitSources(emit);
    this.output.close(emit);
    this.emitUsage(response, emit);
    emit({ type: 'finish', choice: 0, reason: this.reason(response) });
  }

  private reason(response: JsonObject): FinishReason {
    const raw = textOf(objectOf(response.incomplete_details).reason);
    if (response.status === 'incomplete' || raw !== '') {
      const unified =
        raw === 'content_filter' ? 'content-filter' : raw === 'max_output_tokens' ? 'length' : 'other';
      return { unified, raw };
    }
    return { unified: this.output.hasCalls ? 'tool-calls' : 'stop', raw: textOf(response.status) };
  }

  private emitMade(item: JsonObject, emit: Emit): void {
    const made = madeContainer(item, translatedTools);
    if (made) emit({ type: 'made', choice: 0, made });
  }

  private emitUsage(response: JsonObject, emit: Emit): void {
    const raw = usageIn(response);
    const usage = raw && readResponsesUsage(raw);
    if (usage) emit({ type: 'usage', usage });
  }

  private failWith(response: JsonObject, emit: Emit): void {
    this.emitUsage(response, emit);
    this.fail(emit, failedResponse(response));
  }

  private fail(emit: Emit, error: RelayError): void {
    this.failed = true;
    this.output.close(emit);
    emit({ type: 'error', error });
  }
}

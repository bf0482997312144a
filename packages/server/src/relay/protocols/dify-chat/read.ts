import type { SseEvent } from '../../../lib/sse.ts';
import type { FinishReason } from '../../model/chat.ts';
import type { ChatStreamReader, Emit } from '../../model/codec.ts';
import { type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../model/json.ts';
import { badStream } from '../../model/passing/stream-pass.ts';
import { parseObject } from '../../model/passing/text-tap.ts';
import { Prose } from '../../model/prose.ts';
import type { RelayError } from '../../model/relay-error.ts';
import { readDifyFailure } from './errors.ts';
import { describeStep } from './steps.ts';
import { readDifyUsage } from './usage.ts';

const stopped: FinishReason = { unified: 'stop', raw: 'message_end' };
const filtered: FinishReason = { unified: 'content-filter', raw: 'message_replace' };

/**
 * Reads the stream of a Dify application, or its whole answer, into neutral events. Lenient: unknown events are
 * skipped.
 */
export class DifyReader implements ChatStreamReader {
  ended = false;
  private readonly showsSteps: boolean;
  private failed = false;
  private started = false;
  private readonly prose = new Prose();
  /** An agent tells its answer in pieces and then, in some versions, once more as a whole. */
  private isAgent = false;
  private reason = stopped;
  /** Why the workflow failed, until the error itself or the end of the stream comes. */
  private failure: RelayError | undefined;

  constructor(showsSteps: boolean) {
    this.showsSteps = showsSteps;
  }

  read(event: SseEvent, emit: Emit): void {
    if (this.failed || this.ended || event.name === 'ping') return;
    const body = parseObject(event.data);
    if (!body) return this.fail(badStream('the upstream sent an event that is not valid JSON'), emit);
    this.readEvent(body, emit);
  }

  private readEvent(body: JsonObject, emit: Emit): void {
    switch (body.event) {
      case 'message':
        if (!this.isAgent) this.answer(body, emit);
        return;
      case 'agent_message':
        this.isAgent = true;
        return this.answer(body, emit);
      case 'message_replace':
        return this.replace(body, emit);
      case 'message_file':
        return this.readFile(body, emit);
      case 'message_end':
        return this.finish(body, emit);
      case 'error':
        return this.fail(readDifyFailure(body, 0) ?? badStream('the upstream failed'), emit);
      default:
        return this.readStep(body, emit);
    }
  }

  /** Reads a whole answer (`response_mode: blocking`). */
  readBody(body: JsonObject, emit: Emit): void {
    if (typeof body.answer !== 'string') {
      const failure = readDifyFailure(body, 0);
      if (failure) this.fail(failure, emit);
      return;
    }
    this.answer(body, emit);
    this.finish(body, emit);
  }

  end(emit: Emit): void {
    this.prose.end(emit);
    if (this.ended || this.failed || !this.failure) return;
    this.fail(this.failure, emit);
  }

  private start(body: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    emit({
      type: 'start',
      id: textOf(body.message_id),
      model: '',
      createdSeconds: typeof body.created_at === 'number' ? Math.floor(body.created_at) : 0,
    });
  }

  private answer(body: JsonObject, emit: Emit): void {
    this.start(body, emit);
    this.prose.say('text', textOf(body.answer), emit);
  }

  /** A moderation of the application put other words in the place of the answer. What was said cannot be taken back. */
  private replace(body: JsonObject, emit: Emit): void {
    this.start(body, emit);
    this.prose.end(emit);
    this.prose.say('text', textOf(body.answer), emit);
    this.reason = filtered;
  }

  private readStep(body: JsonObject, emit: Emit): void {
    const data = objectOf(body.data);
    if (body.event === 'workflow_finished' && data.status === 'failed') {
      this.failure = badStream(`the workflow failed: ${textOf(data.error)}`.slice(0, 500));
    }
    const words = this.showsSteps ? describeStep(body) : '';
    if (words === '') return;
    this.start(body, emit);
    this.prose.say('reasoning', `${words}\n`, emit, { isReport: true });
  }

  private readFile(body: JsonObject, emit: Emit): void {
    const url = textOf(body.url);
    // Installations without a public address name their files by paths, which are of no use to anybody else.
    if (body.belongs_to !== 'assistant' || body.type !== 'image' || !/^https?:/.test(url)) return;
    this.start(body, emit);
    this.prose.end(emit);
    emit({ type: 'file', choice: 0, source: { kind: 'url', url } });
  }

  private finish(body: JsonObject, emit: Emit): void {
    this.start(body, emit);
    for (const source of sourcesIn(body.metadata)) emit({ type: 'annotation', choice: 0, citation: source });
    this.prose.end(emit);
    const usage = readDifyUsage(body.metadata);
    if (usage) emit({ type: 'usage', usage });
    emit({ type: 'finish', choice: 0, reason: this.reason });
    this.ended = true;
  }

  private fail(error: RelayError, emit: Emit): void {
    this.failed = true;
    this.prose.end(emit);
    emit({ type: 'error', error });
  }
}

/** The documents of a knowledge base that an answer rests on. */
const sourcesIn = (metadata: Json | undefined) =>
  objectsIn(objectOf(metadata).retriever_resources).map((source) => ({
    title: textOf(source.document_name),
    citedText: textOf(source.content),
  }));

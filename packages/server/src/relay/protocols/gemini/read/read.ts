import type { SseEvent } from '../../../../lib/sse/index.ts';
import { type ChatStreamReader, type Emit, type RelayError, refuse } from '../../../types/index.ts';
import { readGeminiFailure, Searches, readGeminiUsage, hasOutput } from '../../../families/google/index.ts';
import { withExactNumbers } from '../../../../lib/exact-numbers.ts';
import { isObject, type JsonObject, objectsIn, textOf, parseObject } from '../../../../lib/json.ts';
import { upstreamFailure } from '../../../families/openai/index.ts';
import { blockOf } from '../reasons.ts';
import { toolObjects } from '../fields.ts';
import { CandidateReader } from './read-candidate.ts';

/**
 * Reads chunks, or one whole answer, into neutral events; both have the same shape. Lenient: unknown fields are
 * skipped.
 */
export class GeminiReader implements ChatStreamReader {
  private started = false;
  private failed = false;
  private id = '';
  private readonly blocks = { next: 0 };
  private readonly candidates = new Map<number, CandidateReader>();
  private readonly searches = new Searches();
  private usage: JsonObject | undefined;
  private reportedSearches = 0;

  /** Every candidate has a finish reason; there is no other end marker. */
  get ended(): boolean {
    return this.candidates.size > 0 && [...this.candidates.values()].every(({ finished }) => finished);
  }

  read(event: SseEvent, emit: Emit): void {
    if (this.failed) return;
    const body = parseObject(event.data);
    if (!body) return this.fail(emit, refuse('event_not_json'));
    this.readBody(withExactNumbers(body, event.data, toolObjects), emit);
  }

  /** Reads a whole answer: its candidates have ended, even without a reason. */
  readAnswer(body: JsonObject, emit: Emit): void {
    this.readBody(body, emit);
    if (!this.failed) for (const candidate of this.candidates.values()) candidate.end(emit, true);
  }

  private readBody(body: JsonObject, emit: Emit): void {
    if (body.error !== undefined && body.error !== null) {
      return this.fail(
        emit,
        readGeminiFailure(body, []) ?? upstreamFailure(502, JSON.stringify(body.error), []),
      );
    }
    this.start(body, emit);
    this.emitUsage(body, emit);
    for (const candidate of objectsIn(body.candidates)) {
      this.candidate(typeof candidate.index === 'number' ? candidate.index : 0).read(candidate, emit);
    }
    const blocked = blockOf(body);
    if (blocked !== '' && !this.ended) this.candidate(0).finish(blocked);
  }

  end(emit: Emit): void {
    if (this.failed) return;
    for (const candidate of this.candidates.values()) candidate.end(emit);
  }

  private candidate(index: number): CandidateReader {
    let reader = this.candidates.get(index);
    if (!reader) this.candidates.set(index, (reader = new CandidateReader(index, this.blocks, this.id)));
    return reader;
  }

  private start(body: JsonObject, emit: Emit): void {
    if (this.started) return;
    this.started = true;
    this.id = textOf(body.responseId);
    const created = Date.parse(textOf(body.createTime));
    emit({
      type: 'start',
      id: this.id,
      model: textOf(body.modelVersion),
      createdSeconds: Number.isNaN(created) ? 0 : Math.floor(created / 1_000),
    });
  }

  private emitUsage(body: JsonObject, emit: Emit): void {
    const { usageMetadata } = body;
    this.searches.note(body);
    if (isObject(usageMetadata)) this.usage = usageMetadata;
    const raw = this.usage && this.searches.addTo(this.usage);
    const usage = raw && readGeminiUsage(raw);
    // Emitted again only with something new.
    if (!usage || (!isObject(usageMetadata) && usage.webSearchCalls === this.reportedSearches)) return;
    this.reportedSearches = usage.webSearchCalls;
    emit({ type: 'usage', usage, ...(!hasOutput(raw) && { isPartial: true }) });
  }

  private fail(emit: Emit, error: RelayError): void {
    this.failed = true;
    for (const candidate of this.candidates.values()) candidate.close(emit);
    emit({ type: 'error', error });
  }
}

import type { Emit } from '../../../types/index.ts';
import { isObject, type Json, type JsonObject, objectOf, objectsIn, textOf } from '../../../../lib/json.ts';
import { endWithoutReason } from '../../../conversation/index.ts';
import { groundingFields, readGrounding } from '../grounding.ts';
import { readLogprobs } from '../logprobs.ts';
import { endOf, readReason } from '../reasons.ts';
import { readSource } from '../source.ts';

const own = 'gemini';
/** Text kept to find the places of sources in it. */
const maxTextLength = 1024 * 1024;

/** Reads one candidate and keeps its events balanced. */
export class CandidateReader {
  /** The last finish reason. */
  private reason: string | undefined;
  private readonly choice: number;
  private readonly blocks: { next: number };
  private readonly answerId: string;
  private openText: { kind: 'text' | 'reasoning'; block: number } | undefined;
  private signature: string | undefined;
  private text = '';
  private calls = 0;
  private readonly cited = new Set<string>();

  /** `blocks` numbers the blocks of the whole answer; `answerId` makes the ids of calls unique. */
  constructor(choice: number, blocks: { next: number }, answerId: string) {
    this.choice = choice;
    this.blocks = blocks;
    this.answerId = answerId;
  }

  get finished(): boolean {
    return this.reason !== undefined;
  }

  read(candidate: JsonObject, emit: Emit): void {
    let logprobs: Json | undefined = readLogprobs(candidate.logprobsResult);
    for (const part of objectsIn(objectOf(candidate.content).parts)) {
      this.readPart(part, logprobs, emit);
      if (textOf(part.text) !== '') logprobs = undefined;
    }
    this.readSources(candidate, emit);
    const reason = endOf(candidate);
    if (reason !== '') this.finish(reason);
  }

  /** Stores a finish reason, emitted at the end: Gemini 1.5 and its copies send one in every chunk. */
  finish(reason: string): void {
    this.reason = reason;
  }

  /** The answer is over. Without a reason only a whole answer is finished. */
  end(emit: Emit, isWhole = false): void {
    this.close(emit);
    const { choice, reason, calls } = this;
    if (reason !== undefined) emit({ type: 'finish', choice, reason: readReason(reason, calls > 0) });
    else if (isWhole) emit({ type: 'finish', choice, reason: endWithoutReason(calls > 0) });
  }

  /** Ends the open block. */
  close(emit: Emit): void {
    const { openText, signature, choice } = this;
    this.openText = undefined;
    if (openText?.kind === 'text') return emit({ type: 'text-end', choice, block: openText.block });
    if (!openText) return;
    this.signature = undefined;
    const signed = signature === undefined ? {} : { signature, signer: own as 'gemini' };
    emit({ type: 'reasoning-end', choice, block: openText.block, ...signed });
  }

  private readPart(part: JsonObject, logprobs: Json | undefined, emit: Emit): void {
    const signature = textOf(part.thoughtSignature);
    if (part.thought === true) {
      this.say('reasoning', textOf(part.text), undefined, emit);
      if (signature !== '') this.signature = signature;
      return;
    }
    if (isObject(part.functionCall)) {
      // The signature is on the call, and the caller must return it before the call.
      if (signature !== '') this.sign(signature, emit);
      return this.readCall(part.functionCall, emit);
    }
    this.readContent(part, logprobs, emit);
    if (signature !== '') this.sign(signature, emit);
  }

  private readContent(part: JsonObject, logprobs: Json | undefined, emit: Emit): void {
    const { executableCode: code, codeExecutionResult: result } = part;
    if (isObject(code)) {
      this.sayFenced(textOf(code.language).toLowerCase(), textOf(code.code), emit);
    } else if (isObject(result)) {
      this.sayFenced('output', textOf(result.output), emit);
    } else if (isObject(part.inlineData) || isObject(part.fileData)) this.readFile(part, emit);
    else this.say('text', textOf(part.text), logprobs, emit);
  }

  /** Code that Google ran, or its output. Google counts it without the fence, which Tollgate adds. */
  private sayFenced(language: string, words: string, emit: Emit): void {
    this.say('text', `\n\`\`\`${language}\n`, undefined, emit, true);
    this.say('text', words, undefined, emit);
    this.say('text', words.endsWith('\n') ? '```\n' : '\n```\n', undefined, emit, true);
  }

  private say(
    kind: 'text' | 'reasoning',
    words: string,
    logprobs: Json | undefined,
    emit: Emit,
    isAdded = false,
  ): void {
    if (words === '') return;
    const { choice } = this;
    if (this.openText?.kind !== kind) {
      this.close(emit);
      this.openText = { kind, block: this.blocks.next++ };
      emit({ type: `${kind}-start`, choice, block: this.openText.block });
    }
    const { block } = this.openText;
    if (kind === 'reasoning') return emit({ type: 'reasoning-delta', choice, block, text: words });
    if (this.text.length < maxTextLength) this.text += words;
    const more = { ...(logprobs !== undefined && { logprobs }), ...(isAdded && { isAdded: true as const }) };
    emit({ type: 'text-delta', choice, block, text: words, ...more });
  }

  /** Signs the open reasoning, or emits empty reasoning if none was shown. */
  private sign(signature: string, emit: Emit): void {
    if (this.openText?.kind !== 'reasoning') {
      this.close(emit);
      this.openText = { kind: 'reasoning', block: this.blocks.next++ };
      emit({ type: 'reasoning-start', choice: this.choice, block: this.openText.block });
    }
    this.signature = signature;
    this.close(emit);
  }

  private readCall(call: JsonObject, emit: Emit): void {
    this.close(emit);
    const place = { choice: this.choice, block: this.blocks.next++ };
    const id = textOf(call.id) || `call_${this.answerId}_${this.choice}_${this.calls}`;
    this.calls += 1;
    emit({ type: 'tool-input-start', ...place, id, name: textOf(call.name) });
    emit({ type: 'tool-input-delta', ...place, text: JSON.stringify(call.args ?? {}) });
    emit({ type: 'tool-input-end', ...place });
  }

  private readFile(part: JsonObject, emit: Emit): void {
    this.close(emit);
    emit({ type: 'file', choice: this.choice, source: readSource(part) });
  }

  /** Later chunks may repeat sources; each is emitted once. */
  private readSources(candidate: JsonObject, emit: Emit): void {
    const fields = groundingFields(candidate);
    if (!fields) return;
    const { choice } = this;
    for (const citation of readGrounding(candidate, this.text)) {
      const key = JSON.stringify(citation);
      if (this.cited.has(key)) continue;
      this.cited.add(key);
      // Gemini's own form of it follows as a whole.
      emit({ type: 'annotation', choice, citation, extra: { protocol: own, fields: {} } });
    }
    emit({ type: 'other', choice, extra: { protocol: own, fields } });
  }
}

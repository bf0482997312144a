import type { ChatEvent, Citation, FinishReason } from '../../../types/index.ts';
import { parseExactObject } from '../../../../lib/exact-numbers.ts';
import type { Json, JsonObject } from '../../../../lib/json.ts';
import { markThoughtSignature } from '../signature.ts';
import { writeGrounding } from '../grounding.ts';
import { writeLogprobs } from '../logprobs.ts';
import { writeReason } from '../reasons.ts';
import { writeSource } from '../source.ts';

/** The events of one of the answers. */
export type CandidateEvent = Exclude<ChatEvent, { type: 'start' | 'usage' | 'error' }>;

/** Writes the parts of one candidate, and collects what its end reports. */
export class CandidateWriter {
  private readonly calls = new Map<number, { id: string; name: string; input: string }>();
  private readonly citations: Citation[] = [];
  private readonly logprobs: Json[] = [];
  private fields: JsonObject = {};
  private text = '';
  private signature: string | undefined;
  private finish: FinishReason | undefined;

  /** The part for an event, if it produces one at this point. */
  write(event: CandidateEvent): JsonObject | undefined {
    switch (event.type) {
      case 'text-delta':
        if (event.logprobs !== undefined) this.logprobs.push(event.logprobs);
        this.text += event.text;
        return { text: event.text };
      case 'refusal-delta':
        return { text: event.text };
      case 'reasoning-delta':
        return { text: event.text, thought: true };
      case 'reasoning-end':
        return this.sign(event);
      case 'tool-input-start':
        this.calls.set(event.block, { id: event.id, name: event.name, input: '' });
        return undefined;
      case 'tool-input-delta': {
        const call = this.calls.get(event.block);
        if (call) call.input += event.text;
        return undefined;
      }
      case 'tool-input-end':
        return this.writeCall(event.block);
      case 'file':
        return writeSource(event.source);
      default:
        this.note(event);
        return undefined;
    }
  }

  /** Content of the last chunk beside its parts. */
  end(): { parts: JsonObject[]; fields: JsonObject } {
    const parts: JsonObject[] = [];
    for (const block of this.calls.keys()) {
      const call = this.writeCall(block);
      if (call) parts.push(call);
    }
    if (this.signature !== undefined) parts.push({ text: '', thoughtSignature: this.signature });
    this.signature = undefined;
    const grounding = this.fields.groundingMetadata ?? writeGrounding(this.citations, this.text);
    const logprobs = writeLogprobs(this.logprobs);
    const fields = {
      // Some vendors end without a reason; a Gemini answer without one would be incomplete.
      finishReason: this.finish ? writeReason(this.finish) : 'STOP',
      ...this.fields,
      ...(grounding !== undefined && { groundingMetadata: grounding }),
      ...(logprobs && { logprobsResult: logprobs }),
    };
    return { parts, fields };
  }

  private note(event: CandidateEvent): void {
    if (event.type === 'finish') this.finish = event.reason;
    else if (event.type === 'annotation' && event.extra?.protocol !== 'gemini') {
      this.citations.push(event.citation);
    } else if (event.type === 'other' && event.extra.protocol === 'gemini') {
      this.fields = { ...this.fields, ...event.extra.fields };
    }
  }

  /**
   * A signature is on the call after the reasoning, or on an empty text if no call follows; redacted reasoning has no
   * place of its own.
   */
  private sign({ signature, signer }: Extract<ChatEvent, { type: 'reasoning-end' }>): JsonObject | undefined {
    if (signature === undefined) return undefined;
    const before = this.signature;
    this.signature = markThoughtSignature(signature, signer);
    return before === undefined ? undefined : { text: '', thoughtSignature: before };
  }

  private writeCall(block: number): JsonObject | undefined {
    const call = this.calls.get(block);
    if (!call) return undefined;
    this.calls.delete(block);
    const { id, name, input } = call;
    const { signature } = this;
    this.signature = undefined;
    // Arguments that are not an object cannot be expressed; the model sees that they are missing.
    const args = parseExactObject(input) ?? {};
    return {
      functionCall: { id, name, args },
      ...(signature !== undefined && { thoughtSignature: signature }),
    };
  }
}

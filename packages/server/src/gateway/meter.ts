import type { DeliveredText } from '../relay/model/protocol.ts';

/** Counts the tokens of a text with a real tokenizer; loaded when first needed (about 60 MB). */
export type CountTokens = (text: string, model: string) => Promise<number>;

/** Tokens a tool call costs beyond its name and arguments (wire-facts 11.4). */
const tokensPerToolCall = 7;

/** For text so long that it was not kept to be counted. */
const charactersPerToken = 4;

/** What was delivered, counted as it goes: for holds that near their end, and for bills without a vendor's usage. */
export interface DeliveredTokens {
  output: number;
  reasoning: number;
}

/**
 * An upper estimate of the tokens of a text, without a tokenizer: about three ASCII characters a token,
 * one for anything else. Sizes holds and progress marks; never bills.
 */
export function estimateTokens(text: string): number {
  const bytes = Buffer.byteLength(text);
  const beyondAscii = Math.min(text.length, (bytes - text.length) / 2);
  return Math.ceil((text.length - beyondAscii) / 3 + beyondAscii);
}

/** Sums up delivered text. The exact count runs behind; the estimate is there at once. */
export class Meter {
  private readonly model: string;
  private readonly count: CountTokens;
  /** The counts under way, one behind the other: a stream of hours keeps no list of them. */
  private counting: Promise<void> = Promise.resolve();
  private readonly exact: DeliveredTokens = { output: 0, reasoning: 0 };
  private estimated = 0;

  constructor(model: string, count: CountTokens) {
    this.model = model;
    this.count = count;
  }

  /** Tokens delivered so far by the upper estimate. */
  get estimate(): number {
    return this.estimated;
  }

  /** Adds what a pipe has gathered. Each piece is counted once and then forgotten. */
  add(text: DeliveredText): void {
    this.estimated +=
      estimateTokens(text.output) + estimateTokens(text.reasoning) + text.toolCalls * tokensPerToolCall;
    const unseen = Math.ceil(text.omitted / charactersPerToken);
    this.estimated += unseen;
    this.exact.output += text.toolCalls * tokensPerToolCall + unseen;
    this.addPart('output', text.output);
    this.addPart('reasoning', text.reasoning);
  }

  private addPart(part: keyof DeliveredTokens, text: string): void {
    if (text === '') return;
    this.counting = this.counting.then(async () => {
      this.exact[part] += await this.count(text, this.model);
    });
  }

  /** The exact count of all that was added. */
  async total(): Promise<DeliveredTokens> {
    await this.counting;
    return this.exact;
  }
}

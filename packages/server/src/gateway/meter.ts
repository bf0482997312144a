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

/** The same of what a pipe has gathered, tool calls and what was not kept included. */
export const estimateText = (text: DeliveredText): number =>
  estimateTokens(text.output) + estimateTokens(text.reasoning) + unkept(text);

/** Tokens of a text that no tokenizer sees. */
const unkept = ({ toolCalls, omitted }: DeliveredText): number =>
  toolCalls * tokensPerToolCall + Math.ceil(omitted / charactersPerToken);

/** Text that waits to be counted; beyond this it is counted at once, so that memory stays bounded. */
const maxWaitingChars = 64 * 1024;

/** Sums up delivered text: the estimate is there at once, the exact count is made when somebody asks for it. */
export class Meter {
  private readonly model: string;
  private readonly count: CountTokens;
  private waitingOutput = '';
  private waitingReasoning = '';
  /** The counts under way, one behind the other. Most calls count nothing: their vendor does. */
  private counting: Promise<void> | undefined;
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
    this.estimated += estimateText(text);
    this.exact.output += unkept(text);
    this.waitingOutput += text.output;
    this.waitingReasoning += text.reasoning;
    if (this.waitingOutput.length + this.waitingReasoning.length > maxWaitingChars) this.countWaiting();
  }

  private countWaiting(): void {
    const output = this.waitingOutput;
    const reasoning = this.waitingReasoning;
    this.waitingOutput = '';
    this.waitingReasoning = '';
    this.counting = this.countBehind(this.counting, output, reasoning);
  }

  private async countBehind(
    last: Promise<void> | undefined,
    output: string,
    reasoning: string,
  ): Promise<void> {
    await last;
    if (output !== '') this.exact.output += await this.count(output, this.model);
    if (reasoning !== '') this.exact.reasoning += await this.count(reasoning, this.model);
  }

  /** The exact count of all that was added. */
  async total(): Promise<DeliveredTokens> {
    if (this.waitingOutput !== '' || this.waitingReasoning !== '') this.countWaiting();
    await this.counting;
    return this.exact;
  }
}

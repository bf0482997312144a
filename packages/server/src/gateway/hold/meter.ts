import type { DeliveredMedia, DeliveredText } from '../../relay/types/index.ts';
import { addedMedia, likelyMediaTokens, type MediaTokens, mostMediaTokens } from './media-tokens.ts';

/** Counts the tokens of a text with a real tokenizer; loaded when first needed (about 60 MB). */
export type CountTokens = (text: string, model: string) => Promise<number>;

/** Tokens a tool call costs beyond its name and arguments. */
const tokensPerToolCall = 7;

/** For text so long that it was not kept to be counted. */
const charactersPerToken = 4;

/** UTF-8 takes at most so many bytes for a UTF-16 unit. */
const bytesPerCharacter = 3;

/** Tokens of a text at most, in any byte-level vocabulary: every token covers a byte. Bounds holds; never bills. */
export const mostTokens = (text: string): number => Buffer.byteLength(text);

/** The same of the text that a pipe has gathered, tool calls and what was not kept included. */
export const mostTokensOf = ({ output, reasoning, toolCalls, omitted }: DeliveredText): number =>
  mostTokens(output) + mostTokens(reasoning) + mostUnkept({ toolCalls, omitted });

const mostUnkept = ({ toolCalls, omitted }: Pick<DeliveredText, 'toolCalls' | 'omitted'>): number =>
  toolCalls * tokensPerToolCall + omitted * bytesPerCharacter;

/** Tokens of a text that no tokenizer sees. */
const unkept = ({ toolCalls, omitted }: DeliveredText): number =>
  toolCalls * tokensPerToolCall + Math.ceil(omitted / charactersPerToken);

/** Text that waits to be counted; beyond this it is counted at once, so that memory stays bounded. */
const maxWaitingChars = 64 * 1024;

/** Waiting text up to here is counted anew with each total: that costs less than to count its parts one by one. */
const shortText = 1_024;

/** Letters that are counted at once; beyond a million the counter guesses. A cut costs a token or two. */
const maxAtOnce = 512 * 1024;

/** So far back the end of a word is looked for. */
const maxOpenChars = 512;
/** Text without words is cut anywhere beyond this, at the price of a token for each cut. */
const maxWordlessChars = 4_096;

/** Tokens by which the last word of a counted text may grow when the text goes on: it is then split in another way. */
const openWordTokens = 8;

/** Tokens of the text of an answer, counted. */
export interface TextTokens {
  output: number;
  reasoning: number;
}

/** Output tokens of an answer: its text counted, its images and sound measured, where there were any. */
export interface DeliveredTokens extends TextTokens, Partial<MediaTokens> {}

/** What of a meter's text was counted for good, and how many bytes of it wait for that, or could not be counted. */
interface ClosedText {
  counted: TextTokens;
  bytes: TextTokens;
}

const nothingClosed = (): ClosedText => ({
  counted: { output: 0, reasoning: 0 },
  bytes: { output: 0, reasoning: 0 },
});

/** Sums up delivered text: a bound is there at once, the exact count is made when somebody asks for it. */
export class Meter {
  private readonly model: string;
  private readonly count: CountTokens;
  private waitingOutput = '';
  private waitingReasoning = '';
  /** The counts under way, one behind the other. Most calls count nothing: their vendor does. */
  private counting: Promise<TextTokens> | undefined;
  private closed = nothingClosed();
  private unkept = 0;
  private mostUnkept = 0;
  private atMost = 0;
  private media: DeliveredMedia | undefined;

  constructor(model: string, count: CountTokens) {
    this.model = model;
    this.count = count;
  }

  /** Tokens of text delivered so far at most. */
  get most(): number {
    return this.atMost;
  }

  /** Images and sound delivered so far, with `more`, at most; undefined where there were none. */
  mostMedia(more?: DeliveredMedia): MediaTokens | undefined {
    const media = addedMedia(this.media, more);
    return media && mostMediaTokens(media);
  }

  private get likelyMedia(): MediaTokens | undefined {
    return this.media && likelyMediaTokens(this.media, this.model);
  }

  /** Adds what a pipe has gathered. `total` is the exact count of all text with it, where somebody has made it. */
  add(text: DeliveredText, total?: number): void {
    this.atMost = total === undefined ? this.atMost + mostTokensOf(text) : total + openWordTokens;
    this.unkept += unkept(text);
    this.mostUnkept += mostUnkept(text);
    if (text.media) this.media = addedMedia(this.media, text.media);
    this.waitingOutput += text.output;
    this.waitingReasoning += text.reasoning;
    if (this.waitingOutput.length + this.waitingReasoning.length > maxWaitingChars) this.countClosed();
  }

  /** Forgets everything: what was added did not reach the caller. */
  clear(): void {
    this.waitingOutput = '';
    this.waitingReasoning = '';
    this.counting = undefined;
    this.closed = nothingClosed();
    this.unkept = 0;
    this.mostUnkept = 0;
    this.atMost = 0;
    this.media = undefined;
  }

  /** Puts the count in the place of the bound, for all that was added before. */
  async sharpen(): Promise<void> {
    const bound = this.atMost;
    this.atMost += (await this.totalAtMost()) + openWordTokens - bound;
  }

  /** Tokens of all that was added, and of `more`: counted, and bounded where nothing was kept to be counted. */
  async totalAtMost(more?: DeliveredText): Promise<number> {
    const { output, reasoning } = await this.countAll(more);
    return output + reasoning + this.mostUnkept + (more ? mostUnkept(more) : 0);
  }

  /** Counts for good what no later text can change. */
  private countClosed(): void {
    const output = closedLength(this.waitingOutput);
    const reasoning = closedLength(this.waitingReasoning);
    if (output + reasoning === 0) return;
    const pieces = [this.waitingOutput.slice(0, output), this.waitingReasoning.slice(0, reasoning)] as const;
    this.counting = this.countBehind(this.counting, ...pieces);
    // It runs behind: who asks for the total learns of its failure, and often nobody does.
    this.note(this.counting, ...pieces).catch(() => undefined);
    this.waitingOutput = this.waitingOutput.slice(output);
    this.waitingReasoning = this.waitingReasoning.slice(reasoning);
  }

  /** Notes a count when it is there; what could not be counted stays in bytes. */
  private async note(counting: Promise<TextTokens>, output: string, reasoning: string): Promise<void> {
    const { closed } = this;
    const bytes = { output: mostTokens(output), reasoning: mostTokens(reasoning) };
    closed.bytes.output += bytes.output;
    closed.bytes.reasoning += bytes.reasoning;
    closed.counted = await counting;
    closed.bytes.output -= bytes.output;
    closed.bytes.reasoning -= bytes.reasoning;
  }

  private async countBehind(
    last: Promise<TextTokens> | undefined,
    output: string,
    reasoning: string,
  ): Promise<TextTokens> {
    const before = last && (await last);
    const ofOutput = output === '' ? 0 : await this.countWhole(output);
    const ofReasoning = reasoning === '' ? 0 : await this.countWhole(reasoning);
    return {
      output: (before?.output ?? 0) + ofOutput,
      reasoning: (before?.reasoning ?? 0) + ofReasoning,
    };
  }

  /** Counts a text however long it is: of one that is too long the counter would guess the rest. */
  private async countWhole(text: string): Promise<number> {
    if (text.length <= maxAtOnce) return this.count(text, this.model);
    let tokens = 0;
    for (let at = 0; at < text.length; at += maxAtOnce) {
      tokens += await this.count(text.slice(at, at + maxAtOnce), this.model);
    }
    return tokens;
  }

  /** What all that was added comes to. */
  async total(): Promise<DeliveredTokens> {
    const { output, reasoning } = await this.countAll();
    return { ...this.likelyMedia, output: output + this.unkept, reasoning };
  }

  /** Counts all text that was kept, and that of `more`, which is not added by this. */
  private countAll(more?: DeliveredText): Promise<TextTokens> {
    if (this.waitingOutput.length + this.waitingReasoning.length > shortText) this.countClosed();
    return this.countBehind(
      this.counting,
      this.waitingOutput + (more?.output ?? ''),
      this.waitingReasoning + (more?.reasoning ?? ''),
    );
  }

  /**
   * What is known of all that was added where `total` rejects: the counts that were made, and a token for each byte of
   * the rest; no more than `most`.
   */
  get known(): DeliveredTokens {
    const { counted, bytes } = this.closed;
    const output = counted.output + bytes.output + mostTokens(this.waitingOutput) + this.unkept;
    const reasoning = Math.min(
      this.atMost,
      counted.reasoning + bytes.reasoning + mostTokens(this.waitingReasoning),
    );
    return { ...this.likelyMedia, output: Math.min(output, this.atMost - reasoning), reasoning };
  }
}

/**
 * Up to where a text can be counted now: before the last blank between two letters, or behind the last line end before
 * a letter. There every vocabulary begins a new token, so that the parts count as much as the whole.
 */
function closedLength(text: string): number {
  const from = Math.max(0, text.length - maxOpenChars);
  for (let at = text.length - 1; at > from; at -= 1) {
    if (!isLetter(text.charCodeAt(at))) continue;
    const before = text.charCodeAt(at - 1);
    if (before === 0x0a) return at;
    if (before === 0x20 && at > 1 && isLetter(text.charCodeAt(at - 2))) return at - 1;
  }
  return text.length > maxWordlessChars ? text.length : 0;
}

const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;

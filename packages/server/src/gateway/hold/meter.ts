import {
  dearestTier,
  type PriceExtras,
  type PriceSnapshot,
  type ToolUses,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import type { AnswerEnd, DeliveredMedia, DeliveredText, RequestFacts } from '../../relay/types/index.ts';
import type { EndReason, GatewayDeps } from '../call/index.ts';

/** Tokens a tool call costs beyond its name and arguments. */
const tokensPerToolCall = 7;

/** For text that was too long to be stored for counting. */
const charactersPerToken = 4;

/** UTF-8 needs at most this many bytes for a UTF-16 code unit. */
const bytesPerCharacter = 3;

/**
 * An upper bound of a text's tokens, in any byte-level vocabulary: every token covers at least one byte. Sizes holds;
 * never bills.
 */
export const tokenBound = (text: string): number => Buffer.byteLength(text);

/** The same for the text that a pipe has collected, including tool calls and text that was not stored. */
export const tokenBoundOf = ({ output, reasoning, toolCalls, omitted }: DeliveredText): number =>
  tokenBound(output) + tokenBound(reasoning) + uncountedBound({ toolCalls, omitted });

const uncountedBound = ({ toolCalls, omitted }: Pick<DeliveredText, 'toolCalls' | 'omitted'>): number =>
  toolCalls * tokensPerToolCall + omitted * bytesPerCharacter;

/** Tokens of text that is not given to a tokenizer. */
const uncounted = ({ toolCalls, omitted }: DeliveredText): number =>
  toolCalls * tokensPerToolCall + Math.ceil(omitted / charactersPerToken);

/** Text that waits to be counted; above this it is counted at once, so that memory stays bounded. */
const maxWaitingChars = 64 * 1024;

/**
 * Waiting text up to this length is counted again with each total, which costs less than counting its parts
 * separately.
 */
const shortText = 1_024;

/** Characters counted at once; above a million the counter estimates. A cut adds one or two tokens. */
const maxAtOnce = 512 * 1024;

/** Maximum distance of a word's end in the search. */
const maxOpenChars = 512;
/** Text without words is cut anywhere above this length, which adds one token for each cut. */
const maxUnbrokenChars = 4_096;

/** Tokens by which the count of the last word may change when the text continues. */
const openWordTokens = 8;

/** Tokens of the text of an answer, counted. */
interface TextTokens {
  output: number;
  reasoning: number;
}

/** Output tokens of an answer: text counted, images and sound computed. */
export interface DeliveredTokens extends TextTokens, Partial<MediaTokens> {}

/** The part of a meter's text that was counted finally, and the bytes that wait for that or could not be counted. */
interface ClosedText {
  counted: TextTokens;
  bytes: TextTokens;
}

const nothingClosed = (): ClosedText => ({
  counted: { output: 0, reasoning: 0 },
  bytes: { output: 0, reasoning: 0 },
});

/** Sums up delivered text: an upper bound is available at once, the exact count is made on demand. */
export class Meter {
  private readonly model: string;
  private readonly count: GatewayDeps['countTokens'];
  private waitingOutput = '';
  private waitingReasoning = '';
  /** Running counts, one after the other. Most calls count nothing, because their vendor reports usage. */
  private counting: Promise<TextTokens> | undefined;
  private closed = nothingClosed();
  private uncounted = 0;
  private uncountedBound = 0;
  private bound = 0;
  private media: DeliveredMedia | undefined;

  constructor(model: string, count: GatewayDeps['countTokens']) {
    this.model = model;
    this.count = count;
  }

  /** Upper bound of the tokens of text delivered so far. */
  get upperBound(): number {
    return this.bound;
  }

  /** Upper bound of images and sound delivered so far, with `more`; undefined if there were none. */
  mediaBound(more?: DeliveredMedia): MediaTokens | undefined {
    const media = addedMedia(this.media, more);
    return media && mediaTokenBound(media);
  }

  private get estimatedMedia(): MediaTokens | undefined {
    return this.media && estimatedMediaTokens(this.media, this.model);
  }

  /** Adds the text that a pipe has collected. `total` is the exact count of all text including it, if known. */
  add(text: DeliveredText, total?: number): void {
    this.bound = total === undefined ? this.bound + tokenBoundOf(text) : total + openWordTokens;
    this.uncounted += uncounted(text);
    this.uncountedBound += uncountedBound(text);
    if (text.media) this.media = addedMedia(this.media, text.media);
    this.waitingOutput += text.output;
    this.waitingReasoning += text.reasoning;
    if (this.waitingOutput.length + this.waitingReasoning.length > maxWaitingChars) this.countClosed();
  }

  /** Discards everything: what was added did not reach the caller. */
  clear(): void {
    this.waitingOutput = '';
    this.waitingReasoning = '';
    this.counting = undefined;
    this.closed = nothingClosed();
    this.uncounted = 0;
    this.uncountedBound = 0;
    this.bound = 0;
    this.media = undefined;
  }

  /** Replaces the upper bound by the count, for all that was added before; what is added meanwhile keeps its bound. */
  async refine(): Promise<void> {
    const before = this.bound;
    const counted = await this.totalBound();
    // Read after the wait: `this.bound += await …` would lose the text that was added in between.
    this.bound += counted + openWordTokens - before;
  }

  /** Tokens of all added text and of `more`: counted, or an upper bound for text that was not stored. */
  async totalBound(more?: DeliveredText): Promise<number> {
    const { output, reasoning } = await this.countAll(more);
    return output + reasoning + this.uncountedBound + (more ? uncountedBound(more) : 0);
  }

  /** Counts the text that later text cannot change. */
  private countClosed(): void {
    const output = closedLength(this.waitingOutput);
    const reasoning = closedLength(this.waitingReasoning);
    if (output + reasoning === 0) return;
    const pieces = [this.waitingOutput.slice(0, output), this.waitingReasoning.slice(0, reasoning)] as const;
    this.counting = this.countAfter(this.counting, ...pieces);
    // Runs in the background: only a caller of `total` sees its failure.
    this.note(this.counting, ...pieces).catch(() => undefined);
    this.waitingOutput = this.waitingOutput.slice(output);
    this.waitingReasoning = this.waitingReasoning.slice(reasoning);
  }

  /** Stores a count when it is done; text that could not be counted stays in bytes. */
  private async note(counting: Promise<TextTokens>, output: string, reasoning: string): Promise<void> {
    const { closed } = this;
    const bytes = { output: tokenBound(output), reasoning: tokenBound(reasoning) };
    closed.bytes.output += bytes.output;
    closed.bytes.reasoning += bytes.reasoning;
    closed.counted = await counting;
    closed.bytes.output -= bytes.output;
    closed.bytes.reasoning -= bytes.reasoning;
  }

  private async countAfter(
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

  /** Counts a text of any length; above its limit the counter would estimate the rest. */
  private async countWhole(text: string): Promise<number> {
    if (text.length <= maxAtOnce) return this.count(text, this.model);
    let tokens = 0;
    for (let at = 0; at < text.length; at += maxAtOnce) {
      tokens += await this.count(text.slice(at, at + maxAtOnce), this.model);
    }
    return tokens;
  }

  /** The total of all that was added. */
  async total(): Promise<DeliveredTokens> {
    const { output, reasoning } = await this.countAll();
    return { ...this.estimatedMedia, output: output + this.uncounted, reasoning };
  }

  /** Counts all stored text, and that of `more`, which is not added. */
  private countAll(more?: DeliveredText): Promise<TextTokens> {
    if (this.waitingOutput.length + this.waitingReasoning.length > shortText) this.countClosed();
    return this.countAfter(
      this.counting,
      this.waitingOutput + (more?.output ?? ''),
      this.waitingReasoning + (more?.reasoning ?? ''),
    );
  }

  /**
   * The count so far if `total` rejects: the finished counts, and one token for each byte of the rest; at most the
   * upper bound.
   */
  get known(): DeliveredTokens {
    const { counted, bytes } = this.closed;
    const output = counted.output + bytes.output + tokenBound(this.waitingOutput) + this.uncounted;
    const reasoning = Math.min(
      this.bound,
      counted.reasoning + bytes.reasoning + tokenBound(this.waitingReasoning),
    );
    return { ...this.estimatedMedia, output: Math.min(output, this.bound - reasoning), reasoning };
  }
}

/**
 * The position up to which a text can be counted now: before the last space between two letters, or after the last
 * line end before a letter. Every vocabulary starts a new token there, so that the parts have the same count as the
 * whole.
 */
function closedLength(text: string): number {
  const from = Math.max(0, text.length - maxOpenChars);
  for (let at = text.length - 1; at > from; at -= 1) {
    if (!isLetter(text.charCodeAt(at))) continue;
    const before = text.charCodeAt(at - 1);
    if (before === 0x0a) return at;
    if (before === 0x20 && at > 1 && isLetter(text.charCodeAt(at - 2))) return at - 1;
  }
  return text.length > maxUnbrokenChars ? text.length : 0;
}

const isLetter = (unit: number): boolean => (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;

/** The number of charged images: those of the answer, at most as many as were requested. */
const chargedImages = (calls: number, images: number | undefined): number => Math.min(images ?? calls, calls);

/** The units of an answer that are counted one by one. */
type AnswerUnits = Pick<AnswerEnd, 'images' | 'searchUnits'>;

/**
 * Factors of a price per call beyond the usage: the number of images, and the factor of their size and quality; or the
 * search units of a reranking (docs/compatibility.md#charge). At most the requested number of `answered` units counts;
 * before the call it is absent, and all requested units count.
 */
export function extrasOf(
  { media, searchUnits }: Pick<RequestFacts, 'media' | 'searchUnits'>,
  snapshot: Pick<PriceSnapshot, 'mode'>,
  answered?: AnswerUnits,
): PriceExtras | undefined {
  // Also if the model is sold by the token: the operator's cost may be by the unit.
  if (searchUnits !== undefined) return searchExtras(searchUnits, answered);
  if (media?.answer !== 'images' || snapshot.mode !== 'call') return undefined;
  return { calls: chargedImages(media.calls, answered?.images), factor: media.factor };
}

/** A vendor that reports no search units charges one call. */
function searchExtras(held: number, answered: AnswerUnits | undefined): PriceExtras | undefined {
  const units = answered ? answered.searchUnits : held;
  return units === undefined ? undefined : { calls: Math.min(units, held) };
}

/** The held price of input for the cache, if it exceeds plain input. */
function inputAs(
  { cacheWrite }: RequestFacts,
  { cacheWriteRatio, cacheWrite1hRatio }: PriceSnapshot,
): PriceExtras['inputAs'] {
  if (cacheWrite === '1h' && cacheWrite1hRatio > Math.max(1, cacheWriteRatio)) return 'cacheWrite1h';
  return cacheWrite && cacheWriteRatio > 1 ? 'cacheWrite5m' : undefined;
}

/**
 * The same for a hold, which covers `uses` of tools, writes to a cache, and the dearest tier if
 * the caller may be served by it.
 */
export function holdExtrasOf(
  facts: RequestFacts,
  snapshot: PriceSnapshot,
  uses: ToolUses | undefined,
): PriceExtras | undefined {
  const extras = extrasOf(facts, snapshot);
  const tier = facts.mayCostMore && dearestTier(snapshot);
  const written = facts.cacheWrite && inputAs(facts, snapshot);
  if (tier === undefined && !uses && !written) return extras;
  return {
    ...extras,
    ...(tier !== undefined && { tier }),
    ...(uses && { uses }),
    ...(written && { inputAs: written }),
  };
}

/** Usage that the vendor did not report, and how it was determined. */
export interface ComputedUsage {
  usage: Usage;
  source: 'counted' | 'estimated';
}

/**
 * The usage of a call for images or sound, computed from its request; undefined if text has to be counted. An image that
 * had begun to arrive when its answer broke off is charged in full by the vendor's table, because what was delivered of
 * it cannot be taken back and its usage comes last (docs/money.md).
 */
export function mediaUsage(
  { media, estimatedInputTokens, maxOutputTokens }: RequestFacts,
  { images }: Pick<AnswerEnd, 'images'>,
  reason: EndReason,
  /** Bytes of the answer that were delivered, or are about to be. */
  answerBytes: number,
): ComputedUsage | undefined {
  if (media?.answer !== 'images') return soundUsage(media, answerBytes);
  const count = chargedImages(media.calls, images);
  if (reason === 'complete' || count === 0) return { usage: usageOf({ input: count }), source: 'counted' };
  const imageOutput = count * maxOutputTokens;
  return { usage: usageOf({ input: estimatedInputTokens, imageOutput }), source: 'estimated' };
}

/**
 * Sound by its length, or by its characters. If a file's header gives a length too short for its transcript, the header
 * is wrong or in a format that only the vendor can read: the transcript then gives a lower bound of the length.
 */
function soundUsage(media: RequestFacts['media'], answerBytes: number): ComputedUsage | undefined {
  if (media?.inputTokens === undefined) return undefined;
  const minTokens = Math.floor(answerBytes * (media.tokensPerByte ?? 0));
  const isEstimate = media.isEstimate === true || minTokens > media.inputTokens;
  return {
    usage: usageOf({ input: Math.max(media.inputTokens, minTokens) }),
    source: isEstimate ? 'estimated' : 'counted',
  };
}

/** Output tokens of images and sound, in the units of their prices. */
export interface MediaTokens {
  imageOutput: number;
  audioOutput: number;
}

/** Tokens per second of sound by the vendor with the highest number: Google and Alibaba count 25, OpenAI 20. */
const maxPerSecond = 25;
const openaiPerSecond = 20;
const openaiModel = /^(gpt|o\d|chatgpt)/;

/** Upper bound of the tokens of images and sound: sizes holds, never bills. */
const mediaTokenBound = (media: DeliveredMedia): MediaTokens => ({
  imageOutput: media.imageTokens,
  audioOutput: Math.ceil(media.soundSeconds * maxPerSecond),
});

/** The charge if the vendor reports nothing. */
const estimatedMediaTokens = (media: DeliveredMedia, model: string): MediaTokens => ({
  imageOutput: media.imageTokens,
  audioOutput: Math.ceil(media.soundSeconds * (openaiModel.test(model) ? openaiPerSecond : maxPerSecond)),
});

/** The sum of two. */
export function addedMedia(
  first: DeliveredMedia | undefined,
  second: DeliveredMedia | undefined,
): DeliveredMedia | undefined {
  if (!first || !second) return first ?? second;
  return {
    imageTokens: first.imageTokens + second.imageTokens,
    soundSeconds: first.soundSeconds + second.soundSeconds,
  };
}

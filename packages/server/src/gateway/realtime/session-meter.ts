import { type Usage, type UsageCounter, usageCounters, usageOf } from '@tollgate/contract';
import type { ResponsePiece } from '../../relay/realtime/events.ts';
import { maxSoundTokens, type SessionFacts, soundTokens } from '../../relay/realtime/sound.ts';
import type { RealtimeWire } from '../../relay/realtime/wire.ts';
import type { GatewayDeps } from '../call/index.ts';
import { Meter, tokenBound } from '../hold/index.ts';

/** Responses counted separately at once; if a session starts more, they are counted together. */
const maxOpen = 64;

/** Characters of one event that are stored for counting; the rest counts as four characters per token. */
const maxCountedChars = 1_000_000;

/** The delivered parts of one response. */
interface Delivered {
  text: Meter;
  soundBytes: number;
  searches: number;
  /** Unix ms. */
  startedAt: number;
  /** Unix ms of the first piece; 0 if there was none. */
  firstPieceAt: number;
  /** True if nothing but its usage may follow. */
  isOver: boolean;
}

const noPiece = { text: '', soundBytes: 0 };

/** What a session needs to know for counting. */
interface Counting extends Pick<RealtimeWire, 'formats' | 'tokensPerImage'> {
  /** The conversation that the session continues; absent for a new one. */
  context?: Usage | undefined;
}

/** A finished or broken response, with the data that Tollgate can determine. */
export interface Counted {
  usage: Usage;
  /** The counters that could not be counted. */
  estimates: readonly UsageCounter[];
  /** True if any piece of it reached the caller. */
  isDelivered: boolean;
  /** False if the upstream did not announce it before its end. */
  wasAnnounced: boolean;
  startedAt: number;
  firstPieceAt: number;
}

/**
 * Counts the data of a session: for the hold while a response runs, and for bills without a vendor's usage. New input
 * is counted once, with the next response that ends. What the conversation already contains is known from the usage
 * of the previous response and only sizes the hold.
 */
export class SessionMeter {
  private readonly model: string;
  private readonly count: GatewayDeps['countTokens'];
  private readonly now: () => number;
  private readonly open = new Map<string, Delivered>();
  private newInput: Meter;
  private newSoundBytes = 0;
  private shownImages = 0;
  /** Responses that were requested and have not started. */
  private requested = 0;
  private formats: RealtimeWire['formats'];
  private readonly tokensPerImage: number;
  /** The conversation so far, as the next response will read it. */
  private context: Usage;

  constructor(model: string, count: GatewayDeps['countTokens'], now: () => number, counting: Counting) {
    this.model = model;
    this.count = count;
    this.now = now;
    this.formats = counting.formats;
    this.tokensPerImage = counting.tokensPerImage;
    this.context = counting.context ?? usageOf();
    this.newInput = new Meter(model, count);
  }

  /** True while a response is running. */
  get isAnswering(): boolean {
    for (const { isOver } of this.open.values()) if (!isOver) return true;
    return false;
  }

  setFormats({ input, output }: SessionFacts): void {
    this.formats = { input: input ?? this.formats.input, output: output ?? this.formats.output };
  }

  addInput(words: string, soundBytes: number, images = 0): void {
    const output = words.slice(0, maxCountedChars);
    const omitted = words.length - output.length;
    if (words !== '') this.newInput.add({ output, reasoning: '', toolCalls: 0, omitted });
    this.newSoundBytes += soundBytes;
    this.shownImages += images;
  }

  /** A response was requested: it will read the conversation, even if other responses are running. */
  requestResponse(): void {
    this.requested += 1;
  }

  /** A requested response was refused. */
  requestRefused(): void {
    this.requested = Math.max(0, this.requested - 1);
  }

  /** Audio that the caller removes again. */
  clearSound(): void {
    this.newSoundBytes = 0;
  }

  startResponse(responseId: string): void {
    this.requestRefused();
    this.openResponse(responseId);
  }

  deliver({ responseId, text, soundBytes, searches, isLast }: ResponsePiece): void {
    const response = this.openResponse(responseId);
    response.firstPieceAt ||= this.now();
    response.soundBytes += soundBytes;
    response.searches = searches ?? response.searches;
    response.isOver = isLast === true;
    if (text !== '') response.text.add({ output: text, reasoning: '', toolCalls: 0, omitted: 0 });
  }

  private openResponse(responseId: string): Delivered {
    const id = this.open.has(responseId) || this.open.size < maxOpen ? responseId : '';
    let response = this.open.get(id);
    if (!response) {
      const text = new Meter(this.model, this.count);
      response = {
        text,
        soundBytes: 0,
        searches: 0,
        startedAt: this.now(),
        firstPieceAt: 0,
        isOver: false,
      };
      this.open.set(id, response);
    }
    return response;
  }

  /**
   * The most that the running responses will have used, including this piece: sizes their hold, never bills. Without a
   * piece, what the upstream may charge once it has the input.
   */
  maxUsageWith(piece: Pick<ResponsePiece, 'text' | 'soundBytes' | 'searches'> = noPiece): Usage {
    let output = tokenBound(piece.text);
    let audioOutput = maxSoundTokens(piece.soundBytes, this.formats.output);
    let webSearchCalls = piece.searches ?? 0;
    for (const each of this.open.values()) {
      output += each.text.upperBound;
      audioOutput += maxSoundTokens(each.soundBytes, this.formats.output);
      webSearchCalls += each.searches;
    }
    return { ...this.nextInput(), output, audioOutput, webSearchCalls };
  }

  /**
   * Replaces the upper bound by a count, if the bound exceeds the hold; text that cannot be counted keeps its bound.
   */
  async refine(): Promise<void> {
    const meters = [this.newInput, ...Array.from(this.open.values(), ({ text }) => text)];
    await Promise.allSettled(meters.map((meter) => meter.refine()));
  }

  /**
   * The input of the running, the requested and the next responses: each reads the whole conversation and all new
   * input.
   */
  nextInput(): Usage {
    const times = Math.max(1, this.open.size + this.requested);
    const { context, newInput } = this;
    const single = usageOf({
      ...context,
      input: context.input + newInput.upperBound,
      imageInput: context.imageInput + this.shownImages * this.tokensPerImage,
      audioInput: context.audioInput + soundTokens(this.newSoundBytes, this.formats.input, 'input'),
    });
    const all = usageOf();
    for (const counter of usageCounters) all[counter] = single[counter] * times;
    return all;
  }

  /** Ends a response and removes it. With a vendor's usage the input is known; otherwise it is the new input. */
  async finish(responseId: string, usage: Usage | undefined): Promise<Counted> {
    const id = this.open.has(responseId) ? responseId : '';
    const response = this.open.get(id);
    // Some upstreams announce a response only at its end.
    if (!response) this.requestRefused();
    this.open.delete(id);
    const isDelivered = response !== undefined && response.firstPieceAt > 0;
    const startedAt = response?.startedAt ?? this.now();
    const firstPieceAt = response?.firstPieceAt ?? 0;
    const counted = usage || !isDelivered ? known(usage) : await this.countUsage([response]);
    if (usage || isDelivered) {
      // The input is part of the conversation from now on, and so is the answer.
      this.context = conversationAfter(counted.usage, usage ? usageOf() : this.context);
      this.newInput = new Meter(this.model, this.count);
      this.newSoundBytes = 0;
      this.shownImages = 0;
    }
    return { ...counted, isDelivered, wasAnnounced: response !== undefined, startedAt, firstPieceAt };
  }

  /** Ends all running responses as one: the session is over. */
  async finishAll(): Promise<Counted> {
    const all = [...this.open.values()];
    this.open.clear();
    const isDelivered = all.some((each) => each.firstPieceAt > 0);
    const startedAt = Math.min(this.now(), ...all.map((each) => each.startedAt));
    const firstPieceTimes = all.map((each) => each.firstPieceAt).filter((at) => at > 0);
    const firstPieceAt = isDelivered ? Math.min(...firstPieceTimes) : 0;
    const counted = isDelivered ? await this.countUsage(all) : known(undefined);
    return { ...counted, isDelivered, wasAnnounced: all.length > 0, startedAt, firstPieceAt };
  }

  /** Delivered output of all running responses; undefined if it cannot be counted. */
  async countDelivered(): Promise<Usage | undefined> {
    const { usage, estimates } = await this.countUsage([...this.open.values()]);
    return estimates.length === 0 ? usage : undefined;
  }

  /**
   * The new input and the delivered output, counted. If the rest cannot be counted, its bytes are used.
   */
  private async countUsage(responses: readonly Delivered[]): Promise<Pick<Counted, 'usage' | 'estimates'>> {
    const input = await countSessionTokens(this.newInput);
    const outputs: TokenCount[] = [];
    for (const { text } of responses) outputs.push(await countSessionTokens(text));
    const soundBytes = responses.reduce((sum, each) => sum + each.soundBytes, 0);
    const usage = usageOf({
      input: input.tokens,
      audioInput: soundTokens(this.newSoundBytes, this.formats.input, 'input'),
      output: outputs.reduce((sum, { tokens }) => sum + tokens, 0),
      audioOutput: soundTokens(soundBytes, this.formats.output, 'output'),
      webSearchCalls: responses.reduce((sum, each) => sum + each.searches, 0),
    });
    const estimates: UsageCounter[] = [];
    if (!outputs.every(({ isCounted }) => isCounted)) estimates.push('output');
    if (!input.isCounted) estimates.push('input');
    return { usage, estimates };
  }
}

/** The conversation that a response reads after another one with this usage. */
export const conversationAfter = (usage: Usage, before = usageOf()): Usage =>
  usageOf({
    input: before.input + usage.input + usage.output,
    cacheRead: before.cacheRead + usage.cacheRead,
    imageInput: before.imageInput + usage.imageInput,
    audioInput: before.audioInput + usage.audioInput + usage.audioOutput,
  });

/** Tokens of a text, and whether they could be counted. */
interface TokenCount {
  tokens: number;
  isCounted: boolean;
}

async function countSessionTokens(meter: Meter): Promise<TokenCount> {
  try {
    return { tokens: (await meter.total()).output, isCounted: true };
  } catch {
    return { tokens: meter.known.output, isCounted: false };
  }
}

const known = (usage: Usage | undefined): Pick<Counted, 'usage' | 'estimates'> => ({
  usage: usage ?? usageOf(),
  estimates: [],
});

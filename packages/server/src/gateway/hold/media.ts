import {
  dearestTier,
  type PriceExtras,
  type PriceSnapshot,
  type ToolUses,
  type Usage,
  usageOf,
} from '@tollgate/contract';
import type { AnswerEnd, RequestFacts } from '../../relay/types/index.ts';
import type { EndReason } from '../call/index.ts';

/** The number of charged images: those of the answer, at most as many as were requested. */
const chargedImages = (calls: number, images: number | undefined): number => Math.min(images ?? calls, calls);

/** The units of an answer that are counted one by one. */
type AnswerUnits = Pick<AnswerEnd, 'images' | 'searchUnits'>;

/**
 * What a price per call depends on beyond the usage: the number of images, and the factor of their size and quality; or
 * the search units of a reranking (docs/compatibility.md#charge). Of the `answered` units no more count than were
 * requested; before the call it is absent, and all requested units count.
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

/** What input is held as that is written to a cache, if that costs more than plain input. */
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

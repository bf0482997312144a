import { dearestTier, type PriceExtras, type PriceSnapshot, type Usage, usageOf } from '@tollgate/contract';
import type { AnswerEnd, RequestFacts } from '../../relay/types/index.ts';
import type { EndReason } from '../call/index.ts';

/** The images that are charged: those of the answer, at most as many as were asked for. */
const chargedImages = (calls: number, images: number | undefined): number => Math.min(images ?? calls, calls);

/** What of an answer is counted by the piece. */
type Pieces = Pick<AnswerEnd, 'images' | 'searchUnits'>;

/**
 * What a price per call depends on beyond the usage: the number of images, and the factor of their size and quality; or
 * the search units of a reranking (docs/compatibility.md#charge). Of what `came` no more counts than was asked for;
 * before the call it is absent, and all that was asked for counts.
 */
export function extrasOf(
  { media, searchUnits }: Pick<RequestFacts, 'media' | 'searchUnits'>,
  snapshot: Pick<PriceSnapshot, 'mode'>,
  came?: Pieces,
): PriceExtras | undefined {
  // Sold by the token, too: what it cost the operator has a price per call all the same.
  if (searchUnits !== undefined) return searchExtras(searchUnits, came);
  if (media?.answer !== 'images' || snapshot.mode !== 'call') return undefined;
  return { calls: chargedImages(media.calls, came?.images), factor: media.factor };
}

/** A vendor that counts no search units makes one call of it. */
function searchExtras(held: number, came: Pieces | undefined): PriceExtras | undefined {
  const units = came ? came.searchUnits : held;
  return units === undefined ? undefined : { calls: Math.min(units, held) };
}

/** The same for a hold, which covers the dearest tier where the caller may be served by it. */
export function holdExtrasOf(facts: RequestFacts, snapshot: PriceSnapshot): PriceExtras | undefined {
  const extras = extrasOf(facts, snapshot);
  const tier = facts.mayCostMore && dearestTier(snapshot);
  return tier === undefined ? extras : { ...extras, tier };
}

/** Usage that nobody reported, and how it was found. */
export interface OwnUsage {
  usage: Usage;
  source: 'counted' | 'estimated';
}

/**
 * What a call for images or sound used, as its request tells it; undefined where text has to be counted. An image that
 * had begun to arrive when its answer broke off is charged as a whole one by the vendor's table, because what was
 * shown of it cannot be taken back and its usage comes last (docs/money.md).
 */
export function mediaUsage(
  { media, estimatedInputTokens, maxOutputTokens }: RequestFacts,
  { images }: Pick<AnswerEnd, 'images'>,
  reason: EndReason,
  /** Bytes of the answer that were delivered, or are about to be. */
  answerBytes: number,
): OwnUsage | undefined {
  if (media?.answer !== 'images') return heardUsage(media, answerBytes);
  const count = chargedImages(media.calls, images);
  if (reason === 'complete' || count === 0) return { usage: usageOf({ input: count }), source: 'counted' };
  const imageOutput = count * maxOutputTokens;
  return { usage: usageOf({ input: estimatedInputTokens, imageOutput }), source: 'estimated' };
}

/**
 * Sound by its length, or by its letters. A file whose head tells less than was written down from it has lied, or was
 * understood by its vendor alone: its transcript tells how long it was at least.
 */
function heardUsage(media: RequestFacts['media'], answerBytes: number): OwnUsage | undefined {
  if (media?.inputTokens === undefined) return undefined;
  const proven = Math.floor(answerBytes * (media.tokensPerByte ?? 0));
  const isEstimate = media.isEstimate === true || proven > media.inputTokens;
  return {
    usage: usageOf({ input: Math.max(media.inputTokens, proven) }),
    source: isEstimate ? 'estimated' : 'counted',
  };
}

import { quotaOf, type Usage, usageCounters, usageOf } from '@tollgate/contract';
import type { TokenCounter } from '../../lib/token-count/token-counter.ts';
import { countText } from '../../relay/token-count.ts';
import type { Ledger } from '../../services/money/ledger/index.ts';
import { addPerson, unique } from '../../services/money/ledger/testing/test-bed.ts';
import type { Store } from '../../store/index.ts';
import { type PlayedCall, playCall } from './deliver-stream.ts';
import { answerEvents, type Piece, type TextProtocol } from '../upstream/answer-events.ts';
import type { AnswerMedia } from '../upstream/answer-media.ts';
import { type EventContent, contentOfEvents } from '../upstream/content-of-events.ts';

const tokensPerCall = 7;

/** Tokens of a second of audio, and of an image of 1,024 by 1,024, at the vendors with the highest counts. */
const tokensPerSecond = 25;
const tokensPerImage = (upstream: TextProtocol): number => (upstream === 'gemini' ? 1_290 : 4_160);

const isImage = ({ kind }: AnswerMedia): boolean => kind === 'image';
const isSound = ({ kind }: AnswerMedia): boolean => kind === 'sound';

/** A vendor's count for this part of its answer. */
async function readOutput(
  counter: TokenCounter,
  content: EventContent,
  upstream: TextProtocol,
  model: string,
): Promise<Partial<Usage>> {
  const { output, reasoning, calls, media } = content;
  const counts = [output, reasoning].map((text) => countText(counter, text, model));
  const text = (await Promise.all(counts)).reduce((sum, tokens) => sum + tokens, calls * tokensPerCall);
  const seconds = media
    .filter(isSound)
    .reduce((sum, { base64 }) => sum + Buffer.byteLength(base64, 'base64') / 48_000, 0);
  return {
    output: text,
    imageOutput: media.filter(isImage).length * tokensPerImage(upstream),
    audioOutput: Math.ceil(seconds * tokensPerSecond),
  };
}

/** A streamed call, the cuts of its answer and its initial balance (quota units). */
export interface Scene extends Pick<PlayedCall, 'caller' | 'upstream' | 'model' | 'prompt' | 'snapshot'> {
  pieces: readonly Piece[];
  /** Cuts the bytes of an answer into reads. */
  cut(wire: Buffer): Buffer[];
  balance: number;
}

/** Ledger and token counter for the calls. */
export interface Bench {
  store: Store;
  ledger: Ledger;
  counter: TokenCounter;
}

/** Runs a call on the real ledger and returns descriptions of its faults. */
export async function readFaults({ store, ledger, counter }: Bench, scene: Scene): Promise<string[]> {
  const { caller, upstream, pieces, model, snapshot, balance } = scene;
  const all = contentOfEvents(upstream, answerEvents[upstream]({ pieces, input: 0, output: 0 }).join(''));
  const whole = await readOutput(counter, all, upstream, model);
  const reported = usageCounters.reduce((sum, name) => sum + (whole[name] ?? 0), 0);
  const reads = (input: number): Buffer[] =>
    scene.cut(Buffer.from(answerEvents[upstream]({ pieces, input, output: reported }).join('')));
  const person = await addPerson(store, ledger, { balance });
  const { accountId, userId, tokenId } = person;
  const payer = { accountId, userId, tokenId };
  const played = await playCall({ ledger, counter }, payer, unique('r'), { ...scene, reads });
  if (!played) return [];
  const cost = (output: Partial<Usage>): number =>
    quotaOf(usageOf({ ...output, input: played.input }), snapshot);
  const faults: string[] = [];
  if (cost({}) > played.heldAtStart)
    faults.push(`a prompt of ${cost({})} would be sent on ${played.heldAtStart}`);
  let written = '';
  let delivered: Partial<Usage> = {};
  let content: EventContent = { output: '', reasoning: '', calls: 0, media: [] };
  for (const { bytes, held } of played.writes) {
    written += bytes.toString().replaceAll('\r', '');
    content = contentOfEvents(caller, wholeEvents(written));
    delivered = await readOutput(counter, content, upstream, model);
    if (cost(delivered) > held) faults.push(`${cost(delivered)} had been delivered on ${held}`);
  }
  // Some protocols write calls after the text, so only lengths are compared.
  const expected = { ...all, media: all.media.filter((one) => isCarried(one, scene)) };
  if (played.isWhole !== (lengthOf(content) === lengthOf(expected)))
    faults.push(`${lengthOf(content)} of ${lengthOf(expected)} characters: whole ${played.isWhole}`);
  if (!played.isWhole && balance >= cost(whole) + slackOf(scene))
    faults.push('cut although the balance was enough');
  const read = contentOfEvents(upstream, wholeEvents(played.read.toString()));
  const heldFor = isKeptBack(scene, read) ? cost(await readOutput(counter, read, upstream, model)) : 0;
  const least =
    Math.max(cost(delivered), heldFor) +
    Math.max(...pieces.map((piece) => costOfPiece(piece, scene))) +
    slackOf(scene);
  if (!played.isWhole && least < balance) faults.push(`cut at ${cost(delivered)} of a balance of ${balance}`);
  return faults;
}

const wholeEvents = (text: string): string => text.slice(0, text.lastIndexOf('\n\n') + 2);

/**
 * No chunk marks a call's arguments as complete, so a translated call, or the content after it, may wait for the end. The
 * hold covers waiting content when it is read.
 */
const isKeptBack = ({ caller, upstream }: Scene, { calls }: EventContent): boolean =>
  caller !== upstream && calls > 0;

/** False for content that the caller's protocol cannot express; translation omits it. */
const isCarried = ({ kind }: AnswerMedia, { caller, upstream }: Scene): boolean =>
  kind === 'image' || caller === upstream || caller === 'openai-chat' || caller === 'gemini';

const lengthOf = ({ output, reasoning, media }: EventContent): number =>
  output.length + reasoning.length + media.reduce((sum, { base64 }) => sum + base64.length, 0);

/** Maximum hold for a piece, by its bytes, its pixels or its length. */
function costOfPiece(piece: Piece, { upstream, snapshot }: Scene): number {
  const price = (output: Partial<Usage>): number => quotaOf(usageOf(output), snapshot);
  if (typeof piece === 'string' || !('media' in piece))
    return price({ output: Buffer.byteLength(JSON.stringify(piece)) });
  const { kind, base64 } = piece.media;
  if (kind === 'image') return price({ imageOutput: tokensPerImage(upstream) });
  return price({ audioOutput: Math.ceil((base64.length / 64_000) * tokensPerSecond) });
}

/** Allowance for text between pieces, and for partial images, which are not in the final content. */
const slackOf = ({ snapshot, pieces, upstream }: Scene): number => {
  const drawn =
    upstream === 'openai-responses' ? pieces.filter((one) => typeof one === 'object' && 'media' in one) : [];
  return quotaOf(usageOf({ output: 40 + drawn.length * 100 }), snapshot);
};

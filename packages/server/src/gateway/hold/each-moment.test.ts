import { quotaOf, type Usage, usageCounters, usageOf } from '@tollgate/contract';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import { countText } from '../../relay/token-count.ts';
import { addPerson, openLedger, unique } from '../../services/ledger/testing/test-bed.ts';
import { migrate, openStore, type Store } from '../../store/index.ts';
import { buildPrice } from '../../testing/build-price.ts';
import { type PlayedCall, playCall } from '../../testing/deliver-stream.ts';
import { answerEvents, type Piece, type TextProtocol } from '../../testing/upstream/answer-events.ts';
import { type AnswerMedia, imageOf, soundOf } from '../../testing/upstream/answer-media.ts';
import { type EventContent, contentOfEvents } from '../../testing/upstream/content-of-events.ts';

// At every single write to a caller what they have by then is held for: words, thoughts and calls, in every protocol,
// however the upstream's bytes are cut into reads, whatever the text, the vocabulary, the prices and the balance.

const pairs: [caller: TextProtocol, upstream: TextProtocol][] = [
  ['openai-chat', 'openai-chat'],
  ['openai-completions', 'openai-completions'],
  ['openai-responses', 'openai-responses'],
  ['anthropic-messages', 'anthropic-messages'],
  ['gemini', 'gemini'],
  ['openai-chat', 'anthropic-messages'],
  ['openai-chat', 'gemini'],
  ['openai-responses', 'openai-chat'],
  ['openai-responses', 'anthropic-messages'],
  ['openai-responses', 'gemini'],
  ['anthropic-messages', 'openai-chat'],
  ['anthropic-messages', 'gemini'],
  ['gemini', 'openai-chat'],
  ['gemini', 'anthropic-messages'],
];
/** One model for each vocabulary that is built in. */
const models = ['gpt-4o-any', 'gpt-4-any'];
const tokensPerCall = 7;

const counter = createTokenCounter();
let store: Store;
let ledger: ReturnType<typeof openLedger>;

beforeAll(async () => {
  store = await openStore({ url: 'sqlite::memory:' });
  await migrate(store);
  ledger = openLedger(store);
});
afterAll(async () => {
  await ledger.close();
  await store.close();
  await counter.close();
});

/** Tokens of a second of sound, and of an image of 1,024 by 1,024, by the vendors that count most. */
const tokensPerSecond = 25;
const tokensPerImage = (upstream: TextProtocol): number => (upstream === 'gemini' ? 1_290 : 4_160);

const isImage = ({ kind }: AnswerMedia): boolean => kind === 'image';
const isSound = ({ kind }: AnswerMedia): boolean => kind === 'sound';

/** What a vendor counts for so much of its answer. */
async function outputOf(
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

interface Scene extends Pick<PlayedCall, 'caller' | 'upstream' | 'model' | 'prompt' | 'snapshot'> {
  pieces: readonly Piece[];
  /** Cuts the bytes of an answer into reads. */
  cut(wire: Buffer): Buffer[];
  balance: number;
}

/** Plays a call and answers what is wrong with it, in words. */
async function faultsOf(scene: Scene): Promise<string[]> {
  const { caller, upstream, pieces, model, snapshot, balance } = scene;
  const all = contentOfEvents(upstream, answerEvents[upstream]({ pieces, input: 0, output: 0 }).join(''));
  const whole = await outputOf(all, upstream, model);
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
  let read = '';
  let delivered: Partial<Usage> = {};
  let content: EventContent = { output: '', reasoning: '', calls: 0, media: [] };
  for (const { bytes, held } of played.writes) {
    read += bytes.toString().replaceAll('\r', '');
    content = contentOfEvents(caller, read.slice(0, read.lastIndexOf('\n\n') + 2));
    delivered = await outputOf(content, upstream, model);
    if (cost(delivered) > held) faults.push(`${cost(delivered)} had been delivered on ${held}`);
  }
  // Some protocols write calls behind the text, so that lengths are compared.
  const expected = { ...all, media: all.media.filter((one) => isCarried(one, scene)) };
  if (played.isWhole !== (lengthOf(content) === lengthOf(expected)))
    faults.push(`${lengthOf(content)} of ${lengthOf(expected)} characters: whole ${played.isWhole}`);
  if (!played.isWhole && balance >= cost(whole) + slackOf(scene))
    faults.push('cut although the balance was enough');
  const least =
    cost(delivered) + Math.max(...pieces.map((piece) => costOfPiece(piece, scene))) + slackOf(scene);
  if (!played.isWhole && least < balance) faults.push(`cut at ${cost(delivered)} of a balance of ${balance}`);
  return faults;
}

/** What a protocol has no place for is left out in translation. */
const isCarried = ({ kind }: AnswerMedia, { caller, upstream }: Scene): boolean =>
  kind === 'image' || caller === upstream || caller === 'openai-chat' || caller === 'gemini';

const lengthOf = ({ output, reasoning, media }: EventContent): number =>
  output.length + reasoning.length + media.reduce((sum, { base64 }) => sum + base64.length, 0);

/** What is held for a piece at most, by its bytes, its pixels or its length. */
function costOfPiece(piece: Piece, { upstream, snapshot }: Scene): number {
  const price = (output: Partial<Usage>): number => quotaOf(usageOf(output), snapshot);
  if (typeof piece === 'string' || !('media' in piece))
    return price({ output: Buffer.byteLength(JSON.stringify(piece)) });
  const { kind, base64 } = piece.media;
  if (kind === 'image') return price({ imageOutput: tokensPerImage(upstream) });
  return price({ audioOutput: Math.ceil((base64.length / 64_000) * tokensPerSecond) });
}

/** Words between pieces, and the marks of an image before it is finished, which nobody reads in the end. */
const slackOf = ({ snapshot, pieces, upstream }: Scene): number => {
  const drawn =
    upstream === 'openai-responses' ? pieces.filter((one) => typeof one === 'object' && 'media' in one) : [];
  return quotaOf(usageOf({ output: 40 + drawn.length * 100 }), snapshot);
};

/** Every event's end and the bytes beside it, the first bytes of images and sound, and a comb between them. */
function positionsIn(wire: Buffer, teeth = 97): number[] {
  const positions = new Set<number>();
  for (let at = wire.indexOf('\n\n'); at >= 0; at = wire.indexOf('\n\n', at + 2))
    for (const near of [at, at + 1, at + 2]) positions.add(near);
  for (const mark of ['"audio"', '"images"', 'inlineData"', 'nse.audio.', 'image_generation'])
    for (let at = wire.indexOf(mark); at >= 0; at = wire.indexOf(mark, at + 1)) positions.add(at + 4);
  for (let at = 31; at < wire.length; at += teeth) positions.add(at);
  return [...positions].filter((at) => at < wire.length);
}

const pieces: Piece[] = [
  { thought: 'Let me ' },
  { thought: '龘靐, 1,2,3;' },
  'Sure: ',
  '\u{1F9D1}\u200D\u{1F680}',
  'const a=[[0]];',
  ' and so on\n\n',
  { call: 'look_up', args: ['{"city":', '"Paris, 7"', '}'] },
  { call: 'wait', args: ['{}'] },
];

describe.each(pairs)('a stream to %s from %s', (caller, upstream) => {
  const answer = upstream === 'openai-completions' ? pieces.filter((one) => typeof one === 'string') : pieces;
  const model = models[0]!;

  it('is held for before it is delivered, cut in two reads anywhere, on balances of all sizes', async () => {
    const snapshot = buildPrice();
    const wire = Buffer.from(answerEvents[upstream]({ pieces: answer, input: 99, output: 99 }).join(''));
    for (const balance of [50, 75, 110, 1_000]) {
      for (const at of positionsIn(wire)) {
        const cut = (all: Buffer): Buffer[] => [all.subarray(0, at), all.subarray(at)];
        const scene = {
          caller,
          upstream,
          model,
          prompt: 'Say 1,2,3;',
          snapshot,
          pieces: answer,
          cut,
          balance,
        };
        expect(await faultsOf(scene), `cut at ${at} on ${balance}`).toEqual([]);
      }
    }
  }, 120_000);
});

/** An answer with images of few bytes, which cost more than the bytes, and sound. */
const shown: Piece[] = [
  'Look: ',
  { media: imageOf(1_024, 1_024) },
  'and hear',
  { media: soundOf(0.11) },
  { media: soundOf(0.05) },
  { media: imageOf(1_024, 1_024) },
  ' it.',
];
const mediaPairs: [caller: TextProtocol, upstream: TextProtocol][] = [
  ['openai-chat', 'openai-chat'],
  ['openai-responses', 'openai-responses'],
  ['gemini', 'gemini'],
  ['openai-chat', 'gemini'],
  ['openai-responses', 'gemini'],
  ['openai-responses', 'openai-chat'],
  ['anthropic-messages', 'gemini'],
  ['anthropic-messages', 'openai-chat'],
  ['gemini', 'openai-chat'],
];
/** Balances and the price of sound: little, enough for some of it, enough for all; a sound above the longest hold. */
const mediaScenes = [
  { audioRatio: 10, balances: [50, 130, 1_400, 1_800, 4_500, 8_700, 50_000] },
  { audioRatio: 40_000, balances: [5_000, 80_000, 150_000, 1_000_000] },
];

describe.each(mediaPairs)('images and sound to %s from %s', (caller, upstream) => {
  it.each(mediaScenes)(
    'are held for before they are delivered, cut in two reads anywhere, on balances of all sizes',
    async ({ audioRatio, balances }) => {
      const snapshot = buildPrice({ audioRatio, audioCompletionRatio: 2 });
      const wire = Buffer.from(answerEvents[upstream]({ pieces: shown, input: 99, output: 99 }).join(''));
      const model = models[0]!;
      for (const balance of balances) {
        for (const at of positionsIn(wire, 997)) {
          const cut = (all: Buffer): Buffer[] => [all.subarray(0, at), all.subarray(at)];
          const scene = {
            caller,
            upstream,
            model,
            prompt: 'Say 1,2,3;',
            snapshot,
            pieces: shown,
            cut,
            balance,
          };
          expect(await faultsOf(scene), `cut at ${at} on ${balance}`).toEqual([]);
        }
      }
    },
    120_000,
  );
});

/** Writing of which a character has many tokens, or many characters have one. */
const writing = fc
  .oneof(
    fc.string({
      unit: fc.constantFrom('=>', '[', ']', '{', '(', ';', '\n', '  ', '"', '\\', '0', '1', ',', '\t'),
      maxLength: 30,
    }),
    fc.string({
      unit: fc.constantFrom(...Array.from('龘靐齉ሰላምကြီးབོད\u{1F9D1}\u{1F680}\u{1D54F}\u0301\u200d')),
      maxLength: 20,
    }),
    fc.string({ unit: fc.constantFrom('the', ' quick', ' fox', '.', ' runs', 'ing'), maxLength: 30 }),
    fc.base64String({ maxLength: 60 }),
    fc.string({ unit: 'grapheme', maxLength: 20 }),
  )
  .filter((text) => text.trim() !== '');
const anyPiece: fc.Arbitrary<Piece> = fc.oneof(
  { weight: 4, arbitrary: writing },
  { weight: 2, arbitrary: writing.map((thought) => ({ thought })) },
  {
    weight: 1,
    arbitrary: writing.map((text) => ({ call: 'look_up', args: ['{"q":', JSON.stringify(text), '}'] })),
  },
);

describe('any text', () => {
  it.each(pairs)(
    'is held for at each moment of its way to %s from %s',
    async (caller, upstream) => {
      const isPlain = upstream === 'openai-completions';
      const scenes = fc.record({
        model: fc.constantFrom(...models),
        prompt: fc.array(writing, { minLength: 1, maxLength: 8 }).map((parts) => parts.join(' ')),
        pieces: fc.array(isPlain ? writing : anyPiece, { minLength: 1, maxLength: 12 }),
        step: fc.integer({ min: 10, max: 3_000 }),
        balance: fc.integer({ min: 20, max: 1_500 }),
        modelRatio: fc.constantFrom(0.1, 1, 1.25, 8.333_333),
        completionRatio: fc.constantFrom(1, 4, 3.7),
      });
      await fc.assert(
        fc.asyncProperty(scenes, async ({ step, modelRatio, completionRatio, ...scene }) => {
          const cut = (wire: Buffer): Buffer[] =>
            Array.from({ length: Math.ceil(wire.length / step) }, (_, index) =>
              wire.subarray(index * step, (index + 1) * step),
            );
          const snapshot = buildPrice({ modelRatio, completionRatio });
          expect(await faultsOf({ ...scene, caller, upstream, snapshot, cut })).toEqual([]);
        }),
        { numRuns: 40 },
      );
    },
    120_000,
  );
});

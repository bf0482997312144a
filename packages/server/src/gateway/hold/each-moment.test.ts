/** @module-tag deep */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTokenCounter } from '../../lib/token-count/token-counter.ts';
import { openLedger } from '../../services/money/ledger/testing/test-bed.ts';
import { migrate, openStore, type Store } from '../../store/index.ts';
import { buildPrice } from '../../testing/build-price.ts';
import { type Bench, readFaults } from '../../testing/played/hold-faults.ts';
import { answerEvents, type Piece, type TextProtocol } from '../../testing/upstream/answer-events.ts';
import { imageOf, soundOf } from '../../testing/upstream/answer-media.ts';

// At every write to a caller, the hold covers all that the caller has received: text, thoughts and calls, in every
// protocol, for all splits of the upstream's bytes into reads and all texts, vocabularies, prices and balances.

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
/** One model for each built-in vocabulary. */
const models = ['gpt-4o-any', 'gpt-4-any'];

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

const bench = (): Bench => ({ store, ledger, counter });

/**
 * The end of every event and the adjacent bytes, the first bytes of images and sound, and evenly spaced positions
 * between them.
 */
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
        expect(await readFaults(bench(), scene), `cut at ${at} on ${balance}`).toEqual([]);
      }
    }
  }, 120_000);
});

/** An answer with sound and with images of few bytes, which cost more than the bytes. */
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
/**
 * Balances and the price of sound: a small balance, enough for a part, enough for all, and a sound above the longest
 * hold.
 */
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
          expect(await readFaults(bench(), scene), `cut at ${at} on ${balance}`).toEqual([]);
        }
      }
    },
    120_000,
  );
});

/** Scripts with many tokens per character, or many characters per token. */
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
    'is held for before each part is delivered to %s from %s',
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
          expect(await readFaults(bench(), { ...scene, caller, upstream, snapshot, cut })).toEqual([]);
        }),
        { numRuns: 40 },
      );
    },
    120_000,
  );
});

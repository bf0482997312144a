import { describe, expect, it } from 'vitest';
import {
  announcedFor,
  announcedRatios,
  defaultPrices,
  listPrice,
  modelRatioAt,
  publishedRatios,
} from '../models/index.ts';
import { isPricedIn } from '../price-book/index.ts';
import {
  audioCompletionRatioFor,
  audioRatioFor,
  cacheRatioFor,
  completionRatioFor,
  imageCompletionRatioFor,
  imageRatioFor,
  pricedName,
  webSearchPriceFor,
} from './index.ts';

describe('the default prices (docs/compatibility.md#default-prices)', () => {
  it.each([
    ['gpt-4o', 1.25],
    ['gpt-4o-mini', 0.075],
    ['claude-3-haiku-20240307', 0.125],
    ['claude-opus-4-20250514', 7.5],
    ['deepseek-chat', 0.14],
    ['ERNIE-Tiny-8K', 0.068493],
    ['whisper-1', 3],
    ['gpt-4.5-preview-2025-02-27', 37.5],
    ['glm-4-flash', 0],
    ['gpt-5', 0.625],
  ])('%s has the ratio %d', (model, ratio) => {
    expect(defaultPrices.ModelRatio[model]).toBe(ratio);
  });

  it('charge for the two models that an error in the original made free (docs/compatibility.md#deliberate-differences)', () => {
    expect(defaultPrices.ModelRatio['llama-3-sonar-large-32k-chat']).toBe(0.5);
    expect(defaultPrices.ModelRatio['llama-3-sonar-large-32k-online']).toBe(0.5);
    expect(Object.entries(defaultPrices.ModelRatio).filter(([, ratio]) => ratio === 0)).toEqual([
      ['glm-4-flash', 0],
    ]);
  });

  it('have no misspelt entry: no name is empty or has a blank, no ratio is negative', () => {
    for (const table of [
      defaultPrices.ModelRatio,
      defaultPrices.ModelPrice,
      defaultPrices.CacheRatio,
      defaultPrices.CreateCacheRatio,
    ]) {
      for (const [model, ratio] of Object.entries(table)) {
        expect(model).toMatch(/^\S+$/);
        expect(ratio).toBeGreaterThanOrEqual(0);
      }
    }
    // 181 names of A.1, and later additions.
    expect(Object.keys(defaultPrices.ModelRatio).length).toBeGreaterThan(181);
  });

  it('have a price for every model with a cache ratio', () => {
    const unpriced = Object.keys(defaultPrices.CacheRatio).filter(
      (model) => !(model in defaultPrices.ModelRatio),
    );
    expect(unpriced).toEqual([]);
  });

  it('give custom GPTs one price per family', () => {
    expect(pricedName('gpt-4-gizmo-g-abc')).toBe('gpt-4-gizmo-*');
    expect(pricedName('gpt-4o-gizmo-g-abc')).toBe('gpt-4o-gizmo-*');
    expect(pricedName('gpt-4o')).toBe('gpt-4o');
  });
});

describe('published prices of vendors', () => {
  const named = Object.keys(defaultPrices.ModelRatio).filter((model) => listPrice(model));

  it('are not where an older table has an entry', () => {
    expect(named.length).toBeGreaterThan(300);
    const { ModelRatio: _all, CreateCacheRatio: _writes, ...older } = defaultPrices;
    expect(named.filter((model) => Object.values(older).some((table) => model in table))).toEqual([]);
  });

  it.each(['sonar-pro', 'sonar-reasoning-pro', 'sonar-deep-research'])(
    '%s has no price: its vendor bills by a model that changes',
    (model) => {
      const tables = defaultPrices;
      expect(isPricedIn(tables, model)).toBe(false);
    },
  );

  it('a ratio is no price of a video or a song, which have no tokens', () => {
    const tables = {
      ModelPrice: { 'sora-2': 0.4 },
      ModelRatio: { 'sora-2-pro': 1, suno_music: 1, 'gpt-4o': 1 },
    };
    const models = ['sora-2', 'sora-2-pro', 'suno_music', 'gpt-4o'];
    expect(models.map((model) => isPricedIn(tables, model))).toEqual([true, false, false, true]);
  });

  it.each([
    ['gpt-5.4-mini', 0.375, 6, 0.1],
    ['gpt-6.2-astra', 4, 5, 0.05],
    ['gpt-6.2-sol', 1, 5, 0.05],
    ['gemini-4-neon', 1.5, 5, 0.05],
    ['gemini-4-carbon', 1, 5, 0.05],
    ['claude-fable-5-2', 4, 5, 0.025],
    ['claude-opus-5-5', 2, 5, 0.05],
    ['claude-sonnet-4-6', 1.5, 5, 0.1],
    ['gemini-3.1-pro-preview', 1, 6, 0.1],
    ['grok-4.6', 1, 3, 0.25],
    ['sonar', 0.125, 10, 0.25],
    ['mistral-large-latest', 0.25, 3, 0.1],
    ['kimi-k3', 1.5, 5, 0.1],
    ['text-embedding-3-small', 0.01, 1, 1],
  ])('%s has the ratios %d, %d and %d', (model, ratio, completion, cache) => {
    expect(defaultPrices.ModelRatio[model]).toBe(ratio);
    expect(completionRatioFor(model, defaultPrices.CompletionRatio, publishedRatios)).toBe(completion);
    expect(cacheRatioFor(model, defaultPrices.CacheRatio, publishedRatios)).toBe(cache);
  });

  it('include prices for output images and for sound', () => {
    expect(imageCompletionRatioFor('gemini-2.5-flash-image', {}, publishedRatios)).toBe(100);
    expect(imageCompletionRatioFor('gpt-image-1.5', {}, publishedRatios)).toBe(6.4);
    expect(imageCompletionRatioFor('gpt-4o', {}, publishedRatios)).toBeUndefined();
    expect(imageRatioFor('gpt-image-1.5', {}, publishedRatios)).toBe(1.6);
    expect(audioRatioFor('gpt-realtime', {}, publishedRatios)).toBe(8);
    expect(audioCompletionRatioFor('gpt-realtime', {}, publishedRatios)).toBe(2);
  });

  it('yield to what the administrator set', () => {
    const model = 'gpt-image-1.5';
    expect(completionRatioFor(model, { [model]: 0 }, publishedRatios)).toBe(0);
    expect(cacheRatioFor(model, { [model]: 0.9 }, publishedRatios)).toBe(0.9);
    expect(imageRatioFor(model, { [model]: 3 }, publishedRatios)).toBe(3);
    expect(imageCompletionRatioFor(model, { [model]: 4 }, publishedRatios)).toBe(4);
    expect(audioCompletionRatioFor('gpt-realtime', { 'gpt-realtime': 5 }, publishedRatios)).toBe(5);
  });
});

describe('a price that a vendor has announced', () => {
  const startOf = (day: string) => Date.parse(`${day}T00:00:00Z`);
  const days = announcedRatios.map(({ day }) => day);

  it('applies on a day, to models that have a price', () => {
    expect(days).toEqual(days.toSorted());
    for (const day of days) expect(new Date(startOf(day)).toISOString().slice(0, 10)).toBe(day);
    for (const { model } of announcedRatios)
      for (const name of Object.keys(model)) expect(defaultPrices.ModelRatio).toHaveProperty([name]);
  });

  it('applies from the start of its day in UTC, and no other price changes with it', () => {
    const [first = ''] = days;
    expect(modelRatioAt(0)).toBe(defaultPrices.ModelRatio);
    expect(modelRatioAt(startOf(first) - 1)).toBe(defaultPrices.ModelRatio);
    let before = defaultPrices.ModelRatio;
    for (const { day, model } of announcedRatios) {
      const after = modelRatioAt(startOf(day));
      expect(after).toEqual({ ...before, ...model });
      for (const [name, ratio] of Object.entries(model))
        expect([name, before[name]]).not.toEqual([name, ratio]);
      before = after;
    }
    expect(modelRatioAt(startOf('2030-01-01'))).toBe(before);
  });

  it.each([
    ['gemini-4-argon', '2026-11-30', 1],
    ['gemini-4-argon', '2026-12-01', 2],
    ['gemini-4-carbon', '2026-12-31', 2],
    ['gemini-3.8-flash', '2026-12-31', 0.375],
    ['gemini-3.8-flash', '2027-01-01', 0.75],
    ['gemini-4-argon', '2027-01-01', 2],
    ['gemini-4-neon', '2027-01-01', 1.5],
  ])('%s has on %s the ratio %d', (model, day, ratio) => {
    expect(modelRatioAt(startOf(day))[model]).toBe(ratio);
  });

  const argon = [{ model: 'gemini-4-argon', day: '2026-12-01', ratio: 2 }];
  it.each<[string, Record<string, number>, string, object[]]>([
    ['is told before its day', { 'gemini-4-argon': 1, 'gpt-4o': 1.25 }, '2026-11-26', argon],
    ['is told before its day whatever the table has', { 'gemini-4-argon': 3 }, '2026-11-26', argon],
    ['is not told where the table has it', { 'gemini-4-argon': 2 }, '2026-11-26', []],
    ['is not told of what the table has not', { 'gpt-4o': 1.25 }, '2026-11-26', []],
    ['is told after its day where the table missed it', { 'gemini-4-argon': 1 }, '2027-03-01', argon],
    ['is not told after its day of a price of one’s own', { 'gemini-4-argon': 3 }, '2027-03-01', []],
  ])('%s', (_name, table, day, expected) => {
    expect(announcedFor(table, startOf(day))).toEqual(expected);
  });
});

describe('the completion ratio', () => {
  it.each([
    ['gpt-4o-2024-05-13', 3],
    ['gpt-4o', 4],
    ['gpt-4o-mini-2024-07-18', 4],
    ['gpt-4o-all', 2],
    ['gpt-4o-gizmo-*', 3],
    ['gpt-4-gizmo-*', 2],
    ['gpt-4.5-preview-2025-02-27', 2],
    ['gpt-4-turbo-2024-04-09', 3],
    ['gpt-4-1106', 3],
    ['gpt-4-1106-preview', 2],
    ['gpt-4', 2],
    ['o1-mini', 4],
    ['o3-mini-high', 4],
    ['chatgpt-4o-latest', 3],
    ['claude-3-5-sonnet-20241022', 5],
    ['claude-opus-4-20250514', 5],
    ['anthropic.claude-3-haiku-20240307-v1:0', 5],
    ['claude-2.1', 3],
    ['gpt-3.5-turbo', 3],
    ['gpt-3.5-turbo-0125', 3],
    ['gpt-3.5-turbo-1106', 2],
    ['gpt-3.5-turbo-16k', 4 / 3],
    ['mistral-large-latest', 3],
    ['gemini-1.5-pro-latest', 4],
    ['gemini-2.5-pro-preview-03-25', 8],
    ['gemini-2.5-flash-preview-04-17', 3.5 / 0.6],
    ['gemini-2.5-flash-preview-04-17-nothinking', 4],
    ['gemini-exp-1206', 4],
    ['command-r', 3],
    ['command-r-plus', 5],
    ['command-r-08-2024', 4],
    ['command-light', 4],
    ['DeepSeek-Chat', 1.5],
    ['deepseek-chat-v9', 1],
    ['ERNIE-Speed-8K', 2],
    ['llama2-70b-4096', 1.25],
    ['llama3-70b-8192', 0.79 / 0.59],
    ['gpt-image-1', 8],
    ['something-else', 1],
    ['constructor', 1],
  ])('of %s is %d', (model, ratio) => {
    expect(completionRatioFor(model, defaultPrices.CompletionRatio, publishedRatios)).toBe(ratio);
  });

  it("is the administrator's wherever they set one, 0 included: nothing is locked (docs/compatibility.md#deliberate-differences)", () => {
    expect(completionRatioFor('gpt-4o', { 'gpt-4o': 7 }, publishedRatios)).toBe(7);
    expect(
      completionRatioFor('claude-3-haiku-20240307', { 'claude-3-haiku-20240307': 0 }, publishedRatios),
    ).toBe(0);
  });
});

describe('audio and search', () => {
  it.each([
    ['gpt-4o-realtime-preview', 8],
    ['gpt-4o-mini-realtime-preview-2024-12-17', 16.666666667],
    ['gpt-9-realtime', 20],
    ['gpt-4o-audio-preview-2024-10-01', 16],
    ['gpt-4o-mini-audio-preview-x', 66.667],
    ['gpt-9-audio', 40],
    ['gemini-9', 1],
  ])('audio ratio of %s is %d', (model, ratio) => {
    expect(audioRatioFor(model, defaultPrices.AudioRatio, publishedRatios)).toBe(ratio);
  });

  it("use the administrator's audio ratios first", () => {
    expect(audioRatioFor('gpt-4o-audio-preview', { 'gpt-4o-audio-preview': 3 }, publishedRatios)).toBe(3);
    expect(audioCompletionRatioFor('x', {}, publishedRatios)).toBe(2);
    expect(audioCompletionRatioFor('x', { x: 0 }, publishedRatios)).toBe(0);
  });

  it.each([
    ['gpt-4o-search-preview', 'low', 25],
    ['gpt-4.1', 'medium', 10],
    ['gpt-4.1', 'preview-medium', 25],
    ['gpt-4o', 'high', 10],
    ['gpt-4o', 'preview-high', 25],
    ['o3', 'medium', 10],
    ['o3', 'preview-medium', 10],
    ['o4-mini', 'high', 10],
    ['grok-4.6', 'medium', 5],
    ['deepseek-v4-pro', 'medium', 0.75],
    ['somebody-elses', 'medium', 27.5],
    ['somebody-elses', 'preview-high', 30],
    ['gemini-2.5-flash', 'high', 35],
    ['gemini-3.1-pro-preview', 'low', 14],
    ['gemini-flash-latest', 'medium', 14],
    ['claude-sonnet-5', 'medium', 10],
    ['gpt-5.4-mini', 'high', 10],
    ['sonar', 'low', 2.5],
    ['sonar-reasoning-pro', 'high', 2.5],
    ['perplexity/sonar', 'medium', 2.5],
  ] as const)('a thousand searches of %s with %s context cost %d dollars', (model, size, price) => {
    expect(webSearchPriceFor(model, size)).toBe(price);
  });
});

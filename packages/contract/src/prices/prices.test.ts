import { describe, expect, it } from 'vitest';
import {
  audioCompletionRatioFor,
  audioRatioFor,
  completionRatioFor,
  defaultAudioRatio,
  defaultCacheRatio,
  defaultCompletionRatio,
  defaultCreateCacheRatio,
  defaultModelPrice,
  defaultModelRatio,
  pricedName,
  webSearchPriceFor,
} from './index.ts';

describe('the default prices (docs/compatibility.md#default-prices)', () => {
  it.each([
    ['gpt-4o', 1.25],
    ['gpt-4o-mini', 0.075],
    ['claude-3-haiku-20240307', 0.125],
    ['claude-opus-4-20250514', 7.5],
    ['deepseek-chat', 0.135],
    ['ERNIE-Tiny-8K', 0.068493],
    ['whisper-1', 15],
    ['gpt-4.5-preview-2025-02-27', 37.5],
    ['glm-4-flash', 0],
    ['gpt-5', 0.625],
  ])('%s has the ratio %d', (model, ratio) => {
    expect(defaultModelRatio[model]).toBe(ratio);
  });

  it('charge for the two models that a slip made free (docs/compatibility.md#deliberate-differences)', () => {
    expect(defaultModelRatio['llama-3-sonar-large-32k-chat']).toBe(0.5);
    expect(defaultModelRatio['llama-3-sonar-large-32k-online']).toBe(0.5);
    expect(Object.entries(defaultModelRatio).filter(([, ratio]) => ratio === 0)).toEqual([
      ['glm-4-flash', 0],
    ]);
  });

  it('are not lost to a slip of spelling: no name is empty or has a blank, no ratio is negative', () => {
    for (const table of [defaultModelRatio, defaultModelPrice, defaultCacheRatio, defaultCreateCacheRatio]) {
      for (const [model, ratio] of Object.entries(table)) {
        expect(model).toMatch(/^\S+$/);
        expect(ratio).toBeGreaterThanOrEqual(0);
      }
    }
    // 181 names of A.1, and those that came later.
    expect(Object.keys(defaultModelRatio).length).toBeGreaterThan(181);
  });

  it('know the price of every model that a cache ratio is named for', () => {
    const unpriced = Object.keys(defaultCacheRatio).filter((model) => !(model in defaultModelRatio));
    expect(unpriced).toEqual([]);
  });

  it('give custom GPTs one price per family', () => {
    expect(pricedName('gpt-4-gizmo-g-abc')).toBe('gpt-4-gizmo-*');
    expect(pricedName('gpt-4o-gizmo-g-abc')).toBe('gpt-4o-gizmo-*');
    expect(pricedName('gpt-4o')).toBe('gpt-4o');
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
    ['DeepSeek-Chat', 4],
    ['deepseek-chat-v9', 1],
    ['ERNIE-Speed-8K', 2],
    ['llama2-70b-4096', 1.25],
    ['llama3-70b-8192', 0.79 / 0.59],
    ['gpt-image-1', 8],
    ['something-else', 1],
    ['constructor', 1],
  ])('of %s is %d', (model, ratio) => {
    expect(completionRatioFor(model, defaultCompletionRatio)).toBe(ratio);
  });

  it("is the administrator's wherever they wrote one, 0 included: nothing is locked (docs/compatibility.md#deliberate-differences)", () => {
    expect(completionRatioFor('gpt-4o', { 'gpt-4o': 7 })).toBe(7);
    expect(completionRatioFor('claude-3-haiku-20240307', { 'claude-3-haiku-20240307': 0 })).toBe(0);
  });
});

describe('audio and search', () => {
  it.each([
    ['gpt-4o-realtime-preview', 8],
    ['gpt-4o-mini-realtime-preview-2024-12-17', 16.667],
    ['gpt-9-realtime', 20],
    ['gpt-4o-audio-preview-2024-10-01', 16],
    ['gpt-4o-mini-audio-preview-x', 66.667],
    ['gpt-9-audio', 40],
    ['gemini-9', 1],
  ])('audio ratio of %s is %d', (model, ratio) => {
    expect(audioRatioFor(model, defaultAudioRatio)).toBe(ratio);
  });

  it("take the administrator's audio ratios first", () => {
    expect(audioRatioFor('gpt-4o-audio-preview', { 'gpt-4o-audio-preview': 3 })).toBe(3);
    expect(audioCompletionRatioFor('x', {})).toBe(2);
    expect(audioCompletionRatioFor('x', { x: 0 })).toBe(0);
  });

  it.each([
    ['gpt-4o-search-preview', 'low', 30],
    ['gpt-4.1', 'medium', 35],
    ['gpt-4o', 'high', 50],
    ['gpt-4o-mini', 'low', 25],
    ['o3', 'medium', 27.5],
    ['gpt-4.1-mini', 'high', 30],
    ['gemini-2.5-flash', 'high', 14],
    ['sonar-deep-research', 'medium', 5],
    ['sonar', 'low', 5],
    ['sonar', 'high', 12],
    ['sonar-pro', 'medium', 10],
    ['sonar-reasoning-pro', 'high', 14],
  ] as const)('a thousand searches of %s with %s context cost %d dollars', (model, size, price) => {
    expect(webSearchPriceFor(model, size)).toBe(price);
  });
});

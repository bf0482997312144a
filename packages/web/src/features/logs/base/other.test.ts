import { expect, test } from 'vitest';
import { readOther } from './other.ts';

const read = (other: object) => readOther(JSON.stringify(other));

test('a response of a realtime session has its session, and text and sound separately', () => {
  const other = read({
    ws: true,
    realtime_session: 's1',
    audio: true,
    audio_input: 56,
    audio_output: 100,
    text_input: 144,
    text_output: 50,
  });
  expect(other).toMatchObject({ isRealtime: true, session: 's1', hasAudio: true });
  expect(other.sound).toEqual({ textInput: 144, textOutput: 50, audioInput: 56, audioOutput: 100 });
});

test('a realtime row of another program has no session link', () => {
  expect(read({ ws: true })).toMatchObject({ isRealtime: true, session: null, sound: null });
});

test('images count with the factor of their size and quality; calls without one are not images', () => {
  expect(read({ call_count: 2, call_factor: 1.5 }).images).toEqual({ count: 2, factor: 1.5 });
  expect(read({ call_count: 2 }).images).toBeNull();
  expect(read({ tool: true, call_count: 1, call_factor: 0.4 })).toMatchObject({
    images: null,
    tool: { factor: 0.4 },
  });
  expect(read({ model_price: 0.1 })).toMatchObject({ images: null, modelPrice: 0.1 });
});

test('only estimated usage is marked as estimated', () => {
  expect(read({ usage_source: 'estimated' }).isEstimated).toBe(true);
  expect(read({ usage_source: 'counted' }).isEstimated).toBe(false);
  expect(read({ usage_source: 'upstream' }).isEstimated).toBe(false);
});

test.each(['', 'no JSON', '[]', '"text"', '{"ws":"yes","call_count":"2","web_search_call_count":null}'])(
  'a row with %j shows nothing special',
  (text) => {
    expect(readOther(text)).toMatchObject({
      isRealtime: false,
      images: null,
      sound: null,
      isCaptured: false,
      replacedBy: null,
      cacheShare: null,
      webSearches: 0,
      isEstimated: false,
      modelPrice: null,
    });
  },
);

import { expect, test } from 'vitest';
import { MissingCodeError, fetchMissingCode, lazy } from './lazy.ts';

const Part = () => null;
const gone = () => new TypeError('Failed to fetch dynamically imported module: /assets/page.js');

/** A lazy part that fails to load a number of times before it succeeds. */
function failing(times: number, error: () => Error = gone) {
  let asked = 0;
  const part = lazy(() => {
    asked += 1;
    if (asked <= times) return Promise.reject<{ default: typeof Part }>(error());
    return Promise.resolve({ default: Part });
  }, [0, 0]);
  return { part, asked: () => asked };
}

const draw = (part: (props: object) => unknown) => {
  try {
    return part({});
  } catch (error) {
    return error;
  }
};

test('a short outage is retried without a message', async () => {
  const { part, asked } = failing(2);
  await part.preload();
  expect(asked()).toBe(3);
  expect(draw(part)).toMatchObject({ type: Part });
});

test('a failure is thrown where the part is rendered, and is not cached for ever', async () => {
  const { part, asked } = failing(4);
  await part.preload();
  expect(draw(part)).toBeInstanceOf(MissingCodeError);
  await expect(fetchMissingCode()).rejects.toBeInstanceOf(MissingCodeError);
  expect(asked()).toBe(4);
  await fetchMissingCode();
  expect(draw(part)).toMatchObject({ type: Part });
});

test('code that throws an error of its own is not loaded again and again', async () => {
  const { part, asked } = failing(1, () => new RangeError('broken'));
  await part.preload();
  expect(asked()).toBe(1);
  expect(draw(part)).toBeInstanceOf(RangeError);
});

import fc from 'fast-check';
import { expect, it } from 'vitest';
import { offeredName } from './tool-servers.ts';

const numRuns = Number(process.env['FUZZ_RUNS'] ?? 300);

it('tools get names that every client takes, and two tools never get one', () => {
  const name = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 90 }),
    fc.stringMatching(/^[a-z_./ -]{1,80}$/),
    fc.constantFrom('a.b', 'a_b', 'a b', 'x'.repeat(64), 'x'.repeat(65)),
  );
  fc.assert(
    fc.property(fc.string(), fc.uniqueArray(name, { minLength: 2, maxLength: 8 }), (server, tools) => {
      const names = tools.map((tool) => offeredName(server, tool));
      for (const each of names) expect(each).toMatch(/^[a-zA-Z0-9_-]{1,64}$/);
      expect(new Set(names).size).toBe(tools.length);
    }),
    { numRuns },
  );
});

it('a plain name of a tool stays readable', () => {
  expect(offeredName('weather', 'get_forecast')).toBe('weather__get_forecast');
  expect(offeredName('Weather of the World, Inc.', 'now')).toBe('Weather_of_the_World__now');
});

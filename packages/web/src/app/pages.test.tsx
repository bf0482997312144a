import { expect, test } from 'vitest';
import { pages } from './pages.ts';

test('each page of the sidebar has an icon of its own: it is all that the narrow sidebar shows', () => {
  const listed = pages.filter(({ nav }) => nav !== undefined);
  expect(listed.length).toBeGreaterThan(15);
  expect(listed.filter(({ icon }) => icon === undefined)).toEqual([]);
  const shared = listed.filter(({ icon }) => listed.filter((other) => other.icon === icon).length > 1);
  expect(shared.map(({ path }) => path)).toEqual([]);
});

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { findInLocks, findVulnerable, isWithin } from '../tools/advisories.mjs';

const root = join(import.meta.dirname, '..');
const read = (path: string): unknown => JSON.parse(readFileSync(join(root, path), 'utf8'));
const list = read('tools/advisories.json') as Parameters<typeof findVulnerable>[1];
type Lock = Parameters<typeof findVulnerable>[0];

it('the locked packages, and those of the documentation, are subject to no advisory of the stored list', () => {
  expect(findInLocks(list)).toEqual([]);
});

it('a vulnerable version fails, wherever it is nested, unless its advisory was accepted', () => {
  const lock = read('package-lock.json') as Lock;
  lock.packages['node_modules/fastify/node_modules/undici'] = { version: '7.28.0' };
  const found = findVulnerable(lock, list);
  expect(found.map(({ id, path }) => `${id} ${path}`)).toContain(
    'GHSA-4cwx-7wf7-3272 node_modules/fastify/node_modules/undici',
  );
  const accepted = Object.fromEntries(found.map(({ id }) => [id, 'not reachable']));
  expect(findVulnerable(lock, { ...list, accepted })).toEqual([]);
});

it.each([
  ['1.2.3', '<1.2.4', true],
  ['1.2.4', '<1.2.4', false],
  ['1.2.4-rc.1', '<1.2.4', true],
  ['1.10.0', '<1.9.0', false],
  ['2.0.1', '>=1.0.0 <1.1.12 || >=2.0.0 <2.0.2', true],
  ['1.1.12', '>=1.0.0 <1.1.12 || >=2.0.0 <2.0.2', false],
  ['9.0.0', '<= 9.0.0', true],
  ['9.0.0', '=9.0.0', true],
  ['9.0.0', '9.0.0', true],
  ['9.0.1', '9.0.0', false],
  ['3.1.0', '>1, <3.2', true],
  ['0.0.1', '*', true],
])('%s is within "%s": %s', (version, range, expected) => {
  expect(isWithin(version, range)).toBe(expected);
});

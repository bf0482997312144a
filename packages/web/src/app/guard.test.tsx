import { role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import type { Status } from '../lib/api/status.ts';
import { statusSample } from '../testing/samples.ts';
import { guardPage } from './router/router.tsx';

const fresh = statusSample({ setup: false });
const ready = statusSample({ setup: true });
const home = { path: '/', access: 'public' } as const;
const setup = { path: '/setup', access: 'public' } as const;
const tokens = { path: '/token', access: 'user' } as const;
const channels = { path: '/channel', access: 'admin' } as const;

test('every address leads to the setup until it is done, and none after', () => {
  expect(guardPage(home, fresh, null)).toBe('to-setup');
  expect(guardPage(tokens, fresh, role.root)).toBe('to-setup');
  expect(guardPage(setup, fresh, null)).toBeNull();
  expect(guardPage(setup, ready, role.root)).toBe('to-home');
});

test('guests are asked to log in, and only where they must', () => {
  expect(guardPage(home, ready, null)).toBeNull();
  expect(guardPage(tokens, ready, null)).toBe('to-login');
});

test('guests are redirected from a page that this site closes to them, and signed-in users are not', () => {
  const prices = {
    path: '/pricing',
    access: 'public',
    closed: (status: Status) => !status.public_pricing,
  } as const;
  expect(guardPage(prices, ready, null)).toBeNull();
  expect(guardPage(prices, statusSample({ public_pricing: false }), null)).toBe('to-login');
  expect(guardPage(prices, statusSample({ public_pricing: false }), role.common)).toBeNull();
});

test('a page for administrators is closed to users', () => {
  expect(guardPage(channels, ready, role.common)).toBe('no-access');
  expect(guardPage(channels, ready, role.admin)).toBeNull();
  expect(guardPage(tokens, ready, role.common)).toBeNull();
});

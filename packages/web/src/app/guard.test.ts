import { role } from '@tollgate/contract';
import { expect, test } from 'vitest';
import type { Status } from '../lib/api/status.ts';
import { statusSample } from '../testing/samples.ts';
import { barrierFor } from './guard.ts';

const fresh = statusSample({ setup: false });
const ready = statusSample({ setup: true });
const home = { path: '/', access: 'public' } as const;
const setup = { path: '/setup', access: 'public' } as const;
const tokens = { path: '/token', access: 'user' } as const;
const channels = { path: '/channel', access: 'admin' } as const;

test('every address leads to the setup until it is done, and none after', () => {
  expect(barrierFor(home, fresh, null)).toBe('to-setup');
  expect(barrierFor(tokens, fresh, role.root)).toBe('to-setup');
  expect(barrierFor(setup, fresh, null)).toBeNull();
  expect(barrierFor(setup, ready, role.root)).toBe('to-home');
});

test('guests are asked to log in, and only where they must', () => {
  expect(barrierFor(home, ready, null)).toBeNull();
  expect(barrierFor(tokens, ready, null)).toBe('to-login');
});

test('guests are redirected from a page that this site closes to them, and signed-in users are not', () => {
  const prices = {
    path: '/pricing',
    access: 'public',
    closed: (status: Status) => !status.public_pricing,
  } as const;
  expect(barrierFor(prices, ready, null)).toBeNull();
  expect(barrierFor(prices, statusSample({ public_pricing: false }), null)).toBe('to-login');
  expect(barrierFor(prices, statusSample({ public_pricing: false }), role.common)).toBeNull();
});

test('a page for administrators is closed to users', () => {
  expect(barrierFor(channels, ready, role.common)).toBe('no-access');
  expect(barrierFor(channels, ready, role.admin)).toBeNull();
  expect(barrierFor(tokens, ready, role.common)).toBeNull();
});

import { expect, it } from 'vitest';
import { isDatabaseAway } from './database-away.ts';

const withCode = (code: string) => Object.assign(new Error('x'), { code });

it.each([
  new Error('timeout exceeded when trying to connect'),
  new Error('Connection terminated unexpectedly'),
  new Error("Can't add new command when connection is in closed state"),
  ...['ECONNREFUSED', 'ECONNRESET', '57P01', '25P03', '08006', 'PROTOCOL_CONNECTION_LOST'].map(withCode),
])('an error of a driver that lost its database is known: %s', (error) => {
  expect(isDatabaseAway(error)).toBe(true);
});

it.each([
  new Error('no such column'),
  new TypeError('x is not a function'),
  withCode('23505'),
  'text',
  undefined,
])('any other is none: %s', (error) => {
  expect(isDatabaseAway(error)).toBe(false);
});

import { describe, expect, it } from 'vitest';
import { traceContext } from './request-id.ts';

const parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';

describe('the trace of a caller', () => {
  it('passes unchanged, with its state', () => {
    expect(traceContext({ traceparent: parent, tracestate: 'congo=t61rcWkgMzE' })).toEqual({
      traceparent: parent,
      tracestate: 'congo=t61rcWkgMzE',
    });
    expect(traceContext({ traceparent: `01${parent.slice(2)}-more` })).toEqual({
      traceparent: `01${parent.slice(2)}-more`,
    });
  });

  it.each([
    ['none', undefined],
    ['an unknown version', `ff${parent.slice(2)}`],
    ['no trace', parent.replace(/4bf\w{29}/, '0'.repeat(32))],
    ['no span', parent.replace('00f067aa0ba902b7', '0'.repeat(16))],
    ['large letters', parent.toUpperCase()],
    ['more than its version has', `${parent}-more`],
    ['something behind a line', `${parent}\r\nx: y`],
  ])('is not passed on where it is %s, nor is its state', (_why, traceparent) => {
    expect(
      traceContext({ ...(traceparent !== undefined && { traceparent }), tracestate: 'a=b' }),
    ).toBeUndefined();
  });

  it('passes without a state that is longer than the standard requires', () => {
    expect(traceContext({ traceparent: parent, tracestate: `a=${'b'.repeat(511)}` })).toEqual({
      traceparent: parent,
    });
  });
});

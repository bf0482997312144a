import { expect, it } from 'vitest';
import { createMetrics } from './index.ts';

it('the series of channels are bounded, and no result is lost', async () => {
  const metrics = createMetrics(() => 'openai');
  for (let channel = 1; channel <= 1_000; channel += 1) {
    metrics.attempted(channel, 'limited');
    metrics.answered(channel, { firstMs: 100, wholeMs: 900, stream: { tokens: 10, ms: 800 } });
  }
  const { text } = await metrics.print({ inFlight: 0, bodyBytes: 0 });
  const lines = text.split('\n').filter((line) => line.startsWith('tollgate_channel_'));
  expect(new Set(lines.map((line) => /channel="(\w+)"/.exec(line)?.[1])).size).toBe(201);
  const sumOf = (name: string): number =>
    lines
      .filter((line) => line.startsWith(`tollgate_channel_${name}{`))
      .reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  expect(sumOf('attempts_total')).toBe(1_000);
  expect(sumOf('first_byte_seconds_count')).toBe(1_000);
  expect(sumOf('stream_tokens_total')).toBe(10_000);
});

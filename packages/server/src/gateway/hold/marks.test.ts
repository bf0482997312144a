import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type GatewayHarness, openGateway, type TestCaller } from '../../testing/gateway-harness.ts';
import { sseHeaders } from '../../testing/upstream/fake-upstream-scripts.ts';
import { chatChunk, delta, doneEvent, event } from '../../testing/upstream/fake-upstream-wire.ts';

// After a crash a call costs the amount of its last mark, so a mark never includes undelivered words.

let gate: GatewayHarness;
let caller: TestCaller;

beforeEach(async () => {
  gate = await openGateway();
  await gate.addChannel();
  caller = await gate.addCaller();
  return () => gate.close();
});
afterEach(() => vi.restoreAllMocks());

const word = (content: string): string => event(chatChunk('m', [delta({ content })]));
const model = 'gpt-4o-mini';

/**
 * Stream in which each read is more than a second after the previous one, by the clock of the gateway. The second
 * read follows `goOn`.
 */
async function askSlowly(goOn: Promise<void>): Promise<Response> {
  let passed = 0;
  gate.relay.gateway.clock = () => Date.now() + passed;
  gate.upstream.script(async (exchange) => {
    exchange.head(200, sseHeaders);
    for (const part of [word('one'), word(' two'), word(' three')]) {
      passed += 1_500;
      await exchange.write(part);
      await exchange.turn();
      await goOn;
    }
    await exchange.end(event(chatChunk('m', [delta({}, 'stop')])) + doneEvent);
  });
  return fetch(`${gate.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Count.' }] }),
  });
}

describe('the mark of a stream', () => {
  it('is written while content goes to the caller', async () => {
    const mark = vi.spyOn(gate.core.ledger, 'mark');
    const marked = vi.waitFor(() => expect(mark).toHaveBeenCalled(), { timeout: 20_000 });
    const answer = await askSlowly(marked);
    expect(await answer.text()).toContain('three');
  });

  it('is not written while its hold is not durable and the content waits', async () => {
    const { ledger } = gate.core;
    const mark = vi.spyOn(ledger, 'mark');
    const settle = vi.spyOn(ledger, 'settle');
    const { promise: disk, resolve: write } = Promise.withResolvers<void>();
    const reserve = ledger.reserve.bind(ledger);
    vi.spyOn(ledger, 'reserve').mockImplementation(async (request) => {
      const { amount, tokens, durable } = await reserve(request);
      return { amount, tokens, durable: disk.then(() => durable) };
    });
    const asked = askSlowly(Promise.resolve());
    // At this point the whole answer has been read and counted, after any count that a mark would need.
    await expect.poll(() => settle.mock.calls.length).toBe(1);
    expect(mark).not.toHaveBeenCalled();
    write();
    expect(await (await asked).text()).toContain('three');
    await ledger.flush();
    expect(await gate.findings()).toEqual([]);
  });

  it('has the bytes of what cannot be counted', async () => {
    const mark = vi.spyOn(gate.core.ledger, 'mark');
    const { gateway } = gate.relay;
    gateway.countTokens = gateway.countPrompt = () => Promise.reject(new Error('no thread'));
    const marked = vi.waitFor(() => expect(mark).toHaveBeenCalled(), { timeout: 20_000 });
    const answer = await askSlowly(marked);
    expect(await answer.text()).toContain('three');
    expect(mark.mock.calls[0]![2]).toMatch(/"output":\d/);
  });

  it('does not wait for the count of a long input', async () => {
    const mark = vi.spyOn(gate.core.ledger, 'mark');
    const { promise: counted, resolve: count } = Promise.withResolvers<number>();
    gate.relay.gateway.countPrompt = () => counted;
    const marked = vi.waitFor(() => expect(mark).toHaveBeenCalled(), { timeout: 20_000 });
    const answer = await askSlowly(marked);
    await marked;
    count(3);
    expect(await answer.text()).toContain('three');
  });
});

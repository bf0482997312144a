import { expect, it } from 'vitest';
import { openGateway } from '../../testing/gateway-harness.ts';
import { chat } from '../../testing/upstream/fake-upstream-scripts.ts';

it('content that waits to be counted, where the counter fails, is held for by its bytes or cut', async () => {
  const gate = await openGateway();
  try {
    await gate.core.settings.set('ModelRatio', JSON.stringify({ 'gpt-4o-mini': 1 }));
    await gate.core.settings.set('CompletionRatio', JSON.stringify({ 'gpt-4o-mini': 1 }));
    await gate.addChannel();
    const caller = await gate.addCaller({ balance: 400 });
    gate.relay.gateway.countTokens = () => Promise.reject(new Error('no thread'));
    gate.upstream.script(chat({ chunks: 400 }));
    const answer = await fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        model: 'gpt-4o-mini',
        stream: true,
        messages: [{ role: 'user', content: 'hi' }],
      }),
    });
    const words = (await answer.text()).match(/word\d+/g) ?? [];
    expect(words.length).toBeGreaterThan(0);
    // A unit per token, and at least one byte per token: the delivered text was held for.
    expect(words.join(' ').length).toBeLessThanOrEqual(400);
    await expect.poll(() => gate.relay.gateway.running.size).toBe(0);
    await gate.checkAtRest();
  } finally {
    await gate.close();
  }
});

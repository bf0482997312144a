import { expect, it, onTestFinished } from 'vitest';
import { openGateway } from '../../testing/gateway-harness.ts';

it('a hold that another process makes impossible while the input is counted is a refusal, and nothing else', async () => {
  const gate = await openGateway();
  onTestFinished(() => gate.close());
  await gate.addChannel();
  const caller = await gate.addCaller({ balance: 20_000 });
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  onTestFinished(() => void process.off('unhandledRejection', note));
  const ask = (content: string): Promise<Response> =>
    fetch(`${gate.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${caller.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content }] }),
    });
  // From here on the balance is known.
  await (await ask('Hello')).text();
  await gate.core.ledger.flush();

  const { gateway } = gate.relay;
  const { ...real } = gateway;
  gateway.boundPrompt = async (request) => {
    await gate.core.ledger.flush();
    // Node reports unhandled rejections after the microtasks.
    await new Promise(setImmediate);
    return real.boundPrompt(request);
  };
  const { db } = gate.core.store;
  await db.updateTable('accounts').set({ balance: 10 }).where('id', '=', caller.accountId).execute();
  const answer = await ask('word '.repeat(60_000));
  expect(answer.status).toBe(403);
  expect(unhandled).toEqual([]);
  await gate.core.ledger.flush();
  expect(await gate.openHolds()).toBe(0);
});

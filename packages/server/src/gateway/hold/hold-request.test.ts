import { describe, expect, it } from 'vitest';
import type { Channel } from '../../relay/types/index.ts';
import { buildRequest } from '../../testing/protocols/build-relay.ts';
import { buildPrice } from '../../testing/build-price.ts';
import { holdRequest } from './take-hold.ts';
import type { Caller, RelayCall } from '../call/types.ts';

const callerNamed = (username: string): Caller => ({ username, tokenName: 'a "quoted" \\ one' }) as Caller;

/** Record beside the hold of one call. */
function noteOf(caller: Caller, model: string, group: string, startedAt: number, stream = false): unknown {
  const { facts } = buildRequest('openai-chat', {
    model,
    stream,
    messages: [{ role: 'user', content: 'x' }],
  });
  const exchange = { requestId: 'r', caller, facts, startedAt } as RelayCall;
  return JSON.parse(
    holdRequest(
      { budgetsOf: () => undefined, isTokenBudget: () => false },
      exchange,
      { group, snapshot: buildPrice(), pricedModel: model },
      { id: 7 } as Channel,
    ).request,
  ) as unknown;
}

describe('the note beside a hold', () => {
  it('has the model, group, payer and time of its own call, whatever the caller asked for before', () => {
    const [ann, bob] = [callerNamed('ann'), callerNamed('bob "b"')];
    const token = ann.tokenName;
    const expected = (username: string, model: string, group: string, at: number, stream = false) => ({
      model,
      group,
      username,
      token,
      stream,
      at,
    });
    for (const caller of [ann, bob, ann]) {
      const { username } = caller;
      expect(noteOf(caller, 'm "1"', 'vip', 1_999)).toEqual(expected(username, 'm "1"', 'vip', 1));
      expect(noteOf(caller, 'm "1"', 'vip', 2_000, true)).toEqual(
        expected(username, 'm "1"', 'vip', 2, true),
      );
      expect(noteOf(caller, 'm "1"', 'free', 3_000)).toEqual(expected(username, 'm "1"', 'free', 3));
      expect(noteOf(caller, 'm2', 'free', 4_000)).toEqual(expected(username, 'm2', 'free', 4));
    }
  });
});

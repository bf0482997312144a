/** @module-tag deep */
import { afterAll, describe, expect, it } from 'vitest';
import { callAgain, type ChangedCall } from '../../testing/moving-in/call-again.ts';
import { MovingDesk } from '../../testing/moving-in/importing.ts';
import { reportText } from './print.ts';

const desk = new MovingDesk();
afterAll(() => desk.close());

/** Calls with a different outcome here, by key and model, with the text of the report about each. */
const named = {
  'new-api': {
    'k-owner ch-claude-tier': 'Channel 18 (ch-claude-tier) is off: Tollgate does not have claude_beta_query',
    'k-owner ch-openrouter':
      'Channel 27 (ch-openrouter) is off: Tollgate does not have openrouter_enterprise',
    'k-owner ch-cloudflare': 'Channel 39 (ch-cloudflare) had its tokens counted by new-api itself',
    'k-owner ch-advanced': 'Channel 42 (ch-advanced) is off: Tollgate does not have advanced_custom',
    'k-owner ch-dify': 'Channel 46 (ch-dify) had its tokens counted by new-api itself',
    'k-owner ch-store': 'Channel 50 (ch-store) is off: Tollgate does not have disable_store',
    'k-owner own-tier': 'which Tollgate cannot compute; no channel offers them: own-tier',
    // The call was made before the balance became negative.
    'k-trent ch-openai': 'User 18 (trent) owed 12345 units',
  },
  'one-api': {
    'k-owner c-gemini-v': 'Channel 10 (c-gemini-v) had its tokens counted by one-api itself',
    'k-owner c-cloudflare': 'Channel 24 (c-cloudflare) had its tokens counted by one-api itself',
    'k-owner chatglm_c': 'Channel 42 (c-zhipu-old) had its tokens counted by one-api itself',
    'k-owner c-coze': 'Channel 21 (c-coze) calls Coze by its third API now',
    'k-owner c-claude': 'one-api counts the first token of a stream of Claude twice',
    'k-owner gpt-4o': 'one-api rounds each charge up to a whole unit',
    'k-owner gemini-1.5-pro': 'one-api rounds each charge up to a whole unit',
    'k-owner tts-1': 'one-api rounds each charge up to a whole unit',
    // The call was made while the key had a remaining quota.
    'k-small c-openai': 'Left on limited keys',
  },
} as const satisfies Record<string, Record<string, string>>;

const nameOf = ({ call }: ChangedCall): string => `${call.key} ${call.model}`;

describe.for([
  ['new-api', 92],
  ['one-api', 61],
] as const)('the recorded site of %s', ([program, calls]) => {
  it(
    'serves the same calls for the same charge, by the same path and model, or the report says what differs',
    { timeout: 120_000 },
    async () => {
      const moved = await callAgain(desk, program);
      expect(moved.calls).toBe(calls);
      const expected: Record<string, string> = named[program];
      expect([...new Set(moved.changed.map(nameOf))].toSorted()).toEqual(Object.keys(expected).toSorted());
      const text = reportText(moved.report);
      for (const words of Object.values(expected)) expect(text).toContain(words);
      // Rounding changes a charge by at most one unit.
      const rounded = moved.changed.filter((each) => expected[nameOf(each)]?.includes('rounds'));
      expect(rounded.filter(({ there, here }) => Math.abs(there.charge - here.charge) !== 1)).toEqual([]);
      expect(moved.report.pricesDiffer).toEqual([]);
    },
  );
});

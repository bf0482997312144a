import { describe, expect, it } from 'vitest';
import { refuse } from '../../relay/types/index.ts';
import { InsufficientQuota, type RefusalReason } from '../../services/money/ledger/index.ts';
import { quotaRefusal } from '../hold/index.ts';
import { closingFor } from './end.ts';

describe('a session whose next hold is refused', () => {
  it.each<RefusalReason>(['account', 'token', 'member'])(
    'ends for want of money, no matter who is short: the %s',
    (reason) => {
      for (const left of [3, 0]) {
        const short = new InsufficientQuota(reason, left, 5);
        const refusal = quotaRefusal({ showQuota: String }, short, { maskedKey: 'sk-abc***xyz' });
        expect(closingFor(refusal)).toMatchObject({ reason: 'quota_exhausted', error: refusal, code: 1008 });
      }
    },
  );

  it('ends with a refusal where the key may not go on, and with a fault where the ledger is unavailable', () => {
    expect(closingFor(refuse('token_disabled')).reason).toBe('refused');
    expect(closingFor(refuse('ledger_unavailable')).reason).toBe('ledger_unavailable');
  });
});

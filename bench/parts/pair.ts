import type { RequestLedger, Reservation } from '../../packages/server/src/services/money/ledger/index.ts';

/** The payer of a run; the key has no limit of its own. */
export interface Payer {
  accountId: number;
  userId: number;
  tokenId: number;
}

/** One pair, as in the gateway: hold, wait for the answer, settle with a log row. */
export async function pair(
  ledger: RequestLedger,
  payer: Payer,
  requestId: string,
  answer: (reservation: Reservation) => Promise<void>,
  more: { deferrable?: true } = {},
): Promise<void> {
  const at = Math.floor(Date.now() / 1_000);
  const reservation = await ledger.reserve({
    ...payer,
    ...more,
    requestId,
    channelId: 1,
    tokenUnlimited: true,
    amount: 100,
    request: '{}',
  });
  await answer(reservation);
  await ledger.settle({
    requestId,
    amount: 60,
    channelId: 1,
    counts: true,
    log: {
      user_id: payer.userId,
      created_at: at,
      type: 2,
      content: '',
      username: 'bench',
      token_name: 'bench',
      model_name: 'gpt-4o-mini',
      prompt_tokens: 57,
      completion_tokens: 40,
      use_time: 1,
      is_stream: 0,
      channel_id: 1,
      token_id: payer.tokenId,
      group: 'default',
      other: '{"model_ratio":0.075,"group_ratio":1,"completion_ratio":4}',
      request_id: requestId,
      team_id: 0,
      cost: null,
      tags: null,
    },
    hourly: { modelName: 'gpt-4o-mini', username: 'bench', tokens: 97, at },
  });
}

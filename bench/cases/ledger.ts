import type { RequestLedger } from '../../packages/server/src/services/ledger/types.ts';

/** Pairs of hold and settlement on the ledger alone, without HTTP. */
export interface LedgerResult {
  label: string;
  callers: number;
  pairsPerSecond: number;
  /** From the hold's call to the settlement's durability. */
  p50Ms: number;
  p99Ms: number;
}

/** Who pays in a run: an account, its user and a token without a limit of its own. */
export interface Payer {
  accountId: number;
  userId: number;
  tokenId: number;
}

interface Run {
  label: string;
  callers: number;
  pairs: number;
}

/** One pair, as the gateway does it: hold, wait until it is durable, settle with a log row. */
async function pair(ledger: RequestLedger, payer: Payer, requestId: string): Promise<void> {
  const at = Math.floor(Date.now() / 1_000);
  const reservation = await ledger.reserve({
    ...payer,
    requestId,
    channelId: 1,
    tokenUnlimited: true,
    amount: 100,
    request: '{}',
  });
  await reservation.durable;
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
    },
    hourly: { modelName: 'gpt-4o-mini', username: 'bench', tokens: 97, at },
  });
}

/** `callers` loops on one payer until `pairs` pairs are done. */
export async function measureLedger(ledger: RequestLedger, payer: Payer, run: Run): Promise<LedgerResult> {
  const times: number[] = [];
  let begun = 0;
  const caller = async (): Promise<void> => {
    while (begun < run.pairs) {
      begun += 1;
      const startedAt = performance.now();
      await pair(ledger, payer, `bench-${run.label}-${begun}`);
      times.push(performance.now() - startedAt);
    }
  };
  const startedAt = performance.now();
  await Promise.all(Array.from({ length: run.callers }, caller));
  const seconds = (performance.now() - startedAt) / 1_000;
  const sorted = times.toSorted((a, b) => a - b);
  const share = (part: number) => sorted[Math.floor((sorted.length - 1) * part)] ?? 0;
  return {
    label: run.label,
    callers: run.callers,
    pairsPerSecond: run.pairs / seconds,
    p50Ms: share(0.5),
    p99Ms: share(0.99),
  };
}

import type { Bill } from '@tollgate/contract';
import { type FakeRealtime, startFakeRealtime } from '../upstream/fake-realtime.ts';
import { type GatewayHarness, openGateway, type TestCaller } from '../gateway-harness.ts';
import { RealtimeClient } from '../realtime-client.ts';

/**
 * Model of these tests. It has two ratios of its own; all others are built-in: 8 for audio, and twice that for audio
 * output.
 */
export const realtimeModel = 'gpt-4o-realtime-preview';

/** Fields of a consumption row that the tests check. */
interface RealtimeRow {
  quota: number;
  request_id: string;
  model_name: string;
  prompt_tokens: number;
  completion_tokens: number;
  other: Record<string, unknown> & { receipt: Pick<Bill, 'terms' | 'minimum'> };
}

/** A gateway with one channel to a fake realtime server. */
export interface RealtimeWorld {
  gate: GatewayHarness;
  upstream: FakeRealtime;
  channelId: number;
  address(query?: string): string;
  open(this: void, caller: TestCaller): Promise<RealtimeClient>;
  /** Consumption rows of a caller in insertion order. */
  readRows(this: void, caller: TestCaller): Promise<RealtimeRow[]>;
  close(): Promise<void>;
}

/** Opens the world of the realtime tests. An upstream may be silent for at most one second. */
export async function openRealtimeWorld(env: Record<string, string> = {}): Promise<RealtimeWorld> {
  const gate = await openGateway({ STREAMING_TIMEOUT: '1', ...env });
  const upstream = await startFakeRealtime();
  const ratios = { [realtimeModel]: 2.5, 'gpt-4o-mini-transcribe': 0.625, 'whisper-1': 15 };
  await gate.core.settings.set('ModelRatio', JSON.stringify(ratios));
  await gate.core.settings.set('CompletionRatio', JSON.stringify({ [realtimeModel]: 2 }));
  const channelId = await gate.addChannel({ models: realtimeModel, base_url: upstream.url });
  const address = (query = `?model=${realtimeModel}`): string =>
    `${gate.url.replace('http', 'ws')}/v1/realtime${query}`;
  return {
    gate,
    upstream,
    channelId,
    address,
    open: ({ key }) => RealtimeClient.open(address(), { headers: { authorization: `Bearer ${key}` } }),
    readRows: (caller) => readRows(gate, caller),
    async close() {
      await gate.close();
      await upstream.close();
    },
  };
}

async function readRows({ core }: GatewayHarness, { userId }: TestCaller): Promise<RealtimeRow[]> {
  await core.ledger.flush();
  const rows = await core.store.db
    .selectFrom('logs')
    .select(['quota', 'request_id', 'model_name', 'prompt_tokens', 'completion_tokens', 'other'])
    .where('user_id', '=', userId)
    .where('type', '=', 2)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ ...row, other: JSON.parse(row.other) as RealtimeRow['other'] }));
}

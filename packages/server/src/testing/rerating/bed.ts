import { declarationOf, price, type SettingKey, type SettingValue, usageOf } from '@tollgate/contract';
import type { Store } from '../../store/index.ts';
import { createFixedPrices, priceKeys } from '../../services/money/pricing/index.ts';
import type { Plan } from '../../services/money/rehearsal/index.ts';
import { createReratings, type Reratings } from '../../services/money/rerating/index.ts';
import {
  bill,
  readFigures,
  hold,
  holdRequest,
  type openLedger,
  type Person,
} from '../../services/money/ledger/testing/test-bed.ts';
import { buildConsumeLog, hourlyOf } from '../../services/calls/metering/index.ts';
import type { Audit } from '../../services/site/audit/index.ts';

/** An audit without storage, for tests without a database. */
export const noAudit: Audit = {
  during: (_call, work) => work(),
  record: () => Promise.resolve(),
  recordOnce: () => Promise.resolve(),
  list: () => Promise.resolve({ items: [], next: null }),
  expire: () => Promise.resolve(0),
};

/** Model ratios of a test. All other settings have the defaults of a new site. */
export type Ratios = Readonly<Record<string, number>>;

/** Time of all calls of a test (Unix seconds). */
export const callTime = 1_700_000_000;

const valueOf =
  (ratios: Ratios) =>
  <Key extends SettingKey>(key: Key): SettingValue<Key> =>
    (key === 'ModelRatio' ? ratios : declarationOf(key).default) as SettingValue<Key>;

/** A plan for all charges at other ratios, as the output of a rehearsal. */
export const planOf = (ratios: Ratios): Plan => ({
  filter: { start: 0, end: callTime + 10, models: [], channelId: 0, userId: 0 },
  values: Object.fromEntries(priceKeys.map((key) => [key, valueOf(ratios)(key)])) as Plan['values'],
});

interface Call {
  person: Person;
  requestId: string;
  model: string;
  input: number;
  output: number;
  channelId?: number;
  cost?: number;
}

/** Makes a call at some ratios, with its hold, settlement, log row and hourly sum. Returns the charge. */
export async function makeCall(
  ledger: ReturnType<typeof openLedger>,
  ratios: Ratios,
  call: Call,
): Promise<number> {
  const { person, requestId, model, channelId = 0 } = call;
  const usage = usageOf({ input: call.input, output: call.output });
  const snapshot = createFixedPrices({ get: valueOf(ratios) }).snapshot(model, 'default', 'medium');
  const charge = price(usage, snapshot);
  const facts = {
    requestId,
    userId: person.userId,
    username: person.username,
    tokenId: person.tokenId,
    tokenName: 'token',
    team: person.teamId ? { id: person.teamId, name: 'team' } : null,
    group: 'default',
    model,
    upstreamModel: model,
    isStream: false,
    channelId,
    tries: [],
    usage,
    usageSource: 'upstream' as const,
    bill: charge,
    snapshot,
    endReason: 'complete',
    startedAt: callTime * 1_000,
    firstByteAt: 0,
    endedAt: callTime * 1_000,
  };
  await hold(ledger, holdRequest(person, requestId, charge.quota));
  const settled = await ledger.settle({
    ...bill(person, requestId, charge.quota, channelId),
    log: buildConsumeLog(facts, call.cost ?? null),
    hourly: hourlyOf(facts),
  });
  return settled.charged;
}

/** Corrections on a ledger, with these plans as rehearsals by name. */
export const openReratings = (
  store: Store,
  ledger: ReturnType<typeof openLedger>,
  plans: Readonly<Record<string, Ratios>>,
): Reratings =>
  createReratings({
    store,
    ledger,
    rehearsals: {
      ended: (id) => ({
        plan: planOf(plans[id]!),
        draft: { ModelRatio: '{}' },
        selection: { days: 7, start: 0, end: 0, models: [], groups: [], channel: 0, user: 0 },
      }),
    },
    audit: noAudit,
    sumsHourly: () => true,
    clock: () => (callTime + 60) * 1_000,
    log: ledgerLog,
  });

const ledgerLog = { debug() {}, info() {}, warn() {}, error() {} };

/** Every figure that depends on charges, for some people and for the whole site. */
export async function figures(store: Store, people: readonly Person[]) {
  const { db } = store;
  const members = await db
    .selectFrom('team_members')
    .select(['id', 'remain_quota', 'used_quota'])
    .orderBy('id')
    .execute();
  const channels = await db.selectFrom('channels').select(['id', 'used_quota']).orderBy('id').execute();
  const hours = await db
    .selectFrom('quota_data')
    .select(['user_id', 'model_name', 'created_at', 'quota', 'count'])
    .orderBy('user_id')
    .orderBy('model_name')
    .execute();
  return {
    people: await Promise.all(people.map((each) => readFigures(store, each))),
    members,
    channels,
    hours,
  };
}

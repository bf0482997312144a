import { channelInput } from '@tollgate/contract';
import type { Core } from '../boot/site.ts';
import { createKeyedCalls } from '../services/calls/idempotency/index.ts';
import { createKeptParts, createKeptResponses } from '../services/calls/routing/index.ts';
import { sealSecret } from '../services/site/notify/index.ts';
import { sealCode } from '../services/money/redemptions/index.ts';
import { createTokens } from '../services/people/tokens/index.ts';
import { redemptions, users } from '../store/index.ts';
import { addCaller } from './gateway-harness.ts';

/** Plaintexts of the secrets that `fillSecrets` seals. */
export const secrets = {
  channelKey: 'sk-a-key-of-a-channel-0123456789abcdef',
  proxyPassword: 'password-of-a-proxy',
  header: 'a-secret-in-a-header',
  option: 'a-secret-among-the-options',
  webhook: 'a-secret-of-a-webhook',
  code: '0123456789abcdef0123456789abcdef',
  answer: 'an-answer-that-is-kept',
  response: 'a-response-that-is-kept',
  part: 'a-part-that-is-kept',
};

/** Writes a secret to every column for secrets, through the services that own the columns. */
export async function fillSecrets(core: Core): Promise<{ channelId: number; userId: number }> {
  const setting = JSON.stringify({ proxy: `http://user:${secrets.proxyPassword}@proxy.example:3128/` });
  const header_override = JSON.stringify({ 'x-access-token': secrets.header });
  const input = { type: 1, name: 'one', key: secrets.channelKey, models: 'm', setting, header_override };
  const [channel] = await core.channels.create(channelInput.parse(input));
  await core.settings.set('SMTPToken', secrets.option);
  const caller = await addCaller(core, { balance: 0, allowance: null, group: 'default' });
  const tokenService = createTokens({
    db: core.store.db,
    keys: core.keys,
    ledger: core.ledger,
    audit: core.audit,
    sealer: core.sealer,
    hashOnly: false,
    mayUseGroup: () => true,
    firstGroup: () => '',
    clock: core.clock,
    log: core.log,
  });
  await tokenService.createFirst({ id: caller.userId, username: 'ann' }, 'r-1');
  const webhook = { webhook_url: 'https://hook.example', webhook_secret: secrets.webhook };
  await users.update(core.store.db, caller.userId, {
    setting: JSON.stringify(sealSecret(core.sealer, caller.userId, webhook)),
  });
  const { db } = core.store;
  const code = { ...sealCode(core.sealer, secrets.code), name: 'gift', quota: 1, created_time: 1 };
  await redemptions.create(db, [{ user_id: caller.userId, ...code }]);
  const calls = createKeyedCalls({ ...core, db, node: 'n' });
  const call = { name: 'call-1', owner: 'o', bodyHash: 'h', requestId: 'r-2' };
  await calls.begin(call);
  await calls.finish(call, { status: 200, headers: {}, trailers: {}, body: Buffer.from(secrets.answer) });
  const kept = createKeptResponses({ ...core, db, days: () => 1 });
  await kept.keep(caller.userId, { response: { id: 'resp_1', output: [secrets.response] }, input: [] });
  const parts = createKeptParts({ ...core, db, isOn: () => true });
  await parts.add([await parts.seal({ object: 'o', userId: caller.userId, place: 1 }, secrets.part)]);
  return { channelId: channel!.id, userId: caller.userId };
}

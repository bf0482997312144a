import type { Log } from '../../../lib/log.ts';
import { formerSealStart, type Sealer } from '../../../lib/seal.ts';
import {
  keyPlace as channelKeyPlace,
  sealFormerHeaders,
  sealFormerSetting,
  withoutCredentials,
} from '../../calls/channels/index.ts';
import { answerPlace } from '../../calls/idempotency/index.ts';
import { adoptFormerPlace, webhookPlace } from '../../site/notify/index.ts';
import { sealCode } from '../../money/redemptions/index.ts';
import { optionPlace } from '../../site/settings/index.ts';
import { keyPlace as tokenKeyPlace } from '../../people/tokens/index.ts';
import { channels, type Db, formerSeals, options } from '../../../store/index.ts';

export interface SealsDeps {
  db: Db;
  sealer: Sealer;
  log: Log;
}

const isFormer = (text: string): boolean => text.startsWith(formerSealStart);

/**
 * Encrypts again all texts that an earlier version encrypted without binding them to their rows. Encrypts passwords of
 * proxies, secrets in headers and redemption codes that were stored in clear text. Seals the former service of alarms in its table. Removes passwords in the addresses of channels, which no
 * call sends. A text that cannot be decrypted (another master key) stays unchanged and is reported. Returns the number
 * of renewed rows.
 */
export async function renewSeals(deps: SealsDeps): Promise<number> {
  const counts = [
    await renewChannels(deps),
    await renewOptions(deps),
    await renewTokens(deps),
    await renewAnswers(deps),
    await renewUsers(deps),
    await sealCodes(deps),
    await attempt(
      deps.log,
      { table: 'alarm_places' },
      async () => (await adoptFormerPlace(deps.db, deps.sealer)) > 0,
    ),
  ];
  const renewed = counts.reduce((sum, count) => sum + count, 0);
  if (renewed > 0) deps.log.info({ renewed }, 'stored secrets were sealed anew');
  return renewed;
}

/** Renews one row; a row that fails is reported and not counted. */
async function attempt(log: Log, where: object, work: () => Promise<boolean>): Promise<number> {
  try {
    return (await work()) ? 1 : 0;
  } catch (error) {
    log.error({ ...where, reason: String(error) }, 'a stored secret cannot be sealed anew');
    return 0;
  }
}

/** Reads the former rows of a table in batches. */
async function eachFormer<Row extends { id: number }>(
  { log }: SealsDeps,
  table: string,
  find: (part: { start: string; afterId: number; limit: number }) => Promise<Row[]>,
  renew: (row: Row) => Promise<boolean>,
): Promise<number> {
  let renewed = 0;
  let afterId = 0;
  for (;;) {
    const rows = await find({ start: formerSealStart, afterId, limit: 200 });
    for (const row of rows) renewed += await attempt(log, { table, id: row.id }, () => renew(row));
    const last = rows.at(-1);
    if (!last) return renewed;
    afterId = last.id;
  }
}

async function renewChannels({ db, sealer, log }: SealsDeps): Promise<number> {
  let renewed = 0;
  for (const row of await channels.all(db)) {
    renewed += await attempt(log, { table: 'channels', id: row.id }, async () => {
      const setting = sealFormerSetting(sealer, row) ?? row.setting;
      const sealed = isFormer(row.key_sealed)
        ? sealer.renew(row.key_sealed, 'channels.key', channelKeyPlace(row.id))
        : row.key_sealed;
      const base_url = withoutCredentials(row.base_url);
      const headers = sealFormerHeaders(sealer, row);
      const same = setting === row.setting && sealed === row.key_sealed && base_url === row.base_url;
      if (same && !headers) return false;
      const change = { key_sealed: sealed, setting, base_url, ...headers };
      return formerSeals.replaceChannelSecrets(db, row, change);
    });
  }
  return renewed;
}

async function renewOptions({ db, sealer, log }: SealsDeps): Promise<number> {
  let renewed = 0;
  for (const { key, value } of (await options.all(db)).filter((row) => isFormer(row.value))) {
    renewed += await attempt(log, { table: 'options', option: key }, () =>
      formerSeals.replaceOption(db, key, value, sealer.renew(value, `options.${key}`, optionPlace(key))),
    );
  }
  return renewed;
}

const renewTokens = (deps: SealsDeps): Promise<number> =>
  eachFormer(
    deps,
    'tokens',
    (part) => formerSeals.tokens(deps.db, part),
    (row) =>
      formerSeals.replaceToken(
        deps.db,
        row,
        deps.sealer.renew(row.key_sealed, 'tokens.key', tokenKeyPlace(row)),
      ),
  );

const renewAnswers = (deps: SealsDeps): Promise<number> =>
  eachFormer(
    deps,
    'idempotent_calls',
    (part) => formerSeals.answers(deps.db, part),
    ({ id, name, answer }) =>
      formerSeals.replaceAnswer(
        deps.db,
        { id, answer },
        deps.sealer.renew(answer, `idempotent_calls.answer ${name}`, answerPlace(name)),
      ),
  );

const renewUsers = (deps: SealsDeps): Promise<number> =>
  eachFormer(
    deps,
    'users',
    (part) => formerSeals.users(deps.db, part),
    async (row) => {
      const setting = JSON.parse(row.setting) as Record<string, unknown>;
      const former = setting.webhook_secret;
      if (typeof former !== 'string' || !isFormer(former)) return false;
      const context = 'users.setting.webhook_secret';
      const webhook_secret = deps.sealer.renew(former, context, webhookPlace(row.id));
      return formerSeals.replaceUserSetting(deps.db, row, JSON.stringify({ ...setting, webhook_secret }));
    },
  );

const sealCodes = (deps: SealsDeps): Promise<number> =>
  eachFormer(
    deps,
    'redemptions',
    (part) => formerSeals.codes(deps.db, part),
    (row) => formerSeals.replaceCode(deps.db, row, sealCode(deps.sealer, row.key_hash)),
  );

import {
  AppError,
  declarationOf,
  isSettingKey,
  priceTableKeys,
  product,
  type SettingKey,
} from '@tollgate/contract';
import { type JsonObject, parseObject } from '../../lib/json.ts';
import type { Log } from '../../lib/log.ts';
import type { Sealer } from '../../lib/seal.ts';
import { createPricing, priceKeys, type Pricing } from '../../services/money/pricing/index.ts';
import { createSettings, type Settings } from '../../services/site/settings/index.ts';
import { changeMarks, type Db, type ForeignDatabase, options as optionRows } from '../../store/index.ts';
import { readCells } from './kit/cells.ts';
import { columnsOf } from './kit/columns.ts';
import type { Source } from './kit/detect.ts';
import { movePrices, type PricePlan } from './prices/move-prices.ts';
import { type OldPrices, unitOf } from './prices/old-prices.ts';
import { counting, ImportRefused, type Report } from './kit/report.ts';

/** Options of the source by their keys; some are secrets. */
export type SourceOptions = ReadonlyMap<string, string>;

/** Names that one-api has for options of new-api. */
const otherNames: Readonly<Record<string, string>> = {
  OidcEnabled: 'oidc.enabled',
  OidcClientId: 'oidc.client_id',
  OidcClientSecret: 'oidc.client_secret',
  OidcWellKnown: 'oidc.well_known',
  OidcAuthorizationEndpoint: 'oidc.authorization_endpoint',
  OidcTokenEndpoint: 'oidc.token_endpoint',
  OidcUserinfoEndpoint: 'oidc.user_info_endpoint',
};

export async function readOptions(foreign: ForeignDatabase, source: Source): Promise<SourceOptions> {
  const rows = await foreign.all('options', columnsOf('options', source));
  return new Map(
    rows.map((row) => {
      const cells = readCells(row, 'options');
      const key = cells.text('key');
      return [Object.hasOwn(otherNames, key) ? otherNames[key]! : key, cells.text('value')];
    }),
  );
}

/** Options that a price depends on. If one of them cannot be imported, the import stops, because calls would have another cost. */
const money: ReadonlySet<string> = new Set(priceKeys);
/** Options that movePrices saves, model by model. */
const byModel: ReadonlySet<string> = new Set(priceTableKeys);

/** Models whose price in the source is an expression, which Tollgate cannot compute. */
export function pricedByExpression(options: SourceOptions): Set<string> {
  const modes = mapOf(options.get('billing_setting.billing_mode'));
  return new Set(Object.keys(modes).filter((model) => modes[model] === 'tiered_expr'));
}

const mapOf = (text: string | undefined): JsonObject => parseObject(text ?? '') ?? {};

export interface MoveOptions {
  prices: OldPrices;
  plan: PricePlan;
  db: Db;
  sealer: Sealer;
  log: Log;
  clock: () => number;
  report: Report;
}

/**
 * Saves the options that Tollgate has, checked and encrypted as its own forms do, and lists the others by name. Returns
 * the resulting prices.
 */
export async function moveOptions(move: MoveOptions, options: SourceOptions): Promise<Pricing> {
  const { db, report } = move;
  const count = counting(report, 'options', options.size);
  const settings = await createSettings({
    sealer: move.sealer,
    log: move.log,
    clock: move.clock,
    options: {
      all: () => optionRows.all(db),
      async put(rows) {
        for (const { key, value } of rows) await optionRows.put(db, key, value);
      },
    },
  });
  await refuseOtherUnit(db, options);
  const known = [...options].filter(([key]) => isSettingKey(key)) as [SettingKey, string][];
  for (const key of [...options.keys()].filter((each) => !isSettingKey(each)).toSorted()) {
    report.optionsLeft.push(key);
    count.skipped(`not known to ${product.name}`);
  }
  // Toggles last: some require other settings.
  for (const [key, text] of known.toSorted(([a], [b]) => rank(a) - rank(b))) {
    if (byModel.has(key)) {
      // movePrices lists the parts that cannot be imported; a text that is not a table is ignored.
      if (!parseObject(text))
        throw new ImportRefused(`the source's ${key} cannot be taken: it is no JSON object`);
      count.wrote(1);
      continue;
    }
    const reason = await trySet(settings, key, text);
    if (reason === undefined) count.wrote(1);
    else {
      if (money.has(key)) throw new ImportRefused(`the source's ${key} cannot be taken: ${reason}`);
      report.optionsRefused.push({ key, reason });
      count.skipped('refused');
    }
  }
  await movePrices(settings, move.prices, move.plan, report);
  await changeMarks.mark(db, ['options', 'channels']);
  return createPricing({ settings, log: move.log });
}

const rank = (key: SettingKey): number => (declarationOf(key).kind === 'toggle' ? 1 : 0);

/** Reason why a value was not saved, as text; undefined if it was saved. */
async function trySet(settings: Settings, key: SettingKey, text: string): Promise<string | undefined> {
  try {
    await settings.set(key, text);
    return undefined;
  } catch (error) {
    if (error instanceof AppError) return error.say('en');
    throw error;
  }
}

/** Balances depend on their unit: with two units on one site, one of them would be wrong. */
async function refuseOtherUnit(db: Db, options: SourceOptions): Promise<void> {
  const here = Number((await optionRows.find(db, 'QuotaPerUnit'))?.value ?? unitOf(options));
  if (here !== unitOf(options))
    throw new ImportRefused(
      `a dollar is ${unitOf(options)} units in the source and ${here} in ${product.name} (QuotaPerUnit): set it to ${unitOf(options)} first`,
    );
}

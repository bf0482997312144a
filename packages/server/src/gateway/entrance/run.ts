import { maxRunCalls, product } from '@tollgate/contract';
import type { JsonObject } from '../../lib/json.ts';
import { randomText } from '../../lib/random.ts';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { type AskedRun, maxRunLevels } from '../../services/money/budgets/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { unitsOf } from '../hold/index.ts';

const header = product.headers.run;

/** Maximum length of a path, which is a tag's value. */
const maxPath = 200;
const level = /^[A-Za-z0-9][\w.:-]{0,63}$/;
const maxTtl = 90 * 86_400;

/** The parts of a call that name its run. */
type RunCall = Pick<RelayCall, 'req'> & { caller: Pick<RelayCall['caller'], 'run' | 'userId' | 'team'> };

/** A path below the run of the caller's key. */
const pathBelow = ({ run }: RunCall['caller'], path: string): string =>
  run === undefined ? path : `${run}/${path}`;

/**
 * Path of the run that a call belongs to: that of its key, and below it that of the header. Undefined without both.
 * Throws `run_invalid`.
 */
export function readRunPath({ req, caller }: RunCall): string | undefined {
  const asked = req.headers[header];
  if (asked === undefined) return caller.run;
  const [path = ''] = String(asked).split(';', 1);
  return checkPath(pathBelow(caller, path.trim()));
}

function isPath(path: string): boolean {
  const levels = path.split('/');
  return path.length <= maxPath && levels.length <= maxRunLevels && levels.every((each) => level.test(each));
}

function checkPath(path: string): string {
  if (!isPath(path)) throw invalid();
  return path;
}

const invalid = (): RelayError => refuse('run_invalid', { header });

/**
 * The run of a call and its limits: `<id>; max=0.50; calls=200; ttl=3600`, with dollars and seconds. Throws
 * `run_invalid`, also for unknown words.
 */
function parseRun(text: string, unitsPerDollar: number, caller: RunCall['caller']): AskedRun {
  const [path = '', ...words] = text.split(';').map((part) => part.trim());
  const asked: AskedRun = { path: checkPath(pathBelow(caller, path)) };
  for (const word of words) {
    if (word === '') continue;
    const [name = '', value = ''] = word.split('=', 2).map((part) => part.trim());
    if (name === 'max') asked.amount = unitsOf(value, unitsPerDollar) ?? fail();
    else if (name === 'calls') asked.calls = within(value, maxRunCalls);
    else if (name === 'ttl') asked.ttl = within(value, maxTtl);
    else throw invalid();
  }
  return asked;
}

function fail(): never {
  throw invalid();
}

function within(value: string, max: number): number {
  const number = /^\d{1,9}$/.test(value) ? Number(value) : 0;
  return number >= 1 && number <= max ? number : fail();
}

/** The run that a call belongs to, and the limits of its header; undefined for none. Throws `run_invalid`. */
export function readRun(
  { unitsPerDollar }: Pick<GatewayDeps, 'unitsPerDollar'>,
  { req, caller }: RunCall,
): AskedRun | undefined {
  const text = req.headers[header];
  const asked = text === undefined ? undefined : parseRun(String(text), unitsPerDollar(), caller);
  if (caller.run === undefined) return asked && { ...asked, teamId: caller.team?.id };
  return { path: caller.run, ...asked, teamId: caller.team?.id, within: caller.run };
}

/** Maximum number of seconds and of models of a key that another key makes. */
const maxKeyTtl = 30 * 86_400;
const maxKeyModels = 100;
/** Seconds of such a key unless it is made for another time. */
const usualKeyTtl = 86_400;

/**
 * The run of a new key, below that of the caller's key: `{ max, calls, ttl, models, run }`, of which only `max` is
 * required. Throws `run_key_invalid`, also for unknown fields, and `model_not_allowed`.
 */
export function readRunKey(
  { unitsPerDollar }: Pick<GatewayDeps, 'unitsPerDollar'>,
  { caller }: { caller: RelayCall['caller'] },
  { max, calls, ttl, models, run = `key-${randomText(8)}`, ...others }: JsonObject,
): AskedRun & { amount: number; models: readonly string[] | undefined } {
  const invalid = refuse('run_key_invalid', { ttl: maxKeyTtl });
  const whole = (value: unknown, most: number): number | undefined => {
    if (value === undefined) return undefined;
    if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1 || value > most) throw invalid;
    return value;
  };
  const amount =
    typeof max === 'number' || typeof max === 'string' ? unitsOf(max, unitsPerDollar()) : undefined;
  if (amount === undefined || Object.keys(others).length > 0 || typeof run !== 'string') throw invalid;
  const names: unknown = models ?? [];
  const isList = Array.isArray(names) && names.length <= maxKeyModels;
  if (!isList || !names.every((name) => typeof name === 'string' && /^[^,]{1,200}$/.test(name)))
    throw invalid;
  const refused = names.find((name) => caller.modelLimits?.has(name) === false);
  if (refused !== undefined) throw refuse('model_not_allowed', { model: refused });
  const path = pathBelow(caller, run);
  if (!isPath(path)) throw invalid;
  return {
    path,
    amount,
    calls: whole(calls, maxRunCalls),
    ttl: whole(ttl, maxKeyTtl) ?? usualKeyTtl,
    teamId: caller.team?.id,
    within: caller.run,
    models: models === undefined ? undefined : names,
  };
}

/**
 * The budgets of the run that a call belongs to; undefined for none. The first call starts the run of a header. Throws
 * `run_invalid`, `run_ended` and `run_limit_reached`.
 */
export function enterRun(
  deps: Pick<GatewayDeps, 'runs' | 'unitsPerDollar'>,
  call: RunCall,
): readonly number[] | undefined | Promise<readonly number[]> {
  const asked = readRun(deps, call);
  return asked && deps.runs.enter(call.caller.userId, asked);
}

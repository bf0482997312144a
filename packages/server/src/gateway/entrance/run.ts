import { maxRunCalls, product } from '@tollgate/contract';
import { refuse, type RelayError } from '../../relay/types/index.ts';
import { type AskedRun, maxRunLevels } from '../../services/money/budgets/index.ts';
import type { GatewayDeps, RelayCall } from '../call/index.ts';
import { unitsOf } from '../hold/index.ts';

const header = product.headers.run;

/** Maximum length of a path, which is a tag's value. */
const maxPath = 200;
const level = /^[A-Za-z0-9][\w.:-]{0,63}$/;
const maxTtl = 90 * 86_400;

/** Path of the run that a call names; undefined without the header. Throws `run_invalid`. */
export function readRunPath({ headers }: RelayCall['req']): string | undefined {
  const asked = headers[header];
  if (asked === undefined) return undefined;
  const [path = ''] = String(asked).split(';', 1);
  return checkPath(path.trim());
}

function checkPath(path: string): string {
  const levels = path.split('/');
  if (path.length > maxPath || levels.length > maxRunLevels || !levels.every((each) => level.test(each)))
    throw invalid();
  return path;
}

const invalid = (): RelayError => refuse('run_invalid', { header });

/**
 * The run of a call and its limits: `<id>; max=0.50; calls=200; ttl=3600`, with dollars and seconds. Throws
 * `run_invalid`, also for unknown words.
 */
function parseRun(text: string, unitsPerDollar: number): AskedRun {
  const [path = '', ...words] = text.split(';').map((part) => part.trim());
  const asked: AskedRun = { path: checkPath(path) };
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

/** The run that a call names, and its limits; undefined without the header. Throws `run_invalid`. */
export function readRun(
  { unitsPerDollar }: Pick<GatewayDeps, 'unitsPerDollar'>,
  { headers }: RelayCall['req'],
): AskedRun | undefined {
  const asked = headers[header];
  return asked === undefined ? undefined : parseRun(String(asked), unitsPerDollar());
}

/**
 * The budgets of the run that a call names; undefined without the header. The first call starts the run. Throws
 * `run_invalid`, `run_ended` and `run_limit_reached`.
 */
export function enterRun(
  deps: Pick<GatewayDeps, 'runs' | 'unitsPerDollar'>,
  { caller, req }: Pick<RelayCall, 'caller' | 'req'>,
): readonly number[] | undefined | Promise<readonly number[]> {
  const asked = readRun(deps, req);
  return asked && deps.runs.enter(caller.userId, asked);
}

import {
  AppError,
  type ErrorCode,
  errors,
  type ExtraOf,
  fieldName,
  type InputOf,
  type Language,
  readFault,
  type Route,
  unknownMembers,
} from '@tollgate/contract';
import { z } from 'zod';
import { Answer, type AnswerParts, type Served } from './answer.ts';
import type { CallContext } from './context.ts';

/** What a handler may return: only data, `{ data, extra }` if the call has top-level fields, or `answer(…)`. */
type Answered<R extends Route> =
  | Answer<z.input<R['data']>, ExtraOf<R>>
  | (R['extra'] extends z.ZodType ? { data: z.input<R['data']>; extra: ExtraOf<R> } : z.input<R['data']>);

type Handler<R extends Route> = (
  input: InputOf<R>,
  context: CallContext,
) => Answered<R> | Promise<Answered<R>>;

/** One handler for each call of an api; leaving one out is a type error. */
export type Handlers<Api extends Record<string, Route>> = { [Name in keyof Api]: Handler<Api[Name]> };

/** The raw input of a call: path slots override the body, and the body the query. */
interface RawInput {
  query: unknown;
  body: unknown;
  slots: unknown;
}

/** A call with its handler, ready to be mounted. `serve` throws; the app renders its errors. */
export interface MountedRoute extends Pick<
  Route,
  | 'method'
  | 'path'
  | 'access'
  | 'teamRole'
  | 'critical'
  | 'humanCheck'
  | 'reauthenticate'
  | 'reauthenticateFor'
  | 'demo'
  | 'audit'
> {
  /** Slots of the address that accept only digits. */
  numbers?: readonly string[];
  serve(raw: RawInput, context: CallContext): Promise<Served>;
}

/** The slots of an address that the input reads as numbers, whatever their names; an id is always one. */
export function numbersIn({ path, input }: Route): string[] {
  const fields: Record<string, z.ZodType> = input instanceof z.ZodObject ? input.shape : {};
  const isNumber = (slot: string): boolean =>
    slot === 'id' || typeof fields[slot]?.safeParse('1').data === 'number';
  return [...path.matchAll(/:(\w+)/g)].map(([, slot = '']) => slot).filter(isNumber);
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * An error message: that of the error code which the schema has as its message, else which field is invalid and why.
 * The validation library's own messages are not for users.
 */
function refusalOf({ fieldNames = {} }: Route, issue: z.core.$ZodIssue | undefined): AppError {
  if (!issue) return new AppError('invalid_parameter');
  const { message, field, words } = readFault(issue, (name) => fieldNames[name] ?? fieldName(name));
  if (Object.hasOwn(errors, message)) return new AppError(message as ErrorCode, { member: field });
  return new AppError('invalid_input', { detail: words });
}

const noNul = {
  zh: '文字中不能包含空字符（NUL）',
  en: 'texts must not contain the character NUL',
};

/** Deeper than any input of a call. */
const maxDepth = 20;

/** Whether a text of an input contains NUL, which PostgreSQL can neither store nor search for. */
function hasNul(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (typeof value !== 'object' || value === null || depth > maxDepth) return false;
  return Object.entries(value).some(([name, each]) => name.includes('\0') || hasNul(each, depth + 1));
}

/** As many names as a message has. */
const maxNames = 10;

/** Refuses members of a body that nothing would read: left out in silence they would be taken for saved. */
function refuseUnknown({ input, echoes }: Route, body: unknown): void {
  const unknown = unknownMembers(input, body).filter((name) => !Object.hasOwn(echoes?.shape ?? {}, name));
  if (unknown.length === 0) return;
  const names = unknown.slice(0, maxNames).map((name) => name.slice(0, 64));
  throw new AppError('unknown_members', { members: names.join(', ') });
}

function readInput<R extends Route>(route: R, raw: RawInput): InputOf<R> {
  const { query, body, slots } = raw;
  if (body !== undefined && body !== null && !isObject(body)) throw new AppError('invalid_parameter');
  const merged = Object.assign({}, query, body, slots);
  if (hasNul(merged)) throw new AppError('invalid_input', { detail: noNul });
  if (route.method !== 'GET') refuseUnknown(route, body);
  const parsed = z.safeParse(route.input, merged, { reportInput: true });
  if (!parsed.success) throw refusalOf(route, parsed.error.issues[0]);
  return parsed.data as InputOf<R>;
}

function partsOf(route: Route, answered: unknown): AnswerParts<unknown, unknown> {
  if (answered instanceof Answer) return answered.parts;
  if (route.extra !== undefined && isObject(answered))
    return { data: answered['data'], extra: answered['extra'] };
  return { data: answered };
}

/**
 * The envelope of an answer. Data pass through the declared schema, so that a field which the contract does not have
 * (a hash, a key) can never leak from a row.
 */
function envelope(route: Route, answered: unknown, language: Language): Served {
  const { data, extra, message, success = true, status = 200 } = partsOf(route, answered);
  if (route.bare === 'data') return { status, body: route.data.parse(data) as object };
  return {
    status,
    body: {
      success,
      message: message ?? (success ? (route.done?.[language] ?? '') : ''),
      data: success ? route.data.parse(data) : (data ?? null),
      ...(route.extra !== undefined && extra !== undefined ? (route.extra.parse(extra) as object) : {}),
    },
  };
}

/** Binds an api's declarations to their handlers: input validation before, envelope after. */
export function implement<Api extends Record<string, Route>>(
  api: Api,
  handlers: Handlers<Api>,
): MountedRoute[] {
  return Object.keys(api).map((name) => {
    const route = api[name] as Api[string];
    const handler = handlers[name] as Handler<Api[string]>;
    return {
      method: route.method,
      path: route.path,
      access: route.access,
      numbers: numbersIn(route),
      ...(route.teamRole !== undefined && { teamRole: route.teamRole }),
      ...(route.critical !== undefined && { critical: route.critical }),
      ...(route.reauthenticate !== undefined && { reauthenticate: route.reauthenticate }),
      ...(route.reauthenticateFor !== undefined && { reauthenticateFor: route.reauthenticateFor }),
      ...(route.demo !== undefined && { demo: route.demo }),
      ...(route.humanCheck !== undefined && { humanCheck: route.humanCheck }),
      ...(route.audit !== undefined && { audit: route.audit }),
      async serve(raw, context) {
        const input = readInput(route, raw);
        return envelope(route, await handler(input, context), context.language);
      },
    };
  });
}

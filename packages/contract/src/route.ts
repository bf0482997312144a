import type { z } from 'zod';
import type { ErrorCode, Words } from './errors.ts';
import type { Access, TeamRole } from './roles.ts';
import type { AuditKind } from './audit-kinds.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'DELETE';

/**
 * Calls for which signed-in users must confirm their identity again. `always`: all users, by a second factor, or by the
 * password without one. `with-factor`: only accounts with a second factor.
 */
export type Reauthentication = 'always' | 'with-factor';

/** How long a second factor, or a password given to `POST /api/verify`, counts for its session. */
export const proofSeconds = 15 * 60;

/** Declaration of a console call, used by the server, the console and the tests. */
export interface Route<
  Input extends z.ZodType = z.ZodType,
  Data extends z.ZodType = z.ZodType,
  Extra extends z.ZodType | undefined = z.ZodType | undefined,
> {
  method: Method;
  /** Address with `:name` slots; slots of numeric input accept only digits. A trailing slash is optional. */
  path: string;
  /** Short description of the call for the API reference. */
  summary: Words;
  access: Access;
  /** Its own refusals, beside those that access, limits and input bring along (`refusalsOf`). */
  errors?: readonly ErrorCode[];
  /** An input that the API's reference shows and a test sends; `{}` where absent. */
  example?: unknown;
  /** Path slots, query (GET, DELETE) and JSON body (POST, PUT) merged into one object. */
  input: Input;
  /**
   * A row as a call answers it: its members may come back in the body of a change, where they have no effect. Other
   * members that the input does not know are refused by name.
   */
  echoes?: z.ZodObject;
  /** What fields of the input are called where their usual names would mislead. */
  fieldNames?: Readonly<Record<string, Words>>;
  /** The envelope's `data`. */
  data: Data;
  /**
   * Object schema of the fields beside `data` in the envelope, for the few calls that have them (pricing
   * `group_ratio`, channel test `time`, balance `balance`). A handler of such a call returns `{ data, extra }`.
   */
  extra: Extra;
  /** The `message` of a success, for the few calls with one; otherwise ''. */
  done?: Words;
  /** True for the calls of docs/compatibility.md#address-limits "CT": sign-in, codes, reset. */
  critical?: boolean;
  /**
   * The lowest role in the team that the slot `:id` names; those who are not in it get `team_not_found`, as for a team
   * that does not exist.
   */
  teamRole?: TeamRole;
  /** Required confirmation of identity; absent if none is required. */
  reauthenticate?: Reauthentication;
  /** The fields of the input that make the call ask, unless they are empty; absent where every call asks. */
  reauthenticateFor?: readonly string[];
  /**
   * True when the call needs the human check while it is switched on ("TS" of
   * docs/compatibility.md#envelope-and-routes).
   */
  humanCheck?: boolean;
  /** Kind of the audit record; absent for calls without one. Ours. */
  audit?: AuditKind;
  /** Wire format without the envelope, for the few calls that have none. */
  bare?: BareAnswer;
  /**
   * Whether the call works on a demo site (docs/compatibility.md#modes), if it differs from the rule: GET works, all
   * others do not.
   */
  demo?: boolean;
}

/** True when a call works on a demo site: one that changes nothing, or nothing that others would miss. */
export const worksInDemo = ({ method, demo }: Pick<Route, 'method' | 'demo'>): boolean =>
  demo ?? method === 'GET';

/**
 * `message`: `{message: 'success' | 'error', data}` (docs/compatibility.md#online-top-up). `data`: only the data,
 * while refusals have the envelope.
 */
export type BareAnswer = 'message' | 'data';

interface RouteSpec<Input extends z.ZodType, Data extends z.ZodType> {
  summary: Words;
  access: Access;
  errors?: readonly ErrorCode[];
  example?: z.input<Input>;
  input: Input;
  echoes?: z.ZodObject;
  fieldNames?: Readonly<Record<string, Words>>;
  data: Data;
  done?: Words;
  critical?: boolean;
  teamRole?: TeamRole;
  reauthenticate?: Reauthentication;
  reauthenticateFor?: readonly string[];
  humanCheck?: boolean;
  audit?: AuditKind;
  bare?: BareAnswer;
  demo?: boolean;
}

/**
 * The header in which accounts without a second factor send their password to calls that require it: percent-encoded
 * UTF-8 (`encodeURIComponent`), because headers have only ASCII. Without it the error is `password_required`, with a
 * wrong one `wrong_password`.
 */
export const currentPasswordHeader = 'x-current-password';

/** Declares a console call. */
export function route<Input extends z.ZodType, Data extends z.ZodType>(
  method: Method,
  path: string,
  spec: RouteSpec<Input, Data>,
): Route<Input, Data, undefined>;
/** Declares a console call with top-level fields of its own. */
export function route<Input extends z.ZodType, Data extends z.ZodType, Extra extends z.ZodObject>(
  method: Method,
  path: string,
  spec: RouteSpec<Input, Data> & { extra: Extra },
): Route<Input, Data, Extra>;
export function route(
  method: Method,
  path: string,
  spec: RouteSpec<z.ZodType, z.ZodType> & { extra?: z.ZodObject },
): Route {
  return { method, path, extra: undefined, ...spec };
}

/** Input of the server's handler, after validation. */
export type InputOf<R extends Route> = z.output<R['input']>;
/** Input of a caller. */
export type CallOf<R extends Route> = z.input<R['input']>;
/** `data` of the answer. */
export type DataOf<R extends Route> = z.output<R['data']>;
/** The top-level fields beside `data`; none for most calls. */
export type ExtraOf<R extends Route> = R['extra'] extends z.ZodType ? z.output<R['extra']> : undefined;
